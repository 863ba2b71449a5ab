package warc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Bounds of what a Reader takes for a record header.
const (
	maxHeader = 1 << 20 // bytes
	maxFields = 1000
)

// maxAgain is how often the bytes of a file may be read for nothing, and what may be besides, as parts of records that turned out
// to be damaged. See damaged.
const (
	maxAgain = 16
	maxSpent = 16 << 20
)

// A Reader goes through the records of one WARC file. It is not safe for concurrent use.
type Reader struct {
	name   string
	file   file
	closer io.Closer // nil when the file is the caller's
	source source

	buffer  *bufio.Reader // used again for each member
	member  *bufio.Reader // what is left of the member, uncompressed; nil between members
	counter *counting     // what member reads from
	begin   int64         // of the member
	next    int64         // where the next member begins
	count   int           // records so far in the member
	within  bool          // more of a record has to come, from the next member if need be
	current *Record       // unfinished, or nil
	lost    bool          // the next record has to be searched for
	spent   int64         // bytes of damaged records that were read

	ended  func() error // see Until; may be nil
	skims  bool         // see Skim
	head   *headReader  // what counter reads from, if that is one
	wasted int64        // bytes that skim has looked through in vain
}

// OpenFile returns a reader of a file, which the caller closes.
func OpenFile(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("read %s: not a regular file", name), f.Close())
	}
	r, err := NewReader(name, f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.closer = f
	return r, nil
}

// NewReader returns a reader of size bytes, which errors call by name.
func NewReader(name string, at io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{name: name, file: file{at, size}}
	var err error
	if r.source, err = sourceOf(r.file); err == nil && r.source == nil {
		r.source, err = r.sniff()
	}
	if err != nil {
		return nil, &FormatError{File: name, Want: "a WARC file", Err: err}
	}
	return r, nil
}

// Close closes the file that OpenFile has opened.
func (r *Reader) Close() error {
	if z, ok := r.source.(*zstdSource); ok {
		z.decoder.Close()
	}
	if r.closer != nil {
		return r.closer.Close()
	}
	return nil
}

// Until lets reading fail with the error of ctx when that has ended, also within a record, which may be of any size.
func (r *Reader) Until(ctx context.Context) { r.ended = ctx.Err }

// GoTo lets the next record be the one at off.
func (r *Reader) GoTo(off int64) { r.member, r.current, r.lost, r.next = nil, nil, false, off }

// Next returns the next record, and io.EOF after the last one. A *FormatError says that there is damage, in the record before or
// where the next one should be; call Next again to go on with the next record that can be found.
func (r *Reader) Next() (*Record, error) {
	if r.current != nil {
		if _, err := r.finish(r.current); err != nil {
			return nil, err
		}
	}
	if r.lost {
		if err := r.search(r.next); err != nil {
			return nil, err
		}
	}
	if r.member == nil {
		if err := r.enter(); err != nil {
			return nil, err
		}
	}
	return r.read()
}

// enter opens the next member.
func (r *Reader) enter() error {
	r.begin, r.count, r.within = r.next, 0, false
	data, err := r.open(r.next)
	if errors.Is(err, errEnd) {
		return io.EOF
	}
	if err != nil {
		return r.damaged(r.what(), cutOr(err))
	}
	r.counter = &counting{Reader: &joined{reader: r, data: data}}
	if r.buffer == nil {
		r.buffer = bufio.NewReaderSize(nil, 32<<10)
	}
	r.buffer.Reset(r.counter)
	r.member = r.buffer
	return nil
}

// open opens the member at off.
func (r *Reader) open(off int64) (data io.Reader, err error) {
	if r.head = nil; r.skims {
		if s, ok := r.source.(*gzipSource); ok {
			data, r.head, err = s.openHead(off)
			return data, err
		}
	}
	return r.source.open(off)
}

// what is what should be where a member begins.
func (r *Reader) what() string {
	switch r.source.(type) {
	case *gzipSource:
		return "a gzip member (1f 8b 08)"
	case *zstdSource:
		return "a zstd frame (28 b5 2f fd)"
	}
	return "a WARC record"
}

// damaged returns the error for damage in the present record or member, behind which the next one has to be searched for: from its
// second byte on, as the record may have a length that is wrong and others within. When records have been read for nothing so
// often that this takes time out of proportion to the file, what they took in is passed over: of a record whose length must be
// wrong, the header. See leadsAstray.
func (r *Reader) damaged(want string, err error) *FormatError {
	r.next = r.begin + 1
	if r.member != nil {
		if r.spentAll() {
			r.next = max(r.next, r.stands())
		}
		r.spent += max(r.at(), r.stands()-r.begin)
	}
	r.lost, r.current, r.member = true, nil, nil
	return &FormatError{File: r.name, Offset: r.begin, Want: want, Err: err}
}

// spentAll reports whether so much has been read for nothing that no more should be.
func (r *Reader) spentAll() bool { return r.spent > maxSpent+maxAgain*r.file.size }

// leadsAstray reports whether neither a record nor the end of a plain file is where the length of the record says.
func (r *Reader) leadsAstray(rec *Record) bool {
	left := r.file.size - r.begin - r.at() - rec.Length
	if left <= 0 {
		return left < 0
	}
	end, err := r.file.peek(r.file.size-left, 64)
	end = bytes.TrimLeft(end, "\r\n")
	return err == nil && len(end) > 0 && !startsRecord(end)
}

// at is where the reader stands among the uncompressed bytes of the member.
func (r *Reader) at() int64 { return r.counter.n - int64(r.member.Buffered()) }

// stands is up to where the file has been read for the record at hand.
func (r *Reader) stands() int64 {
	if r.isPlain() {
		return r.begin + r.at()
	}
	return r.source.end()
}

// isPlain reports whether places in the member are places in the file.
func (r *Reader) isPlain() bool {
	_, plain := r.source.(*plainSource)
	return plain
}

// read reads the header of the record at hand.
func (r *Reader) read() (*Record, error) {
	for {
		if err := r.skipLineEnds(); err != nil {
			return nil, r.damaged("compressed data", cutOr(err))
		}
		if _, err := r.member.Peek(1); err == nil {
			break
		}
		if err := r.leave(); err != nil { // an empty member, or white space at the end
			return nil, err
		}
	}
	if r.isPlain() {
		r.begin += r.at()
		r.counter.n = int64(r.member.Buffered())
	}
	rec := &Record{File: r.name, Offset: r.begin, Shared: r.count > 0 && !r.isPlain(), reader: r}
	r.count++
	if err := r.header(rec); err != nil {
		return nil, err
	}
	rec.Block = &block{reader: r, record: rec, left: rec.Length}
	r.current = rec
	return rec, nil
}

// leave goes on to the next member.
func (r *Reader) leave() error {
	r.member, r.next = nil, r.source.end()
	return r.enter()
}

// header reads the header of a record.
func (r *Reader) header(rec *Record) error {
	var total int
	r.within = true
	for first := true; ; first = false {
		line, err := readLine(r.member, maxHeader-total)
		total += len(line)
		switch {
		case errors.Is(err, errLong):
			return r.damaged(fmt.Sprintf("a record header of at most %d bytes", maxHeader), nil)
		case err != nil:
			return r.damaged("a record header", cutOr(err))
		case first:
			rec.Version = strings.TrimRight(string(line), "\r\n")
			if strings.HasPrefix(rec.Version, "filedesc:") {
				return r.damaged("a WARC file",
					errors.New("found an ARC file, the format before it (warcio recompress converts it)"))
			}
			if !strings.HasPrefix(strings.ToUpper(rec.Version), "WARC/") || len(rec.Version) > 20 {
				return r.damaged("WARC/1.1 or WARC/1.0", fmt.Errorf("found %.40q", rec.Version))
			}
			continue
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
		if !rec.Header.addLine(line) {
			return r.damaged("a field (name: value)", fmt.Errorf("found %.40q", line))
		}
		if len(rec.Header) > maxFields {
			return r.damaged(fmt.Sprintf("at most %d fields", maxFields), nil)
		}
	}
	length := rec.Header.Get("Content-Length")
	n, err := strconv.ParseInt(length, 10, 64)
	if err != nil || n < 0 {
		return r.damaged("a Content-Length", fmt.Errorf("found %.40q", length))
	}
	if rec.Length = n; r.isPlain() && r.spentAll() && r.leadsAstray(rec) {
		return r.damaged("a Content-Length that leads to a record", fmt.Errorf("found %d", n))
	}
	return nil
}

// errLong says that a line is too long.
var errLong = errors.New("too long")

// readLine reads up to the end of a line, and at most max bytes.
func readLine(r *bufio.Reader, max int) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil && len(line) <= max {
		return line, nil
	}
	all := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(all) <= max {
		line, err = r.ReadSlice('\n')
		all = append(all, line...)
	}
	if len(all) > max {
		return nil, errLong
	}
	return all, err
}

// A block reads the block of a record.
type block struct {
	reader *Reader
	record *Record
	left   int64
	err    error // damage that was found: who looks ahead asks again
}

func (b *block) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.reader.ended != nil && b.reader.ended() != nil {
		return 0, b.reader.ended()
	}
	if b.reader.current != b.record {
		return 0, errors.New("warc: the record is finished")
	}
	n, err := b.reader.member.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && (b.left > 0 || !errors.Is(err, io.EOF)) {
		b.err = b.reader.damaged(fmt.Sprintf("%d more bytes of the block", b.left), cutOr(err))
	}
	return n, b.err
}

// finish reads what is left of a record and looks at what follows.
func (r *Reader) finish(rec *Record) (int64, error) {
	if r.current != rec {
		return 0, nil
	}
	if r.skim(rec) {
		return r.next - r.begin, nil
	}
	if _, err := io.Copy(io.Discard, rec.Block); err != nil {
		return 0, err
	}
	r.current = nil
	err := r.trailer(rec)
	if err != nil {
		return 0, err
	}
	if r.isPlain() {
		return r.at(), nil
	}
	return r.close(rec)
}

// close looks at what follows a record in its member, which nearly always is its end.
func (r *Reader) close(rec *Record) (int64, error) {
	if err := r.skipLineEnds(); err != nil {
		return 0, r.damaged("the end of the compressed data", cutOr(err))
	}
	rest, err := r.member.Peek(1)
	if len(rest) > 0 {
		r.within = true
		rest, err = r.member.Peek(20)
	}
	switch {
	case len(rest) == 0 && errors.Is(err, io.EOF):
		r.member, r.next = nil, r.source.end()
		return r.next - r.begin, nil
	case r.atRecord():
		rec.Shared = true
		return 0, nil
	}
	return 0, r.damaged("the end of the member, or another record", fmt.Errorf("found %.20q", rest))
}

// trailer reads the two empty lines behind a block. Some writers leave one out, or end the lines in another way: as the block has
// its length, nothing of the record is missing when only line ends stand before the next one, or the end.
func (r *Reader) trailer(rec *Record) error {
	end, err := r.member.Peek(4)
	r.within = false
	if string(end) == "\r\n\r\n" {
		r.member.Discard(4)
		return nil
	}
	found := fmt.Sprintf("found %.20q", end)
	if err == nil || errors.Is(err, io.EOF) {
		err = r.skipLineEnds()
	}
	if err != nil {
		return r.damaged("two empty lines behind the block", cutOr(err))
	}
	if rest, _ := r.member.Peek(1); r.isPlain() && len(rest) > 0 && !r.atRecord() {
		return r.damaged(fmt.Sprintf("two empty lines behind a block of %d bytes", rec.Length), errors.New(found))
	}
	rec.Lax = "two empty lines are missing behind the block: " + found
	return nil
}

// skipLineEnds reads empty lines, which may be none or all that is left.
func (r *Reader) skipLineEnds() error {
	for {
		b, err := r.member.Peek(1)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case b[0] != '\r' && b[0] != '\n':
			return nil
		}
		r.member.Discard(1)
	}
}

// atRecord reports whether a record follows.
func (r *Reader) atRecord() bool {
	b, _ := r.member.Peek(len(recordStart))
	return startsRecord(b)
}

const recordStart = "WARC/"

func startsRecord(b []byte) bool {
	return len(b) >= len(recordStart) && strings.EqualFold(string(b[:len(recordStart)]), recordStart)
}

// counting counts what is read. It reads little at first, and more each time: where a record is damaged, all is read in vain.
type counting struct {
	io.Reader
	n    int64
	step int
}

func (c *counting) Read(p []byte) (int, error) {
	c.step = min(max(2*c.step, 1<<10), 1<<20)
	n, err := c.Reader.Read(p[:min(len(p), c.step)])
	c.n += int64(n)
	return n, err
}
