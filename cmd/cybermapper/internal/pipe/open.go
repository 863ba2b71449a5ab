package pipe

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// patience is how long a named pipe may wait for somebody who writes to it.
const patience = 10 * time.Second

// Open opens a file to read. A named pipe that nobody writes to is an error after a while, or when ctx ends, and not waited for.
func Open(ctx context.Context, name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name) // whatever is wrong with it
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(name)
		done <- opened{f, err}
	}()
	waited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case o := <-done:
		return o.file, o.err
	case <-waited.Done():
	}
	if w, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // ends the waiting of who opens it
		if o := <-done; o.err == nil {
			o.file.Close()
		}
		w.Close()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("open %s: interrupted: %w", name, ctx.Err())
	}
	return nil, fmt.Errorf("open %s: it is a pipe that nobody writes to", name)
}
