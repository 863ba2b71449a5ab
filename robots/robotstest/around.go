package robotstest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Names returns robots to ask for: what could be a name in a file, names nearly those, and some that are not in it. There are up
// to most of them.
func Names(body []byte, most int) []string {
	names := []string{"", "cybermapper", "Googlebot-Image", "otherbot"}
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[strings.ToLower(name)] && len(name) < 200 {
			seen[strings.ToLower(name)] = true
			names = append(names, name)
		}
	}
	isName := func(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_' }
	words := func(text string, in func(rune) bool) []string {
		return strings.FieldsFunc(text, func(c rune) bool { return !in(c) })
	}
	var near []string
	for _, line := range strings.FieldsFunc(textOf(body), func(c rune) bool { return c == '\n' || c == '\r' }) {
		if !strings.Contains(strings.ToLower(line), "agent") && !strings.Contains(line, "：") {
			continue
		}
		for _, word := range words(line, isName) {
			add(word)
			near = append(near, word+"x", "x"+word, word+"-Image")
			if len(word) > 1 {
				near = append(near, word[:len(word)-1])
			}
		}
		for _, word := range words(line, func(c rune) bool { return c > ' ' && c < 0x7f && c != ',' && c != ':' && c != '/' }) {
			add(word) // MJ12bot
		}
	}
	for i, word := range near {
		if i%3 == 0 || len(near) < 40 {
			add(word)
		}
	}
	for i := 4; i+1 < len(names) && i < 20; i += 2 {
		add(names[i] + names[i+1])
	}
	return names[:min(len(names), most)]
}

// Paths returns paths around all that could be a path in some files, up to most of them.
func Paths(most int, bodies ...[]byte) []string {
	paths := []string{"/", "/index.html", "/robots.txt", "/x", "/a", "/a/b", "/b", "/a%20b", "/axb", "/a/x/b", "/xb", "/?x",
		"/a$", "/a*b"}
	for _, body := range bodies {
		for _, line := range strings.FieldsFunc(textOf(body), func(c rune) bool { return c == '\n' || c == '\r' }) {
			_, value, ok := strings.Cut(line, ":")
			if !ok {
				value = line
			}
			for _, word := range append(strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t,;=#", c) }),
				strings.Join(strings.Fields(value), "")) {
				paths = append(paths, around(word)...)
			}
		}
		if len(paths) > 20*most {
			break
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for len(paths) > most { // thin out evenly
		kept := paths[:0]
		for i, p := range paths {
			if i*most/len(paths) != (i+1)*most/len(paths) {
				kept = append(kept, p)
			}
		}
		paths = kept
	}
	return paths
}

// around returns paths that a word matches as a pattern, and some that it just does not.
func around(word string) (paths []string) {
	if _, rest, ok := strings.Cut(word, "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			word = rest[i:]
		} else {
			word = "/"
		}
	}
	word, _, _ = strings.Cut(word, "\x00")
	for _, fill := range []string{"", "x", "x/y"} {
		p := strings.ReplaceAll(word, "*", fill)
		for _, p := range []string{p, strings.TrimSuffix(p, "$")} {
			if !strings.HasPrefix(p, "/") {
				p = "/" + p
			}
			paths = append(paths, p, p+"x", p+"/y", strings.TrimSuffix(p, "/"))
			if _, size := utf8.DecodeLastRuneInString(p); len(p) > size {
				paths = append(paths, p[:len(p)-size])
			}
		}
		if !strings.Contains(word, "*") {
			break
		}
	}
	return paths
}

// textOf makes UTF-16 readable.
func textOf(body []byte) string {
	if len(body) > 2 && (body[0] == 0xff && body[1] == 0xfe || body[0] == 0xfe && body[1] == 0xff) {
		return strings.ReplaceAll(string(body[2:]), "\x00", "")
	}
	return string(body)
}
