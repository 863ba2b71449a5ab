package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// whileRead returns a context that ends when nobody reads any more what is written to screen: tee is gone with the Ctrl-C that ends
// the crawl as well. That is no reason to die unsaved, as a process does by default; ended brings the default back, if it did not
// happen. The signal alone tells nothing: it comes for connections, too.
func whileRead(ctx context.Context, out io.Writer) (_ context.Context, screen io.Writer, ended func()) {
	f, ok := out.(*os.File)
	if !ok {
		return ctx, out, func() {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) == 0 {
		return ctx, out, func() {}
	}
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	ctx, lost := context.WithCancel(ctx)
	return ctx, &readPipe{f, lost}, func() {
		if ctx.Err() == nil {
			signal.Stop(ignored)
		}
	}
}

// A readPipe is a pipe that somebody may read, or not any more.
type readPipe struct {
	*os.File
	lost func()
}

func (p *readPipe) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.lost()
	}
	return n, err
}
