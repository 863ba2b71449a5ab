package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
)

const (
	statsLife     = 2 * time.Second // how long what the owner of a partition said is good enough
	statsPatience = time.Second     // how long an owner is waited for
	statsAtOnce   = 16              // owners that are asked at once
)

// totals are what is known of the partitions: of those of this node when it had them last, and of others what their owners said.
type totals struct {
	mu sync.Mutex
	of map[int]frontier.Stats
	at time.Time // when they were asked for last
}

// Stats implements frontier.Frontier for the crawl as a whole. What other nodes own is counted as its owners said not long ago, and
// exactly when nothing is left anywhere; what nobody tells of, as it was known last.
func (f *Frontier) Stats(ctx context.Context) (sum frontier.Stats, err error) {
	if err := f.begin(ctx); err != nil {
		return sum, err
	}
	own := map[int]frontier.Stats{}
	for _, p := range f.partitions() {
		s, err := p.store.Stats(ctx)
		if err != nil {
			if err = ignoreLost(p, err); err != nil {
				return frontier.Stats{}, err
			}
			continue
		}
		own[p.id] = s
	}
	t := &f.totals
	f.mu.Lock()
	end := f.end
	f.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[int]frontier.Stats{}
	}
	if end == nil {
		f.askStats(ctx, own)
	} else {
		maps.Copy(t.of, end.totals)
	}
	for id, s := range t.of {
		if _, ok := own[id]; !ok {
			addStats(&sum, s)
		}
	}
	for id, s := range own {
		addStats(&sum, s)
		s.Leased = 0 // when it is known of this partition only what it was
		t.of[id] = s
	}
	return sum, ctx.Err()
}

// askStats asks the owners of all partitions but own for their totals, unless they were asked just now.
func (f *Frontier) askStats(ctx context.Context, own map[int]frontier.Stats) {
	t := &f.totals
	if time.Since(t.at) < statsLife {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, statsPatience)
	defer cancel()
	var mu sync.Mutex
	var asking errgroup.Group
	asking.SetLimit(statsAtOnce)
	for id := range f.opts.Partitions {
		if _, ok := own[id]; ok {
			continue
		}
		asking.Go(func() error {
			if s, ok := f.statsOf(ctx, id); ok {
				mu.Lock()
				t.of[id] = s
				mu.Unlock()
			}
			return nil
		})
	}
	asking.Wait()
	t.at = time.Now()
}

// statsOf asks the owner of a partition, and if there is none the register.
func (f *Frontier) statsOf(ctx context.Context, id int) (s frontier.Stats, ok bool) {
	question, err := json.Marshal(call{Op: opStats})
	if err != nil {
		return s, false
	}
	if reply, err := f.opts.Brokers.Call(ctx, id, question); err == nil {
		var a answer
		if json.Unmarshal(reply, &a) == nil && a.Owned != nil {
			return a.Owned.Stats, true
		}
	}
	value, revision, err := f.opts.Brokers.Get(ctx, markKey(id))
	var m mark
	if err != nil || revision == 0 || json.Unmarshal(value, &m) != nil || !m.Quiet {
		return s, false
	}
	return m.Totals, true
}

func addStats(sum *frontier.Stats, s frontier.Stats) {
	sum.Known += s.Known
	sum.Queued += s.Queued
	sum.Retrying += s.Retrying
	sum.Done += s.Done
	sum.Refused += s.Refused
	sum.Failed += s.Failed
	sum.Pages += s.Pages
	sum.Bytes += s.Bytes
	sum.Sites += s.Sites
	sum.Waiting += s.Waiting
	sum.Leased += s.Leased
}
