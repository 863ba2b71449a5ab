package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A tail is a log that is being written. It is read to its end, and on as lines come; when another file takes its place, that one
// is read from its beginning, and when it is cut off it is read from its beginning too: both is how logs are rotated.
type tail struct {
	name  string
	start mark
	file  *os.File
	at    int64  // that was read of the file
	head  []byte // how the file begins, as far as it was seen
}

// headSize is how much of the beginning of a file tells whether it is still the same: more than the time of a line.
const headSize = 256

// A mark is how far a log was read before it is followed.
type mark struct {
	bytes  int64  // up to the end of a line
	lines  int64  // in these
	fields string // the last line that names fields, if there is one

	isPacked bool // it is compressed with gzip
}

// poll is how often a log is looked at.
const poll = 200 * time.Millisecond

// markEnd finds the end of the last whole line of a log.
func markEnd(name string) (m mark, err error) {
	f, err := os.Open(name)
	if err != nil {
		return m, fmt.Errorf("open log: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, accesslog.MaxLine)
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		m.isPacked = true
		return m, nil
	}
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
			return m, fmt.Errorf("read %s: %w", name, err)
		}
	}
}

// each calls do with the text of each file that the name is given to, one after the other, and how many lines of it were read
// before; the first of them from where it was marked. It returns when ctx is done, or do fails.
func (t *tail) each(ctx context.Context, do func(text io.Reader, before int64) error) (err error) {
	defer func() {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
		}
	}()
	m := t.start
	for ctx.Err() == nil {
		if err := t.open(ctx, m.bytes); err != nil || t.file == nil {
			return err
		}
		var text io.Reader = tailText{ctx, t}
		if m.fields != "" {
			text, m.lines = io.MultiReader(bytes.NewReader([]byte(m.fields)), text), m.lines-1
		}
		if err := do(text, m.lines); err != nil {
			return err
		}
		m = mark{}
	}
	return nil
}

// open opens the file that has the name now, as soon as there is one; none when ctx is done.
func (t *tail) open(ctx context.Context, at int64) error {
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			return err
		}
	}
	for {
		var err error
		t.file, err = os.Open(t.name)
		switch {
		case err == nil:
			t.at, err = t.file.Seek(at, io.SeekStart)
			t.head = nil
			t.wasCut()
			return err
		case !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("open log: %w", err)
		}
		t.file = nil
		if !sleep(ctx, poll) {
			return nil
		}
	}
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
		if !sleep(r.ctx, poll) || r.t.wasCut() {
			return 0, io.EOF
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
