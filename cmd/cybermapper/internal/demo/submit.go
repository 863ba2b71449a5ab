package demo

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A visitor submits URLs that no page links to, as soon as the first page has been visited, and hears what becomes of them.
type visitor struct {
	spool spool.Dir
	items []spool.Item
	tell  func([]spool.Result)
	fail  error

	once    sync.Once
	waiting sync.WaitGroup
}

func newVisitor(dir string, web *demosite.Web, tell func([]spool.Result)) *visitor {
	v := &visitor{spool: spool.Dir(filepath.Join(dir, job.SubmitDir)), tell: tell}
	for _, path := range demosite.Submitted() {
		v.items = append(v.items, spool.Item{Seed: web.Sites[0].URL + path})
	}
	return v
}

// events starts the visitor, who gives up when ctx ends.
func (v *visitor) events(ctx context.Context) crawler.Events {
	return crawler.Events{Outcome: func(o crawler.Outcome) {
		if o.Status == frontier.Done {
			v.once.Do(func() { v.waiting.Go(func() { v.fail = v.submit(ctx) }) })
		}
	}}
}

func (v *visitor) submit(ctx context.Context) error {
	id, err := v.spool.Put(v.items)
	if err != nil {
		return err
	}
	for {
		results, ok, err := v.spool.Collect(id)
		if err != nil {
			return err
		}
		if ok {
			v.tell(results)
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
}

// wait returns when the visitor is gone, and what went wrong.
func (v *visitor) wait() error {
	v.waiting.Wait()
	return v.fail
}
