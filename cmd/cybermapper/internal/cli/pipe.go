package cli

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long a command that was asked to end waits for whoever reads its pipe: it leaves a crawl the time to drain and to
// save within the 10 seconds that containers are given.
const patience = time.Second

// A Pipe is standard output or standard error that somebody reads, or leaves unread, as a log driver does that is stuck. A write
// waits for its reader until the command is asked to end, and then for patience; after that it fails, and each one that follows, as
// if the reader had gone. It is safe for concurrent use.
type Pipe struct {
	file   *os.File
	ending <-chan struct{}
	unread atomic.Bool
}

// newPipe returns a Pipe when w is a pipe or a socket, and else w. The command is asked to end when ctx ends.
func newPipe(ctx context.Context, w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return w
	}
	return &Pipe{file: f, ending: ctx.Done()}
}

// Write implements io.Writer.
func (p *Pipe) Write(b []byte) (int, error) {
	if p.unread.Load() {
		return 0, syscall.EPIPE
	}
	b = bytes.Clone(b) // a write that nobody waits for any more still has it
	var n int
	var err error
	written := make(chan struct{})
	go func() {
		defer close(written)
		n, err = p.file.Write(b)
	}()
	select {
	case <-written:
		return n, err
	case <-p.ending:
	}
	select {
	case <-written:
		return n, err
	case <-time.After(patience):
		p.unread.Store(true)
		return 0, syscall.EPIPE
	}
}
