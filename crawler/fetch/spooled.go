package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// A spooledBody is a body that stays as it was sent, and is decoded each time that it is read.
type spooledBody struct {
	spool
	sent    int64 // bytes of it that may be read
	gzipped bool
	length  int64 // bytes decoded, as far as they can be and may be
}

// isSpooled reports whether a body of such codings is spooled: of the decoders only that of gzip may be held while something slow
// reads from it, for it needs little memory.
func (r *Request) isSpooled(codings []string) bool {
	return r.Spool && (len(codings) == 0 || isGzip(codings))
}

func isGzip(codings []string) bool {
	return len(codings) == 1 && (codings[0] == "gzip" || codings[0] == "x-gzip")
}

// receiveSpooled is receive for a body that is spooled. The error may also be that of the place where the body is kept.
func (x *exchange) receiveSpooled(body io.Reader, gzipped bool) (*spooledBody, error) {
	s := &spooledBody{spool: spool{dir: x.client.opts.SpoolDir, memory: make([]byte, 0, smallChunk)}, gzipped: gzipped}
	x.response.spooled = s
	err := x.fill(&s.spool, body, x.client.opts.MaxSpool)
	if errors.Is(err, errWire) {
		return s, err
	}
	s.sent = min(s.size, x.client.opts.MaxSpool)
	return s, x.noteCut(err)
}

// fill reads body into s to its end or beyond limit. The error is that of [buffer.readFrom], or wraps errWire.
func (x *exchange) fill(s *spool, body io.Reader, limit int64) error {
	chunk := x.client.chunks.Get().(*[smallChunk]byte)
	defer x.client.chunks.Put(chunk)
	for s.size <= limit {
		n, err := body.Read(chunk[:min(smallChunk, limit+1-s.size)])
		x.watch.progress(n)
		if _, err := s.Write(chunk[:n]); err != nil {
			return fmt.Errorf("%w: %w", errWire, err)
		}
		switch {
		case s.size > limit:
			return errOverLimit
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return errOverLimit
}

// measure finds out how much of a body can be decoded, and may be. The error is that of the place where it is kept.
func (x *exchange) measure(s *spooledBody) error {
	if s.length = s.sent; !s.gzipped {
		return nil
	}
	limit, reason := x.client.opts.MaxSpool, CutLength
	if most := max(ratioFloor, s.sent*x.client.opts.MaxRatio); most < limit {
		limit, reason = most, CutRatio
	}
	s.length = limit + 1
	length, err := io.Copy(io.Discard, s.open())
	s.length = min(length, limit)
	r := x.response
	switch {
	case length > limit:
		r.Truncated = reason
	case err == nil:
	case errors.As(err, new(*fs.PathError)):
		return fmt.Errorf("%w: %w", errWire, err)
	case length == 0:
		return x.unlabel(s)
	case r.Truncated == "":
		r.Truncated = CutDecode
	}
	return nil
}

// unlabel takes a body as it is that is said to be gzip and is not.
func (x *exchange) unlabel(s *spooledBody) error {
	s.gzipped, s.length = false, s.sent
	start := make([]byte, min(s.sent, 512))
	if _, err := s.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w", errWire, err)
	}
	if !looksPlain(start) && x.response.Truncated == "" {
		x.response.Truncated = CutDecode
	}
	return nil
}

// open returns a reader of the first length bytes, decoded.
func (s *spooledBody) open() io.Reader {
	sent := io.NewSectionReader(&s.spool, 0, s.sent)
	if !s.gzipped {
		return sent
	}
	d := newGzip()
	err := d.Reset(sent)
	if errors.Is(err, io.EOF) { // not even a member
		err = io.ErrUnexpectedEOF
	}
	return &firstBytes{r: d, left: s.length, err: err}
}

// firstBytes reads so many bytes of r, and does not hear of what is wrong behind them.
type firstBytes struct {
	r    io.Reader
	left int64
	err  error
}

func (f *firstBytes) Read(p []byte) (n int, err error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	if f.err == nil {
		n, f.err = f.r.Read(p[:min(int64(len(p)), f.left)])
		f.left -= int64(n)
	}
	if n > 0 {
		return n, nil
	}
	return 0, f.err
}

// Open returns a reader of the body from its start, decoded: of Body, or of one that was spooled ([Request.Spool]). It reads what
// there is to its end; an error is that of the file in which it lies. It is good until the response is released, and for one
// goroutine.
func (r *Response) Open() io.Reader {
	if r.spooled == nil {
		return bytes.NewReader(r.Body)
	}
	return r.spooled.open()
}

// Size returns how many bytes can be read from Open.
func (r *Response) Size() int64 {
	if r.spooled == nil {
		return int64(len(r.Body))
	}
	return r.spooled.length
}
