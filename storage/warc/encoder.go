package warc

import (
	"bufio"
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
	packing     sync.Pool // of encoders
	storing     sync.Pool // of encoders that only wrap what gains nothing by being compressed
	buffers     sync.Pool
	heads       sync.Pool // of *bufio.Reader
	chunks      sync.Pool // of *[]byte
}

// smallBlock is up to where the block of a record is small, which gzip does not compress: to make a Huffman table for the record
// takes twenty times as long as to write it, for a third of its bytes.
const smallBlock = 1 << 10

// worth returns the encoders for the record with a block, of which isPacked says that it is compressed already.
func (e *encoders) worth(block content, isPacked bool) *sync.Pool {
	if isPacked || block.size() <= smallBlock {
		return &e.storing
	}
	return &e.packing
}

// An encoder compresses one member after the other.
type encoder interface {
	io.WriteCloser
	Reset(io.Writer)
}

func newEncoders(compression string) (*encoders, error) {
	if compression != Gzip && compression != Zstd && compression != Plain {
		return nil, fmt.Errorf("compression %q: gzip, zstd and none can be written", compression)
	}
	e := &encoders{compression: compression}
	e.buffers.New = func() any { return new(bytes.Buffer) }
	e.packing.New = func() any { return newEncoder(compression, gzip.BestSpeed) }
	e.storing.New = func() any { return newEncoder(compression, gzip.NoCompression) }
	e.heads.New = func() any { return bufio.NewReader(nil) }
	e.chunks.New = func() any {
		b := make([]byte, 32<<10)
		return &b
	}
	return e, nil
}

func newEncoder(compression string, level int) encoder {
	switch compression {
	case Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(1<<20), zstd.WithEncoderCRC(true))
		if err != nil {
			panic(err) // the options are constant and valid
		}
		return w
	case Plain:
		return &plainEncoder{}
	}
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // the levels are constant and valid
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

// copy copies without making a buffer.
func (e *encoders) copy(to io.Writer, from io.Reader) (int64, error) {
	b := e.chunks.Get().(*[]byte)
	defer e.chunks.Put(b)
	return io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, *b)
}

// A content is what the block of a record is made of. It can be read again and again.
type content struct {
	data    []byte // all of it, unless it is large
	section *io.SectionReader
}

func (c content) size() int64 {
	if c.section != nil {
		return c.section.Size()
	}
	return int64(len(c.data))
}

// first returns the first n bytes.
func (c content) first(n int64) content {
	if c.section != nil {
		return content{section: io.NewSectionReader(c.section, 0, n)}
	}
	return content{data: c.data[:n]}
}

// from returns a reader of what comes behind n bytes.
func (c content) from(n int64) io.Reader {
	if c.section != nil {
		return io.NewSectionReader(c.section, n, c.section.Size()-n)
	}
	return bytes.NewReader(c.data[n:])
}

// write writes all of c.
func (e *encoders) write(w io.Writer, c content) error {
	if c.section == nil {
		_, err := w.Write(c.data)
		return err
	}
	n, err := e.copy(w, c.from(0))
	if err == nil && n != c.size() {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// sum returns the SHA-1 of c.
func (e *encoders) sum(c content) (sum [sha1.Size]byte, err error) {
	if c.section == nil {
		return sha1.Sum(c.data), nil
	}
	h := sha1.New()
	err = e.write(h, c)
	h.Sum(sum[:0])
	return sum, err
}

// add appends a record to b, as a member of its own that an encoder of pool makes, and returns how many bytes it took. The fields
// that depend on the block are added to those given.
func (e *encoders) add(b *bytes.Buffer, header Fields, block content, pool *sync.Pool) (int64, error) {
	sum, err := e.sum(block)
	if err != nil {
		return 0, fmt.Errorf("read the block of a record of %d bytes: %w", block.size(), err)
	}
	header.Add("WARC-Block-Digest", sha1Digest(sum[:]))
	header.Add("Content-Length", strconv.FormatInt(block.size(), 10))
	head := e.buffer()
	defer e.putBuffer(head)
	head.WriteString("WARC/1.1\r\n")
	header.appendTo(head)
	head.WriteString("\r\n")

	start := b.Len()
	w := pool.Get().(encoder)
	defer pool.Put(w)
	w.Reset(b)
	_, err = w.Write(head.Bytes())
	if err == nil {
		err = e.write(w, block)
	}
	if err == nil {
		_, err = w.Write([]byte("\r\n\r\n"))
	}
	if err == nil {
		err = w.Close()
	}
	return int64(b.Len() - start), err
}
