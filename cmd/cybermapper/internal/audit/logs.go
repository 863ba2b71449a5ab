package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A logFile is a log that is to be read, perhaps compressed.
type logFile struct {
	name  string
	in    io.ReadCloser
	size  int64     // in the file; 0 for stdin
	first time.Time // of its first request; late for stdin, which cannot be looked into before
	line  string    // of that
	info  os.FileInfo
}

// Close closes the file.
func (l *logFile) Close() error { return l.in.Close() }

// openLogs opens all logs, and looks when each of them begins.
func openLogs(cmd *cobra.Command, names []string, format accesslog.Format) (logs []*logFile, err error) {
	for _, name := range names {
		in, err := cli.OpenInput(cmd, name)
		if err != nil {
			return logs, err
		}
		l := &logFile{name: name, in: in, first: time.Unix(math.MaxInt32, 0)}
		logs = append(logs, l)
		if f, ok := in.(*os.File); ok && name != "-" {
			if err := l.look(f, format); err != nil {
				return logs, err
			}
			if err := l.compare(cmd.ErrOrStderr(), logs[:len(logs)-1]); err != nil {
				return logs, err
			}
		}
	}
	return logs, nil
}

// compare refuses a file that is given twice, for all that it says would be counted twice, and warns of a copy.
func (l *logFile) compare(stderr io.Writer, others []*logFile) error {
	for _, o := range others {
		switch {
		case o.info == nil || l.size == 0:
		case os.SameFile(l.info, o.info):
			return cli.UsageError("give each log once", "%s and %s are the same file", o.name, l.name)
		case l.line != "" && l.line == o.line:
			fmt.Fprintf(stderr, "cybermapper: %s and %s begin with the same line: if one is a copy, its requests are counted twice\n", o.name, l.name)
		}
	}
	return nil
}

// look finds out when a log begins, and goes back to its beginning if it can.
func (l *logFile) look(f *os.File, format accesslog.Format) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if info.IsDir() {
		return cli.UsageError("name the log files in it", "%s is a directory", l.name)
	}
	if info.Mode().Type()&(fs.ModeNamedPipe|fs.ModeCharDevice|fs.ModeSocket) != 0 {
		return nil
	}
	l.size, l.info = info.Size(), info
	text, err := inflated(io.LimitReader(f, 4*accesslog.MaxLine))
	if err != nil {
		return cutOff(l.name, err)
	}
	if r := accesslog.NewReader(text, format); r.Next() {
		l.first, l.line = r.Entry().Time, string(r.Text())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", l.name, err)
	}
	return nil
}

// inflated returns the text of in, which may be compressed with gzip, in one piece or in many.
func inflated(in io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(in, accesslog.MaxLine)
	magic, _ := b.Peek(6)
	if bytes.HasPrefix(magic, []byte("\x1f\x8b")) {
		return gzip.NewReader(b)
	}
	for _, other := range []struct{ magic, kind, reader string }{
		{"BZh", "compressed with bzip2", "bzip2 -dc"},
		{"\xfd7zXZ\x00", "compressed with xz", "xz -dc"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd", "zstd -dc"},
		{"PK\x03\x04", "a zip file", "unzip -p"},
		{"\xff\xfe", "written in UTF-16", "iconv -f UTF-16 -t UTF-8"},
		{"\xfe\xff", "written in UTF-16", "iconv -f UTF-16 -t UTF-8"},
	} {
		if bytes.HasPrefix(magic, []byte(other.magic)) {
			return nil, cli.UsageError(other.reader+" LOG | cybermapper audit -", "it is %s, which is not read", other.kind)
		}
	}
	return b, nil
}

// cutOff says so of a compressed log that ends too early.
func cutOff(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return cli.WithHint(fmt.Errorf("read %s: it is cut off: %w", name, err), "gzip -dc "+name+" | cybermapper audit - judges what is there")
	}
	return fmt.Errorf("read %s: %w", name, err)
}

// A meter shows how far the reading has come.
type meter struct {
	screen      *progress.Screen
	total, done int64
	begun, next time.Time
}

func newMeter(w io.Writer, quiet bool, logs []*logFile) *meter {
	m := &meter{screen: progress.NewScreen(w, quiet), begun: time.Now()}
	for _, l := range logs {
		m.total += l.size
	}
	return m
}

// watch returns the text of a log, reading of which moves the meter and ends when ctx does.
func (m *meter) watch(ctx context.Context, l *logFile) io.Reader {
	return &lazyText{in: contextReader{ctx, meteredReader{m, l}}, name: l.name}
}

// end takes the line away.
func (m *meter) end() { m.screen.Keep("") }

// A meteredReader counts what is read of a log.
type meteredReader struct {
	m *meter
	l *logFile
}

func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.l.in.Read(p)
	r.m.done += int64(n)
	if now := time.Now(); r.m.screen.IsTerminal() && now.After(r.m.next) {
		r.m.next = now.Add(250 * time.Millisecond)
		r.m.screen.Keep(r.m.text(r.l.name, now))
	}
	return n, err
}

// text says how far it is and how long the rest takes.
func (m *meter) text(name string, now time.Time) string {
	text := fmt.Sprintf("%s: %s read", name, say.Bytes(m.done))
	if m.total > 0 && m.done > 0 && m.done <= m.total {
		left := time.Duration(float64(now.Sub(m.begun)) * float64(m.total-m.done) / float64(m.done))
		text += fmt.Sprintf(" of %s, %s left", say.Bytes(m.total), say.Span(left))
	}
	return text
}

// lazyText inflates when it is first read.
type lazyText struct {
	in   io.Reader
	text io.Reader
	name string
}

func (t *lazyText) Read(p []byte) (int, error) {
	if t.text == nil {
		text, err := inflated(t.in)
		if err != nil {
			return 0, cutOff(t.name, err)
		}
		t.text = text
	}
	n, err := t.text.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = cutOff(t.name, err)
	}
	return n, err
}
