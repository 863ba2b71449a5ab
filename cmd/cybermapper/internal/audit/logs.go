package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// A logFile is a log that is to be read, perhaps compressed.
type logFile struct {
	name string
	host string // whose log it is, if that was said
	size int64  // that is to be read of the file; 0 for what can be read once only
	info os.FileInfo
	once *spool // keeps the text of what can be read once only; nil for a file
}

// Close frees what was kept of the log.
func (l *logFile) Close() error {
	if l.once == nil {
		return nil
	}
	return l.once.remove()
}

// openLogs looks at all logs.
func openLogs(cmd *cobra.Command, names []string) (logs []*logFile, err error) {
	for _, name := range names {
		host, name := splitHost(name)
		in, err := cli.OpenInput(cmd, name)
		if err != nil {
			return logs, err
		}
		l := &logFile{name: name, host: host}
		logs = append(logs, l)
		if err := l.look(in); err != nil {
			return logs, errors.Join(err, in.Close())
		}
		for _, o := range logs[:len(logs)-1] {
			if o.once == nil && l.once == nil && os.SameFile(l.info, o.info) {
				return logs, cli.UsageError("give each log once", "%s and %s are the same file", o.name, l.name)
			}
		}
	}
	return logs, nil
}

// splitHost takes an argument apart that may say whose log it is, as in www.example.org=access.log. A file of just this name is
// meant as such.
func splitHost(arg string) (host, name string) {
	host, name, ok := strings.Cut(arg, "=")
	if _, err := os.Lstat(arg); err == nil || !ok || host == "" || name == "" || strings.ContainsAny(host, "/\\ ") {
		return "", arg
	}
	host = strings.ToLower(host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443"), name
}

// Sources returns logs, perhaps compressed, to be read together by an [accesslog.Merge]; close frees what was kept of them.
func Sources(cmd *cobra.Command, names []string) (sources []accesslog.Source, closeAll func() error, err error) {
	logs, err := openLogs(cmd, names)
	closeAll = func() (err error) {
		for _, l := range logs {
			err = errors.Join(err, l.Close())
		}
		return err
	}
	for _, l := range logs {
		sources = append(sources, l.source(func(in io.Reader) io.Reader { return in }))
	}
	return sources, closeAll, err
}

// look finds out whether a log can be read more than once, and closes it if so.
func (l *logFile) look(in io.ReadCloser) error {
	f, ok := in.(*os.File)
	if !ok || l.name == "-" {
		l.once = &spool{in: in}
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	hole, err := skipHole(f)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	l.size, l.info = info.Size()-hole, info
	return f.Close()
}

// open returns the log from its beginning, or where a hole there ends.
func (l *logFile) open() (io.ReadCloser, error) {
	if l.once != nil {
		return io.NopCloser(l.once.again()), nil
	}
	f, err := os.Open(l.name)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	if _, err := skipHole(f); err != nil {
		return nil, errors.Join(fmt.Errorf("open log: %w", err), f.Close())
	}
	return f, nil
}

// source returns the log as it is read through something.
func (l *logFile) source(through func(io.Reader) io.Reader) accesslog.Source {
	return accesslog.Source{Name: l.name, Host: l.host, Open: func() (io.ReadCloser, error) {
		in, err := l.open()
		if err != nil {
			return nil, err
		}
		return &lazyText{in: through(in), Closer: in, name: l.name}, nil
	}}
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
			return nil, cli.UsageError(other.reader+" LOG | cybermapper "+fromPipe, "it is %s, which is not read", other.kind)
		}
	}
	return b, nil
}

// cutOff says so of a compressed log that ends too early.
func cutOff(name string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return cli.WithHint(fmt.Errorf("it is cut off: %w", err),
			"gzip -dc "+name+" | cybermapper "+fromPipe+" judges what is there")
	}
	if errors.Is(err, gzip.ErrHeader) {
		return cli.WithHint(fmt.Errorf("it has more behind what was compressed: %w", err),
			"gzip -dc "+name+" | cybermapper "+fromPipe+" passes over that")
	}
	return err
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

// source returns a log, reading of which moves the meter and ends when ctx does.
func (m *meter) source(ctx context.Context, l *logFile) accesslog.Source {
	return l.source(func(in io.Reader) io.Reader { return ctxio.Reader(ctx, meteredReader{m, l.name, in}) })
}

// end takes the line away.
func (m *meter) end() { m.screen.Keep("") }

// A meteredReader counts what is read of a log.
type meteredReader struct {
	m    *meter
	name string
	in   io.Reader
}

func (r meteredReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.m.done += int64(n)
	if now := time.Now(); r.m.screen.IsTerminal() && now.After(r.m.next) {
		r.m.next = now.Add(250 * time.Millisecond)
		r.m.screen.Keep(r.m.text(r.name, now))
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

// fromPipe is how the commands that read logs read one from standard input.
const fromPipe = "audit - (or verify with --access-log -)"

// lazyText inflates when it is first read.
type lazyText struct {
	in   io.Reader
	text io.Reader
	name string
	io.Closer
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
