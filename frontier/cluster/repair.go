package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// Repaired is what Repair did.
type Repaired struct {
	// Base is the snapshot, or the directory, that the partition was rebuilt from; empty when the log had all. Place is up to where
	// in the log that went.
	Base  string
	Place uint64
	// Lost says why what follows in the log could not be used: everything from there on is lost. It is nil when all could; what is
	// missing at the end of a log does not show.
	Lost error
	// InboxLost says that links other nodes had sent, and the partition had not taken in, are lost.
	InboxLost bool
}

// recreateGap is how far the places of a stream that is made anew are from those of the one before, whatever was in files that
// nobody has asked.
const recreateGap = 1 << 32

// Repair ends the quarantine of a partition by rebuilding it: from its newest snapshot that is whole or, with from, the files of a
// node, the directory of the partition there, which nobody has open. What follows in the log is added, up to where the log
// contradicts itself; then a snapshot is made, the log is cut before it, and nodes go on from there. A stream that is not there, or
// is behind what is known of it, is made anew. Options are those of a node, which may be none; in Dir is room for the partition.
// Without from, and with neither a snapshot nor the whole log, it returns ErrNothingLeft and the partition stays as it is, as it
// does when from has no files of it.
//
// What can be lost is what the log had after the contradiction: links that were found since, and that pages were fetched, which are
// fetched again. Nodes that have passed such a link on do so again when they find it anew, from some seconds after the repair on.
// The ledgers of the nodes' job directories say which URLs they asked for, and Add brings those back. A repair that
// is interrupted can be begun again; until it ends well the partition is left alone.
func Repair(ctx context.Context, o Options, partition int, from string) (res Repaired, err error) {
	return repair(ctx, o, partition, from, false)
}

// repair is Repair; empty says that the partition begins anew with nothing.
func repair(ctx context.Context, o Options, partition int, from string, empty bool) (res Repaired, err error) {
	if o.Snapshots == nil {
		return res, errors.New("frontier: repair needs a store for snapshots")
	}
	o = o.withDefaults()
	r := &repairer{
		o: o, id: partition, dir: from, empty: empty, Repaired: Repaired{Base: from},
		shelf: &shelf{brokers: o.Brokers, store: o.Snapshots, disk: o.Disk, node: o.Node},
	}
	if err := r.run(ctx); err != nil {
		return r.Repaired, fmt.Errorf("repair partition %d: %w", partition, err)
	}
	return r.Repaired, nil
}

// ErrNothingLeft says that the brokers have neither a snapshot of a partition nor its whole log.
var ErrNothingLeft = errors.New("neither a snapshot nor the whole log of the partition is left at the brokers")

// A repairer is a repair under way.
type repairer struct {
	Repaired
	o     Options
	shelf *shelf
	id    int
	dir   string // that the partition is rebuilt in
	empty bool   // with nothing
	epoch uint64
	q     Quarantine
	m     manifest
}

func (r *repairer) run(ctx context.Context) (err error) {
	if err := r.begin(ctx); err != nil {
		return err
	}
	if r.dir == "" {
		r.dir = filepath.Join(r.o.Dir, fmt.Sprintf("%04d.repair", r.id))
		files := r.o.Disk.Files()
		defer func() { err = errors.Join(err, files.RemoveAll(r.dir)) }()
		if err := r.fetch(ctx); err != nil {
			return err
		}
	} else if err := r.inspect(ctx); err != nil {
		return err
	}
	r.Place = r.shelf.placeOf(r.dir)
	log, err := r.own(ctx)
	if err != nil {
		return err
	}
	k, err := r.rebuild(ctx, log)
	if err != nil {
		return err
	}
	r.m, err = r.shelf.write(ctx, r.id, r.epoch, func(m *manifest) error {
		m.From, m.Kept = k.Place, []snapshot{k}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.shelf.tidy(ctx, r.id, r.m); err != nil {
		return err
	}
	if err := rewrite(ctx, r.o.Brokers, markKey(r.id), func([]byte) ([]byte, error) { // pages may be fetched again
		return json.Marshal(mark{Epoch: r.epoch})
	}); err != nil {
		return err
	}
	if err := rewrite(ctx, r.o.Brokers, pauseKey, func(value []byte) ([]byte, error) { // see Frontier.watchPause
		return value, nil
	}); err != nil {
		return err
	}
	return Release(ctx, r.o.Brokers, r.id)
}

// begin notes the repair in the register, and takes the revision of the note for an epoch: it is greater than those of all owners
// so far, since they come from the same register, and those of owners to come are greater still.
func (r *repairer) begin(ctx context.Context) (err error) {
	r.epoch, err = rewriteOnce(ctx, r.o.Brokers, quarantineKey(r.id), func(value []byte) ([]byte, error) {
		q, isSet, err := readQuarantine(value)
		if err != nil || !isSet {
			return nil, errors.Join(err, ErrNotQuarantined)
		}
		r.q = q
		return json.Marshal(q)
	})
	if err == nil {
		r.m, err = r.shelf.write(ctx, r.id, r.epoch, nil)
	}
	return err
}

// inspect refuses a directory that has no files of the partition: to rebuild it from there would lose all that is known of it.
func (r *repairer) inspect(ctx context.Context) (err error) {
	o := r.o.Disk
	o.Log, o.ReadOnly = nil, true
	f, err := disk.Open(r.dir, o)
	if err != nil {
		return fmt.Errorf("%s has no files of it: %w", r.dir, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	const enough = 100 // sites, of which one is its own
	place, others := newPlacement(r.o.Secret, r.o.Partitions), 0
	for s, err := range f.Sites(ctx) {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", r.dir, err)
		case place.of(s.Site) == r.id:
			return nil
		}
		if others++; others == enough {
			break
		}
	}
	if others > 0 {
		return fmt.Errorf("%s has the files of another partition", r.dir)
	}
	return nil
}

// fetch makes the directory the newest snapshot that is whole, or none at all if the log has everything.
func (r *repairer) fetch(ctx context.Context) error {
	var bad []error
	for _, k := range r.m.Kept {
		if r.empty {
			break
		}
		err := r.shelf.fetch(ctx, k, r.dir)
		if err == nil {
			r.Base = k.Name
			return nil
		}
		if !errors.Is(err, errBadSnapshot) {
			return err
		}
		bad = append(bad, err)
	}
	if r.m.From > 0 && !r.empty {
		return fmt.Errorf("%w: %w", ErrNothingLeft, errors.Join(bad...))
	}
	if whole, err := r.isWhole(ctx); err != nil {
		return err
	} else if !whole && !r.empty {
		return ErrNothingLeft
	}
	return r.o.Disk.Files().RemoveAll(r.dir)
}

// isWhole reports whether the log has all from the first message on, of a partition of which there has been no snapshot.
func (r *repairer) isWhole(ctx context.Context) (bool, error) {
	first, last, _, err := r.o.Brokers.Extent(ctx, r.id)
	if stream.IsMissing(err) {
		return false, nil
	}
	return first <= 1 && last >= r.q.Place, err
}

// own becomes who may write the log. One that cannot be written, or could not go on after what is known of it, is made anew.
func (r *repairer) own(ctx context.Context) (disk.Log, error) {
	known := max(r.Place, r.q.Place, r.m.From)
	for _, k := range r.m.Kept {
		known = max(known, k.Place, k.Taken)
	}
	_, last, _, err := r.o.Brokers.Extent(ctx, r.id)
	switch {
	case err == nil && r.empty:
		known = max(known, last)
	case err == nil && last >= known:
		log, err := r.o.Brokers.Own(ctx, r.id, r.epoch)
		if !errors.Is(err, stream.ErrDamaged) {
			return log, err
		}
		known = last
	}
	if err != nil && !stream.IsMissing(err) {
		return nil, err
	}
	r.InboxLost = true
	r.o.Logger.Warn("the stream of a partition is made anew", zap.Int("partition", r.id))
	if err := r.o.Brokers.Recreate(ctx, r.id, known+recreateGap); err != nil {
		return nil, err
	}
	return r.o.Brokers.Own(ctx, r.id, r.epoch)
}

// rebuild adds what can be used of the log, and keeps a snapshot of that.
func (r *repairer) rebuild(ctx context.Context, log disk.Log) (k snapshot, err error) {
	o := r.o.Disk
	o.Log, o.Salvage, o.ReadOnly = salvagedLog{log}, true, false
	f, err := disk.Open(r.dir, o)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r.Lost = f.Contradiction()
	if r.q.Inbox {
		last, err := r.o.Brokers.Last(ctx, r.id)
		if err != nil {
			return k, err
		}
		if r.InboxLost = true; last > 0 {
			if _, err := f.Take(ctx, last, nil); err != nil {
				return k, err
			}
		}
	}
	return r.shelf.put(ctx, f, r.id, r.epoch, filepath.Join(r.o.Dir, fmt.Sprintf("%04d.repair%s", r.id, copySuffix)))
}

// A salvagedLog is one that is replayed as far as it goes.
type salvagedLog struct{ disk.Log }

// Replay implements disk.Log.
func (l salvagedLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	err := l.Log.Replay(after, f)
	if errors.Is(err, stream.ErrDamaged) {
		return fmt.Errorf("%w: %w", disk.ErrDiverged, err)
	}
	return err
}

// An Operator looks after a crawl at brokers without taking part in it.
type Operator struct {
	o       Options
	brokers *stream.Brokers
}

// Operate connects to the brokers of a crawl as a node of it would, with the same options, and takes no partition. ctx bounds the
// connecting.
func Operate(ctx context.Context, o JoinOptions) (*Operator, error) {
	o.Stream.Node = o.Node
	s, err := stream.Connect(ctx, o.Stream)
	if err != nil {
		return nil, err
	}
	return &Operator{o.at(s), s}, nil
}

// Quarantined returns the partitions that are left alone by all nodes.
func (o *Operator) Quarantined(ctx context.Context) ([]Quarantine, error) {
	return Quarantined(ctx, o.o.Brokers, o.o.Partitions)
}

// Repair is the function [Repair] with the options of o.
func (o *Operator) Repair(ctx context.Context, partition int, from string) (Repaired, error) {
	return Repair(ctx, o.o, partition, from)
}

// Restart ends the quarantine of a partition as Repair does, with nothing in it: for one that nobody has files of. All that was
// known of its sites is lost.
func (o *Operator) Restart(ctx context.Context, partition int) (Repaired, error) {
	return repair(ctx, o.o, partition, "", true)
}

// Release is the function [Release] at the brokers of o.
func (o *Operator) Release(ctx context.Context, partition int) error {
	return Release(ctx, o.o.Brokers, partition)
}

// Close ends the connection.
func (o *Operator) Close() { o.brokers.Close() }
