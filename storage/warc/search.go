package warc

import (
	"bytes"
	"fmt"
	"io"
)

// maxSearch is how far the next record is looked for behind damage, in bytes.
const maxSearch = 1 << 30

// search finds the next record from a place on, and lets the reader go on there.
func (r *Reader) search(from int64) error {
	off, err := r.find(from, maxSearch)
	if err != nil {
		return err
	}
	if off < 0 && r.file.size-from > maxSearch {
		return fmt.Errorf("read %s: no record in %d bytes behind offset %d: the rest was not read", r.name, maxSearch, from)
	}
	if off < 0 {
		return io.EOF
	}
	r.GoTo(off)
	return nil
}

// find returns where the first record begins among so many bytes from a place on; -1 when there is none. It looks at more and more
// at a time: where every record is damaged, the next one is near.
func (r *Reader) find(from, most int64) (int64, error) {
	magic := r.source.magic()
	step := 1 << 10
	for off := from; off < min(r.file.size, from+most); off, step = off+int64(step), min(2*step, 1<<20) {
		chunk, err := r.file.peek(off, step+len(magic)-1)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", r.name, err)
		}
		for at := 0; ; at++ {
			i := r.index(chunk[at:], magic)
			if i < 0 {
				break
			}
			if at += i; at < step && r.isRecord(off+int64(at)) {
				return off + int64(at), nil
			}
		}
	}
	return -1, nil
}

// index returns where magic is in chunk; -1 when it is not. That of a plain file may be in upper or lower case.
func (r *Reader) index(chunk, magic []byte) int {
	if !r.isPlain() {
		return bytes.Index(chunk, magic)
	}
	before := len(magic) - 1
	for at := before; at < len(chunk); at++ {
		i := bytes.IndexByte(chunk[at:], magic[before])
		if i < 0 {
			break
		}
		if at += i; bytes.EqualFold(chunk[at-before:at], magic[:before]) {
			return at - before
		}
	}
	return -1
}

// maxSniff is how much of a file is looked at to find out how it is compressed when its beginning is damaged.
const maxSniff = 16 << 20

// sniff returns the source for a file whose beginning is damaged: that by which the first record can be read. Without any, the
// file is plain.
func (r *Reader) sniff() (source, error) {
	plain := &plainSource{r.file}
	zstd, err := newZstdSource(r.file)
	if err != nil {
		return nil, err
	}
	best, most := source(plain), int64(maxSniff)
	for _, s := range []source{plain, &gzipSource{file: r.file}, zstd} {
		r.source = s
		off, err := r.find(0, most)
		if err != nil {
			return nil, err
		}
		if off >= 0 {
			best, most = s, off
		}
	}
	if best != source(zstd) {
		zstd.decoder.Close()
	}
	return best, nil
}

// isRecord reports whether a record begins at off. Of a member it reads no more than that takes.
func (r *Reader) isRecord(off int64) bool {
	switch s := r.source.(type) {
	case *gzipSource:
		return s.beginsRecord(off)
	case *zstdSource:
		return s.beginsRecord(off)
	}
	if off > 0 {
		if before, err := r.file.peek(off-1, 1); err != nil || before[0] != '\n' {
			return false
		}
	}
	start, err := r.file.peek(off, len("WARC/1."))
	return err == nil && isVersion(string(start))
}
