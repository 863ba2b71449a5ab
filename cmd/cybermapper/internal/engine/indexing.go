package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Bounds of indexing beside a crawl.
const (
	indexPause  = 2 * time.Second // between two looks for new pages, at least
	indexShare  = 4               // and so many times what the last one took: crawling comes first
	indexFinish = time.Second     // that indexing may go on after an interrupt
	indexNames  = 5 * time.Minute // between two times that what pages call each other is taken in: in between it changes often
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
			if err := p.bringUpToDate(watch, hold); err != nil && watch.Err() == nil {
				last = err
				return
			}
			if !hold {
				named = began
			}
			pause = max(indexPause, indexShare*time.Since(began))
		}
	})
	pause = func() {
		stop()
		working.Wait()
	}
	return pause, func(ctx context.Context) {
		pause()
		if ctx.Err() != nil {
			limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), indexFinish)
			defer cancel()
			ctx = limited
		}
		if last == nil {
			last = p.bringUpToDate(ctx, false)
		}
		if last != nil {
			fmt.Fprintf(p.Screen,
				"cybermapper: the search index is behind: %s\nhint: cybermapper index --job %s brings it up to date\n",
				say.Printable(last.Error()), p.Dir)
		}
	}
}

// bringUpToDate takes in what was stored since the last time, and unless it is to be held back, what pages call each other.
func (p *Session) bringUpToDate(ctx context.Context, hold bool) error {
	d, err := indexer.Open(ctx, p.Dir, indexer.Options{Mode: index.Mode(p.Config.Search.Mode), Hold: hold})
	if err != nil {
		return err
	}
	defer d.Close()
	r, err := d.Sync(ctx, false)
	if err == nil && r.Rebuilt != "" {
		fmt.Fprintf(p.Screen, "cybermapper: the search index was made anew: %s\n", say.Printable(r.Rebuilt))
	}
	return err
}
