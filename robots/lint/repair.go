package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
)

// oddCharacters are those that look like a blank or nothing and have no business in a path. trimmedOdd are those that have
// none at its ends, beside what nobody sees.
const (
	oddCharacters = "\u00a0\u200b\u2060\ufeff\u3000\u00ad"
	trimmedOdd    = oddCharacters + "\u201c\u201d\u201e\u2018\u2019"
)

// trimOdd takes odd characters off both ends, and all that nobody sees.
func trimOdd(s string) string {
	for {
		trimmed := strings.Trim(robots.TrimInvisible(s), trimmedOdd)
		if trimmed == s {
			return s
		}
		s = trimmed
	}
}

// visible takes off what trimOdd does, and out of the middle what cannot be seen.
func visible(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad", c) {
			return -1
		}
		return c
	}, trimOdd(s))
}

// A repairer says what should stand in place of a line.
type repairer struct {
	host   string // that serves the file; empty when unknown
	keep   bool   // a path that is mended stands beside the one that was read before, so that nothing opens
	advise bool   // to the owner, who knows what was meant; else for Fix, which must not guess
}

// mended returns what the owner is advised to write in place of a line, without its comment; nil when there is nothing to mend.
func (l *linter) mended(at line) []string { return repairer{host: l.Host, advise: true}.mend(at) }

// mend returns what stands in place of a line in a mended file, without its comment; nil when there is nothing to mend, or
// nothing that could be mended without the owner. It never holds an Allow that was not one for RFC 9309.
func (r repairer) mend(at line) []string {
	if strings.Contains(at.Note, robots.LenientMarkup) {
		return nil // the whole file is to be saved anew
	}
	switch at.Role {
	case robots.RoleInvalid:
		return r.mendInvalid(at)
	case robots.RoleOther:
		return r.mendOther(at)
	case robots.RoleAgent:
		return r.mendAgent(at.Value)
	case robots.RoleDisallow:
		return r.mendDisallow(at.Value)
	case robots.RoleAllow:
		if encoded := encodeBytes(at.Value); encoded != at.Value {
			return []string{fieldAllow + ": " + encoded}
		}
	}
	return nil
}

// mendInvalid mends a line that is no field; what cannot be mended becomes a comment.
func (r repairer) mendInvalid(at line) []string {
	code := at.code
	switch {
	case indexOfControl(code) >= 0:
		code = strings.Map(func(c rune) rune {
			if c < ' ' && c != '\t' {
				return -1
			}
			return c
		}, code)
	case wideColon(code):
		code = narrowColon(code)
	case at.Note != robots.LenientColon:
		if field, value, ok := separated(code); ok {
			return r.mendField(field + ": " + value)
		}
		if beginsWithField(code) || hasPlaceholder(code) {
			return nil
		}
		return []string{"# " + code}
	default:
		words := strings.Fields(code)
		code = words[0] + ": " + words[1]
	}
	return r.mendField(code)
}

// mendField returns the mended form of a field that was found in a spoilt line; nil unless it is one that restricts.
func (r repairer) mendField(code string) []string {
	key, value, ok := strings.Cut(code, ":")
	field := knownField(key)
	value = trimOdd(value)
	switch {
	case !ok:
		return nil
	case field == fieldAgent && value != "":
		return orElse(r.mendAgent(value), fieldAgent+": "+value)
	case field == fieldDisallow:
		return orElse(r.mendDisallow(value), strings.TrimSpace(fieldDisallow+": "+value))
	case field == "Sitemap" && value != "":
		return []string{field + ": " + value}
	}
	return nil
}

func orElse(mended []string, plain string) []string {
	if mended == nil {
		return []string{plain}
	}
	return mended
}

// mendOther mends a field name.
func (r repairer) mendOther(at line) []string {
	field := knownField(at.Key)
	if f := translation(at.Key); f != "" {
		field = f
	}
	if f := colonless(at.Key); f != "" {
		_, rest, _ := strings.Cut(strings.ReplaceAll(at.code, "\t", " "), " ")
		return r.mendField(f + ": " + strings.TrimSpace(rest))
	}
	if wideColon(at.Key) {
		return r.mendField(narrowColon(at.code))
	}
	if field == "" || strings.EqualFold(field, at.Key) {
		return nil
	}
	if field == "Sitemap" || field == "Crawl-delay" {
		return []string{field + ": " + at.Value}
	}
	return r.mendField(field + ": " + at.Value)
}

// mendAgent mends the value of a User-agent line.
func (r repairer) mendAgent(value string) []string {
	part, field, rest := cutField(value)
	if field != "" {
		if part == "" {
			return nil
		}
		more := r.mendField(field + ": " + rest)
		if more == nil {
			return nil
		}
		return append(orElse(r.mendAgent(part), fieldAgent+": "+part), more...)
	}
	words := strings.FieldsFunc(value, isSeparator)
	switch clean := trimOdd(value); {
	case clean != value && isOneName(clean):
		return []string{fieldAgent + ": " + clean}
	case len(words) > 1 && areNames(value, words):
		var lines []string
		for _, word := range words {
			name := token(word)
			lines = append(lines, fieldAgent+": "+name)
		}
		return slices.Compact(lines)
	case token(value) != "" && token(value) != "*" && strings.HasPrefix(value[tokenLen(value):], "/") && len(words) == 1:
		return []string{fieldAgent + ": " + token(value)}
	}
	return nil
}

// isOneName reports whether a value is a name, or the star, and nothing else.
func isOneName(value string) bool {
	return value == "*" || value != "" && tokenLen(value) == len(value)
}

// areNames reports whether the words of a User-agent value are surely meant as a list of names: commas part them, or they
// are known names.
func areNames(value string, words []string) bool {
	if strings.ContainsAny(value, "(/") {
		return false
	}
	commas := strings.Count(value, ",") == len(words)-1
	for _, word := range words {
		known := word == "*" || strings.EqualFold(robotIn(word), word)
		if token(word) == "" || !known && !commas || word != "*" && len(token(word)) != len(word) {
			return false
		}
	}
	return true
}

// mendDisallow mends the value of a Disallow line.
func (r repairer) mendDisallow(value string) []string {
	part, field, rest := cutField(value)
	if field != "" {
		more := r.mendField(field + ": " + rest)
		if more == nil {
			return nil
		}
		return append(orElse(r.mendDisallow(part), strings.TrimSpace(fieldDisallow+": "+part)), more...)
	}
	if isWellFormed(value) {
		return nil
	}
	paths := r.mendPaths(value)
	if len(paths) == 0 {
		return nil
	}
	if r.keep && (value[0] == '/' || value[0] == '*') {
		paths = append(paths, robots.CanonicalPattern(value))
	}
	var lines []string
	for _, path := range paths {
		if line := fieldDisallow + ": " + path; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// isWellFormed reports whether there is nothing to mend about a path.
func isWellFormed(value string) bool {
	return value == "" || (value[0] == '/' || value[0] == '*') && !strings.ContainsAny(value, " \t"+oddCharacters) &&
		trimOdd(value) == value && encodeBytes(value) == value
}

// mendPaths returns the paths that value was meant to hold; none when that is anybody's guess. A path with blanks in it
// gives two: the blanks may be an accident, or a part of the name that should have been encoded.
func (r repairer) mendPaths(value string) []string {
	value = strings.Map(func(c rune) rune {
		switch {
		case c == '\u00a0' || c == '\u3000':
			return ' '
		case strings.ContainsRune(oddCharacters, c):
			return -1
		}
		return c
	}, encodeBytes(trimOdd(value)))
	value = trimOdd(value)
	words := strings.Fields(value)
	switch {
	case len(words) == 0:
		return nil
	case len(words) == 1, isURL(words[0]):
		return r.mendSlash(words[0])
	case arePaths(value) && pathOfAll(value) != "" && !r.advise:
		return nil // a list, or one path with a blank in it: only the owner knows whether all was to be closed
	case arePaths(value):
		var paths []string
		for _, word := range words {
			paths = append(paths, r.mendSlash(strings.TrimRight(word, ","))...)
		}
		return paths
	}
	joined, encoded := strings.Join(words, ""), strings.ReplaceAll(strings.ReplaceAll(value, " ", "%20"), "\t", "%09")
	if strings.Contains(value, "/ ") || strings.Contains(value, " /") {
		return append(r.mendSlash(joined), r.mendSlash(encoded)...)
	}
	return append(r.mendSlash(encoded), r.mendSlash(joined)...)
}

// mendSlash makes a path of one that lacks its slash or has a host in front.
func (r repairer) mendSlash(s string) []string {
	switch {
	case s == "":
		return nil
	case s[0] == '/' || s[0] == '*':
		return []string{s}
	case isURL(s):
		return r.ownPath(s)
	case strings.HasPrefix(s, "www."):
		return r.ownPath("http://" + s)
	case isTokenByte(s[0]), '0' <= s[0] && s[0] <= '9', strings.IndexByte(".~?%", s[0]) >= 0:
		return []string{"/" + s}
	}
	return nil
}

// ownPath returns the path of a URL that is one of the file's own host; for advice also when that is not known.
func (r repairer) ownPath(url string) []string {
	if r.host == "" && !r.advise || r.host != "" && !sameSite(hostOf(url), r.host) {
		return nil
	}
	return []string{pathOf(url)}
}

// hostOf returns host[:port] of an http URL.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// pathOf returns the path of an http URL.
func pathOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return "/"
	}
	return rest[i:]
}

// encodeBytes percent-encodes what is beyond ASCII in a path that is not UTF-8.
func encodeBytes(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return encodeHigh(s)
}

// encodeHigh percent-encodes what is beyond ASCII.
func encodeHigh(s string) string {
	const digits = "0123456789ABCDEF"
	if !strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
			continue
		}
		b.Write([]byte{'%', digits[s[i]>>4], digits[s[i]&15]})
	}
	return b.String()
}

// cutField cuts value before the first field that is written into it, as in "/a Disallow: /b".
func cutField(value string) (part, field, rest string) {
	for i := range len(value) {
		if i > 0 && value[i-1] != ' ' && value[i-1] != '\t' {
			continue
		}
		for _, f := range [...]string{fieldDisallow, fieldAllow, fieldAgent, "Sitemap", "Crawl-delay"} {
			if end := i + len(f); end < len(value) && value[end] == ':' && strings.EqualFold(value[i:end], f) {
				return strings.TrimSpace(value[:i]), f, strings.TrimSpace(value[end+1:])
			}
		}
	}
	return value, "", ""
}
