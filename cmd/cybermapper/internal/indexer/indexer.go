package indexer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Bounds of waiting for another process that brings the index up to date too.
const (
	maxConflicts = 64                     // in one Sync
	conflictWait = 100 * time.Millisecond // after the first one, and as much longer after each
	conflictRest = 2 * time.Second        // at most
)

// Options are those of Open.
type Options struct {
	Mode  index.Mode // empty: that of the index there is
	Check bool       // look for damage first, which reads the whole index
	// Rebuild makes it anew, beside the one there is, which the first Sync replaces at its end: others may have that open, and it
	// stays as it is if that Sync does not come to its end.
	Rebuild bool
	// Hold leaves pages as they are of which others said something new. They are found by that after a Sync without it.
	Hold bool
	// Memory is index.Options.Memory. The pages that are taken in at once, and those that are taken apart, follow from it, too.
	Memory int64
	// Progress, if not nil, is called with the number of pages read, now and then.
	Progress func(pages int)
}

// An Indexer brings the index of a job up to date. It is not safe for concurrent use.
type Indexer struct {
	dir     string
	o       Options
	x       *index.Index
	beside  *os.File     // where x is made, to replace what is shown; nil unless that is still to be done
	shown   *index.Index // likewise
	judge   *Judge
	root    *os.Root // of the pages
	extract *extract.Extractor
	hosts   map[string]bool
	marks   map[string]string // as they stand in the index
	rebuilt string            // why the index is made anew
	readers sync.Pool         // of *simhash.Reader
}

// A Report says what was done.
type Report struct {
	Rebuilt   string               `json:"rebuilt,omitempty"` // why the index was made anew
	Added     int                  `json:"added"`             // pages put in, again or for the first time
	Refused   map[index.Reason]int `json:"refused"`           // pages that are now known not to be in the index, by reason
	Returned  int                  `json:"returned"`          // of Added: pages that were refused before
	Refreshed int                  `json:"refreshed"`         // pages of which others said something new
	Seconds   float64              `json:"seconds"`
	Index     index.Counts         `json:"index"`
}

// Open opens the index of the job in dir, to bring it up to date. An index that is damaged, of another version or for another mode
// is made anew; [Report.Rebuilt] says so.
func Open(ctx context.Context, dir string, o Options) (*Indexer, error) {
	o.Memory = min(max(cmp.Or(o.Memory, index.MaxMemory), index.MinMemory), index.MaxMemory)
	d := &Indexer{dir: dir, o: o, extract: extract.New(extract.Options{Budget: o.Memory / 3 * 2})}
	var err error
	if d.root, err = openRoot(filepath.Join(dir, job.PagesDir)); err != nil {
		return nil, fmt.Errorf("open pages of the job: %w", err)
	}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// File returns where the index of the job in dir lies.
func File(dir string) string { return filepath.Join(dir, job.IndexFile) }

func (d *Indexer) open(ctx context.Context) (err error) {
	d.x, err = index.Open(File(d.dir), index.Options{Mode: d.o.Mode, Memory: d.o.Memory})
	if err == nil && d.o.Check {
		err = d.x.Check(ctx)
	}
	switch {
	case errors.Is(err, index.ErrDamaged), errors.Is(err, index.ErrVersion), errors.Is(err, index.ErrNewer) && d.o.Rebuild:
		err = d.anew(err)
	case err == nil && d.o.Rebuild:
		err = d.beginBeside(ctx)
	}
	if err != nil {
		return err
	}
	return d.load(ctx)
}

// file returns where the index lies that is brought up to date.
func (d *Indexer) file() string {
	if d.beside != nil {
		return d.beside.Name()
	}
	return File(d.dir)
}

// beginBeside begins an empty index beside the one of the job.
func (d *Indexer) beginBeside(ctx context.Context) (err error) {
	if d.beside, err = job.CreateBeside(File(d.dir)); err != nil {
		return err
	}
	d.x, d.shown = nil, d.x
	d.x, err = d.shown.Beside(ctx, d.beside.Name())
	return err
}

// show puts the index that was made beside the one of the job in its place, and goes on with that.
func (d *Indexer) show(ctx context.Context) error {
	if err := d.x.Optimize(ctx); err != nil {
		return err
	}
	if err := d.shown.Replace(ctx, d.x); err != nil {
		return err
	}
	if err := d.removeBeside(); err != nil {
		return err
	}
	var err error
	if d.x, err = index.Open(File(d.dir), index.Options{Mode: d.o.Mode, Memory: d.o.Memory}); err != nil {
		return err
	}
	return d.load(ctx)
}

// removeBeside closes and removes what was made beside the index of the job, and closes that.
func (d *Indexer) removeBeside() error {
	var errs []error
	for _, x := range []*index.Index{d.x, d.shown} {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	errs = append(errs, d.beside.Close(), index.Remove(d.beside.Name()))
	d.x, d.shown, d.beside = nil, nil, nil
	return errors.Join(errs...)
}

// anew throws the index away and begins an empty one.
func (d *Indexer) anew(why error) (err error) {
	mode := d.o.Mode
	if d.x != nil {
		if mode == "" {
			mode = d.x.Mode()
		}
		if err := d.x.Close(); err != nil && !errors.Is(err, index.ErrDamaged) {
			return err
		}
		d.x = nil
	}
	if err := index.Remove(d.file()); err != nil {
		return err
	}
	d.rebuilt = why.Error()
	d.x, err = index.Open(d.file(), index.Options{Mode: mode, Memory: d.o.Memory})
	return err
}

// load reads what the index remembers of the derivation.
func (d *Indexer) load(ctx context.Context) (err error) {
	if d.judge, err = newJudge(d.dir); err != nil {
		return err
	}
	if d.marks, err = d.x.Marks(ctx); err != nil {
		return err
	}
	for key, value := range d.marks {
		var s originState
		if origin, ok := strings.CutPrefix(key, originMark); ok && json.Unmarshal([]byte(value), &s) == nil {
			d.judge.origins[origin] = s
		}
	}
	hosts, err := d.x.Hosts(ctx)
	d.hosts = map[string]bool{}
	for _, h := range hosts {
		d.hosts[h] = true
	}
	return err
}

func (d *Indexer) isHost(site string) bool { return d.hosts[site] }

// Close closes the index.
func (d *Indexer) Close() error {
	var errs []error
	switch {
	case d.beside != nil:
		errs = append(errs, d.removeBeside())
	case d.x != nil:
		errs = append(errs, d.x.Close())
	}
	return errors.Join(append(errs, d.root.Close())...)
}

// Hold sets [Options.Hold] for the next Sync.
func (d *Indexer) Hold(hold bool) { d.o.Hold = hold }

// Index returns the index, to be searched while it is open here.
func (d *Indexer) Index() *index.Index { return d.x }

// Sync brings the index up to date with what the job holds now. With recheck it asks of every page again whether it may be in the
// index, even if nothing seems to have changed. What it did is durable batch by batch: it goes on where it was interrupted, or
// where another process that does the same has come to. The error is index.ErrConflict only where such a process goes on and on.
func (d *Indexer) Sync(ctx context.Context, recheck bool) (*Report, error) {
	began := time.Now()
	r := &Report{Refused: map[index.Reason]int{}}
	err := d.syncWhole(ctx, r, recheck)
	if err == nil && d.beside != nil {
		if err = d.show(ctx); err == nil {
			err = d.syncWhole(ctx, r, recheck) // with what has come meanwhile
		}
	}
	if err != nil {
		return nil, err
	}
	r.Rebuilt, d.rebuilt = d.rebuilt, ""
	r.Index, err = d.x.Counts(ctx)
	r.Seconds = time.Since(began).Seconds()
	return r, err
}

// syncWhole is Sync of the index that is open.
func (d *Indexer) syncWhole(ctx context.Context, r *Report, recheck bool) error {
	err := d.sync(ctx, r, recheck)
	for n := 1; errors.Is(err, index.ErrConflict) && n <= maxConflicts; n++ {
		if err = d.waitForOther(ctx, n); err == nil {
			err = d.sync(ctx, r, recheck)
		}
	}
	if errors.Is(err, index.ErrDamaged) || errors.Is(err, errOther) {
		*r = Report{Refused: map[index.Reason]int{}}
		if err = d.anew(err); err == nil {
			if err = d.load(ctx); err == nil {
				err = d.sync(ctx, r, false)
			}
		}
	}
	return err
}

// waitForOther lets another process, which has come before this one for the n-th time, go on for a while, and reads how far it
// came: both would take the same pages apart, and one of them in vain.
func (d *Indexer) waitForOther(ctx context.Context, n int) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(time.Duration(n)*conflictWait, conflictRest)):
		return d.load(ctx)
	}
}

func (d *Indexer) sync(ctx context.Context, r *Report, recheck bool) error {
	if err := d.reload(); err != nil {
		return err
	}
	if err := d.readRobots(ctx, r); err != nil {
		return err
	}
	first := d.marks[pagesMark] == ""
	if err := d.readPages(ctx, r); err != nil {
		return err
	}
	if err := d.readRefusals(ctx, r); err != nil {
		return err
	}
	outs := d.optOutsNow()
	if recheck || d.marks[optOutMark] != outs && !first {
		if err := d.recheck(ctx, r, ""); err != nil {
			return err
		}
	}
	if err := d.expire(ctx, r); err != nil {
		return err
	}
	if d.marks[optOutMark] != outs {
		if err := d.apply(ctx, index.Change{}, map[string]string{optOutMark: outs}); err != nil {
			return err
		}
	}
	for !d.o.Hold {
		n, err := d.x.Refresh(ctx, batchPages)
		if r.Refreshed += n; err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// reload reads what may have changed in the job beside the index.
func (d *Indexer) reload() error {
	if d.hasOtherPages() {
		root, err := openRoot(filepath.Join(d.dir, job.PagesDir))
		if err != nil {
			return fmt.Errorf("open pages of the job: %w", err)
		}
		d.root.Close()
		d.root = root
	}
	origins := d.judge.origins
	j, err := newJudge(d.dir)
	if err != nil {
		return err
	}
	d.judge, j.origins = j, origins
	return nil
}

func (d *Indexer) optOutsNow() string {
	return string(storage.DigestOf([]byte(strings.Join(d.judge.optOuts.Entries(), "\n"))))
}

// The marks of the derivation.
const (
	pagesMark  = "pages"    // the last line of pages.jsonl that was read: its start, its end, and its digest
	ledgerMark = "ledger"   // the last record whose news of robots.txt were read, and its hash
	goneMark   = "refusals" // likewise, whose refusals were read
	optOutMark = "opt-out"  // digest of the list
	originMark = "robots:"  // before an origin: an originState
)

// errOther says that the job is not the one that the index was made from.
var errOther = errors.New("the job is not the one that the index was made from: it was started over or repaired, or pages left it")

// A lineMark is how far pages.jsonl was read.
type lineMark struct {
	Start   int64          `json:"start"`
	End     int64          `json:"end"`
	Listing storage.Digest `json:"listing"`
}

// apply makes a change, if no other process has made one, with the marks that say how far it goes.
func (d *Indexer) apply(ctx context.Context, c index.Change, marks map[string]string) error {
	c.Marks, c.Was = marks, map[string]string{}
	for key := range marks {
		c.Was[key] = d.marks[key]
	}
	if _, ok := c.Was[pagesMark]; !ok {
		c.Was[pagesMark] = d.marks[pagesMark]
	}
	if err := d.x.Apply(ctx, c); err != nil {
		return err
	}
	maps.Copy(d.marks, marks)
	return nil
}
