package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// isRaw reports whether the content of an element is text up to its end tag, whatever it looks like. Since we run no
// scripts, noscript is not among them; since we read frames, noframes is.
func isRaw(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Textarea, atom.Title,
		atom.Iframe, atom.Noembed, atom.Noframes, atom.Plaintext, atom.Xmp:
		return true
	}
	return false
}

// rawText reads the text of a raw element and then its end tag.
func (s *scanner) rawText() token {
	start, end := s.pos, len(s.buf)
	switch tag := s.raw; tag {
	case atom.Plaintext: // nothing ends it
	case atom.Script:
		end = scriptEnd(s.buf, start)
	default:
		end = rawEnd(s.buf, start, tag.String())
	}
	s.raw = 0
	if end == len(s.buf) {
		return s.end(start, end)
	}
	s.text = s.buf[start:end]
	return s.readTag(end, end+2, endTag)
}

// rawEnd returns where the end tag of that name starts, from i on; len(b) if nowhere.
func rawEnd(b []byte, i int, name string) int {
	for {
		j := bytes.Index(b[i:], []byte("</"))
		if j < 0 {
			return len(b)
		}
		i += j
		if isTag(b[i+2:], name) {
			return i
		}
		i += 2
	}
}

// scriptEnd is rawEnd for a script, which may hold what looks like scripts within "<!--" and "-->": HTML standard, sections
// 13.2.5.15 to 13.2.5.31. As x/net/html and unlike the standard it takes a '<' that starts no tag for a "-->".
func scriptEnd(b []byte, i int) int {
	const plain, escaped, nested = 0, 1, 2
	for state := plain; ; {
		j := bytes.IndexAny(b[i:], "<-")
		if j < 0 {
			return len(b)
		}
		i += j
		rest := b[i:]
		switch {
		case state != plain && bytes.HasPrefix(rest, []byte("-->")):
			state = plain
			i += 3
		case state != nested && bytes.HasPrefix(rest, []byte("</")) && isTag(rest[2:], "script"):
			return i
		case state == plain && bytes.HasPrefix(rest, []byte("<!--")):
			state = escaped
			i += 2 // the dashes may be those of "-->"
		case state == escaped && rest[0] == '<' && isTag(rest[1:], "script"):
			state = nested
			i += len("<script>")
		case state == nested && bytes.HasPrefix(rest, []byte("</")) && isTag(rest[2:], "script"):
			state = escaped
			i += len("</script>")
		case state == escaped && rest[0] == '<' && len(rest) > 1 && rest[1] != '/' && !isLetter(rest[1]):
			state = plain
			i++
		default:
			i++
		}
	}
}

// isTag reports whether b starts with a tag's name and what ends it.
func isTag(b []byte, name string) bool {
	return len(b) > len(name) && equalFold(b[:len(name)], name) && endsName(b[len(name)])
}
