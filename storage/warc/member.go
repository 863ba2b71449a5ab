package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The ways in which files are compressed.
const (
	Plain = "none"
	Gzip  = "gzip"
	Zstd  = "zstd"
)

var (
	gzipMagic = []byte{0x1f, 0x8b, 0x08}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd} // RFC 8878 section 3.1.1

	plainMagic = []byte("WARC/") // in upper or lower case (RFC 5234 section 2.3)
	zipMagic   = []byte("PK\x03\x04")
)

const (
	zstdSkippable  = 0x184d2a50 // to 0x184d2a5f, RFC 8878 section 3.1.2
	zstdDictionary = 0x184d2a5d // with a dictionary, in the first frame of a file (IIPC, WARC Compression by Zstandard 1.0)
	maxDictionary  = 8 << 20
	maxZstdWindow  = 128 << 20
)

// errEnd says that there is no further member.
var errEnd = errors.New("no further member")

// A source reads the members of a file. A member is what is compressed as a whole; a plain file is one member.
type source interface {
	// open returns what is in the member at off, uncompressed. Its error is errEnd behind the last member.
	open(off int64) (io.Reader, error)
	// end returns where the member that was opened last ends. It must have been read to its end.
	end() int64
	// magic is how a member, or in a plain file a record, begins.
	magic() []byte
}

// A file is where members are read from.
type file struct {
	at   io.ReaderAt
	size int64
}

// peek returns up to n bytes at off.
func (f file) peek(off int64, n int) ([]byte, error) {
	b := make([]byte, min(int64(n), max(f.size-off, 0)))
	m, err := f.at.ReadAt(b, off)
	if m == len(b) {
		err = nil
	}
	return b[:m], err
}

func (f file) from(off int64) *io.SectionReader { return io.NewSectionReader(f.at, off, f.size-off) }

// sourceOf finds out how a file is compressed by how it begins; nil when it begins like nothing that is known.
func sourceOf(f file) (source, error) {
	start, err := f.peek(0, 4)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(start, gzipMagic[:2]):
		return &gzipSource{file: f}, nil
	case bytes.Equal(start, zstdMagic), len(start) == 4 && isSkippable(start):
		return newZstdSource(f)
	case bytes.Equal(start, zipMagic):
		return nil, errors.New("found a ZIP file, as WACZ is: the WARC files are in it (unzip)")
	case len(start) == 0, bytes.EqualFold(start, plainMagic[:4]):
		return &plainSource{file: f}, nil
	}
	return nil, nil
}

// A joined reader reads a member and, where that ends within a record, the next one, unless a record begins in it: a record may be
// compressed as several members (IIPC, WARC Compression by Zstandard 1.0).
type joined struct {
	reader *Reader
	data   io.Reader
	ended  bool
}

func (j *joined) Read(p []byte) (int, error) {
	for !j.ended {
		n, err := j.data.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 {
			return n, nil // what follows depends on what these bytes are
		}
		r := j.reader
		if !r.within {
			break
		}
		if next := r.source.end(); r.isPlain() || r.isRecord(next) {
			j.ended = true
		} else if j.data, err = r.source.open(next); err != nil {
			j.ended = true
		}
	}
	return 0, io.EOF
}

type plainSource struct{ file }

func (s *plainSource) open(off int64) (io.Reader, error) {
	if off >= s.size {
		return nil, errEnd
	}
	return s.from(off), nil
}
func (s *plainSource) end() int64    { return s.size }
func (s *plainSource) magic() []byte { return plainMagic }

type gzipSource struct {
	file
	buffered *bufio.Reader // the decoder reads no byte too many from it
	section  *io.SectionReader
	start    int64 // of section
	decoder  *gzip.Reader

	glancer gzip.Reader  // of the beginnings of members
	glanced bytes.Reader // that it reads from
	head    []byte       // of the member at hand
}

func (s *gzipSource) magic() []byte { return gzipMagic }

func (s *gzipSource) open(off int64) (io.Reader, error) {
	if off >= s.size {
		return nil, errEnd
	}
	s.stand(off)
	if err := s.decoder.Reset(s.buffered); err != nil {
		s.seek(off)
		return nil, err
	}
	s.decoder.Multistream(false)
	return s.decoder, nil
}

// stand lets the next byte that is read be the one at off.
func (s *gzipSource) stand(off int64) {
	if s.buffered == nil {
		s.buffered, s.decoder = bufio.NewReaderSize(nil, 256<<10), new(gzip.Reader)
	}
	if s.section != nil {
		if ahead := off - s.end(); ahead >= 0 && ahead <= int64(s.buffered.Buffered()) {
			s.buffered.Discard(int(ahead))
			return
		}
	}
	s.seek(off)
}

func (s *gzipSource) seek(off int64) {
	s.section, s.start = s.from(off), off
	s.buffered.Reset(s.section)
}

func (s *gzipSource) end() int64 {
	read, _ := s.section.Seek(0, io.SeekCurrent)
	return s.start + read - int64(s.buffered.Buffered())
}

type zstdSource struct {
	file
	decoder *zstd.Decoder
	next    int64
}

func newZstdSource(f file) (*zstdSource, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow)}
	dictionary, err := zstdDictionaryOf(f)
	if err != nil {
		return nil, err
	}
	if dictionary != nil {
		options = append(options, zstd.WithDecoderDicts(dictionary))
	}
	d, err := zstd.NewReader(nil, options...)
	return &zstdSource{file: f, decoder: d}, err
}

func (s *zstdSource) magic() []byte { return zstdMagic }
func (s *zstdSource) end() int64    { return s.next }

func (s *zstdSource) open(off int64) (io.Reader, error) {
	for {
		if off >= s.size {
			return nil, errEnd
		}
		n, skippable, err := zstdFrame(s.file, off, math.MaxInt)
		if err != nil {
			return nil, err
		}
		if !skippable {
			s.next = off + n
			return s.decoder, s.decoder.Reset(io.NewSectionReader(s.at, off, n))
		}
		off += n
	}
}

// startBlocks is in how many blocks of a frame the first bytes of a record are looked for.
const startBlocks = 16

// beginsRecord reports whether a frame begins at off, or behind those that are to be skipped there, in which a record begins. What
// is in frames behind that does not count: there may be millions of empty ones.
func (s *zstdSource) beginsRecord(off int64) bool {
	n, skippable, err := zstdFrame(s.file, off, startBlocks)
	for ; skippable && err == nil; n, skippable, err = zstdFrame(s.file, off, startBlocks) {
		off += n
	}
	if err != nil {
		n = max(s.size-off, 0) // it is cut
	}
	if s.decoder.Reset(io.NewSectionReader(s.at, off, n)) != nil {
		return false
	}
	var start [7]byte
	_, err = io.ReadFull(s.decoder, start[:])
	return err == nil && isVersion(string(start[:]))
}

func isSkippable(b []byte) bool { return binary.LittleEndian.Uint32(b)&^0xf == zstdSkippable }

// zstdDictionaryOf returns the dictionary that a file begins with, nil when there is none.
func zstdDictionaryOf(f file) ([]byte, error) {
	head, err := f.peek(0, 8)
	if err != nil || len(head) < 8 || binary.LittleEndian.Uint32(head) != zstdDictionary {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[4:])
	if n > maxDictionary {
		return nil, fmt.Errorf("a dictionary of %d bytes", n)
	}
	data, err := f.peek(8, int(n))
	if err != nil || !bytes.HasPrefix(data, zstdMagic) {
		return data, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDictionary))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

// zstdFrame returns how many bytes the frame at off has, or so many blocks of it: they tell without being decoded (RFC 8878 section
// 3.1.1).
func zstdFrame(f file, off int64, blocks int) (n int64, skippable bool, err error) {
	head, err := f.peek(off, 18)
	if err != nil {
		return 0, false, err
	}
	if len(head) >= 8 && isSkippable(head) {
		return f.within(off, 8+int64(binary.LittleEndian.Uint32(head[4:])), true)
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return 0, false, cutOr(err)
	}
	n = int64(h.HeaderSize)
	for ; blocks > 0; blocks-- {
		b, err := f.peek(off+n, 3)
		if err != nil || len(b) < 3 {
			return 0, false, cutOr(errors.Join(err, io.ErrUnexpectedEOF))
		}
		block := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		n += 3
		if kind := block >> 1 & 3; kind == 1 { // run length
			n++
		} else {
			n += int64(block >> 3)
		}
		if block&1 == 1 {
			break
		}
	}
	if h.HasCheckSum {
		n += 4
	}
	return f.within(off, n, false)
}

func (f file) within(off, n int64, skippable bool) (int64, bool, error) {
	if off+n > f.size {
		return 0, false, errCut
	}
	return n, skippable, nil
}
