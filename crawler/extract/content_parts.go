package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func (r *contentReader) endHeading() {
	h := &r.content.Headings[len(r.content.Headings)-1]
	h.Text = collapse(strings.FieldsSeq(r.heading.String()), maxHeadingText)
	if h.Text == "" {
		r.content.Headings = r.content.Headings[:len(r.content.Headings)-1]
		return
	}
	r.headed = r.text.Len()
	if h.Level == 1 {
		r.tellAll() // what the page is about
	}
}

func (r *contentReader) endLink() {
	text := collapse(strings.FieldsSeq(r.link.String()), maxLinkText)
	if text != "" {
		r.measured.links++
	}
	if text != "" && r.href != "" && len(r.content.Links) < maxTextLinks {
		r.content.Links = append(r.content.Links, TextLink{r.href, text})
	}
}

// shortest is how long a paragraph is at least that tells something, in bytes.
const shortest = 40

func (r *contentReader) endParagraph() {
	text := collapse(strings.FieldsSeq(r.first.String()), maxPart)
	if len(text) < shortest || r.lead >= leadParagraphs {
		return
	}
	r.lead++
	appendText(&r.leading, text+"\n", maxPart)
}

// assemble puts the main text together.
func (r *contentReader) assemble() {
	c, all := r.content, r.text.String()
	for i := range c.Headings {
		for at := &c.Headings[i].At; *at < len(all) && isSpace(all[*at]); *at++ {
		}
	}
	c.Emphasis, c.Lead = strings.TrimSpace(r.emphasis.String()), strings.TrimSpace(r.leading.String())
	var b strings.Builder
	b.Grow(len(all))
	var headings []Heading
	segments, lists := r.postponed(r.kept(len(all)))
	for i, s := range segments {
		if i == lists {
			c.Lists = b.Len()
		}
		joinAt(&b, all, &s)
		first, _ := slices.BinarySearchFunc(c.Headings, s.start, func(h Heading, at int) int { return h.At - at })
		for ; first < len(c.Headings) && c.Headings[first].At < s.end; first++ {
			h := c.Headings[first]
			h.At += b.Len() - s.start
			headings = append(headings, h)
		}
		from := b.Len()
		b.WriteString(all[s.start:s.end])
		if s.hidden && b.Len() > from {
			c.Hidden = append(c.Hidden, Range{from, b.Len()})
		}
	}
	c.Headings, c.Body = headings, b.String()
}

// kept returns the segments of the main text, in a text of so many bytes: all of them where hardly anything else would be left.
func (r *contentReader) kept(size int) (kept []segment) {
	end := func(i int) int {
		if i+1 < len(r.segments) {
			return r.segments[i+1].start
		}
		return size
	}
	rest, main := 0, 0
	for i, s := range r.segments {
		if !s.boilerplate {
			rest += end(i) - s.start
			if s.main {
				main += end(i) - s.start
			}
		}
	}
	weighed := size
	if rest >= shortest { // a long menu makes no short text less
		weighed -= r.choices
	}
	keep := func(segment) bool { return true }
	switch {
	case main*leastShare >= weighed && main > 0:
		keep = func(s segment) bool { return s.main && !s.boilerplate }
	case rest*leastShare >= weighed:
		keep = func(s segment) bool { return !s.boilerplate }
	}
	for i, s := range r.segments {
		if s.end = end(i); keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// steerless returns text without characters that only steer: controls, and those that turn the direction. Letters are composed.
func steerless(s string) string {
	ascii, steers := true, false
	for i := range len(s) {
		c := s[i]
		ascii = ascii && c < utf8.RuneSelf
		steers = steers || c < ' ' && !isSpace(c) || c == 0x7f
	}
	if ascii && !steers {
		return s
	}
	if !ascii && !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case isSteady(r), r < utf8.RuneSelf && isSpace(byte(r)):
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff':
			return -1
		case unicode.IsSpace(r), r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, s)
}

// isSteady reports of most characters that they steer nothing and are no blank. It is asked of each one of a page.
func isSteady(r rune) bool {
	return r >= ' ' && r < 0x7f || r > 0xad && r < 0x2000 && r != '\u061c' && r != '\u1680' ||
		r > 0x206f && r != '\u3000' && r != '\ufeff'
}

// plainContent reads what is no HTML as text.
func plainContent(body []byte, most int) *Content {
	c := &Content{Cut: len(body) > most}
	text := steerless(strings.ToValidUTF8(string(body[:min(len(body), most)]), ""))
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = collapse(strings.FieldsSeq(line), most)
		if line == "" {
			continue
		}
		if c.Title == "" {
			c.Title = strings.TrimSpace(strings.Trim(line, "#=*- \t"))
			c.Title = strings.ToValidUTF8(c.Title[:min(len(c.Title), 120)], "")
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	c.Body = b.String()
	return c
}
