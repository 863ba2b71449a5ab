package lint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// checkRule looks at the value of an Allow or Disallow line.
func (l *linter) checkRule(at line) {
	if at.Note == robots.ProblemOrphan {
		return // checkGroups has it
	}
	value := at.Value
	l.checkCut(at)
	if value == "" {
		return
	}
	if _, field, _ := cutField(value); field != "" {
		l.add("two-directives", at, "RFC 9309 and Google take all of it for one path, which no URL has.",
			strings.Join(l.apart(at.Key, value), "\n"))
		return
	}
	if trimOdd(value) != value || strings.ContainsAny(value, oddCharacters) {
		l.add("invisible-character", at,
			"Robots take the no-break, zero-width or typographic character for a part of the path, so it matches no URL.",
			l.pathAdvice(at))
		return
	}
	l.checkBlanks(at)
	l.checkSlash(at)
	l.checkPattern(at)
	l.checkCharacter(at)
	l.checkSecret(at)
}

// checkCut looks for a "#" that was meant for a part of the path.
func (l *linter) checkCut(at line) {
	before := at.raw[:len(at.raw)-len(at.comment)]
	if at.comment == "" || before == "" || strings.TrimRight(before, " \t") != before || strings.HasSuffix(before, ":") {
		return
	}
	severity := Warning
	if at.Role == robots.RoleDisallow && strings.Trim(at.Value, "/*") == "" {
		severity = Error
	}
	l.addAs("comment-in-path", severity, at,
		fmt.Sprintf("Robots read %s: a # begins a comment, and URLs are asked for without what follows it.",
			quotedOr(at.Value, "no path")), "Put a blank in front of a comment. What follows # in a URL cannot be closed.")
}

var (
	brokenEscape = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)
	styles       = regexp.MustCompile(`(?i)\.(css|js)(\*|\$|\?|$)|` +
		`^/(css|js|styles|stylesheets?|javascripts?)$|/(css|js|styles|stylesheets?|javascripts?)/\*?$`) // a last word may be a page
)

// checkCharacter looks for what no URL holds, and for paths that pages are built with.
func (l *linter) checkCharacter(at line) {
	switch {
	case strings.Contains(at.Value, "%") && brokenEscape.MatchString(at.Value):
		l.add("broken-escape", at, "Robots differ on what a % means that begins no escape; most take it for itself.",
			"Write %25 for a percent sign.")
	case strings.Contains(at.Value, `\`) && !regex.MatchString(at.Value):
		l.add("backslash", at, "Browsers write / for it, so no URL has one.", at.Key+": "+strings.ReplaceAll(at.Value, `\`, "/"))
	}
	if at.Role == robots.RoleDisallow && styles.MatchString(at.Value) {
		l.add("closes-styles", at, "Search engines draw pages as people see them. What they may not fetch for that is missing.",
			"Leave styles and scripts open.")
	}
	if len(at.Value) > maxYandexRule {
		l.add("many-rules", at, fmt.Sprintf("The path has %d characters; Yandex reads rules of up to %d.", len(at.Value),
			maxYandexRule), "Use a shorter pattern.")
	}
}

// Limits of Yandex, as its checker of robots.txt tells them.
const (
	maxYandexRules = 2048
	maxYandexRule  = 1024
)

// checkBlanks looks for blanks within the value.
func (l *linter) checkBlanks(at line) {
	if !strings.ContainsAny(at.Value, " \t") || isURL(at.Value) {
		return
	}
	if arePaths(at.Value) {
		if all := pathOfAll(at.Value); all != "" {
			l.add("path-list", at, "RFC 9309 has one path per line. Robots that take it for a list see "+all+" in it, and visit "+
				"nothing.", "Take the blank out, unless all of the site is to be closed.")
			return
		}
		l.add("path-list", at, "RFC 9309 has one path per line. Google takes all of it for one path, which no URL has; we "+
			"forbid each of them, and allow none.", l.pathAdvice(at))
		return
	}
	l.add("spaces-in-path", at, "No URL has a blank in it: Google finds nothing that matches, RFC 9309 only what has %20 in its "+
		"place.", l.pathAdvice(at))
}

// checkSlash looks at how the path begins.
func (l *linter) checkSlash(at line) {
	switch c := at.Value[0]; {
	case c == '/' || c == '*':
	case isURL(at.Value):
		l.add("full-url", at, "Rules hold paths. RFC 9309 and Google find nothing that matches; we forbid the path if the host "+
			"is the file's own.", l.urlAdvice(at.Value, l.pathAdvice(at)))
	default:
		l.add("missing-slash", at, "All paths begin with a slash. RFC 9309 and Google find nothing that matches; we add the "+
			"slash where that forbids.", l.pathAdvice(at))
	}
}

// urlAdvice is what to write in place of a rule that is a URL: a file speaks of its own host alone, and the whole of another one
// must not become the whole of this one.
func (l *linter) urlAdvice(url, advice string) string {
	switch {
	case l.Host != "":
		return advice
	case strings.Trim(pathOf(url), "/*") == "":
		return "If the host is another than the file's own, delete the line. If not, this closes all of it:\n" + advice
	default:
		return "If the host is the file's own, write:\n" + advice + "\nElse delete the line."
	}
}

// pathAdvice is what to write in place of a rule.
func (l *linter) pathAdvice(at line) string {
	if mended := l.mended(at); len(mended) > 0 {
		return strings.Join(mended, "\n")
	}
	paths := repairer{host: l.Host, advise: true}.mendPaths(at.Value)
	if len(paths) == 0 {
		return "Delete the line, or write the path that was meant."
	}
	return at.Key + ": " + strings.Join(paths, "\n"+at.Key+": ")
}

// apart returns the fields of one line, each on its own.
func (l *linter) apart(key, value string) (lines []string) {
	for key != "" {
		part, field, rest := cutField(value)
		switch {
		case part == "":
		case strings.EqualFold(key, fieldAllow), strings.EqualFold(key, fieldDisallow):
			for _, path := range (repairer{host: l.Host, advise: true}).mendPaths(part) {
				lines = append(lines, key+": "+path)
			}
		default:
			lines = append(lines, key+": "+part)
		}
		key, value = field, rest
	}
	return lines
}

var (
	// a dot behind a name is that of a file, as in /index.*
	regex = regexp.MustCompile(`(^|[/)\]])\.[*+]|\\[./dws?+*]|\(\?|\(.*\|.*\)|\[[a-z0-9]-[a-z0-9]\]|^\^`)
	// that stand between slashes or at an end that is meant: /.env begins with /., and query strings may have anything
	dots = regexp.MustCompile(`^[^?]*/\.\.?(/|\$$)`)
)

// checkPattern looks at the special characters.
func (l *linter) checkPattern(at line) {
	value := at.Value
	if i := strings.IndexByte(value, '$'); i >= 0 && i < len(value)-1 {
		l.add("dollar-inside", at, fmt.Sprintf("Only at the end does $ mean the end; here it is text: %s matches URLs that have "+
			"a $ in them.", quoted(value)),
			"If the end was meant, delete what follows the $; if not, write %24.")
	}
	switch {
	case strings.ContainsAny(value, `.\([^`) && regex.MatchString(value):
		l.add("regular-expression", at, "Robots know * (anything) and $ (the end) only; all else is text.",
			"Write the path with * in place of the expression.")
	case strings.Contains(value, "/.") && dots.MatchString(value):
		l.add("dead-path", at, "Browsers and robots resolve . and .. before they ask, so no URL has them.",
			"Write the path that it leads to.")
	}
}

// What makes a path look secret: words of it, names of whole folders and files, ends and beginnings. The ordinary ways in, and the
// forms for who has lost a password, are only worth a hint.
var (
	secretWords = setOf("backup", "backups", "confidential", "credentials", "dump", "dumps", "htpasswd", "passwd")
	secretNames = setOf("intern", "internal", "intranet", "passwords", "private", "secret", "secrets")
	adminWords  = setOf("admin", "administrator", "cpanel", "login", "password", "phpmyadmin", "signin", "staging")
	secretEnds  = [...]string{".sql", ".bak", ".old", ".pem", ".key", ".mdb"}
	hiddenDirs  = [...]string{"/.git", "/.svn", "/.env", "/.ht", "/.ssh"}
)

// checkSecret looks for paths that had better not be published.
func (l *linter) checkSecret(at line) {
	if at.Role != robots.RoleDisallow {
		return
	}
	const message = "Everyone can read robots.txt: it closes nothing to those who do not ask, and points them here."
	const advice = "Protect the path by a password or take it off the server; a shorter prefix gives away less."
	switch secret, admin := secrecy(strings.ToLower(at.Value)); {
	case secret:
		l.add("secret-path", at, message, advice)
	case admin:
		l.addAs("secret-path", Info, at, message, advice)
	}
}

// secrecy looks at the words of a path in lower case.
func secrecy(path string) (secret, admin bool) {
	path, _, _ = strings.Cut(path, "?")
	for word := range strings.FieldsFuncSeq(path, func(c rune) bool { return strings.ContainsRune("/._*-$=&", c) }) {
		secret = secret || secretWords[word]
		admin = admin || adminWords[word]
	}
	for name := range strings.SplitSeq(path, "/") {
		name, _, _ = strings.Cut(strings.Trim(name, "_*$"), ".")
		secret = secret || secretNames[name]
	}
	for _, end := range secretEnds {
		secret = secret || strings.HasSuffix(strings.TrimRight(path, "$*"), end)
	}
	for _, dir := range hiddenDirs {
		secret = secret || strings.Contains(path, dir)
	}
	return secret, admin
}

func setOf(words ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range words {
		set[word] = true
	}
	return set
}

func isURL(s string) bool {
	s = strings.ToLower(s)
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// arePaths reports whether all words of s begin as paths do.
func arePaths(s string) bool {
	for word := range strings.FieldsSeq(s) {
		if word[0] != '/' && word[0] != '*' {
			return false
		}
	}
	return true
}

// pathOfAll returns the first word of s that is a path which every URL has; empty if none is.
func pathOfAll(s string) string {
	for word := range strings.FieldsSeq(s) {
		word = strings.TrimRight(word, ",")
		if rest := strings.Trim(word, "*"); word != "" && (rest == "" || rest == "/") {
			return word
		}
	}
	return ""
}
