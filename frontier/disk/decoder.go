package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A decoder reads a record. It is lenient until end, which tells whether anything was wrong: what a short record lacks
// reads as zero, and no length it claims is believed beyond the bytes that are there.
type decoder struct {
	b   []byte
	bad bool
}

func newDecoder(b []byte) *decoder {
	d := &decoder{b: b}
	if d.byte() != recordVersion {
		d.bad = true
	}
	return d
}

// end returns an error if the record was short, malformed, of another version, or goes on.
func (d *decoder) end(what string) error {
	if d.bad || len(d.b) != 0 {
		return fmt.Errorf("%s: %w", what, errRecord)
	}
	return nil
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) uint32() uint32 {
	v := d.uvarint()
	if v > math.MaxUint32 {
		d.bad = true
	}
	return uint32(v)
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) string() string { return string(d.bytes()) }

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// How a URL is written: not at all, as what follows the name of its site, or whole.
const (
	urlNone = iota
	urlHTTP
	urlHTTPS
	urlWhole
)

// appendURL encodes u, cut down to what follows the name of the site if it begins with that.
func appendURL(b []byte, name string, u frontier.URL) []byte {
	s := u.String()
	switch {
	case s == "":
		return append(b, urlNone)
	case follows(s, "http://", name):
		return appendString(append(b, urlHTTP), s[len("http://")+len(name):])
	case follows(s, "https://", name):
		return appendString(append(b, urlHTTPS), s[len("https://")+len(name):])
	}
	return appendString(append(b, urlWhole), s)
}

// follows reports whether s is scheme, name and a path.
func follows(s, scheme, name string) bool {
	rest, ok := strings.CutPrefix(s, scheme)
	return ok && len(rest) > len(name) && rest[:len(name)] == name && rest[len(name)] == '/'
}

func (d *decoder) url(name string) frontier.URL {
	s := d.urlText(name)
	if s == "" {
		return frontier.URL{}
	}
	return d.parse(s)
}

// urlText reads a URL without parsing it; it is empty if there is none.
func (d *decoder) urlText(name string) (s string) {
	switch d.byte() {
	case urlNone:
		return ""
	case urlHTTP:
		s = "http://" + name + d.string()
	case urlHTTPS:
		s = "https://" + name + d.string()
	case urlWhole:
		s = d.string()
	}
	if s == "" {
		d.bad = true
	}
	return s
}

// parse returns the URL of a text that a URL was written as.
func (d *decoder) parse(s string) frontier.URL {
	u, err := frontier.ParseURL(s)
	if err != nil || u.String() != s {
		d.bad = true
		return frontier.URL{}
	}
	return u
}

func appendHops(b []byte, name string, hops []frontier.URL) []byte {
	b = binary.AppendUvarint(b, uint64(len(hops)))
	for _, hop := range hops {
		b = appendURL(b, name, hop)
	}
	return b
}

func (d *decoder) hops(name string) (hops []frontier.URL) {
	n := d.uvarint()
	if n > uint64(len(d.b)) { // a hop takes a byte at least
		d.bad = true
	}
	for i := uint64(0); i < n && !d.bad; i++ {
		hops = append(hops, d.url(name))
	}
	return hops
}

// state reads what the engine remembers, which is never empty.
func (d *decoder) state() []byte {
	s := bytes.Clone(d.bytes())
	d.bad = d.bad || len(s) == 0
	return s
}

// appendEvery writes how often something changes, which is at least a second.
func appendEvery(b []byte, every time.Duration) []byte {
	return binary.AppendUvarint(b, uint64(max(every/time.Second, 1)))
}

func (d *decoder) every() time.Duration {
	s := d.uvarint()
	d.bad = d.bad || s == 0 || s > math.MaxInt64/uint64(time.Second)
	return time.Duration(s) * time.Second
}

// modified reads a time of modification, to the second; the zero time is none.
func (d *decoder) modified() time.Time {
	t := time.Unix(d.varint(), 0).UTC()
	if t.IsZero() {
		return time.Time{}
	}
	return t
}
