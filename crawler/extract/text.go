package extract

import (
	"context"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the visible text of a page, at most MaxText bytes of it: white space collapsed, a line for each block, nothing
// from scripts, styles, templates, the title or comments. It is valid UTF-8 without U+0000, and "" for what is not HTML. Style
// sheets are not asked, so what they hide is there. The error is that of ctx, which ends only the wait for the budget.
func (x *Extractor) Text(ctx context.Context, in Input) (text string, err error) {
	src := x.open(in, func(string) {})
	if !src.html {
		return "", ctx.Err()
	}
	err = x.within(ctx, int64(src.textSize()), func() { text = visible(src.text(), src.xml, x.opt.MaxText) })
	return text, err
}

// visible reads a page by its tags, so that it can be large and deep at will.
func visible(page []byte, xml bool, max int) string {
	t := textWriter{max: max}
	s := scanner{buf: page, xml: xml}
	hidden, inert := false, false
	for !t.full {
		tok := s.next()
		if !hidden && !inert {
			t.write(html.UnescapeString(string(s.text[:min(len(s.text), maxSpaced*max)])))
		}
		if tok == eof {
			break
		}
		hidden, inert = tok == startTag && isHidden(s.tag), s.inert > 0
		t.line = t.line || tok != other && BreaksLine(s.tag)
		if s.tag == atom.A && tok != other {
			t.betweenLinks(tok)
		}
	}
	return t.String()
}

// maxSpaced is how many bytes of source are looked at for one of text, at most.
const maxSpaced = 2

// A textWriter collapses white space.
type textWriter struct {
	strings.Builder
	max         int
	space, line bool // owed before the next word
	linked      int  // the length when a link ended
	full        bool
}

// betweenLinks takes in a tag of a link, and reports whether it parts the words of two links. Those that have nothing between them
// are items of a menu or a list of tags, which style sheets set apart.
func (t *textWriter) betweenLinks(tag token) bool {
	if tag != startTag {
		t.linked = t.Len()
		return false
	}
	if t.linked == 0 || t.linked != t.Len() || t.space || t.line {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(t.String())
	t.space = !isWide(last)
	return t.space
}

func (t *textWriter) write(s string) {
	if s = shown(s); s == "" {
		return
	}
	t.space = t.space || isSpace(s[0])
	for word := range strings.FieldsSeq(s) {
		sep := t.separator()
		if t.full = t.Len()+len(sep)+len(word) > t.max; t.full {
			return
		}
		t.WriteString(sep)
		t.WriteString(word)
		t.space, t.line = true, false
	}
	t.space = isSpace(s[len(s)-1])
}

// shown returns text as browsers show it: bytes that are no UTF-8 are U+FFFD (Encoding Standard section 4.1), and U+0000 is left
// out (HTML section 13.2.6.4.7).
func shown(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// writePlain is write for text that isPlain.
func (t *textWriter) writePlain(b []byte) {
	t.space = t.space || isSpace(b[0])
	for i := skipSpace(b, 0); i < len(b); {
		end := endOfWords(b, i)
		sep := t.separator()
		if t.Len()+len(sep)+end-i > t.max {
			t.write(string(b[i:])) // word by word
			return
		}
		t.WriteString(sep)
		t.Write(b[i:end])
		t.space, t.line = true, false
		i = skipSpace(b, end)
	}
	t.space = isSpace(b[len(b)-1])
}

// separator returns what is owed before the next word.
func (t *textWriter) separator() string {
	switch {
	case t.Len() == 0:
		return ""
	case t.line:
		return "\n"
	case t.space:
		return " "
	}
	return ""
}

// endOfWords returns where the words end that begin at i and have a single blank between them.
func endOfWords(b []byte, i int) int {
	for ; i < len(b); i++ {
		if isSpace(b[i]) && (b[i] != ' ' || i+1 == len(b) || isSpace(b[i+1])) {
			break
		}
	}
	return i
}

// isPlain reports whether text reads as it is written: ASCII without references, and no controls but white space.
func isPlain(text []byte) bool {
	for _, c := range text {
		if !plainBytes[c] {
			return false
		}
	}
	return true
}

var plainBytes = func() (t [256]bool) {
	for c := range byte(0x7f) {
		t[c] = c >= ' ' && c != '&' || isSpace(c)
	}
	return t
}()

// isHidden reports whether the raw text of an element is not shown.
func isHidden(tag atom.Atom) bool { return isRaw(tag) && tag != atom.Plaintext && tag != atom.Xmp }

// BreaksLine reports whether a tag, of the start or the end of an element, starts a new line in a text.
func BreaksLine(tag atom.Atom) bool {
	switch tag {
	case atom.Br, atom.Hr, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Table, atom.Option, atom.Body:
		return true
	}
	return roleOf(tag) == block && tag != atom.Noscript && tag != atom.Button
}
