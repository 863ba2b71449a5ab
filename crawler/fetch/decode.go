package fetch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	acceptEncoding = "gzip, br, zstd" // what is decoded, but deflate: servers mean one of two things by it
	maxCodings     = 2                // on one body
	maxZstdWindow  = 8 << 20          // RFC 9659, 3; brotli's largest window is 16 MiB (RFC 7932, 9.1)
)

// contentCodings lists the codings of a body in the order in which they were applied (RFC 9110, 8.4). "identity" is none.
func contentCodings(h http.Header) []string {
	var codings []string
	for _, line := range h["Content-Encoding"] {
		for c := range strings.SplitSeq(line, ",") {
			c = strings.ToLower(strings.Trim(c, " \t\""))
			if c != "" && c != "identity" {
				codings = append(codings, c)
			}
		}
	}
	return codings
}

// A decoder undoes one coding.
type decoder interface {
	io.Reader
	Reset(io.Reader) error
}

// decoders lends decoders. Few are at work at once, because each may hold a window of many megabytes.
type decoders struct {
	slots chan struct{}
	pools map[string]*sync.Pool
}

func newDecoders(atOnce int) *decoders {
	gz := &sync.Pool{New: func() any { return newGzip() }}
	fl := &sync.Pool{New: func() any { return newDeflate() }}
	br := &sync.Pool{New: func() any { return new(brotli.Reader) }}
	zs := &sync.Pool{New: func() any { return newZstd() }}
	return &decoders{
		slots: make(chan struct{}, atOnce),
		pools: map[string]*sync.Pool{"gzip": gz, "x-gzip": gz, "deflate": fl, "br": br, "zstd": zs},
	}
}

// A gzipDecoder decodes member by member. Bytes after a member that begin none are ignored, as in browsers, however few they are.
type gzipDecoder struct {
	member gzip.Reader
	source *bufio.Reader
}

func newGzip() decoder { return &gzipDecoder{source: bufio.NewReader(nil)} }

// Reset begins with the first member of r.
func (g *gzipDecoder) Reset(r io.Reader) error {
	g.source.Reset(r)
	return g.begin()
}

func (g *gzipDecoder) begin() error {
	err := g.member.Reset(g.source)
	g.member.Multistream(false)
	return err
}

// Read goes on with the next member where one ends.
func (g *gzipDecoder) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if next, _ := g.source.Peek(3); string(next) != "\x1f\x8b\x08" {
			return n, io.EOF
		}
		if err := g.begin(); err != nil || n > 0 {
			return n, err
		}
	}
}

// A deflateDecoder decodes what servers send as deflate unasked, and archives have: the format of zlib (RFC 9110 section 8.4.1.2),
// whose checksum is not looked at, or the bare one of RFC 1951, as browsers do.
type deflateDecoder struct {
	io.ReadCloser // of package flate
	source        *bufio.Reader
}

func newDeflate() decoder {
	source := bufio.NewReader(nil)
	return &deflateDecoder{flate.NewReader(source), source}
}

// Reset begins behind the header of zlib, if there is one (RFC 1950 section 2.2).
func (d *deflateDecoder) Reset(r io.Reader) error {
	d.source.Reset(r)
	if h, _ := d.source.Peek(2); len(h) == 2 && h[0]&0x8f == 8 && (int(h[0])<<8|int(h[1]))%31 == 0 {
		d.source.Discard(len(h))
	}
	return d.ReadCloser.(flate.Resetter).Reset(d.source, nil)
}

// newZstd returns a decoder that starts no goroutines and decodes no more than is asked for (given a bytes.Buffer it would
// decode all of it at once).
func newZstd() decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		panic(err) // the options are constant and valid
	}
	return d
}

// decode undoes the codings of raw, last one first, into out, at most limit bytes. Its errors are those of buffer.readFrom, and
// those of the decoders. out should be hurried, so that nobody holds a slot while waiting for memory.
func (d *decoders) decode(ctx context.Context, out *buffer, raw []byte, codings []string, limit int64) error {
	if len(codings) > maxCodings {
		return fmt.Errorf("%d content codings", len(codings))
	}
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	source := bytes.NewReader(raw)
	defer source.Reset(nil) // a pooled decoder keeps its source
	var r io.Reader = source
	for _, coding := range slices.Backward(codings) {
		pool := d.pools[coding]
		if pool == nil {
			return fmt.Errorf("unknown content coding %q", coding)
		}
		dec := pool.Get().(decoder)
		defer pool.Put(dec)
		if err := dec.Reset(r); err != nil {
			return err
		}
		r = &stage{decoder: dec, left: limit + ratioFloor}
	}
	return out.readFrom(ctx, nil, r, limit)
}

// A stage reads from one decoder, at most one byte more than its limit. readFrom bounds what comes out at the end; stages
// bound what passes between two codings, where a bomb could be hidden that decodes to nothing.
type stage struct {
	decoder io.Reader
	left    int64
}

func (s *stage) Read(p []byte) (int, error) {
	if s.left < 0 {
		return 0, errOverLimit
	}
	n, err := s.decoder.Read(p[:min(int64(len(p)), s.left+1)])
	s.left -= int64(n)
	return n, err
}

// looksPlain reports whether data begins like text: without the control characters that every compressed stream has.
func looksPlain(data []byte) bool {
	for _, c := range data[:min(len(data), 512)] {
		if c < '\t' || c > '\r' && c < ' ' && c != 0x1b {
			return false
		}
	}
	return true
}
