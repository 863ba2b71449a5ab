package contents

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"sort"
)

// A Key stands for a text and the kind of thing that it is.
type Key uint32

// KeyOf returns the key of a text.
func KeyOf(kind byte, text string) Key {
	return Key(crc32.Update(crc32.Update(0, castagnoli(), []byte{kind}), castagnoli(), []byte(text)))
}

// castagnoli is the polynomial for which processors have an instruction.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// A Part says what one part of a text is, and what is in it.
type Part struct {
	Head []byte // of the owner
	keys []byte // in ascending order, four bytes each
}

// NewPart returns a part with these keys, which it sorts.
func NewPart(head []byte, keys []Key) Part {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	p := Part{Head: head, keys: make([]byte, 0, keySize*len(keys))}
	for _, k := range keys {
		p.keys = binary.BigEndian.AppendUint32(p.keys, uint32(k))
	}
	return p
}

// May reports whether the part may hold something with one of these keys; if not, it does not.
func (p Part) May(keys ...Key) bool { return slices.ContainsFunc(keys, p.has) }

func (p Part) has(k Key) bool {
	n := len(p.keys) / keySize
	at := func(i int) Key { return Key(binary.BigEndian.Uint32(p.keys[keySize*i:])) }
	i := sort.Search(n, func(i int) bool { return at(i) >= k })
	return i < n && at(i) == k
}

// Equal reports whether two parts say the same.
func (p Part) Equal(q Part) bool {
	return string(p.Head) == string(q.Head) && string(p.keys) == string(q.keys)
}

// Before a part stand the lengths of its head and its keys, and the checksum of all but itself.
const (
	keySize    = 4
	prefixSize = 12
)

func (p Part) append(b []byte) []byte {
	start := len(b)
	b = binary.BigEndian.AppendUint32(b, uint32(len(p.Head)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(p.keys)))
	b = binary.BigEndian.AppendUint32(b, p.checksum(b[start:]))
	return append(append(b, p.Head...), p.keys...)
}

func (p Part) checksum(lengths []byte) uint32 {
	sum := crc32.Update(0, castagnoli(), lengths)
	return crc32.Update(crc32.Update(sum, castagnoli(), p.Head), castagnoli(), p.keys)
}

// Scan iterates over the parts of a file, as far as it is whole. A part is valid until the next. A file that does not exist has
// none. An error is final.
func Scan(name string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		r, err := open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Part{}, err)
			return
		}
		defer r.file.Close()
		for r.next() {
			if !yield(r.part, nil) {
				return
			}
		}
		if r.err != nil {
			yield(Part{}, r.err)
		}
	}
}

// A reader reads part after part.
type reader struct {
	file *os.File
	from *bufio.Reader
	size int64 // of the file
	part Part
	buf  []byte
	end  int64 // of the last whole part
	err  error // of reading
}

// open opens a table to read it, if it is a regular file: opening a pipe would wait for ever.
func open(name string) (*reader, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &reader{file: f, from: bufio.NewReaderSize(f, 256<<10), size: info.Size()}, nil
}

// next reads the next part; it is false when what follows is none.
func (r *reader) next() bool {
	var prefix [prefixSize]byte
	if !r.fill(prefix[:]) {
		return false
	}
	head, keys := int64(binary.BigEndian.Uint32(prefix[:])), int64(binary.BigEndian.Uint32(prefix[4:]))
	if keys%keySize != 0 || r.end+prefixSize+head+keys > r.size {
		return false
	}
	r.buf = slices.Grow(r.buf[:0], int(head+keys))[:head+keys]
	if !r.fill(r.buf) {
		return false
	}
	r.part = Part{Head: r.buf[:head:head], keys: r.buf[head:]}
	if r.part.checksum(prefix[:8]) != binary.BigEndian.Uint32(prefix[8:]) {
		return false
	}
	r.end += int64(prefixSize + len(r.buf))
	return true
}

func (r *reader) fill(b []byte) bool {
	_, err := io.ReadFull(r.from, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		r.err = err
	}
	return err == nil
}

// A Table is a file that parts are added to, by one process at a time while others scan it.
type Table struct {
	Name string

	end int64 // of the last whole part, while the file has that size
}

// Append adds parts behind the last one that is whole, and makes the file if need be. Nothing is brought to stable storage: what a
// power failure damages is seen.
func (t *Table) Append(parts ...Part) error {
	if err := t.findEnd(); err != nil {
		return err
	}
	f, err := os.OpenFile(t.Name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	var text []byte
	for _, p := range parts {
		text = p.append(text)
	}
	if err = f.Truncate(t.end); err == nil {
		_, err = f.WriteAt(text, t.end)
	}
	t.end += int64(len(text))
	return errors.Join(err, f.Close())
}

// findEnd finds the end of the last whole part, unless nothing has happened to the file since it was known.
func (t *Table) findEnd() error {
	info, err := os.Stat(t.Name)
	if err == nil && info.Size() == t.end {
		return nil
	}
	t.end = 0
	r, err := open(t.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for r.next() {
	}
	t.end = r.end
	return errors.Join(r.err, r.file.Close())
}
