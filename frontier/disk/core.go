package disk

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/database"
)

// A core is the durable state: it knows keys and records, and how operations change them. It knows nothing of time, of
// leases, and of the write-ahead log: it fills batches, whoever drives it commits them.
type core struct {
	db     *pebble.DB
	secret hashKey
	clock  clock
	filter *seenFilter
	totals totals // as of the batch filled last
	out    outgoing
	taken  uint64
}

func (c *core) siteID(name string) siteID { return siteID(c.secret.hash(name)) }

func (c *core) seenKey(u frontier.URL) seenKey {
	return seenKey{c.siteID(u.Site()), c.secret.hash(u.String())}
}

// A reader looks keys up, the faster the better they are sorted. It sees the state of the moment it was made, and must be
// closed.
//
// One iterator for many keys, with the Bloom filters of the bottom level, is several times as fast as DB.Get: Get does
// not consult those, and most links of a young crawl are new.
type reader struct {
	*pebble.Iterator
	key    []byte
	beside *reader // of the same state, for keys that are looked up during a scan; nil until there are some
}

func (c *core) reader() (*reader, error) {
	it, err := c.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, fmt.Errorf("read the frontier: %w", err)
	}
	return &reader{Iterator: it}, nil
}

// lookup returns a reader of the same state which may be moved while this one is in the midst of a scan. It is closed with this
// one.
func (r *reader) lookup() (*reader, error) {
	if r.beside == nil {
		it, err := r.Clone(pebble.CloneOptions{})
		if err != nil {
			return nil, fmt.Errorf("read the frontier: %w", err)
		}
		r.beside = &reader{Iterator: it}
	}
	return r.beside, nil
}

// Close implements pebble's Iterator.
func (r *reader) Close() error {
	if r.beside == nil {
		return r.Iterator.Close()
	}
	return errors.Join(r.beside.Close(), r.Iterator.Close())
}

// Error returns what ended the last move, in words of its own.
func (r *reader) Error() error { return database.Plain(r.Iterator.Error()) }

// ValueAndErr implements pebble's Iterator.
func (r *reader) ValueAndErr() ([]byte, error) {
	v, err := r.Iterator.ValueAndErr()
	return v, database.Plain(err)
}

// get returns the value of r.key, which is a whole prefix; nil if there is none. It is valid until the next call.
func (r *reader) get() ([]byte, error) {
	if !r.SeekPrefixGE(r.key) {
		return nil, r.Error()
	}
	return r.ValueAndErr()
}

// record returns the record of r.key, if there is one.
func record[T any](r *reader, decode func([]byte) (T, error)) (rec T, known bool, err error) {
	v, err := r.get()
	if err != nil || v == nil {
		return rec, false, err
	}
	rec, err = decode(v)
	return rec, true, err
}

// seen returns the record of a URL; its status is Unknown if there is none.
func (r *reader) seen(k seenKey) (seenRecord, error) {
	r.key = appendSeenKey(r.key[:0], k)
	rec, _, err := record(r, decodeSeen)
	return rec, err
}

// site returns the record of a site.
func (r *reader) site(id siteID) (rec siteRecord, known bool, err error) {
	r.key = appendSite(r.key[:0], kindSite, id)
	return record(r, decodeSite)
}

// policy returns the name and the policy of a site.
func (r *reader) policy(id siteID) (rec policyRecord, known bool, err error) {
	r.key = appendSite(r.key[:0], kindPolicy, id)
	return record(r, decodePolicy)
}

// number returns the number that a record of the frontier as a whole holds, which is called what; 0 if there is none.
func (r *reader) number(kind byte, what string) (uint64, error) {
	r.key = append(r.key[:0], kind)
	n, _, err := record(r, func(v []byte) (uint64, error) {
		d := newDecoder(v)
		n := d.uvarint()
		return n, d.end("record of " + what)
	})
	return n, err
}

// errStop ends a scan early.
var errStop = errors.New("stop")

// queue calls f for the keys of the queue of a site in order, with the entries from position from on that are not settled.
func (r *reader) queue(c *core, id siteID, name string, from position, f func(key position, live []placed) error) error {
	r.key = appendQueueKey(r.key[:0], id, from)
	for ok := r.SeekPrefixGE(r.key); ok; ok = r.Next() {
		_, key, ok := parseQueueKey(r.Key())
		if !ok {
			return fmt.Errorf("queue key %x: %w", r.Key(), errRecord)
		}
		value, err := r.ValueAndErr()
		if err != nil {
			return err
		}
		entries, err := decodeQueue(value, name, key, from)
		if isChunk(value) && err == nil {
			entries, err = r.live(c, id, entries)
		}
		if err == nil {
			err = f(key, entries)
		}
		if err != nil {
			return err
		}
	}
	return r.Error()
}

// retries calls f for the entries of a site that wait for another attempt, first due first, beginning at from.
func (r *reader) retries(id siteID, name string, from int64, f func(retryPlace, frontier.Entry) error) error {
	r.key = appendRetryKey(r.key[:0], id, retryPlace{due: from})
	for ok := r.SeekPrefixGE(r.key); ok; ok = r.Next() {
		_, p, ok := parseRetryKey(r.Key())
		if !ok {
			return fmt.Errorf("retry key %x: %w", r.Key(), errRecord)
		}
		value, err := r.ValueAndErr()
		if err != nil {
			return err
		}
		e, err := decodeEntry(value, name)
		if err != nil {
			return err
		}
		e.ID = p.seq
		if err := f(p, e); err != nil {
			return err
		}
	}
	return r.Error()
}

// scheduled calls f for the sites with work, first due first, after the given place in the schedule.
func (c *core) scheduled(after []byte, f func(due int64, id siteID) error) error {
	it, err := c.db.NewIter(keysOf(kindDue))
	if err != nil {
		return fmt.Errorf("read the schedule: %w", err)
	}
	defer it.Close()
	for ok := it.SeekGE(after); ok; ok = it.Next() {
		due, id, ok := parseDueKey(it.Key())
		if !ok {
			return fmt.Errorf("schedule key %x: %w", it.Key(), errRecord)
		}
		if err := f(due, id); err != nil {
			return err
		}
	}
	return it.Error()
}
