package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A Quarantine says that a partition is left alone by all nodes, and why. Its sites are not asked for anything, and links for it
// wait in its inbox, until it is repaired (Repair) or let go (Release).
type Quarantine struct {
	Partition int       `json:"partition"`
	Reason    string    `json:"reason"`
	Node      string    `json:"node,omitempty"` // that found it
	Since     time.Time `json:"since"`

	// Place is up to where in the log the files of that node went. Inbox says that it is messages from other nodes that cannot
	// be read.
	Place uint64 `json:"place,omitempty"`
	Inbox bool   `json:"inbox,omitempty"`
}

func quarantineKey(id int) string { return fmt.Sprintf("quarantine.%d", id) }

// quarantineEvery is how often the owner of a partition that is left alone looks whether it still is to be.
const quarantineEvery = 5 * time.Second

func readQuarantine(value []byte) (q Quarantine, isSet bool, err error) {
	if len(value) > 0 {
		err = json.Unmarshal(value, &q)
	}
	return q, q.Reason != "", err
}

func getQuarantine(ctx context.Context, b Brokers, id int) (q Quarantine, isSet bool, err error) {
	value, _, err := b.Get(ctx, quarantineKey(id))
	if err == nil {
		q, isSet, err = readQuarantine(value)
	}
	if err != nil {
		return q, false, fmt.Errorf("quarantine of partition %d: %w", id, err)
	}
	return q, isSet, nil
}

// Quarantined returns the partitions of a crawl that are left alone by all nodes.
func Quarantined(ctx context.Context, b Brokers, partitions int) (all []Quarantine, err error) {
	for id := range partitions {
		q, isSet, err := getQuarantine(ctx, b, id)
		if err != nil {
			return nil, err
		}
		if isSet {
			all = append(all, q)
		}
	}
	return all, nil
}

// Quarantined returns the partitions of the crawl that are left alone by all nodes.
func (f *Frontier) Quarantined(ctx context.Context) ([]Quarantine, error) {
	return Quarantined(ctx, f.opts.Brokers, f.opts.Partitions)
}

// ErrNotQuarantined says that a partition is not left alone.
var ErrNotQuarantined = errors.New("cluster: the partition is not quarantined")

// Release ends the quarantine of a partition as it is: for one whose cause is gone, when a file was put back, say. If it is not,
// the next owner finds it again.
func Release(ctx context.Context, b Brokers, partition int) error {
	err := rewrite(ctx, b, quarantineKey(partition), func(value []byte) ([]byte, error) {
		if _, isSet, err := readQuarantine(value); err != nil || !isSet {
			return nil, errors.Join(err, ErrNotQuarantined)
		}
		return []byte("{}"), nil
	})
	if err != nil {
		return fmt.Errorf("end the quarantine of partition %d: %w", partition, err)
	}
	return nil
}

// An alone partition is one that is in quarantine.
type alone struct{ Quarantine }

// Error implements error.
func (a alone) Error() string { return "it is quarantined: " + a.Reason }

// isContradiction reports whether an error says that what is kept of a partition is not what was.
func isContradiction(err error) bool {
	return errors.Is(err, disk.ErrDiverged) || errors.Is(err, stream.ErrDamaged) || errors.Is(err, errNoSnapshot) ||
		stream.IsMissing(err)
}

// quarantine tells all nodes that a partition is left alone.
func (f *Frontier) quarantine(t Tenure, why error) {
	q := Quarantine{
		Partition: t.Partition(), Reason: why.Error(), Node: f.opts.Node, Since: time.Now().UTC(),
		Place: f.shelf.placeOf(f.dir(t.Partition())), Inbox: errors.As(why, new(badInbox)),
	}
	f.opts.Logger.Error("a partition is left alone: what is kept of it is not what it was", zap.Int("partition", q.Partition),
		zap.Error(why))
	err := rewrite(t.Context(), f.opts.Brokers, quarantineKey(q.Partition), func(value []byte) ([]byte, error) {
		if _, isSet, err := readQuarantine(value); err != nil || isSet {
			return value, err
		}
		return json.Marshal(q)
	})
	if err != nil && t.Valid() {
		f.opts.Logger.Error("other nodes cannot be told of it", zap.Int("partition", q.Partition), zap.Error(err))
	}
}

// keepPatience is how long a disk may take for what a store has in memory.
const keepPatience = 10 * time.Second

// keepFiles lets the files of a partition have all that its store knows, as its log may have nothing of it any more.
func (f *Frontier) keepFiles(p *partition) {
	ctx, cancel := context.WithTimeout(context.Background(), keepPatience)
	defer cancel()
	if err := p.store.Keep(ctx); err != nil {
		f.opts.Logger.Error("the files of a partition have not all of it", zap.Int("partition", p.id), zap.Error(err))
	}
}

// placeOf returns up to where in the log a directory goes; 0 when it has nothing that can be read.
func (s *shelf) placeOf(dir string) uint64 {
	o := s.disk
	o.Log, o.ReadOnly = nil, true
	f, err := disk.Open(dir, o)
	if err != nil {
		return 0
	}
	defer f.Close()
	at, err := f.Place()
	if err != nil {
		return 0
	}
	return at
}

// leaveAlone keeps a partition from being opened, until it is out of quarantine, is to be given back, or the right to it ends.
func (f *Frontier) leaveAlone(t Tenure) {
	tick := time.NewTicker(quarantineEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.Context().Done():
			return
		case <-t.Asked():
			return
		case <-tick.C:
			if _, isSet, err := getQuarantine(t.Context(), f.opts.Brokers, t.Partition()); err == nil && !isSet {
				return
			}
		}
	}
}

// A badInbox error says that the inbox of a partition cannot be read.
type badInbox struct{ error }

// Unwrap returns why.
func (e badInbox) Unwrap() error { return e.error }
