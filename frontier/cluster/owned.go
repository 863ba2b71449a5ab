package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// An Owned is how a partition stands, as its owner says.
type Owned struct {
	Partition int            `json:"partition"`
	Epoch     uint64         `json:"epoch"`             // grows with each owner
	LeaseAge  float64        `json:"lease_age_seconds"` // since the lease was renewed
	Rate      float64        `json:"urls_per_second"`   // settled of late: over the last half minute, about
	Stats     frontier.Stats `json:"stats"`
}

// Owned returns how the partitions that this node owns stand, by number.
func (f *Frontier) Owned(ctx context.Context) ([]Owned, error) {
	var all []Owned
	for _, p := range f.partitions() {
		o, err := p.state(ctx)
		if err != nil {
			if err = ignoreLost(p, err); err != nil {
				return nil, err
			}
			continue
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b Owned) int { return cmp.Compare(a.Partition, b.Partition) })
	return all, nil
}

func (p *partition) state(ctx context.Context) (o Owned, err error) {
	o = Owned{Partition: p.id, Epoch: p.tenure.Epoch(), LeaseAge: p.tenure.Age().Seconds(), Rate: p.pace.rate(time.Now())}
	o.Stats, err = p.store.Stats(ctx)
	return o, err
}

// paceLife is over how long a pace forgets: what happened that long ago counts a third.
const paceLife = 30 * time.Second

// A pace is how often something happened of late.
type pace struct {
	mu   sync.Mutex
	n    float64 // of what happened, what has not been forgotten by at
	at   time.Time
	from time.Time // when it began
}

// count says that something happened n times.
func (p *pace) count(now time.Time, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	p.n += float64(n)
}

// rate returns how often a second it happens.
func (p *pace) rate(now time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(now)
	seconds := paceLife.Seconds() * (1 - math.Exp(-now.Sub(p.from).Seconds()/paceLife.Seconds())) // that it remembers
	if seconds <= 0 {
		return 0
	}
	return p.n / seconds
}

func (p *pace) forget(now time.Time) {
	if p.from.IsZero() {
		p.from, p.at = now, now
	}
	p.n *= math.Exp(-now.Sub(p.at).Seconds() / paceLife.Seconds())
	p.at = now
}

// A BusySite is a site that has much in its queue.
type BusySite struct {
	Site      string    `json:"site"`
	Partition int       `json:"partition"`
	Owner     string    `json:"owner"`
	Queued    int64     `json:"queued"` // or waits to be tried again
	Done      int64     `json:"done"`
	Due       time.Time `json:"due,omitzero"` // when its next request may leave
}

// busyPatience is how long an owner is waited for that looks through all sites of a partition.
const busyPatience = 30 * time.Second

// BusiestSites returns the sites of a crawl that have most in their queues, n at most. Sites of a partition whose owner does not
// answer are left out.
func BusiestSites(ctx context.Context, s *stream.Brokers, partitions []PartitionState, n int) ([]BusySite, error) {
	question, err := json.Marshal(call{Op: opBusy, Most: n})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, busyPatience)
	defer cancel()
	var mu sync.Mutex
	var all []BusySite
	var asking errgroup.Group
	asking.SetLimit(statsAtOnce)
	for _, p := range partitions {
		if p.Owned == nil {
			continue
		}
		asking.Go(func() error {
			var a answer
			if reply, err := s.Call(ctx, p.Partition, question); err != nil || json.Unmarshal(reply, &a) != nil {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			for _, b := range a.Busy {
				b.Partition, b.Owner = p.Partition, p.Owner
				all = append(all, b)
			}
			return nil
		})
	}
	asking.Wait()
	return busiest(all, n), ctx.Err()
}

func busiest(sites []BusySite, n int) []BusySite {
	slices.SortFunc(sites, func(a, b BusySite) int {
		return cmp.Or(cmp.Compare(b.Queued, a.Queued), cmp.Compare(a.Site, b.Site))
	})
	return sites[:min(n, len(sites))]
}

// busy looks for the n sites of the partition that have most in their queues.
func (p *partition) busy(ctx context.Context, n int) (sites []BusySite, err error) {
	n = min(max(n, 0), mostBusy)
	for s, err := range p.store.Sites(ctx) {
		if err != nil {
			return nil, err
		}
		if queued := s.Queued + s.Retrying; queued > 0 {
			sites = append(sites, BusySite{Site: s.Site, Queued: queued, Done: s.Done, Due: s.Due})
		}
		if len(sites) > 2*n {
			sites = busiest(sites, n)
		}
	}
	return busiest(sites, n), nil
}

// mostBusy bounds the sites of one answer.
const mostBusy = 1000
