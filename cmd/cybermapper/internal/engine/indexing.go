package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Bounds of indexing beside a crawl.
const (
	indexPause  = 2 * time.Second // between two looks for new pages, at least
	indexRest   = time.Minute / 2 // at most, where there is little new: to take in one page at a time costs several times as much
	indexWorth  = 32              // pages that are worth a look
	indexShare  = 4               // and so many times what the last one took: crawling comes first
	indexFinish = time.Second     // that indexing may go on after a run that was to end on time
	indexNames  = 5 * time.Minute // between two times that what pages call each other is taken in: in between it changes often
	indexTries  = 4               // at an index that others make anew meanwhile
)

// indexing lets new pages be searched while the crawl goes on, if that is asked for. What it returns is to be called when the crawl
// has ended: pause ends that, and finish takes in the rest. What goes wrong does not hold the crawl: the index stays behind, and
// index brings it up to date later.
func (p *Session) indexing(ctx context.Context) (pause func(), finish func(ctx context.Context)) {
	if !p.Config.Search.Index && !(p.Config.Recrawl.Purge && p.hasIndex()) { // what is removed must not be found either
		return func() {}, func(context.Context) {}
	}
	watch, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	var last error
	k := &indexKeeper{p: p}
	working.Go(func() {
		pause, named := indexPause, time.Now()
		for {
			select {
			case <-watch.Done():
				return
			case <-time.After(pause):
			}
			began := time.Now()
			hold := began.Sub(named) < indexNames
			added, err := k.bringUpToDate(watch, hold)
			if err != nil && watch.Err() == nil {
				last = err
				return
			}
			if !hold {
				named = began
			}
			pause = nextPause(pause, added, time.Since(began))
		}
	})
	pause = func() {
		stop()
		working.Wait()
	}
	return pause, func(ctx context.Context) {
		pause()
		if last == nil {
			_, last = k.bringUpToDate(ctx, false)
		}
		if ctx.Err() != nil {
			last = errOutOfTime
		}
		last = errors.Join(last, k.close())
		if last != nil {
			fmt.Fprintf(p.Screen,
				"cybermapper: the search index is behind: %s\nhint: cybermapper index --job %s brings it up to date\n",
				say.Printable(last.Error()), say.Argument(p.Dir))
		}
	}
}

// errOutOfTime says that not all could be taken in.
var errOutOfTime = errors.New("there was no time left for the last pages")

// nextPause returns how long to wait after a look that took in so many pages, and took so long.
func nextPause(pause time.Duration, added int, took time.Duration) time.Duration {
	if added >= indexWorth {
		return max(indexPause, indexShare*took)
	}
	return max(min(2*pause, indexRest), indexShare*took)
}

// An indexKeeper holds the index of a job open between two looks for new pages: what it remembers of words and names is worth more
// than the memory that takes.
type indexKeeper struct {
	p    *Session
	d    *indexer.Indexer // nil when it is not open
	file os.FileInfo      // that is open
}

// bringUpToDate takes in what was stored since the last time, and unless it is to be held back, what pages call each other. It
// returns how many pages it has put in.
func (k *indexKeeper) bringUpToDate(ctx context.Context, hold bool) (added int, err error) {
	for range indexTries {
		if k.d != nil && !k.isThere() {
			if err := k.close(); err != nil {
				return added, err
			}
		}
		n, err := k.sync(ctx, hold)
		if added += n; err != nil || k.isThere() {
			return added, err
		}
	}
	return added, errors.New("others make it anew again and again")
}

// isThere reports whether the index that is open is the one of the job: another process may have made it anew.
func (k *indexKeeper) isThere() bool {
	now, err := os.Stat(indexer.File(k.p.Dir))
	return err == nil && os.SameFile(k.file, now)
}

func (k *indexKeeper) sync(ctx context.Context, hold bool) (added int, err error) {
	defer func() {
		if err != nil { // what it remembers of the job may be ahead of what is written
			err = errors.Join(err, k.close())
		}
	}()
	if k.d == nil {
		if k.d, err = indexer.Open(ctx, k.p.Dir, indexer.Options{
			Mode: index.Mode(k.p.Config.Search.Mode), Memory: cli.IndexMemory(cli.MaxMemory()),
		}); err != nil {
			return 0, err
		}
		if err := k.note(); err != nil {
			return 0, err
		}
	}
	k.d.Hold(hold)
	r, err := k.d.Sync(ctx, false)
	if err != nil {
		return 0, err
	}
	if r.Rebuilt == "" {
		return r.Added, nil
	}
	fmt.Fprintf(k.p.Screen, "cybermapper: the search index was made anew: %s\n", say.Printable(r.Rebuilt))
	return r.Added, k.note()
}

// note notes which file is open.
func (k *indexKeeper) note() (err error) {
	k.file, err = os.Stat(indexer.File(k.p.Dir))
	return err
}

func (k *indexKeeper) close() (err error) {
	if k.d != nil {
		err = k.d.Close()
	}
	k.d = nil
	return err
}
