package warc

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoders lend what compresses records, and buffers. To make one anew for each record would cost a megabyte each time.
type encoders struct {
	compression string
	pool        sync.Pool
	buffers     sync.Pool
}

// An encoder compresses one member after the other.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// ParseCompression returns the name of a way to compress, or says that there is none of that name.
func ParseCompression(name string) (string, error) {
	switch name {
	case Gzip, Zstd, Plain:
		return name, nil
	}
	return "", fmt.Errorf("compression %q: gzip, zstd and none can be written", name)
}

func newEncoders(compression string) (*encoders, error) {
	if _, err := ParseCompression(compression); err != nil {
		return nil, err
	}
	e := &encoders{compression: compression}
	e.buffers.New = func() any { return new(bytes.Buffer) }
	e.pool.New = func() any { return newEncoder(compression) }
	return e, nil
}

func newEncoder(compression string) encoder {
	switch compression {
	case Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(true))
		if err != nil {
			panic(err) // the options are constant and valid
		}
		return w
	case Plain:
		return &plainEncoder{}
	}
	w, err := gzip.NewWriterLevel(nil, gzip.DefaultCompression)
	if err != nil {
		panic(err) // the level is constant and valid
	}
	return w
}

type plainEncoder struct{ io.Writer }

func (p *plainEncoder) Reset(w io.Writer) { p.Writer = w }
func (p *plainEncoder) Close() error      { return nil }

func (e *encoders) extension() string {
	return map[string]string{Gzip: ".warc.gz", Zstd: ".warc.zst", Plain: ".warc"}[e.compression]
}

func (e *encoders) buffer() *bytes.Buffer {
	b := e.buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func (e *encoders) putBuffer(b *bytes.Buffer) {
	if b.Cap() <= largeBlock {
		e.buffers.Put(b)
	}
}

// add appends a record to b, as a member of its own, and returns how many bytes it took. The fields that depend on the block are
// added to those given.
func (e *encoders) add(b *bytes.Buffer, header Fields, block io.ReadSeeker, size int64) (int64, error) {
	h := sha1.New()
	if n, err := io.Copy(h, block); err != nil || n != size {
		return 0, fmt.Errorf("read the block of a record: %d of %d bytes: %w", n, size, err)
	}
	if _, err := block.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	header.Add("WARC-Block-Digest", sha1Digest(h.Sum(nil)))
	header.Add("Content-Length", strconv.FormatInt(size, 10))
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	header.appendTo(&head)
	head.WriteString("\r\n")

	start := b.Len()
	w := e.pool.Get().(encoder)
	defer e.pool.Put(w)
	w.Reset(b)
	_, err := w.Write(head.Bytes())
	if err == nil {
		_, err = io.Copy(w, block)
	}
	if err == nil {
		_, err = w.Write([]byte("\r\n\r\n"))
	}
	if err == nil {
		err = w.Close()
	}
	return int64(b.Len() - start), err
}
