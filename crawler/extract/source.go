package extract

import (
	"bytes"
	"net/http"
	"strings"

	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding"
)

// A source is a body and how it is to be read.
type source struct {
	mediaType string
	html      bool
	xml       bool // XHTML that says so: no raw text, empty tags, CDATA
	body      []byte
	decl      declaration
	transcode bool // the bytes are not UTF-8 as they stand
}

// A declaration is what the charset of a body is, and who says so.
type declaration struct {
	charset string // canonical name
	source  string
	enc     encoding.Encoding // nil for UTF-8
}

// open finds out what in holds, without copying any of it.
func (x *Extractor) open(in Input, note func(string)) source {
	s := source{mediaType: mediaType(in.Header), body: in.Body}
	if len(s.body) > x.opt.MaxBytes {
		s.body = s.body[:x.opt.MaxBytes]
	}
	if s.mediaType == "" {
		s.mediaType = sniff(s.body)
	}
	s.xml = s.mediaType == "application/xhtml+xml"
	s.html = s.xml || s.mediaType == "text/html"
	if strings.HasPrefix(s.mediaType, "text/") && !s.html {
		s.decl, s.body = s.plain(in, note)
		s.transcode = s.decl.enc != nil
	}
	if !s.html {
		return s
	}
	if len(in.Body) > len(s.body) {
		note(NoteBytes)
	}
	s.decl, s.body = s.declared(in, note)
	s.transcode = s.decl.enc != nil && !(asciiCompatible(s.decl.charset) && isASCII(s.body))
	return s
}

// mediaType returns the media type of the header, "" when there is none or one of those that the MIME Sniffing standard
// (section 7) counts as none. Like browsers it ends at white space, too: "text/html charset=utf-8" is HTML.
func mediaType(h http.Header) string {
	t := strings.ToLower(strings.TrimLeft(h.Get("Content-Type"), space))
	if end := strings.IndexAny(t, ";,"+space); end >= 0 {
		t = t[:end]
	}
	switch t {
	case "*/*", "unknown/unknown", "application/unknown":
		return ""
	}
	return t
}

// MayBeHTML reports whether the body of an answer with that header is read as HTML, or may be: where it names no media type,
// the body tells.
func MayBeHTML(h http.Header) bool {
	switch mediaType(h) {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return false
}

// sniffLen is how much of a body without media type is looked at.
const sniffLen = 1024

// sniff guesses the media type of a body that came without one: by the MIME Sniffing standard, and beyond it any text with
// a tag that only HTML has. Reading a page that is none costs little; missing one would miss its directives.
func sniff(body []byte) string {
	body = body[:min(len(body), sniffLen)]
	t, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if t != "text/xml" && t != "text/plain" {
		return t
	}
	s := scanner{buf: bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))}
	for tok := s.next(); tok != eof; tok = s.next() {
		switch {
		case tok != startTag:
		case t == "text/xml" && s.tag == atom.Html:
			return "application/xhtml+xml"
		case t == "text/xml":
			return t
		case tells(s.tag):
			return "text/html"
		}
	}
	return t
}

// tells reports whether a tag of that name shows that a text is HTML.
func tells(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Head, atom.Body, atom.Meta, atom.Base, atom.Link, atom.Frameset,
		atom.A, atom.P, atom.Div, atom.Ul, atom.Ol, atom.Table, atom.Noscript, atom.Img:
		return true
	}
	return false
}
