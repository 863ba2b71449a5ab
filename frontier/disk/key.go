package disk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
)

// The kinds of keys. All but the schedule and the last nine go on with the site, so that the links of a page, most of them to
// the same site, fall into few blocks; numbers are big-endian, so that keys sort as they should.
const (
	kindDue    = 'd' // d|due|site -> nothing: the schedule, one key for each site with work
	kindSite   = 'h' // h|site -> siteRecord
	kindPolicy = 'p' // p|site -> policyRecord
	kindQueue  = 'q' // q|site|level|rank|seq -> an entry, or a chunk of entries, the last of which is here
	kindRetry  = 'r' // r|site|due|level|rank|seq -> an entry
	kindSeen   = 's' // s|site|url -> seenRecord
	kindReturn = 'v' // v|site|url -> a time, and an entry: what is remembered of a URL that was settled
	kindMeta   = 'm' // m -> version of the records, and the key of the hashes
	kindOpen   = 'o' // o -> nothing: a process has the frontier open, or died having it open
	kindTotals = 't' // t -> totals
	kindClock  = 'c' // c -> clockRecord; the wall clock was never set without
	kindOut    = 'x' // x|number -> links to sites of other frontiers, to be passed on
	kindPassed = 'y' // y -> number of the last key of that kind whose links were passed on
	kindTaken  = 'b' // b -> up to which place links were taken from elsewhere
	kindReach  = 'e' // e -> what Options.Barrier returned last
	kindTail   = 'a' // a -> tail: how much of the log is in the store, if that has one elsewhere
)

const (
	siteKeyLen = 1 + 8
	seenKeyLen = 1 + 8 + 8
)

// A siteID is the keyed hash of the name of a site.
type siteID uint64

// A seenKey is the identity of a URL: its site, and the keyed hash of the URL. 64 bits within a site let one of a hundred
// million URLs of that site pass for known with a probability of 3e-4.
type seenKey struct {
	site siteID
	url  uint64
}

func (k seenKey) compare(o seenKey) int {
	if c := cmp.Compare(k.site, o.site); c != 0 {
		return c
	}
	return cmp.Compare(k.url, o.url)
}

// A position is the place of an entry in the queue of its site.
type position struct {
	depth uint32
	rank  uint8 // what its priority adds to its depth
	seq   uint64
}

// neutral is the rank of priority 0. A lower rank is a higher priority; rank 0 is that of versions that knew no priority, whose
// entries are in keys by depth alone, and come first.
const neutral = 128

// rankOf returns the rank of a priority.
func rankOf(priority int8) uint8 {
	return uint8(neutral - int(clampPriority(priority)))
}

func clampPriority(priority int8) int8 {
	return min(max(priority, -frontier.MaxPriority), frontier.MaxPriority)
}

// priority returns the priority of a rank.
func (p position) priority() int8 {
	if p.rank == 0 {
		return 0
	}
	return int8(min(neutral-int(p.rank), frontier.MaxPriority))
}

// level is what the queue is ordered by first.
func (p position) level() uint64 { return uint64(p.depth) + uint64(p.rank) }

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.level(), o.level()), cmp.Compare(p.rank, o.rank), cmp.Compare(p.seq, o.seq))
}

// next returns the place right after p.
func (p position) next() position { return position{p.depth, p.rank, p.seq + 1} }

// maxPosition sorts after every entry.
var maxPosition = position{math.MaxUint32, math.MaxUint8, math.MaxUint64}

// A retryPlace is the place of an entry among the retries of its site.
type retryPlace struct {
	due int64
	position
}

func appendSite(dst []byte, kind byte, id siteID) []byte {
	return binary.BigEndian.AppendUint64(append(dst, kind), uint64(id))
}

func appendSeenKey(dst []byte, k seenKey) []byte {
	return binary.BigEndian.AppendUint64(appendSite(dst, kindSeen, k.site), k.url)
}

func appendReturnKey(dst []byte, k seenKey) []byte {
	return binary.BigEndian.AppendUint64(appendSite(dst, kindReturn, k.site), k.url)
}

func appendQueueKey(dst []byte, id siteID, p position) []byte {
	return appendPosition(appendSite(dst, kindQueue, id), p)
}

func appendRetryKey(dst []byte, id siteID, r retryPlace) []byte {
	dst = binary.BigEndian.AppendUint64(appendSite(dst, kindRetry, id), uint64(r.due))
	return appendPosition(dst, r.position)
}

func appendPosition(dst []byte, p position) []byte {
	dst = appendOrdered(dst, p.level())
	return appendOrdered(append(dst, p.rank), p.seq)
}

func appendDueKey(dst []byte, due int64, id siteID) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, kindDue), uint64(due))
	return binary.BigEndian.AppendUint64(dst, uint64(id))
}

// keysOf bounds an iterator to the keys of a kind.
func keysOf(kind byte) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: []byte{kind}, UpperBound: []byte{kind + 1}}
}

// siteOf returns the site of a key that begins with one.
func siteOf(key []byte) (siteID, bool) {
	if len(key) < siteKeyLen {
		return 0, false
	}
	return siteID(binary.BigEndian.Uint64(key[1:])), true
}

func parseSeenKey(key []byte) (seenKey, bool) {
	if len(key) != seenKeyLen {
		return seenKey{}, false
	}
	return seenKey{siteID(binary.BigEndian.Uint64(key[1:])), binary.BigEndian.Uint64(key[siteKeyLen:])}, true
}

func parseQueueKey(key []byte) (id siteID, p position, ok bool) {
	if len(key) < siteKeyLen {
		return 0, p, false
	}
	id, _ = siteOf(key)
	p, ok = parsePosition(key[siteKeyLen:])
	return id, p, ok
}

func parseRetryKey(key []byte) (id siteID, r retryPlace, ok bool) {
	if len(key) < siteKeyLen+8 {
		return 0, r, false
	}
	id, _ = siteOf(key)
	r.due = int64(binary.BigEndian.Uint64(key[siteKeyLen:]))
	r.position, ok = parsePosition(key[siteKeyLen+8:])
	return id, r, ok
}

func parsePosition(b []byte) (p position, ok bool) {
	level, b, ok := takeOrdered(b)
	if !ok || len(b) == 0 || level < uint64(b[0]) || level-uint64(b[0]) > math.MaxUint32 {
		return p, false
	}
	seq, rest, ok := takeOrdered(b[1:])
	return position{uint32(level - uint64(b[0])), b[0], seq}, ok && len(rest) == 0
}

func parseDueKey(key []byte) (due int64, id siteID, ok bool) {
	if len(key) != 1+8+8 {
		return 0, 0, false
	}
	return int64(binary.BigEndian.Uint64(key[1:])), siteID(binary.BigEndian.Uint64(key[9:])), true
}

// appendOrdered appends v as its length in bytes and as few bytes as it needs: small numbers are short, and the order of
// the encodings is the order of the numbers.
func appendOrdered(dst []byte, v uint64) []byte {
	n := (bits.Len64(v) + 7) / 8
	dst = append(dst, byte(n))
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}

func takeOrdered(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] > 8 || len(b) <= int(b[0]) {
		return 0, nil, false
	}
	n := int(b[0])
	for _, c := range b[1 : 1+n] {
		v = v<<8 | uint64(c)
	}
	return v, b[1+n:], n == 0 || b[1] != 0
}

// newComparer returns the order of the keys: plain bytes, with the site (for the seen set: the whole key) as the prefix
// that goes into the Bloom filters.
func newComparer() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "cybermapper.frontier.1"
	c.Split = prefixLen
	c.ComparePointSuffixes = bytes.Compare
	return &c
}

func prefixLen(key []byte) int {
	if len(key) == 0 {
		return 0
	}
	n := len(key)
	switch key[0] {
	case kindSeen, kindReturn:
		n = seenKeyLen
	case kindQueue, kindRetry, kindSite, kindPolicy:
		n = siteKeyLen
	case kindDue:
		n = 1
	}
	return min(n, len(key))
}
