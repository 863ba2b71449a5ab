package pages

import (
	"encoding/json"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// decodeLine reads a line, without its newline. What we write, but for uses and preferences, it reads in a fraction of the time
// that encoding/json takes, to which it leaves everything else. Texts that l had before, as that of another line, are used again.
func decodeLine(raw []byte, l *Line) error {
	known := *l
	*l = Line{}
	d := lineDecoder{Reader: jsonline.Reader{Rest: raw}, line: l, known: &known}
	if d.Object(d.member) && len(d.Rest) == 0 {
		return nil
	}
	*l = Line{}
	return json.Unmarshal(raw, l)
}

type lineDecoder struct {
	jsonline.Reader
	line, known *Line
}

// member reads the value of a member.
func (d *lineDecoder) member(key []byte) bool {
	l := d.line
	if s := l.textField(string(key)); s != nil {
		known := d.known.textField(string(key))
		if s == &l.FinalURL {
			known = &l.URL
		}
		return d.text(s, *known)
	}
	switch string(key) {
	case "fetched":
		return d.Time(&l.Fetched)
	case "lastmod":
		return d.Time(&l.LastMod)
	case "status":
		return d.number(&l.Status)
	case "depth":
		return d.number(&l.Depth)
	case "bytes":
		n, ok := d.Int()
		l.Bytes = n
		return ok
	case "digest":
		return d.digest(&l.Digest)
	case "robots":
		return d.Object(d.robots)
	case "header":
		return d.header()
	case "directives":
		return d.Texts(&l.Directives)
	case "keywords":
		return d.Texts(&l.Keywords)
	}
	return false
}

// text reads a text, which is often one that is known.
func (d *lineDecoder) text(s *string, known string) bool {
	start := d.Rest
	switch raw, plain := d.Plain(); {
	case !plain:
		d.Rest = start
		return d.Text(s)
	case string(raw) == known:
		*s = known
	default:
		*s = string(raw)
	}
	return true
}

// textField returns the field of a member that is a text, if there is one.
func (l *Line) textField(key string) *string {
	switch key {
	case "url":
		return &l.URL
	case "final_url":
		return &l.FinalURL
	case "file":
		return &l.File
	case "type":
		return &l.Type
	case "charset":
		return &l.Charset
	case "title":
		return &l.Title
	case "via":
		return &l.Via
	case "truncated":
		return &l.Truncated
	case "same_as":
		return &l.SameAs
	case "near":
		return &l.Near
	case "canonical":
		return &l.Canonical
	case "lang":
		return &l.Lang
	case "description":
		return &l.Description
	case "document_state":
		return &l.DocumentState
	case "meta_url":
		return &l.MetaURL
	case "mirror_of":
		return &l.MirrorOf
	case "mirror_by":
		return &l.MirrorBy
	}
	return nil
}

func (d *lineDecoder) robots(key []byte) bool {
	r := &d.line.Robots
	switch string(key) {
	case "digest":
		return d.digest(&r.Digest)
	case "line":
		return d.number(&r.Line)
	case "rule":
		return d.Text(&r.Rule)
	}
	return false
}

func (d *lineDecoder) header() bool {
	if d.line.Header != nil {
		return false
	}
	d.line.Header = map[string][]string{}
	return d.Object(func(key []byte) bool {
		name := string(key)
		values := d.line.Header[name]
		ok := d.Texts(&values)
		d.line.Header[name] = values
		return ok
	})
}

func (d *lineDecoder) number(n *int) bool {
	v, ok := d.Int()
	*n = int(v)
	return ok && int64(*n) == v
}

func (d *lineDecoder) digest(to *storage.Digest) bool {
	var s string
	ok := d.Text(&s)
	*to = storage.Digest(s)
	return ok
}
