package extract

import "strings"

// header reads the links of a header: Link (RFC 8288) and Refresh.
func (g *gatherer) header(in Input) {
	for _, field := range in.Header.Values("Link") {
		for link, rest := nextLink(field); link.ok || rest != ""; link, rest = nextLink(rest) {
			if link.ok && link.describes(in.URL) {
				g.relate(link.rel, link.target, link.mediaType, true, true)
			}
		}
	}
	if url := refreshURL(in.Header.Get("Refresh")); url != "" {
		g.add(KindHeaderRefresh, url, "")
	}
}

// A webLink is one element of a Link header field.
type webLink struct {
	ok        bool
	target    string
	rel       string
	mediaType string
	anchor    string
	anchored  bool
}

// describes reports whether the link is one of the page at url itself. A link with the anchor of something else says
// nothing about the page: RFC 8288 section 3.2.
func (l *webLink) describes(url string) bool {
	return !l.anchored || l.anchor == "" || l.anchor[0] == '#' || l.anchor == url
}

// nextLink parses the first element of a Link field value and returns what follows it: RFC 8288 appendix B.2. An element
// that is not well-formed is skipped.
func nextLink(s string) (l webLink, rest string) {
	s = strings.TrimLeft(s, " \t,")
	if !strings.HasPrefix(s, "<") {
		return l, afterElement(s)
	}
	target, s, closed := strings.Cut(s[1:], ">")
	if !closed {
		return l, ""
	}
	l.ok, l.target = true, target
	related := false
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			return l, afterElement(s)
		}
		var name, value string
		name, value, s = nextParam(s[1:])
		switch {
		case strings.EqualFold(name, "rel") && !related: // only the first counts: section 3.3
			l.rel, related = value, true
		case strings.EqualFold(name, "type"):
			l.mediaType = value
		case strings.EqualFold(name, "anchor") && !l.anchored:
			l.anchor, l.anchored = value, true
		}
	}
}

// nextParam parses a parameter, whose value may be a token or a quoted string.
func nextParam(s string) (name, value, rest string) {
	s = strings.TrimLeft(s, " \t")
	end := strings.IndexAny(s, "=;, \t")
	if end < 0 {
		return s, "", ""
	}
	name, s = s[:end], strings.TrimLeft(s[end:], " \t")
	after, ok := strings.CutPrefix(s, "=")
	if !ok {
		return name, "", s
	}
	s = strings.TrimLeft(after, " \t")
	if strings.HasPrefix(s, `"`) {
		value, rest = unquote(s[1:])
		return name, value, rest
	}
	end = strings.IndexAny(s, ";,")
	if end < 0 {
		end = len(s)
	}
	return name, strings.TrimRight(s[:end], " \t"), s[end:]
}

// unquote reads a quoted string whose opening quote has been read.
func unquote(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// afterElement returns what follows the comma that ends a list element, quoted strings skipped.
func afterElement(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ',':
			return s[i+1:]
		case '"':
			_, rest := unquote(s[i+1:])
			i = len(s) - len(rest) - 1
		}
	}
	return ""
}
