package lint

import "slices"

// A CodeInfo explains a code.
type CodeInfo struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"` // the usual one; single findings may have a milder one
	Title    string   `json:"title"`
	Fixable  bool     `json:"fixable"` // Fix mends it, where that opens nothing
}

// Codes returns all codes, grouped by subject. The slice belongs to the caller.
func Codes() []CodeInfo { return slices.Clone(codes[:]) }

func infoOf(code Code) CodeInfo {
	i := slices.IndexFunc(codes[:], func(c CodeInfo) bool { return c.Code == code })
	return codes[i]
}

func severityOf(code Code) Severity { return infoOf(code).Severity }

// codes is the one list of what File can find.
var codes = [...]CodeInfo{
	// The file.
	{"no-file", Info, "there is no robots.txt: everything is open, and every visit of a robot leaves an error in the log", false},
	{"empty-file", Info, "the file has no rules: everything is open to all robots, as if there were no file", false},
	{"html", Error, "a web page is served in place of the file", false},
	{"binary", Error, "a picture, an archive or another file that is no text is served in place of the file", false},
	{"no-rules", Error, "nothing in the file is a rule that robots could read", false},
	{"template", Warning, "a placeholder of a template was not filled in", false},
	{"bom", Info, "the file begins with a byte order mark", true},
	{"utf16", Warning, "the file is UTF-16; robots expect UTF-8", true},
	{"not-utf8", Warning, "a line is not UTF-8", true},
	{"line-ends", Info, "line ends are mixed, or the outdated single CR", true},
	{"near-limit", Warning, "the file nears 500 KiB, after which robots may stop reading", false},
	{"over-limit", Error, "lines lie beyond the 500 KiB that robots must read", false},
	{"long-line", Warning, "a line is so long that some robots cut it", false},
	{"other-host", Info, "a comment names another host: was the file copied?", false},

	// Lines.
	{"not-a-field", Warning, "a line is neither a field nor a comment", true},
	{"line-numbers", Error, "lines begin with numbers, as copied from a viewer", false},
	{"missing-colon", Error, "the colon after the field name is missing", true},
	{"misspelt-field", Error, "a field name is misspelt", true},
	{"translated-field", Error, "a field name was translated", true},
	{"unknown-field", Info, "robots do not know the field", false},
	{"markup", Error, "tags of HTML stand around a field", false},
	{"two-directives", Error, "two directives stand on one line", true},
	{"invisible-character", Error, "invisible or typographic characters stand where they spoil the line", true},
	{"control-character", Error, "a control character spoils the line", true},

	// Names.
	{"empty-agent", Error, "a User-agent line names nobody", false},
	{"name-list", Warning, "several words after User-agent; robots see the first only", true},
	{"agent-pattern", Warning, "names are no patterns: * stands alone or not at all", false},
	{"agent-version", Info, "what follows the name of a robot is ignored", true},
	{"agent-header", Warning, "a User-Agent header stands where a name belongs", false},
	{"agent-characters", Info, "a name has characters that names may not have", false},
	{"name-substring", Info, "robots that look for their name within others get another group", false},

	{"misspelt-name", Warning, "a name is nearly that of a known robot, which takes no notice of it", false},
	{"retired-name", Info, "a name that no robot answers to any more", false},

	// Groups.
	{"lost-disallow", Error, "an empty Disallow was lost: whom it meant to set free is closed out", false},
	{"blank-in-group", Warning, "a blank line stands inside of a group", true},
	{"two-readings", Warning, "robots of 1994 and of RFC 9309 read different rules", false},
	{"modern-rules", Info, "Allow, * and $ are not known to robots that follow the text of 1994", false},
	{"rule-before-agent", Error, "a rule stands before any User-agent line", true},
	{"empty-group", Warning, "a group has no rules", true},
	{"two-star-groups", Warning, "there are several groups for *", true},
	{"split-group", Info, "a robot is named in several groups", false},
	{"weaker-than-star", Warning, "a named robot may go where others may not: it does not inherit from *", false},
	{"site-closed", Info, "the site is closed to all robots that are not named", false},

	// Paths.
	{"missing-slash", Error, "a path does not begin with a slash", true},
	{"full-url", Error, "a path is written as a URL", true},
	{"spaces-in-path", Error, "a path is broken by blanks", true},
	{"path-list", Error, "several paths stand on one line", true},
	{"comment-in-path", Warning, "a # cuts the path: what follows is a comment", false},
	{"broken-escape", Warning, "a % in a path is not followed by two hexadecimal digits", false},
	{"backslash", Warning, "a path has a backslash, which no URL has", false},
	{"closes-styles", Info, "styles or scripts are closed, without which search engines cannot see pages as people do", false},
	{"idle-allow", Info, "an Allow opens nothing: the group closes nothing", false},
	{"many-rules", Info, "Yandex reads 2,048 rules, and rules of 1,024 characters", false},
	{"dollar-inside", Warning, "a $ is special at the end only", false},
	{"regular-expression", Warning, "a path looks like a regular expression", false},
	{"dead-path", Warning, "a path that no URL can have", false},
	{"empty-disallow-mixed", Warning, "an empty Disallow beside others has no effect", true},
	{"duplicate-rule", Info, "a rule is said twice", true},
	{"contradiction", Warning, "the same path is allowed and disallowed; Allow wins", false},
	{"shadowed-rule", Info, "a shorter rule says the same already", false},
	{"secret-path", Warning, "the file tells everyone of a path that looks secret", false},

	// Other fields.
	{"bad-delay", Warning, "a Crawl-delay that is no number of seconds", false},
	{"long-delay", Warning, "a Crawl-delay so long that robots stay away", false},
	{"ignored-delay", Info, "a Crawl-delay for a robot that does not read it", false},
	{"bad-clean-param", Warning, "a malformed Clean-param", false},
	{"bad-rate", Warning, "a malformed Request-rate", false},
	{"bad-visit-time", Warning, "a malformed Visit-time", false},
	{"bad-signal", Warning, "a malformed Content-Signal", false},
	{"bad-usage", Warning, "a malformed Content-Usage", false},
	{"bad-sitemap", Error, "a Sitemap that is not a full URL", false},
	{"foreign-sitemap", Info, "a Sitemap lies on another host", false},
	{"host-field", Info, "Host is not read by any robot any more", false},
	{"noindex-field", Warning, "Noindex and the like have no effect in robots.txt", false},

	// With a list of URLs.
	{"matches-nothing", Info, "a rule matches no known URL", false},
	{"wrong-case", Warning, "a rule matches no known URL, but would in other letter case", false},
	{"hides-noindex", Warning, "a page is closed to robots, so they never see its noindex", false},
}
