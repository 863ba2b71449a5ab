package extract

import "strings"

// refreshURL returns the URL of a refresh, "" if there is none: HTML standard, "shared declarative refresh steps". Both
// "5; url='x'" and "5,x" are read, "url=x" without a time is not.
func refreshURL(content string) string {
	s := strings.TrimLeft(content, space)
	rest := strings.TrimLeft(s, "0123456789")
	if len(rest) == len(s) && !strings.HasPrefix(s, ".") {
		return ""
	}
	s = strings.TrimLeft(rest, "0123456789.")
	if s == "" || !strings.Contains(";,"+space, s[:1]) {
		return ""
	}
	s = strings.TrimLeft(s, space)
	if s != "" && (s[0] == ';' || s[0] == ',') {
		s = strings.TrimLeft(s[1:], space)
	}
	if after, ok := cutURL(s); ok {
		s = after
	} else if len(s) > 0 && s[0]|0x20 == 'u' {
		return strings.Trim(s, space) // a relative URL that starts with a u
	}
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return strings.Trim(s, space)
}

// cutURL removes "url =" from the start of s.
func cutURL(s string) (string, bool) {
	if len(s) < 3 || !strings.EqualFold(s[:3], "url") {
		return s, false
	}
	after, ok := strings.CutPrefix(strings.TrimLeft(s[3:], space), "=")
	return strings.TrimLeft(after, space), ok
}
