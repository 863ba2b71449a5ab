package extract

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"
)

// prescanLen is how far into a page a charset is looked for, whatever stands there: HTML standard, "prescan a byte stream".
const prescanLen = 1024

// declared determines the charset as the HTML standard has it ("encoding sniffing algorithm"): byte order mark, Content-Type,
// declaration in the page. Without any of them it is UTF-8 if the bytes are, else what the rest of a long head declares
// ("changing the encoding while parsing"), else what is guessed, else windows-1252. It also returns the body without its byte
// order mark.
func (s *source) declared(in Input, note func(string)) (declaration, []byte) {
	if label, rest, ok := cutBOM(s.body); ok {
		d, _ := lookup(label, SourceBOM)
		return d, rest
	}
	if param := charsetParam(in.Header.Get("Content-Type")); param != "" {
		if d, ok := lookup(param, SourceHeader); ok {
			return d, s.body
		}
		note(NoteCharset)
	}
	head := s.body[:min(len(s.body), prescanLen)]
	if d, ok := metaCharset(head, s.xml, false, note); ok {
		return d, s.body
	}
	if d, ok := inPage(xmlEncoding(head), SourceXML, note); ok {
		return d, s.body
	}
	ascii := isASCII(s.body)
	switch {
	case s.xml:
		return declaration{charset: "utf-8", source: SourceXML}, s.body
	case !ascii && validUTF8(s.body):
		return declaration{charset: "utf-8", source: SourceUTF8}, s.body
	}
	if d, ok := metaCharset(s.body, false, true, note); ok {
		return d, s.body
	}
	switch {
	case ascii && isJIS(s.body):
		d, _ := lookup("iso-2022-jp", SourceGuess)
		return d, s.body
	case !ascii:
		if d, ok := guessed(in, s.body); ok {
			return d, s.body
		}
	}
	d, _ := lookup("windows-1252", SourceDefault)
	return d, s.body
}

// plain determines the charset of a text without markup: byte order mark, Content-Type, @charset of a style sheet, and what the
// bytes say; none if they are ASCII. Bytes that are UTF-8 are nothing else, whatever the server adds to all its files.
func (s *source) plain(in Input, note func(string)) (declaration, []byte) {
	if label, rest, ok := cutBOM(s.body); ok {
		d, _ := lookup(label, SourceBOM)
		return d, rest
	}
	ascii := isASCII(s.body)
	if param := charsetParam(in.Header.Get("Content-Type")); param != "" {
		d, ok := lookup(param, SourceHeader)
		if ok && (ascii || d.enc == nil || !validUTF8(s.body)) {
			return d, s.body
		}
		if !ok {
			note(NoteCharset)
		}
	}
	switch {
	case ascii && isJIS(s.body):
		d, _ := lookup("iso-2022-jp", SourceGuess)
		return d, s.body
	case ascii:
		return declaration{}, s.body
	case validUTF8(s.body):
		return declaration{charset: "utf-8", source: SourceUTF8}, s.body
	}
	if s.mediaType == "text/css" {
		if d, ok := inPage(atCharset(s.body), SourceMeta, note); ok {
			return d, s.body
		}
	}
	if d, ok := guessed(in, s.body); ok {
		return d, s.body
	}
	d, _ := lookup("windows-1252", SourceDefault)
	return d, s.body
}

// StyleCharset returns the name of the charset that a style sheet is in (CSS Syntax Level 3, section 3.2): its byte order mark says
// so, else the charset parameter of its Content-Type, which is header, else its @charset; "" if none of them does. The name is as
// it stands there, and may be of no charset.
func StyleCharset(header string, sheet []byte) string {
	if label, _, ok := cutBOM(sheet); ok {
		return label
	}
	return cmp.Or(header, atCharset(sheet))
}

// atCharset returns the label of the @charset of a style sheet, which stands at its very beginning, in this form only.
func atCharset(sheet []byte) string {
	rest, ok := bytes.CutPrefix(sheet[:min(len(sheet), prescanLen)], []byte(`@charset "`))
	label, _, closed := bytes.Cut(rest, []byte(`";`))
	if !ok || !closed {
		return ""
	}
	return string(label)
}

func cutBOM(b []byte) (label string, rest []byte, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return "utf-8", b[3:], true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "utf-16be", b[2:], true
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return "utf-16le", b[2:], true
	}
	return "", b, false
}

// lookup finds the encoding of a label. The replacement encoding, which browsers use to show nothing at all of a few
// charsets that were misused, is read as windows-1252: their directives are ASCII.
func lookup(label, source string) (declaration, bool) {
	enc, name := charset.Lookup(label)
	switch {
	case enc == nil:
		return declaration{}, false
	case name == "utf-8":
		enc = nil
	case name == "replacement":
		enc, _ = charset.Lookup("windows-1252")
	}
	return declaration{name, source, enc}, true
}

// inPage looks up a label that stands in the page itself: who can read it does not read UTF-16, and x-user-defined means
// windows-1252 there.
func inPage(label, source string, note func(string)) (declaration, bool) {
	if label == "" {
		return declaration{}, false
	}
	d, ok := lookup(label, source)
	switch {
	case !ok:
		note(NoteCharset)
	case strings.HasPrefix(d.charset, "utf-16"):
		d, _ = lookup("utf-8", source)
	case d.charset == "x-user-defined":
		d, _ = lookup("windows-1252", source)
	}
	return d, ok
}

// metaCharset returns what the first meta element in text with a charset that is known declares; if headOnly, before the body
// begins.
func metaCharset(text []byte, xml, headOnly bool, note func(string)) (declaration, bool) {
	s := scanner{buf: text, xml: xml}
	for t := s.next(); t != eof && !(headOnly && endsHead(t, s.tag)); t = s.next() {
		if t != startTag || s.tag != atom.Meta {
			continue
		}
		label, ok := s.attr("charset")
		if equiv, _ := s.attr("http-equiv"); !ok && strings.EqualFold(equiv, "content-type") {
			content, _ := s.attr("content")
			label = charsetIn(content)
		}
		if d, ok := inPage(label, SourceMeta, note); ok {
			return d, true
		}
	}
	return declaration{}, false
}

// endsHead reports whether the head is over at a tag, as browsers that look for a charset see it: at whatever stands in no head.
func endsHead(t token, tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Head:
		return t == endTag
	case atom.Script, atom.Noscript, atom.Style, atom.Link, atom.Meta, atom.Object, atom.Title, atom.Base:
		return false
	default:
		return t == startTag || t == endTag
	}
}

// charsetIn extracts the charset from a meta element's content: HTML standard, "extracting a character encoding from a meta
// element". The Content-Type header field is read in the same way, since servers write it as badly.
func charsetIn(content string) string {
	const name = "charset"
	for i := 0; i+len(name) <= len(content); i++ {
		if !strings.EqualFold(content[i:i+len(name)], name) {
			continue
		}
		rest, ok := strings.CutPrefix(strings.TrimLeft(content[i+len(name):], space), "=")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, space)
		if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
			label, _, closed := strings.Cut(rest[1:], rest[:1])
			if !closed {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(rest, ";"+space); end >= 0 {
			rest = rest[:end]
		}
		return rest
	}
	return ""
}

// charsetParam returns the charset parameter of a Content-Type.
func charsetParam(contentType string) string {
	_, params, _ := strings.Cut(contentType, ";")
	return charsetIn(params)
}

// xmlEncoding returns the encoding of an XML declaration.
func xmlEncoding(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	decl, _, _ := bytes.Cut(head, []byte(">"))
	_, after, found := bytes.Cut(decl, []byte("encoding"))
	after, ok := bytes.CutPrefix(bytes.TrimLeft(after, space), []byte("="))
	after = bytes.TrimLeft(after, space)
	if !found || !ok || len(after) == 0 {
		return ""
	}
	label, _, _ := bytes.Cut(after[1:], after[:1])
	return string(label)
}

// asciiCompatible reports whether ASCII bytes mean ASCII in a charset, alone and whatever stands before them.
func asciiCompatible(charset string) bool {
	return !strings.HasPrefix(charset, "utf-16") && charset != "iso-2022-jp"
}

func isASCII(b []byte) bool {
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validUTF8 is utf8.Valid, but for a last character that was cut short.
func validUTF8(b []byte) bool {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}

// text returns the body as UTF-8: the body itself when it is UTF-8 already.
func (s *source) text() []byte {
	if !s.transcode {
		return s.body
	}
	dst := make([]byte, 0, s.textSize())
	dst, _, _ = transform.Append(s.decl.enc.NewDecoder(), dst, s.body) // decoders replace what they cannot read
	return bytes.TrimPrefix(dst, []byte("\ufeff"))
}

// textSize bounds len(text()): a byte becomes three at most, one of ASCII stays one where ASCII bytes mean ASCII.
func (s *source) textSize() int {
	switch n := len(s.body); {
	case !s.transcode:
		return 0
	case !asciiCompatible(s.decl.charset):
		return 3*n + 3
	default:
		high := 0
		for _, c := range s.body {
			high += int(c >> 7)
		}
		return n + 2*high
	}
}
