package disk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A chunk holds entries of a queue that came in one batch and have the same depth and priority: as a rule the links of a
// page to its own site. Its key is the position of the last of them. It stays as it is until all of them are settled; the
// records of the URLs say which are. So what is new on a page is one key of the queue for many links, which say once
// where they were found, and the part only in which they differ from the link before.
//
// An entry that is alone has a record of its own, as one that is retried has.

// chunkVersion is the first byte of a chunk, and tells it from the record of a single entry.
const chunkVersion = 2

// Bounds of one chunk. What a site has queued from a batch beyond them goes into the next.
const (
	maxChunkLinks = 64
	maxChunkBytes = 64 << 10 // when it has more, no entry is added
)

// What the record of an entry in a chunk has in it.
const (
	chunkVia   = 1 << iota // it was found elsewhere than the entry before it
	chunkHops              // it has hops
	chunkKind              // it has a kind or a time of modification
	chunkState             // something is known of earlier visits
	chunkEvery             // its site says how often it changes
)

// A placed entry is one in the queue.
type placed struct {
	position
	entry frontier.Entry
}

// A chunkLeft counts the entries of a chunk that are not settled. A lease makes one for each chunk that it reads; after
// that, only who fills batches uses what is left.
type chunkLeft struct {
	key   position
	left  int
	taken int // of these, with the lease; guarded by Frontier.mu
}

// queueSlots puts slots with something to queue in the order of the queue. They must be in the order of their sites.
func queueSlots(slots []*slot) {
	slices.SortFunc(slots, func(a, b *slot) int {
		return cmp.Or(cmp.Compare(a.key.site, b.key.site), a.rec.position.compare(b.rec.position))
	})
}

// nextChunk returns how many of slots, which are in the order of the queue, go into the same chunk as the first.
func nextChunk(slots []*slot) int {
	first, n, size := slots[0], 1, 0
	for n < len(slots) && n < maxChunkLinks && size < maxChunkBytes {
		s := slots[n]
		if s.key.site != first.key.site || s.rec.depth != first.rec.depth || s.rec.rank != first.rec.rank {
			break
		}
		size += len(s.queue.URL.String()) + len(s.queue.Via.String()) + len(s.queue.State)
		n++
	}
	return n
}

// appendChunk encodes the entries of slots, more than one, of the site called name.
func appendChunk(b []byte, name string, added time.Time, slots []*slot) []byte {
	b = append(b, chunkVersion)
	b = binary.AppendVarint(b, added.UnixNano())
	b = binary.AppendUvarint(b, uint64(len(slots)))
	var before frontier.Link
	seq := uint64(0)
	for _, s := range slots {
		b = binary.AppendUvarint(b, s.rec.seq-seq)
		b = appendChunkLink(b, name, s.queue, &before)
		before, seq = *s.queue, s.rec.seq
	}
	return b
}

func appendChunkLink(b []byte, name string, l, before *frontier.Link) []byte {
	flags := byte(0)
	if l.Via != before.Via {
		flags |= chunkVia
	}
	if len(l.Hops) > 0 {
		flags |= chunkHops
	}
	if l.Kind != 0 || !l.Modified.IsZero() {
		flags |= chunkKind
	}
	if len(l.State) > 0 {
		flags |= chunkState
	}
	if l.Every > 0 {
		flags |= chunkEvery
	}
	b = append(b, flags)
	u := l.URL.String()
	same := sharedPrefix(u, before.URL.String())
	b = binary.AppendUvarint(b, uint64(same))
	if same > 0 {
		b = appendString(b, u[same:])
	} else {
		b = appendURL(b, name, l.URL)
	}
	if flags&chunkVia != 0 {
		b = appendURL(b, name, l.Via)
	}
	if flags&chunkHops != 0 {
		b = appendHops(b, name, l.Hops)
	}
	if flags&chunkKind != 0 {
		b = binary.AppendVarint(append(b, l.Kind), l.Modified.Unix())
	}
	if flags&chunkState != 0 {
		b = appendString(b, string(l.State))
	}
	if flags&chunkEvery != 0 {
		b = appendEvery(b, l.Every)
	}
	return b
}

// sharedPrefix returns how many bytes a and b have in common at their beginning.
func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// isChunk reports whether the value of a key of the queue is a chunk.
func isChunk(b []byte) bool { return len(b) > 0 && b[0] == chunkVersion }

// decodeQueue decodes the value of a key of the queue of the site called name: a chunk, or an entry that is alone. It
// returns the entries from position from on.
func decodeQueue(b []byte, name string, key, from position) ([]placed, error) {
	if !isChunk(b) {
		e, err := decodeEntry(b, name)
		e.ID = key.seq
		return []placed{{key, e}}, err
	}
	d := &decoder{b: b[1:]}
	added := time.Unix(0, d.varint()).UTC()
	n := d.uvarint()
	if n > maxChunkLinks {
		d.bad = true
	}
	var found []placed
	var before chunkLink
	p := position{depth: key.depth, rank: key.rank}
	for i := uint64(0); i < n && !d.bad; i++ {
		step := d.uvarint()
		if step == 0 || step > key.seq-p.seq {
			d.bad = true
			break
		}
		p.seq += step
		before = d.chunkLink(name, before)
		if p.compare(from) >= 0 {
			e := frontier.Entry{Link: before.Link, ID: p.seq, Added: added}
			e.URL, e.Depth, e.Priority = d.parse(before.text), int(p.depth), p.priority()
			found = append(found, placed{p, e})
		}
	}
	if p != key {
		d.bad = true
	}
	return found, d.end("chunk of a queue")
}

// A chunkLink is a link that was read from a chunk; its URL is not parsed.
type chunkLink struct {
	frontier.Link
	text string
}

// chunkLink reads the link that comes after another.
func (d *decoder) chunkLink(name string, before chunkLink) (l chunkLink) {
	flags := d.byte()
	if flags&^(chunkVia|chunkHops|chunkKind|chunkState|chunkEvery) != 0 {
		d.bad = true
	}
	l.Via = before.Via
	same := d.uvarint()
	switch {
	case same > uint64(len(before.text)):
		d.bad = true
	case same > 0:
		l.text = before.text[:same] + d.string()
	default:
		l.text = d.urlText(name)
	}
	if flags&chunkVia != 0 {
		l.Via = d.url(name)
	}
	if flags&chunkHops != 0 {
		l.Hops = d.hops(name)
	}
	if flags&chunkKind != 0 {
		l.Kind, l.Modified = d.byte(), d.modified()
	}
	if flags&chunkState != 0 {
		l.State = d.state()
	}
	if flags&chunkEvery != 0 {
		l.Every = d.every()
	}
	return l
}

// live leaves those of the entries of a chunk of a site that are not settled. It does not move r, and looks URLs up in the order of
// their keys, in which neighbours are found without a search.
func (r *reader) live(c *core, id siteID, entries []placed) ([]placed, error) {
	keys := make([]chunkKey, len(entries))
	for i := range entries {
		keys[i] = chunkKey{c.secret.hash(entries[i].entry.URL.String()), i}
	}
	slices.SortFunc(keys, func(a, b chunkKey) int { return cmp.Compare(a.url, b.url) })
	beside, err := r.lookup()
	if err != nil {
		return nil, err
	}
	settled := make([]bool, len(entries))
	for _, k := range keys {
		p := &entries[k.at]
		rec, err := beside.seen(seenKey{id, k.url})
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", p.entry.URL, err)
		}
		settled[k.at] = rec.status != frontier.Queued || rec.seq != p.seq
	}
	live := entries[:0]
	for i, p := range entries {
		if !settled[i] {
			live = append(live, p)
		}
	}
	return live, nil
}

// A chunkKey is the hash of the URL of an entry, and which of its chunk that is.
type chunkKey struct {
	url uint64
	at  int
}
