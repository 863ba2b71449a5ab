package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
)

// checkLine looks at one line by itself.
func (l *linter) checkLine(at line) {
	l.checkHost(at)
	if at.code == "" {
		return
	}
	if at.Role != robots.RoleCut && !utf8.ValidString(at.raw) {
		l.add("not-utf8", at, "Robots compare the bytes as they stand, percent-encoded; that is right only if the site's URLs "+
			"are encoded the same way.",
			"Save the file as UTF-8, or percent-encode the path.")
	}
	if len(at.code) > robots.MaxLine {
		l.add("long-line", at, fmt.Sprintf("The line has %d bytes. Google cuts a line after %d, and we drop an Allow of that "+
			"length.", len(at.code), robots.MaxLine),
			"Use shorter patterns.")
	}
	if hasPlaceholder(at.code) {
		l.add("template", at, "Robots take the placeholder for text.", "Serve the file that the template is for.")
	}
	if strings.Contains(at.Note, robots.LenientMarkup) {
		l.add("markup", at, "RFC 9309 and Google take the tags for text. We read what stands between them, where it restrains.",
			"Serve the file as plain text, without tags.")
		return
	}
	switch at.Role {
	case robots.RoleInvalid:
		l.checkInvalid(at)
	case robots.RoleOther:
		l.checkOther(at)
	case robots.RoleAgent:
		l.checkAgent(at)
	case robots.RoleAllow, robots.RoleDisallow:
		l.checkRule(at)
	default:
		l.checkValue(at)
	}
}

var (
	placeholder = regexp.MustCompile(`\{\{.*\}\}|\{%.*%\}|<\?php|<%|\$\{\w+\}|@@\w+@@`)
	numbered    = regexp.MustCompile(`(?i)^\d+[.:)|]?\s*((?:user-?agent|disallow|allow|sitemap)\s*:.*)`)
	hostComment = regexp.MustCompile(`(?i)^#.*\bhttps?://([^\s/]+)`)
)

// hasPlaceholder reports whether a line is one of a template, or has a part of it.
func hasPlaceholder(code string) bool {
	return strings.ContainsAny(code, "{<@") && placeholder.MatchString(code)
}

// checkHost looks for a header comment that names another host.
func (l *linter) checkHost(at line) {
	if l.Host == "" || at.Number > 10 || at.code != "" {
		return
	}
	m := hostComment.FindStringSubmatch(at.comment)
	if m == nil || !strings.Contains(strings.ToLower(at.comment), "robots") || sameSite(m[1], l.Host) {
		return
	}
	l.add("other-host", at, "Robots ignore comments. The file is served by "+l.Host+".",
		"If the file was copied from "+m[1]+", see whether its rules fit this site.")
}

// sameSite compares hosts without regard to case, "www." and the ports that schemes have by default.
func sameSite(a, b string) bool { return siteOf(a) == siteOf(b) }

func siteOf(host string) string {
	host = strings.ToLower(host)
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443"), "www.")
}

// checkInvalid looks at a line that is no field.
func (l *linter) checkInvalid(at line) {
	switch {
	case indexOfControl(at.code) >= 0:
		l.add("control-character", at, "Robots may skip the whole line; we do, unless it forbids.",
			"Write the line anew without it.")
	case at.Note == robots.LenientColon:
		l.add("missing-colon", at, "RFC 9309 does not know the line; Google reads it as if the colon were there, and so do we "+
			"where it forbids.",
			strings.Join(l.mended(at), "\n"))
	case wideColon(at.code):
		l.add("missing-colon", at, "The colon is not the ASCII one: robots skip the line.", narrowColon(at.code))
	case isColonlessAllow(at.code):
		l.addAs("missing-colon", Warning, at, "RFC 9309 does not know the line; Google reads it as if the colon were there. We do "+
			"not, for it would open.", "Allow: "+strings.Fields(at.code)[1])
	case l.checkSeparated(at):
	case googleReads(at) != "":
		l.add("missing-colon", at, "RFC 9309 does not know the line; Google reads it as "+quoted(googleReads(at))+".",
			googleReads(at))
	case hasPlaceholder(at.code): // which is told already
	default:
		l.add("not-a-field", at, "Robots skip the line.", `If it is a remark, put "# " in front.`)
	}
}

// googleReads returns what Google's parser, which goes by the beginning of a field's name, takes for the line; empty where it skips
// it.
func googleReads(at line) string {
	field, value := googleParts(at.raw)
	if field == "" {
		return ""
	}
	return field + ": " + value
}

// isColonlessAllow reports whether a line is an Allow that lacks its colon, of two words, as Google mends them.
func isColonlessAllow(code string) bool {
	words := strings.Fields(code)
	return len(words) == 2 && strings.EqualFold(words[0], "allow")
}

// checkSeparated looks for another character in the place of the colon, and reports whether there is one.
func (l *linter) checkSeparated(at line) bool {
	field, value, ok := separated(at.code)
	if !ok {
		return false
	}
	advice := strings.Join(l.mended(at), "\n")
	if advice == "" {
		advice = strings.TrimSpace(field + ": " + value)
	}
	message := "A colon belongs behind the field name, and nothing else: robots skip the line"
	if read := googleReads(at); read != "" {
		message += "; Google reads it as " + quoted(read)
	}
	l.add("missing-colon", at, message+".", advice)
	return true
}

func wideColon(s string) bool { return strings.ContainsAny(s, "：﹕꞉") }

// narrowColon puts an ASCII colon in the place of the first one that is not.
func narrowColon(s string) string {
	i := strings.IndexAny(s, "：﹕꞉")
	return s[:i] + ": " + strings.TrimLeft(s[i:], "：﹕꞉ \t")
}

// checkOther looks at a field that robots.txt files do not have.
func (l *linter) checkOther(at line) {
	mend := strings.Join(l.mended(at), "\n")
	field := knownField(at.Key)
	switch {
	case numbered.MatchString(at.code):
		l.add("line-numbers", at, "Robots do not know the field and skip the line.", numbered.ReplaceAllString(at.code, "$1"))
	case strings.Contains(at.Note, robots.LenientInvisibles), visible(at.Key) != at.Key && field != "":
		l.add("invisible-character", at,
			"A no-break, zero-width or typographic character belongs to the field's name: RFC 9309 does not know it and skips "+
				"the line.", mend)
	case wideColon(at.Key):
		l.add("missing-colon", at, "The colon is not the ASCII one: robots skip the line.", narrowColon(at.code))
	case colonless(at.Key) != "":
		message := "Robots take " + quoted(at.Key) + " for the name of a field, and skip the line"
		if read := googleReads(at); read != "" {
			message += "; Google goes by how the name begins, and reads " + quoted(read)
		}
		if strings.Contains(at.Note, robots.LenientFullURL) {
			mend = l.urlAdvice("http:"+at.Value, mend)
		}
		l.add("missing-colon", at, message+".", mend)
	case isPageField(at.Key):
		l.add("noindex-field", at, "It never was part of a standard; Google ignores it since 2019.",
			"Say noindex on the page itself, by META ROBOTS or X-Robots-Tag, and let robots visit it.")
	case strings.EqualFold(at.Key, "host"):
		l.add("host-field", at, "Only Yandex read it, until 2018.", "Redirect from the other hosts; delete the line.")
	case strings.EqualFold(at.Key, "http"), strings.EqualFold(at.Key, "https"):
		l.add("not-a-field", at, "Robots skip the line.", "If this is a sitemap: Sitemap: "+at.code)
	case translation(at.Key) != "":
		l.add("translated-field", at, "Field names are never translated: robots skip the line.", mend)
	case field != "" && !strings.EqualFold(field, at.Key):
		l.checkTypo(at, field, mend)
	case field == "" && googleField(at.Key) != "":
		l.checkTypo(at, googleField(at.Key), mend)
	case strings.EqualFold(at.Key, "clean-param"):
		l.checkValue(at)
	case field == "":
		l.add("unknown-field", at, "Robots skip the line; it does not end a group.", "")
	}
}

// checkTypo looks at a field name that is nearly one.
func (l *linter) checkTypo(at line, field, mend string) {
	message := "RFC 9309 does not know the field: robots skip the line."
	if read := googleField(at.Key); read != "" {
		message = "RFC 9309 does not know the field; Google goes by how it begins, and reads it as " + read + "."
	}
	if strings.Contains(at.Note, robots.LenientTypo) {
		message = "RFC 9309 does not know the field; Google reads it as " + field + ", and so do we where it forbids."
	}
	mend = cmp.Or(mend, field+": "+at.Value)
	l.add("misspelt-field", at, message, mend)
}

// isPageField reports whether key is a META term that some wrote into robots.txt.
func isPageField(key string) bool {
	switch strings.ToLower(key) {
	case "noindex", "nofollow", "noarchive", "nosnippet", "index", "follow", "no-index", "no-follow":
		return true
	}
	return false
}

// checkAgent looks at the value of a User-agent line.
func (l *linter) checkAgent(at line) {
	value := at.Value
	name := token(value)
	mend := strings.Join(l.mended(at), "\n")
	switch _, field, _ := cutField(value); {
	case value == "":
		l.add("empty-agent", at, "RFC 9309: the line names nobody. Robots that look for the value within their name find it in "+
			"every name.",
			"Name a robot, or * for all that are not named.")
		return
	case field != "":
		l.add("two-directives", at, fmt.Sprintf("RFC 9309 and Google see a User-agent line here, and not the %s.", field), mend)
		return
	}
	words := strings.FieldsFunc(value, isSeparator)
	l.checkKnown(at, name)
	switch clean := trimOdd(value); {
	case clean != value && isOneName(clean) && (clean == "*" || !strings.HasPrefix(value, clean)):
		l.add("invisible-character", at, "A no-break, zero-width or typographic character stands beside the name: RFC 9309 "+
			"and Google see no name, and the rules are for nobody.", mend)
	case clean != value && isOneName(clean):
		l.addAs("invisible-character", Warning, at, "A no-break, zero-width or typographic character stands behind the name: "+
			"robots that compare the whole do not find theirs; Google does.", mend)
	case strings.Contains(value, "(") || strings.HasPrefix(value, "Mozilla/"):
		advice := "Write the name alone: letters, - and _."
		if robot := headerRobot(value); robot != "" {
			advice = "User-agent: " + robot
		}
		seen := "RFC 9309: the value is no name, so that no robot finds its own in it."
		if name != "" {
			seen = "Robots compare their name with " + quoted(name) + " alone."
		}
		l.add("agent-header", at, seen, advice)
	case len(words) > 1 && token(words[0]) == name && strings.ContainsAny(value, "/") && !strings.Contains(value, ","):
		l.add("agent-version", at, "Robots see "+quotedOr(name, "no name")+" and ignore the rest.", mend)
	case len(words) > 1:
		l.checkWords(at, words)
	case name == "" && strings.Count(value, "*") == 1 && strings.IndexFunc(value, isNamePart) < 0:
		l.addAs("agent-pattern", Error, at, "RFC 9309 and Google see no name: the rules are for nobody. We take it for *.",
			"User-agent: *")
	case value != "*" && strings.Contains(value, "*"):
		l.add("agent-pattern", at, fmt.Sprintf("A * within a name is no pattern: RFC 9309 robots see %s.",
			quotedOr(name, "no name at all")), "Name each robot on a line of its own.")
	case name != "" && strings.Contains(value, "/"):
		l.add("agent-version", at, "Robots see "+quoted(name)+" and ignore the version.", mend)
	case name == "":
		l.checkCharacters(at)
	}
}

// checkWords looks at a name of several words. Most are the one name of one robot, as it calls itself in its header.
func (l *linter) checkWords(at line, words []string) {
	seen := "RFC 9309 and Google see " + quoted(token(at.Value)) + " only; we take the other words for names"
	if token(at.Value) == "" {
		seen = "RFC 9309 sees no name, Google " + quotedOr(at.Value[:tokenLen(at.Value)], "none") + "; we take the words for names"
	}
	advice := "If it is one robot, write the one word that its maker says it looks for; if they are several, one name per line."
	if areNames(at.Value, words) {
		advice = "One name per line:\nUser-agent: " + strings.Join(words, "\nUser-agent: ")
	}
	l.add("name-list", at, seen+" where that forbids more.", advice)
}

// headerRobot returns the name of the robot that a User-Agent header is of; empty where it tells none. What stands in parentheses
// may be robots that it is like.
func headerRobot(header string) string {
	before, _, _ := strings.Cut(header, "(")
	if robot := robotIn(before); robot != "" {
		return robot
	}
	first := strings.Trim(header[:tokenLen(header)], "-_")
	if first == "" || strings.EqualFold(first, "Mozilla") {
		return robotIn(header)
	}
	return first
}

// isNamePart reports whether a character may be of a name.
func isNamePart(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// checkCharacters looks at a name with digits and the like.
func (l *linter) checkCharacters(at line) {
	seen := at.Value[:tokenLen(at.Value)]
	advice := ""
	if robot := robotIn(at.Value); robot != "" && !strings.EqualFold(robot, at.Value) {
		advice = "User-agent: " + robot
	}
	l.add("agent-characters", at, fmt.Sprintf("RFC 9309 knows letters, - and _ only. Google sees %s; robots that compare the "+
		"whole name obey.", quotedOr(seen, "no name")), advice)
}

func isSeparator(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == ';' }

func quoted(s string) string { return "“" + quote(s) + "”" }

func quotedOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return quoted(s)
}
