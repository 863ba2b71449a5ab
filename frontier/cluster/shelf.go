package cluster

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A Store keeps snapshots of partitions where all nodes reach them. Names consist of letters, digits and "-". Methods are safe for
// concurrent use.
type Store interface {
	// Put keeps what r has, to its end, under a name that has nothing yet, and returns when that is on stable storage. After an
	// error a part of it may be there.
	Put(ctx context.Context, name string, r io.Reader) error
	// Get writes what a name has to w. An error that wraps fs.ErrNotExist says that it has nothing. That all of it is as it was
	// the caller checks.
	Get(ctx context.Context, name string, w io.Writer) error
	// List returns the names that begin with a prefix, of what is there in part as well.
	List(ctx context.Context, prefix string) ([]string, error)
	// Delete removes what a name has, if anything.
	Delete(ctx context.Context, name string) error
}

// A manifest says which snapshots there are of a partition. It is in the register, and written anew by each owner when it begins:
// so no former owner can add one any more.
type manifest struct {
	Epoch uint64     `json:"epoch"` // of the last owner that wrote this
	From  uint64     `json:"from"`  // what the log has before that place may have been removed
	Kept  []snapshot `json:"kept"`  // two at most, the newest first
}

// A snapshot is what the manifest says of one. It is in the Store before it is in the manifest.
type snapshot struct {
	Name  string    `json:"name"`
	Place uint64    `json:"place"` // of a record that it holds, with all before; maybe more
	Taken uint64    `json:"taken"` // the place in the inbox up to which it has taken links; maybe more
	Size  int64     `json:"size"`
	Hash  string    `json:"sha256"`
	Made  time.Time `json:"made"`
	Node  string    `json:"node,omitempty"`
}

// errSuperseded says that another owner of the partition has begun.
var errSuperseded = errors.New("another owner of the partition has begun")

// A shelf is where the snapshots of partitions are, and what is known of them.
type shelf struct {
	brokers Brokers
	store   Store
	disk    disk.Options
	node    string
}

func manifestKey(id int) string { return fmt.Sprintf("snapshots.%d", id) }

// read returns the manifest of a partition.
func (s *shelf) read(ctx context.Context, id int) (m manifest, err error) {
	value, _, err := s.brokers.Get(ctx, manifestKey(id))
	if err == nil && len(value) > 0 {
		err = json.Unmarshal(value, &m)
	}
	if err != nil {
		return m, fmt.Errorf("snapshots of partition %d: %w", id, err)
	}
	return m, nil
}

// write changes the manifest of a partition for its owner of an epoch, and returns what it is then. From then on no owner of an
// earlier epoch can. It tries until ctx ends; change may be called more than once.
func (s *shelf) write(ctx context.Context, id int, epoch uint64, change func(*manifest) error) (m manifest, err error) {
	err = rewrite(ctx, s.brokers, manifestKey(id), func(value []byte) ([]byte, error) {
		m = manifest{}
		if len(value) > 0 {
			if err := json.Unmarshal(value, &m); err != nil {
				return nil, err
			}
		}
		if m.Epoch > epoch {
			return nil, errSuperseded
		}
		if m.Epoch = epoch; change != nil {
			if err := change(&m); err != nil {
				return nil, err
			}
		}
		return json.Marshal(m)
	})
	if err != nil {
		return m, fmt.Errorf("snapshots of partition %d: %w", id, err)
	}
	return m, nil
}

// rewrite replaces a value of the register by what change makes of it, however often others do too, until ctx ends or change fails.
func rewrite(ctx context.Context, b Brokers, key string, change func(value []byte) ([]byte, error)) error {
	_, err := rewriteOnce(ctx, b, key, change)
	return err
}

func rewriteOnce(ctx context.Context, b Brokers, key string, change func([]byte) ([]byte, error)) (revision uint64, err error) {
	for {
		value, before, err := b.Get(ctx, key)
		if err == nil {
			next, stop := change(value)
			if stop != nil {
				return 0, stop
			}
			if revision, err = b.CompareAndSet(ctx, key, next, before); err == nil {
				return revision, nil
			}
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if !errors.Is(err, ErrConflict) {
			if err := pause(ctx, retryEvery/10); err != nil {
				return 0, err
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// name returns one for a snapshot: that of its partition and its owner, and one that no other has.
func (s *shelf) name(id int, epoch uint64) string {
	return fmt.Sprintf("%s%016x-%s", prefixOf(id), epoch, strings.ToLower(rand.Text()))
}

func prefixOf(id int) string { return fmt.Sprintf("%04d-", id) }

// epochOf returns the epoch in a name; ok is false for one that is none.
func epochOf(name string) (epoch uint64, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return 0, false
	}
	epoch, err := strconv.ParseUint(parts[1], 16, 64)
	return epoch, err == nil
}

// put makes a snapshot of a frontier and keeps it. dir is room for the copy. The manifest is not written.
func (s *shelf) put(ctx context.Context, f *disk.Frontier, id int, epoch uint64, dir string) (k snapshot, err error) {
	files := s.disk.Files()
	if err := files.RemoveAll(dir); err != nil {
		return k, err
	}
	defer files.RemoveAll(dir)
	k = snapshot{Name: s.name(id, epoch), Made: time.Now().UTC(), Node: s.node, Taken: f.Taken()}
	if k.Place, err = f.Snapshot(dir); err != nil {
		return k, err
	}
	r, w := io.Pipe()
	packed := make(chan struct{})
	go func() {
		defer close(packed)
		w.CloseWithError(disk.Pack(w, dir, s.disk))
	}()
	m := newMeter(io.Discard, -1)
	err = s.store.Put(ctx, k.Name, io.TeeReader(r, m))
	r.Close()
	<-packed
	k.Size, k.Hash = m.n, m.hex()
	return k, err
}

// add puts a snapshot into the manifest, and keeps one more, not among those that are bad.
func (s *shelf) add(ctx context.Context, id int, epoch uint64, k snapshot, bad []string) (manifest, error) {
	return s.write(ctx, id, epoch, func(m *manifest) error {
		if len(m.Kept) > 0 && m.Kept[0].Name == k.Name {
			return nil
		}
		good := slices.DeleteFunc(m.Kept, func(k snapshot) bool { return slices.Contains(bad, k.Name) })
		if m.Kept = append([]snapshot{k}, good...); len(m.Kept) > 1 {
			m.Kept = m.Kept[:2]
			m.From = max(m.From, m.Kept[1].Place)
		}
		return nil
	})
}

// tidy removes from the log and the inbox of a partition what no snapshot needs, and what is left of others, of this owner and
// earlier ones.
func (s *shelf) tidy(ctx context.Context, id int, m manifest) error {
	if oldest := m.Kept[len(m.Kept)-1]; m.From >= oldest.Place {
		if err := s.brokers.Trim(ctx, id, oldest.Place, oldest.Taken); err != nil {
			return err
		}
	}
	names, err := s.store.List(ctx, prefixOf(id))
	if err != nil {
		return err
	}
	for _, name := range names {
		isKept := slices.ContainsFunc(m.Kept, func(k snapshot) bool { return k.Name == name })
		if epoch, ok := epochOf(name); !isKept && ok && epoch <= m.Epoch {
			if err := s.store.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// A meter counts and hashes what is written to it, and passes it on, up to a bound if that is not negative.
type meter struct {
	w    io.Writer
	n    int64
	most int64
	hash hash.Hash
}

func newMeter(w io.Writer, most int64) *meter { return &meter{w: w, most: most, hash: sha256.New()} }

// Write implements io.Writer.
func (m *meter) Write(b []byte) (int, error) {
	if m.most >= 0 && int64(len(b)) > m.most-m.n {
		return 0, fmt.Errorf("%w: it is longer than it was", errBadSnapshot)
	}
	n, err := m.w.Write(b)
	m.hash.Write(b[:n])
	m.n += int64(n)
	return n, err
}

func (m *meter) hex() string { return hex.EncodeToString(m.hash.Sum(nil)) }
