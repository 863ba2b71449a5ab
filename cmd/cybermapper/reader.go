package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// whileRead returns a context that ends when nobody reads any more what is written to screen: tee is gone with the Ctrl-C that ends
// the crawl as well. That is no reason to die unsaved, as a process does by default; ended brings the default back, if it did not
// happen. The signal alone tells nothing: it comes for connections, too.
func whileRead(ctx context.Context, out io.Writer) (_ context.Context, screen io.Writer, ended func()) {
	pipe, ok := out.(*cli.Pipe)
	if !ok {
		return ctx, out, func() {}
	}
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	ctx, lost := context.WithCancel(ctx)
	return ctx, &readPipe{pipe, lost}, func() {
		if ctx.Err() == nil {
			signal.Stop(ignored)
		}
	}
}

// A readPipe is a pipe that somebody may read, or not any more.
type readPipe struct {
	pipe *cli.Pipe
	lost func()
}

func (p *readPipe) Write(b []byte) (int, error) {
	n, err := p.pipe.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.lost()
	}
	return n, err
}
