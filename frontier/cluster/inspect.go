package cluster

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
)

// An Inspection is how a crawl stands, as its brokers and the owners of its partitions say.
type Inspection struct {
	Crawl      string           `json:"crawl"`
	Begun      time.Time        `json:"begun"`
	Paused     bool             `json:"paused"`
	Nodes      []string         `json:"nodes"` // that own partitions
	Total      frontier.Stats   `json:"total"` // of the partitions whose Stats are known
	Partitions []PartitionState `json:"partitions"`
	Busiest    []BusySite       `json:"busiest,omitempty"` // of those that were asked for; see BusiestSites
}

// A PartitionState is how a partition stands.
type PartitionState struct {
	Partition int             `json:"partition"`
	Owner     string          `json:"owner"`             // the node that owns it; empty when none does
	Owned     *Owned          `json:"owned,omitempty"`   // as the owner says; nil when it does not answer
	Stats     *frontier.Stats `json:"stats,omitempty"`   // as the owner says, or the last one did; nil when they are not known
	Unread    bool            `json:"unread,omitempty"`  // links of other nodes lie in its inbox
	Quiet     bool            `json:"quiet,omitempty"`   // there is nothing to do in it
	Problem   string          `json:"problem,omitempty"` // why no more is known

	Quarantine *Quarantine `json:"quarantine,omitempty"` // why it is left alone by all nodes; nil when it is not

	Stream stream.Health `json:"stream"`
}

// Untold returns of how many partitions nobody tells how they stand: their nodes have ended, or do not answer.
func (i *Inspection) Untold() (n int) {
	for _, p := range i.Partitions {
		if p.Stats == nil {
			n++
		}
	}
	return n
}

// Inspect looks at a crawl from outside: it takes no part, and changes nothing.
func Inspect(ctx context.Context, s *stream.Brokers, crawl string) (*Inspection, error) {
	i := &Inspection{Crawl: crawl, Begun: s.Begun(), Partitions: make([]PartitionState, s.Partitions())}
	var err error
	if i.Paused, err = IsPaused(ctx, s); err != nil {
		return nil, err
	}
	asking, actx := errgroup.WithContext(ctx)
	asking.SetLimit(statsAtOnce)
	for id := range i.Partitions {
		asking.Go(func() error { return i.Partitions[id].look(actx, s, id) })
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	for _, p := range i.Partitions {
		if p.Owner != "" && !slices.Contains(i.Nodes, p.Owner) {
			i.Nodes = append(i.Nodes, p.Owner)
		}
		if p.Stats != nil {
			addStats(&i.Total, *p.Stats)
		}
	}
	slices.Sort(i.Nodes)
	return i, nil
}

// look asks the register, the stream and the owner of a partition.
func (p *PartitionState) look(ctx context.Context, s *stream.Brokers, id int) (err error) {
	p.Partition = id
	owner, err := tenure.OwnerOf(ctx, registry{Brokers: s}, id)
	if err != nil {
		return err
	}
	p.Owner = tenure.NameOf(owner)
	if q, isSet, err := getQuarantine(ctx, brokers{s}, id); err != nil {
		return err
	} else if isSet {
		p.Quarantine = &q
	}
	if p.Stream, err = s.Health(ctx, id); err != nil {
		p.Problem = err.Error()
		return nil
	}
	var m mark
	value, revision, err := s.Get(ctx, markKey(id))
	if err != nil {
		return err
	}
	if revision != 0 {
		if err := json.Unmarshal(value, &m); err != nil {
			return err
		}
	}
	p.Quiet = m.Quiet
	taken := m.Taken
	if m.Quiet {
		p.Stats = &m.Totals
	}
	if p.Owner != "" {
		patience, cancel := context.WithTimeout(ctx, statsPatience)
		defer cancel()
		if a, err := askOwner(patience, s, id); err != nil || a.Owned == nil {
			p.Problem = "its owner does not answer"
		} else {
			p.Owned, p.Stats, taken = a.Owned, &a.Owned.Stats, a.Taken
		}
	}
	last, err := s.Last(ctx, id)
	p.Unread = err == nil && last > taken
	return err
}

func askOwner(ctx context.Context, s *stream.Brokers, id int) (a answer, err error) {
	question, err := json.Marshal(call{Op: opStats})
	if err != nil {
		return a, err
	}
	reply, err := s.Call(ctx, id, question)
	if err != nil {
		return a, err
	}
	err = json.Unmarshal(reply, &a)
	return a, err
}
