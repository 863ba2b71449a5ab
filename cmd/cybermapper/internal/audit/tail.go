package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// A tail is a log that is being written. It is read to its end, and on as lines come; when another file takes its place, that one
// is read from its beginning, and when it is cut off it is read from its beginning too, after the rest of the copy that was made
// before: both is how logs are rotated. Its file is open from the beginning, so that what is written is not lost when that happens
// while the past is read. One that had the name between two looks is read where it was moved to, also when it is compressed with
// gzip by then.
type tail struct {
	name     string
	start    mark
	opened   time.Time // of the first file; those that had the name after it were written since
	file     *os.File  // nil if the name has none
	unpacked io.Reader // of file, if that is compressed, or the rest of a copy of it: nobody writes on
	copy     *os.File  // that unpacked reads; nil unless file was cut off
	before   *readLog  // the file that was read last; nil if that is the first
	at       int64     // that was read of the text of file
	head     []byte    // how that begins, as far as it was seen
}

// A readLog is a file that was read to its end.
type readLog struct {
	os.FileInfo
	size int64 // of its text
	head []byte
}

// hasText reports whether the text of a file, which may be a copy, was that of the log.
func (r *readLog) hasText(size int64, head []byte) bool {
	return r != nil && size == r.size && bytes.HasPrefix(head, r.head)
}

// isFile reports whether a file is the one that was read. That has been closed, so that another may have its number.
func (r *readLog) isFile(file *os.File, info os.FileInfo) bool {
	return r != nil && os.SameFile(info, r.FileInfo) && hasHead(file, r.head)
}

// hasHead reports whether a file begins in that way; none does if nothing is known of it.
func hasHead(file *os.File, head []byte) bool {
	own := make([]byte, len(head))
	_, err := file.ReadAt(own, 0)
	return err == nil && len(head) > 0 && bytes.Equal(own, head)
}

// headSize is how much of the beginning of a file tells whether it is still the same: more than the time of a line.
const headSize = 256

// A mark is how far a log was read before it is followed.
type mark struct {
	bytes  int64  // up to the end of a line
	lines  int64  // in these
	fields string // the last line that names fields, if there is one
}

// clockStep is how far the time of a file may be behind that of the machine: file systems count it in steps of up to two seconds.
const clockStep = 2 * time.Second

// poll is how often a log is looked at.
const poll = 200 * time.Millisecond

// openTail opens a log and marks its end. It returns none if the log is compressed with gzip: nobody writes on.
func openTail(name string) (*tail, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	in := bufio.NewReaderSize(file, accesslog.MaxLine)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		return nil, file.Close()
	}
	t := &tail{name: name, opened: time.Now(), file: file}
	if t.start, err = markEnd(in); err == nil {
		err = t.begin(t.start.bytes)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", name, err), file.Close())
	}
	return t, nil
}

// markEnd finds the end of the last whole line of a log.
func markEnd(in *bufio.Reader) (m mark, err error) {
	for at, begins := int64(0), true; ; {
		text, err := in.ReadSlice('\n')
		at += int64(len(text))
		if begins && bytes.HasPrefix(text, []byte("#Fields:")) {
			m.fields = string(text)
		}
		if begins = err == nil; begins {
			m.bytes, m.lines = at, m.lines+1
		}
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return m, err
		}
	}
}

// past returns what was there when the log was opened, up to the end of the last whole line.
func (t *tail) past() io.Reader { return io.NewSectionReader(t.file, 0, t.start.bytes) }

// each calls do with the text of each file that the name is given to, one after the other, and how many lines of it were read
// before; the first of them from where it was marked. It returns when ctx is done, or do fails, and closes the file.
func (t *tail) each(ctx context.Context, do func(text io.Reader, before int64) error) (err error) {
	defer func() { err = errors.Join(err, t.close()) }()
	m := t.start
	if t.wasCut() && !t.openCopy(ctx) { // while the past was read
		m, err = mark{}, t.begin(0)
	}
	for ; err == nil && ctx.Err() == nil && t.file != nil; m = (mark{}) {
		var text io.Reader = tailText{ctx, t}
		if m.fields != "" {
			text, m.lines = io.MultiReader(bytes.NewReader([]byte(m.fields)), text), m.lines-1
		}
		if err = do(text, m.lines); err == nil {
			err = t.reopen(ctx)
		}
	}
	return err
}

// reopen opens the file that comes next, as soon as there is one; none when ctx is done. It closes the last one only then: as long
// as that is open, no other file gets its number.
func (t *tail) reopen(ctx context.Context) (err error) {
	last := t.file
	defer func() { err = errors.Join(err, last.Close()) }()
	if err := t.closeCopy(); err != nil {
		return err
	}
	info, err := last.Stat()
	if err != nil {
		t.file = nil
		return err
	}
	own := &readLog{info, info.Size(), t.head}
	if t.unpacked != nil {
		own.size = t.at
	}
	t.file, t.unpacked = nil, nil
	for {
		file, err := t.next(ctx, own)
		switch {
		case err == nil:
			if t.file, t.before = file, own; t.unpacked != nil {
				return nil
			}
			return t.begin(0)
		case !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("open log: %w", err)
		}
		if !sleep(ctx, poll) {
			return nil
		}
	}
}

// next opens the file that was written after own: one that was moved away, too, or else the one that has the name now.
func (t *tail) next(ctx context.Context, own *readLog) (*os.File, error) {
	file, err := os.Open(t.name)
	if err != nil {
		return nil, err
	}
	now, err := file.Stat()
	if err != nil || os.SameFile(now, own.FileInfo) { // it was cut off
		return file, err
	}
	for _, m := range t.moved(own, now) {
		between, err := t.openMoved(ctx, m, own)
		if between != nil || err != nil {
			return between, errors.Join(err, file.Close())
		}
	}
	return file, nil
}

// openMoved opens a file that had the name after own; none if it is compressed and cannot be read to its end, or has what was read
// already. As long as one is made it has no end, and perhaps not the permissions of the log; what it is made of is there too.
func (t *tail) openMoved(ctx context.Context, moved movedLog, own *readLog) (*os.File, error) {
	isPacked := strings.HasSuffix(moved.name, ".gz")
	file, err := os.Open(moved.name)
	switch {
	case isPacked && errors.Is(err, os.ErrPermission):
		return nil, nil
	case err != nil:
		return nil, err
	}
	is, err := file.Stat()
	switch {
	case err != nil || !os.SameFile(is, moved.FileInfo): // it was moved on
		return nil, errors.Join(err, os.ErrNotExist, file.Close())
	case t.before.isFile(file, is):
		return nil, file.Close()
	case !isPacked:
		return file, nil
	}
	size, head, err := measure(ctx, file)
	if err != nil || own.hasText(size, head) || t.before.hasText(size, head) {
		return nil, file.Close()
	}
	text, err := unpack(ctx, file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	t.unpacked, t.at, t.head = text, 0, head
	return file, nil
}

// measure reads a compressed file to its end, and returns the size of its text and how that begins.
func measure(ctx context.Context, file *os.File) (size int64, head []byte, err error) {
	text, err := unpack(ctx, file)
	if err != nil {
		return 0, nil, err
	}
	if head, err = io.ReadAll(io.LimitReader(text, headSize)); err != nil {
		return 0, nil, err
	}
	size, err = io.Copy(io.Discard, text)
	return int64(len(head)) + size, head, err
}

// unpack returns the text of a compressed file.
func unpack(ctx context.Context, file *os.File) (*gzip.Reader, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return gzip.NewReader(ctxio.Reader(ctx, file))
}

// A movedLog is a file that a log was moved to.
type movedLog struct {
	os.FileInfo
	name string
}

// moved finds the files that had the name after own and before now, in the order in which they were last written.
func (t *tail) moved(own *readLog, now os.FileInfo) (all []movedLog) {
	after := own.ModTime() // though nothing may have been written into it since long before it got its name
	if opened := t.opened.Add(-clockStep); after.Before(opened) {
		after = opened
	}
	all = slices.DeleteFunc(t.older(), func(m movedLog) bool {
		return !m.ModTime().After(after) || os.SameFile(m.FileInfo, own.FileInfo) || os.SameFile(m.FileInfo, now)
	})
	slices.SortFunc(all, func(a, b movedLog) int { return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.name, b.name)) })
	return all
}

// older finds the files that have the names of logs which were moved away.
func (t *tail) older() (all []movedLog) {
	dir, base := filepath.Split(t.name)
	files, _ := os.ReadDir(filepath.Clean(dir)) // none can be found if it cannot be read
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.Name(), base)
		if !ok || !isRotation(strings.TrimSuffix(rest, ".gz")) {
			continue
		}
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, movedLog{info, filepath.Join(dir, f.Name())})
		}
	}
	return all
}

// openCopy goes on, behind what was read, in the copy of the file that was made before it was cut off: what came between the last
// look and that is only there. It reports whether there is one. What is being compressed has no end; what it is made of is there.
// One that was written before the log was opened may begin alike, with the names of fields, but has nothing that came since.
func (t *tail) openCopy(ctx context.Context) bool {
	opened := t.opened.Add(-clockStep)
	all := slices.DeleteFunc(t.older(), func(m movedLog) bool { return m.ModTime().Before(opened) })
	packed := func(m movedLog) int { return len(m.name) - len(strings.TrimSuffix(m.name, ".gz")) }
	slices.SortFunc(all, func(a, b movedLog) int { return cmp.Or(packed(a)-packed(b), b.ModTime().Compare(a.ModTime())) })
	for _, m := range all {
		file, err := os.Open(m.name)
		if err != nil {
			continue
		}
		if text := t.restOf(ctx, file, packed(m) > 0); text != nil {
			t.copy, t.unpacked = file, text
			return true
		}
		file.Close()
	}
	return false
}

// restOf returns what a copy has behind what was read; nil if it is of something else, or has no more.
func (t *tail) restOf(ctx context.Context, file *os.File, isPacked bool) io.Reader {
	if !isPacked {
		info, err := file.Stat()
		if err != nil || info.Size() <= t.at || !hasHead(file, t.head) {
			return nil
		}
		return io.NewSectionReader(file, t.at, info.Size()-t.at)
	}
	text, err := unpack(ctx, file)
	if err != nil {
		return nil
	}
	if head, err := io.ReadAll(io.LimitReader(text, headSize)); err != nil || len(t.head) == 0 || !bytes.HasPrefix(head, t.head) {
		return nil
	}
	if size, _, err := measure(ctx, file); err != nil || size <= t.at {
		return nil
	}
	text, err = unpack(ctx, file)
	if err == nil {
		_, err = io.CopyN(io.Discard, text, t.at)
	}
	if err != nil {
		return nil
	}
	return text
}

// closeCopy closes the copy, if one was read.
func (t *tail) closeCopy() error {
	if t.copy == nil {
		return nil
	}
	file := t.copy
	t.copy = nil
	return file.Close()
}

// isRotation reports whether a log that is moved away gets this behind its name: a number, a time, or "old".
func isRotation(rest string) bool {
	return rest == ".old" || len(rest) > 1 && (rest[0] == '.' || rest[0] == '-') && strings.Trim(rest, "0123456789.-_:TZ") == ""
}

// begin takes a place of the file for where the reading begins.
func (t *tail) begin(at int64) (err error) {
	t.at, err = t.file.Seek(at, io.SeekStart)
	t.head = nil
	t.wasCut()
	return err
}

// close closes the file, if there is one.
func (t *tail) close() error {
	if t.file == nil {
		return nil
	}
	file := t.file
	t.file, t.unpacked = nil, nil
	return errors.Join(file.Close(), t.closeCopy())
}

// sleep waits, and reports whether ctx is not done.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// tailText is the text of one file, which ends when another has taken its place, when it was cut off, or when ctx is done.
type tailText struct {
	ctx context.Context
	t   *tail
}

func (r tailText) Read(p []byte) (int, error) {
	if r.t.unpacked != nil {
		n, err := r.t.unpacked.Read(p)
		r.t.at += int64(n)
		return n, err
	}
	for gone := false; ; {
		n, err := r.t.file.Read(p)
		r.t.at += int64(n)
		switch {
		case n > 0:
			return n, nil
		case err != nil && !errors.Is(err, io.EOF):
			return 0, err
		case gone: // and nothing more was written into it
			return 0, io.EOF
		}
		gone = r.t.wasReplaced()
		if !sleep(r.ctx, poll) || r.t.wasCut() && !r.t.openCopy(r.ctx) {
			return 0, io.EOF
		}
		if r.t.unpacked != nil {
			return r.Read(p)
		}
	}
}

// wasCut reports whether the file is shorter than what was read of it, or begins in another way: it was cut off, and has grown
// since.
func (t *tail) wasCut() bool {
	info, err := t.file.Stat()
	if err != nil || info.Size() < t.at {
		return err == nil
	}
	head := make([]byte, headSize)
	n, err := t.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) || n < len(t.head) || !bytes.Equal(head[:len(t.head)], t.head) {
		return err == nil || errors.Is(err, io.EOF)
	}
	t.head = head[:n]
	return false
}

// wasReplaced reports whether another file has the name now.
func (t *tail) wasReplaced() bool {
	now, err := os.Stat(t.name)
	if err != nil {
		return false // it will come
	}
	own, err := t.file.Stat()
	return err == nil && !os.SameFile(now, own)
}
