package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.uber.org/zap"
)

// A lookout shows a crawl in a browser while it runs.
type lookout struct {
	door *door // nil when nobody is let in

	stop  context.CancelFunc
	ended sync.WaitGroup
	err   error // why it ended before it was told to; read after ended
}

// openLookout binds the port before the crawl begins, so that a crawl which cannot be shown does not begin. Its flags are no
// use without --serve, and whoever gives them expects to see it.
func openLookout(o *serveOptions, out io.Writer) (*lookout, error) {
	if o.listen == "" {
		return &lookout{}, o.checkUnused()
	}
	d, err := o.open(out)
	return &lookout{door: d}, err
}

// begin lets visitors in, now that there is a job to show.
func (l *lookout) begin(job string, log *zap.Logger, out io.Writer) error {
	if l.door == nil {
		return nil
	}
	s, err := l.door.server([]string{job}, log)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.ended.Go(func() { l.err = errors.Join(l.door.serveUntil(ctx, s, log), s.Close()) })
	fmt.Fprintf(out, "cybermapper: serving %s on %s until the crawl ends\n", job, l.door.url())
	return nil
}

// close lets nobody in any more, and waits for the answers under way. The error says why it may have ended earlier.
func (l *lookout) close() error {
	switch {
	case l.door == nil:
		return nil
	case l.stop == nil:
		return l.door.listener.Close()
	}
	l.stop()
	l.ended.Wait()
	return l.err
}
