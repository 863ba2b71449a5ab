package frontier

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// resolve reads ref on base, which is canonical or empty, and returns the canonical URL. It does what the WHATWG parser
// does with http and https (FuzzResolve compares them), at a fiftieth of the cost: scheme, authority unless ref has
// none, path and query.
func resolve(base, ref string) (string, error) {
	ref, _, _ = strings.Cut(tidy(ref), "#")
	scheme, rest := cutScheme(ref)
	baseScheme := base[:schemeLen(base)]
	switch {
	case scheme == "" && base == "":
		return "", errors.New("not an absolute URL")
	case scheme != "" && scheme != "http" && scheme != "https":
		return "", newSchemeError(scheme)
	case ref == "":
		return base, nil
	case scheme == "":
		scheme = baseScheme
	}
	var room [512]byte // keeps results off the heap until they are whole
	buf := room[:0]
	if scheme != baseScheme || strings.HasPrefix(rest, "//") {
		var err error
		if buf, rest, err = appendAuthority(append(buf, scheme...), strings.TrimLeft(rest, "/")); err != nil {
			return "", err
		}
	} else {
		buf = append(buf, base[:sharedLen(base, rest)]...)
	}
	buf = appendPathQuery(buf, rest)
	if string(buf) == ref {
		return ref, nil
	}
	return string(buf), nil
}

// sharedLen returns how much of base a reference with neither scheme nor authority leaves in place.
func sharedLen(base, ref string) int {
	if strings.HasPrefix(ref, "/") {
		return originLen(base)
	}
	path, _, _ := strings.Cut(base, "?")
	switch {
	case ref == "":
		return len(base)
	case ref[0] == '?':
		return len(path)
	}
	return strings.LastIndexByte(path, '/') + 1
}

// tidy returns ref without blanks around it, without tabs and newlines, with slashes for the backslashes of authority and
// path, and in valid UTF-8.
func tidy(ref string) string {
	for ref != "" && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for ref != "" && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	ascii := true
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c == '\t', c == '\n', c == '\r', c == '\\':
			return tidyUp(ref)
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	if !ascii && !utf8.ValidString(ref) {
		return tidyUp(ref)
	}
	return ref
}

func tidyUp(ref string) string {
	for _, blank := range []string{"\t", "\n", "\r"} {
		ref = strings.ReplaceAll(ref, blank, "")
	}
	ref = string([]rune(ref)) // U+FFFD for every byte that is no UTF-8
	end := strings.IndexAny(ref, "?#")
	if end < 0 {
		end = len(ref)
	}
	return strings.ReplaceAll(ref[:end], `\`, "/") + ref[end:]
}

// cutScheme splits ref behind the colon that ends its scheme, which it returns in lower case, empty if there is none.
func cutScheme(ref string) (scheme, rest string) {
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case isAlpha(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(ref[:i]), ref[i+1:]
		default:
			return "", ref
		}
	}
	return "", ref
}

func newSchemeError(scheme string) SchemeError {
	const most = 32 // bytes; more say nothing
	if len(scheme) > most {
		scheme = scheme[:most] + "…"
	}
	return SchemeError(scheme)
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
