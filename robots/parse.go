package robots

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
)

// MaxBytes is how much of a file is read, after content decoding: 500 KiB, the least that RFC 9309 section 2.5 asks for.
// Whoever fetches should let one byte more through, so that Parse can tell a file that ends here from one that goes on.
const MaxBytes = 500 * 1024

// A File is a robots.txt file. It never changes, so it is safe for concurrent use. A nil File is a file of which nothing
// is known: it has no lines, and its Rules forbid everything.
type File struct {
	digest  string
	dialect Dialect
	text    string // UTF-8 without byte order mark
	partial bool   // the last line of text goes on beyond MaxBytes
}

// Parse takes body, whatever it is, as a robots.txt file to be read in the dialect d. Of a body longer than MaxBytes it
// takes so much, and of the line that is cut there nothing. It keeps no reference to body. The lines are read when Rules,
// Lines or Sitemaps ask for them.
func Parse(body []byte, d Dialect) *File {
	f := &File{digest: digestOf(body), dialect: d}
	f.text, f.partial = decode(body)
	return f
}

// Text returns what is read of the file: UTF-8 as far as possible, without byte order mark, up to MaxBytes. Its lines are those of
// Lines. That of a nil File is empty.
func (f *File) Text() string {
	if f == nil {
		return ""
	}
	return f.text
}

func (f *File) lines() iter.Seq[line] { return scan(f.text, f.partial) }

// Digest returns "sha256:" and the hexadecimal SHA-256 of the bytes that Parse was given, all of them. A nil File has an
// empty one.
func (f *File) Digest() string {
	if f == nil {
		return ""
	}
	return f.digest
}

// Dialect returns the dialect in which the file was read.
func (f *File) Dialect() Dialect {
	if f == nil {
		return Cautious
	}
	return f.dialect
}

// Lines returns every line up to MaxBytes, the blank and the useless ones too, numbered from 1. It reads the file again
// on each call and the slice belongs to the caller.
func (f *File) Lines() []Line {
	if f == nil {
		return nil
	}
	lines := make([]Line, 0, strings.Count(f.text, "\n")+1)
	nobody := func(string) bool { return false }
	strict, lenient := f.newReader("", nobody), f.newReader("", nobody)
	for l := range f.lines() {
		out := Line{Number: l.number, Role: l.role(), Key: l.key, Value: l.value}
		out.Note = strict.read(l)
		if f.dialect == Cautious {
			if note := lenient.readLenient(l); note != "" {
				out.Note = note
			}
			if l.kind == kindControl && out.Note != ProblemControl {
				l = lex(withoutControls(l.text))
				out.Key, out.Value = l.key, l.value
			}
			if l.kind == kindNoColon && out.Note != ProblemNoColon {
				out.Key, out.Value, _ = strings.Cut(strings.Join(slices.Collect(words(l.text)), " "), " ")
			} else if strings.Contains(out.Note, LenientMarkup) {
				bare := lex(withoutMarkup(l.text))
				out.Key, out.Value = bare.key, bare.value
			}
		}
		if !strict.ended {
			out.Group = strict.number
		}
		lines = append(lines, out)
	}
	return lines
}

// Sitemaps returns the values of the Sitemap lines in file order, wherever they stand (RFC 9309 section 2.2.4). They are
// as written: neither resolved nor checked. Cautious reads "Site-map" too.
func (f *File) Sitemaps() []string {
	if f == nil {
		return nil
	}
	var urls []string
	for l := range f.lines() {
		known := l.field == fieldSitemap || f.dialect == Cautious && equalFold(l.key, "site-map")
		if known && l.value != "" {
			urls = append(urls, l.value)
		}
	}
	return urls
}

// decode cuts body at MaxBytes and makes it UTF-8: byte order marks go, UTF-16 that announces itself is transcoded (RFC
// 9309 section 2.2.2), bytes that are not UTF-8 stay. partial says that the last line was cut.
func decode(body []byte) (text string, partial bool) {
	if len(body) > MaxBytes {
		partial = body[MaxBytes] != '\n' && body[MaxBytes] != '\r'
		body = body[:MaxBytes]
	}
	text = string(body)
	switch {
	case strings.HasPrefix(text, "\xfe\xff"):
		return fromUTF16(body[2:], binary.BigEndian), partial
	case strings.HasPrefix(text, "\xff\xfe"):
		return fromUTF16(body[2:], binary.LittleEndian), partial
	}
	for _, mark := range [...]string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} { // some files have only the start of one
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return rest, partial
		}
	}
	return text, partial
}

func fromUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}
