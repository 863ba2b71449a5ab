package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// optOuts keeps a job to the wishes of those who want to be left alone. What holds is written down in the job, so that it goes
// on to hold when the file of the operator is not given, or not there, the next time.
type optOuts struct {
	*optout.Watcher
	file string       // of the operator; "" when none is given
	kept string       // where the job writes down what holds
	last *optout.List // that is written down there
	new  bool         // there is no ledger yet that tells of it
	lost bool         // what was written down there is not whole: the ledger was asked
	told int          // and named so many more

	others atomic.Pointer[optout.List] // whom other nodes of the crawl leave alone

	mu    sync.Mutex // guards state
	state progress.OptOut
}

// openOptOuts reads the file that c names, and what the job has written down in kept; "" is no job.
func openOptOuts(c config.Config, kept string) (*optOuts, error) {
	o := &optOuts{file: c.OptOut, kept: kept}
	var err error
	if o.last, err = o.recall(); err != nil {
		return nil, err
	}
	o.Watcher, err = optout.Open(optout.Options{File: c.OptOut, Kept: o.last})
	if err != nil {
		return nil, &cli.Error{Code: cli.ExitConfig, Err: err,
			Hint: "nothing was asked for: a list that cannot be read whole might lack the line that matters"}
	}
	o.note(nil)
	return o, nil
}

// recall returns what the job has written down. If that is not whole, what the ledger tells is left alone, too.
func (o *optOuts) recall() (*optout.List, error) {
	dir := filepath.Join(filepath.Dir(o.kept), job.LedgerDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		o.new = true
	}
	list, whole, err := job.OptOuts(o.kept)
	if err != nil || whole {
		return list, err
	}
	o.lost = true
	told := map[string]bool{}
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Run}}) {
		if err != nil {
			return nil, fmt.Errorf("look for opt-outs in the ledger: %w", err)
		}
		switch r.Event {
		case ledger.EventOptOut:
			told[r.Rule] = true
		case ledger.EventLifted:
			delete(told, r.Rule)
		}
	}
	entries := strings.Join(slices.Collect(maps.Keys(told)), "\n")
	more, _, err := optout.Parse(strings.NewReader(entries))
	if err != nil {
		return nil, fmt.Errorf("look for opt-outs in the ledger: %w", err)
	}
	all := list.With(more)
	o.told = all.Len() - list.Len()
	return all, nil
}

// setOthers sets whom other nodes of the crawl leave alone.
func (o *optOuts) setOthers(list *optout.List) { o.others.Store(list) }

// List returns the list that holds now.
func (o *optOuts) List() *optout.List {
	own, others := o.Watcher.List(), o.others.Load()
	if others.Len() == 0 {
		return own
	}
	return own.With(others)
}

// Host is List.Host of the list that holds now.
func (o *optOuts) Host(host string) (entry string, out bool) {
	if entry, out = o.Watcher.Host(host); out {
		return entry, out
	}
	return o.others.Load().Host(host)
}

// Address is List.Address of the list that holds now.
func (o *optOuts) Address(a netip.Addr) (entry string, out bool) {
	if entry, out = o.Watcher.Address(a); out {
		return entry, out
	}
	return o.others.Load().Address(a)
}

// note remembers for the status what holds, and what is wrong with the file.
func (o *optOuts) note(problem error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state = progress.OptOut{File: o.file, Entries: o.List().Len(), Since: time.Now().UTC()}
	if problem != nil {
		o.state.Problem = problem.Error()
	}
}

// State tells how the list stands; nil when there is none.
func (o *optOuts) State() *progress.OptOut {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state.File == "" && o.state.Entries == 0 {
		return nil
	}
	s := o.state
	return &s
}

// An optOutKeeper makes a job follow its opt-outs.
type optOutKeeper struct {
	*optOuts
	ledger *ledger.Ledger
	dir    string // of the ledger
	offer  func(context.Context, []frontier.Link) ([]crawler.Disposition, error)
	out    io.Writer

	following sync.Mutex
}

// begin takes in what has changed since the last run.
func (k *optOutKeeper) begin(ctx context.Context) error {
	list := k.List()
	if k.told > 0 {
		fmt.Fprintf(k.out, "cybermapper: warning: %s is not whole, damaged or cut short; the ledger names %s that it lacks\n",
			job.OptOutFile, say.Plural(k.told, "opt-out"))
	}
	if k.file == "" && list.Len() > 0 {
		fmt.Fprintf(k.out, "cybermapper: warning: no opt-out file is given; "+
			"those that earlier runs left alone are still left alone (%s): --opt-out FILE names a list without it\n",
			say.Plural(list.Len(), "opt-out"))
	}
	said := k.last
	if k.new {
		said = nil
	}
	if err := k.follow(ctx, list.Missing(said), k.last.Missing(list)); err != nil || !k.lost {
		return err
	}
	return cli.DiskError(job.WriteOptOuts(k.kept, list))
}

// watch follows the file until stop is called, which waits; fail hears of what cannot be written down.
func (k *optOutKeeper) watch(ctx context.Context, fail func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		k.Watch(ctx, func(c optout.Change) {
			k.note(c.Problem)
			k.tell(c)
			if err := k.catchUp(ctx); err != nil && ctx.Err() == nil {
				fail(err)
			}
		})
	})
	return func() { cancel(); watching.Wait() }
}

// catchUp takes in what has become another since what holds was written down last.
func (k *optOutKeeper) catchUp(ctx context.Context) error {
	k.following.Lock()
	defer k.following.Unlock()
	list := k.List()
	return k.follow(ctx, list.Missing(k.last), k.last.Missing(list))
}

// tell says on the screen what has changed.
func (k *optOutKeeper) tell(c optout.Change) {
	if len(c.Added) > 0 {
		fmt.Fprintf(k.out, "cybermapper: opt-out: %s left alone from now on\n", cli.SomeOf(c.Added, 4))
	}
	if len(c.Lifted) > 0 {
		fmt.Fprintf(k.out, "cybermapper: opt-out: lifted for %s\n", cli.SomeOf(c.Lifted, 4))
	}
	if c.Problem == nil {
		return
	}
	for line := range strings.Lines(c.Problem.Error()) {
		fmt.Fprintf(k.out, "cybermapper: warning: opt-out: %s\n", say.Printable(strings.TrimSpace(line)))
	}
	fmt.Fprintln(k.out, "cybermapper: warning: opt-out: the list from before stays in force")
}

// follow writes a change into the ledger, queues again what it has lifted, and only then writes down what holds: if the process
// is killed in between, or ctx ends, the next run does it again.
func (k *optOutKeeper) follow(ctx context.Context, added, lifted []string) error {
	if len(added)+len(lifted) == 0 {
		return nil
	}
	err := errors.Join(k.record(ctx, ledger.EventOptOut, added), k.record(ctx, ledger.EventLifted, lifted), k.ledger.Flush())
	if err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	if len(lifted) > 0 {
		if err := k.requeue(ctx); err != nil {
			return fmt.Errorf("queue again what is no longer opted out: %w", err)
		}
	}
	list := k.List()
	k.last = list
	return cli.DiskError(job.WriteOptOuts(k.kept, list))
}

// record writes an event for each entry. A list may have a million, and a crawl that is to end does not wait for them.
func (k *optOutKeeper) record(ctx context.Context, event string, entries []string) error {
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.ledger.Append(ledger.Record{Type: ledger.Run, Event: event, Rule: entry}); err != nil {
			return err
		}
	}
	return nil
}

// requeue offers what was refused for entries that do not hold any more. The ledger remembers it.
func (k *optOutKeeper) requeue(ctx context.Context) error {
	lifted := func(r ledger.Record) bool { return r.Gate == string(crawler.GateOptOut) && !k.List().Has(r.Rule) }
	for links, err := range refusedLinks(k.dir, lifted, crawler.GateOptOut) {
		if err != nil {
			return err
		}
		if _, err := k.offer(ctx, links); err != nil {
			return err
		}
	}
	return nil
}
