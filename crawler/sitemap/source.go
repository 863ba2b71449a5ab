package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// headLen is how far into a file its format and charset show.
const headLen = 1024

// ratioFloor is how many bytes a file may inflate to whatever the ratio.
const ratioFloor = 1 << 20

// read undoes the coding and the charset of a file, and reads what is then left.
func (p *parser) read(r io.Reader) error {
	wire := &counter{r: r}
	in := bufio.NewReaderSize(wire, headLen)
	head, err := in.Peek(headLen)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return fmt.Errorf("read: %w", err)
	}
	plain := &bounded{p: p, r: in}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		plain.wire = wire
		if plain.r, err = gzip.NewReader(in); err != nil {
			return fmt.Errorf("inflate: %w", err)
		}
	}
	text := p.toUTF8(bufio.NewReaderSize(plain, headLen))
	switch c, err := firstByte(text); {
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case c == '<':
		return p.xml(text)
	case c == 0:
		return endf(Unknown, "the file is empty")
	}
	return p.text(text)
}

// A counter counts what is read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded ends a file that is larger than it may be.
type bounded struct {
	p    *parser
	r    io.Reader
	wire *counter // of a gzip file; nil otherwise
}

func (b *bounded) Read(buf []byte) (int, error) {
	s, o := &b.p.summary, &b.p.opts
	left := o.MaxBytes - s.Bytes
	if left < 0 {
		return 0, endf(TooLarge, "more than %d bytes", o.MaxBytes)
	}
	n, err := b.r.Read(buf[:min(int64(len(buf)), left+1)]) // the byte beyond tells a file that ends here from one that goes on
	s.Bytes += int64(n)
	switch {
	case s.Bytes > o.MaxBytes:
		n, s.Bytes = n-1, o.MaxBytes
		return n, endf(TooLarge, "more than %d bytes", o.MaxBytes)
	case b.wire != nil && s.Bytes > ratioFloor && s.Bytes > o.MaxRatio*b.wire.n:
		return n, endf(TooDense, "inflates to more than %d times its size", o.MaxRatio)
	}
	return n, err
}

var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// toUTF8 decodes a text: by its byte order mark, or the charset of the Content-Type, or that of its XML declaration; else it is
// UTF-8. Octets that are none in their charset become U+FFFD.
func (p *parser) toUTF8(in *bufio.Reader) *bufio.Reader {
	head, _ := in.Peek(headLen)
	enc, _ := charset.Lookup(p.opts.Charset)
	if m := declaration.FindSubmatch(head); enc == nil && m != nil {
		var name string
		if enc, name = charset.Lookup(string(m[1])); strings.HasPrefix(name, "utf-16") {
			enc = nil // it would have a byte order mark, and the declaration could not be read
		}
	}
	if enc == nil {
		enc = unicode.UTF8
	}
	return bufio.NewReader(transform.NewReader(in, unicode.BOMOverride(enc.NewDecoder())))
}

// firstByte returns the first byte that is no blank, and leaves it unread; 0 at the end of the file.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, r.UnreadByte()
		}
	}
}

func endf(r Reason, format string, args ...any) error {
	return &ended{r, fmt.Sprintf(format, args...)}
}
