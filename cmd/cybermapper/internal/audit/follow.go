package audit

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// A follower reads logs as they are written, and says who is here.
type follower struct {
	format  accesslog.Format
	tails   []*tail
	streams []*logFile // what can be read once only: it ends
	every   time.Duration
	said    live

	mu      sync.Mutex // guards what follows
	auditor *audit.Auditor
	tally   map[string]accesslog.Tally
	newest  time.Time     // of the log
	offset  time.Duration // of the clock from that
}

// follow audits logs until it is interrupted, or what it reads has an end.
func follow(cmd *cobra.Command, o options, options audit.Options, format accesslog.Format, names []string) (*audit.Report, error) {
	switch {
	case o.bundle != "" || o.html == "-" || o.visitor != "" || o.writeNotes != "":
		return nil, cli.UsageError("", "--follow has no --bundle, --visitor and --write-notes, and its page goes into a file")
	case o.every <= 0:
		return nil, cli.UsageError("", "--every %s is no time to wait", o.every)
	}
	options.Live = true
	f := &follower{format: format, every: o.every, tally: map[string]accesslog.Tally{}}
	trusted, err := parsePrefixes(o.proxies)
	if err != nil {
		return nil, err
	}
	logs, err := openLogs(cmd, names)
	if err != nil {
		return nil, err
	}
	f.said = newLive(cmd, o)
	if err := f.readPast(cmd.Context(), logs, options, trusted); err != nil {
		return nil, errors.Join(err, f.close())
	}
	err = f.run(cmd.Context(), logs, trusted)
	err = errors.Join(err, f.said.end())
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, t := range f.tally {
		f.auditor.AddTally(t, name)
	}
	return f.auditor.Report(), err
}

// readPast takes in the lines that are there already.
func (f *follower) readPast(ctx context.Context, logs []*logFile, options audit.Options, trusted []netip.Prefix) error {
	var sources []accesslog.Source
	for _, l := range logs {
		if l.once != nil {
			f.streams = append(f.streams, l)
			continue
		}
		var t *tail
		if !isOlder(l.name, logs) {
			var err error
			if t, err = openTail(l.name); err != nil {
				return err
			}
		}
		if t == nil {
			sources = append(sources, l.source(func(in io.Reader) io.Reader { return ctxio.Reader(ctx, in) }))
			continue
		}
		f.tails = append(f.tails, t)
		sources = append(sources, accesslog.Source{Name: l.name, Host: l.host, Open: func() (io.ReadCloser, error) {
			past := ctxio.Reader(ctx, t.past())
			return &lazyText{in: past, Closer: io.NopCloser(past), name: l.name}, nil
		}})
	}
	var err error
	if f.auditor, err = readAll(sources, f.format, trusted, options); ctx.Err() != nil {
		return nil
	}
	return err
}

// isOlder reports whether a log is what another one was before it was moved away: nobody writes on, and what has its name after
// the next time is known by the other.
func isOlder(name string, logs []*logFile) bool {
	return slices.ContainsFunc(logs, func(l *logFile) bool {
		rest, ok := strings.CutPrefix(name, l.name)
		return ok && l.once == nil && isRotation(rest)
	})
}

// close closes the logs that are not followed after all.
func (f *follower) close() (err error) {
	for _, t := range f.tails {
		err = errors.Join(err, t.close())
	}
	return err
}

// run follows all logs.
func (f *follower) run(ctx context.Context, logs []*logFile, trusted []netip.Prefix) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	hosts := map[string]string{}
	for _, l := range logs {
		hosts[l.name] = l.host
	}
	take := func(name string) func(io.Reader, int64) error {
		return func(text io.Reader, before int64) error {
			r := accesslog.NewReader(text, f.format)
			r.Trust(trusted)
			r.Host(hosts[name])
			return f.take(reading, r, name, before)
		}
	}
	var all sync.WaitGroup
	errs := make(chan error, len(logs))
	for _, t := range f.tails {
		all.Go(func() { errs <- t.each(reading, take(t.name)) })
	}
	for _, s := range f.streams {
		all.Go(func() { errs <- take(s.name)(ctxio.Reader(reading, s.once.in), 0) })
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	err := f.tell(reading, done, errs, len(logs))
	stop()
	if len(f.streams) == 0 { // reading of a pipe cannot be interrupted
		<-done
	}
	return err
}

// take takes in the lines of a text. before is how many lines of its file were read already.
func (f *follower) take(ctx context.Context, r *accesslog.Reader, name string, before int64) error {
	for r.Next() {
		f.mu.Lock()
		e := r.Entry()
		if f.newest.IsZero() || e.Time.After(f.newest) {
			f.newest, f.offset = e.Time, time.Since(e.Time)
		}
		f.auditor.Add(e, name, before+r.Line(), r.Text())
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	sum := f.tally[name]
	sum.Add(r.Tally())
	f.tally[name] = sum
	if ctx.Err() != nil {
		return nil
	}
	return r.Err()
}

// tell says again and again who is here, until there is nothing more to read.
func (f *follower) tell(ctx context.Context, done <-chan struct{}, errs <-chan error, readers int) error {
	ticker := time.NewTicker(f.said.every(f.every))
	defer ticker.Stop()
	for {
		if err := f.now(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-errs:
			if readers--; err != nil {
				return err
			}
		case <-done:
			return f.now()
		case <-ticker.C:
		}
	}
}

// now says who is here. The time of the log goes on between its lines.
func (f *follower) now() error {
	f.mu.Lock()
	at := time.Now()
	if !f.newest.IsZero() {
		at = at.Add(-f.offset)
	}
	n := f.auditor.Now(at)
	f.mu.Unlock()
	return f.said.now(n)
}
