package tenure

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What a node says of itself in its heartbeat.
const (
	here = "here"
	deaf = "deaf" // it does not see its own heartbeats: it would not see a partition either that is offered to it
)

// A member is what is known of a node from its heartbeats. Times are those of the monotonic clock.
type member struct {
	rev   uint64
	first time.Duration // since when it has been there without a gap
	last  time.Duration // when its revision last changed
	beats int           // changes seen; a register alone may be all that is left of a node
}

// members are the nodes that this one knows of, itself among them.
type members struct {
	me string
	o  *Options
	by map[string]*member // by id
}

// heard returns up to when the silence of a node says that it is gone: now, unless this one does not hear itself either, with room
// for a heartbeat that is slow. Then the registry is away, for all of them, and the time that passes is nobody's silence.
func (s *members) heard(now time.Duration) time.Duration {
	if m := s.by[s.me]; m != nil {
		return min(now, m.last+s.o.Renew*3/2)
	}
	return now
}

// isGone reports whether a node has been silent for too long.
func (s *members) isGone(m *member, now time.Duration) bool { return s.heard(now)-m.last >= s.o.TTL }

// see takes in a heartbeat, or its deletion.
func (s *members) see(now time.Duration, id string, val []byte, rev uint64) {
	m := s.by[id]
	switch {
	case m != nil && rev <= m.rev:
		return
	case val == nil:
		delete(s.by, id)
		return
	case m == nil || s.isGone(m, now):
		s.by[id] = &member{rev: rev, first: now, last: now}
		return
	case string(val) == deaf:
		m.first = now
	}
	if away := now - s.heard(now); id == s.me && away > 0 {
		for _, other := range s.by {
			other.last = min(other.last+away, now)
		}
	}
	m.rev, m.last = rev, now
	m.beats++
}

// isNamesake reports whether a node is another process of the name of this one that has not ended: it was heard a TTL after this
// one began.
func (s *members) isNamesake(id string) bool {
	m, own := s.by[id], s.by[s.me]
	return m != nil && own != nil && m != own && NameOf(id) == NameOf(s.me) && m.beats > 0 && m.last-own.first >= s.o.TTL
}

// joined returns the ids of the nodes that partitions are spread over, in order, and when that may change without a heartbeat.
func (s *members) joined(now time.Duration) (ids []string, until time.Duration) {
	byName := map[string]string{}
	until = never
	for id, m := range s.by {
		switch {
		case m.beats == 0 || s.isGone(m, now):
			continue
		case now-m.first < s.o.Settle:
			until = min(until, m.first+s.o.Settle)
			continue
		}
		until = min(until, now+s.o.TTL-(s.heard(now)-m.last))
		name := NameOf(id)
		byName[name] = max(byName[name], id) // the other is a former process that has not been missed yet
	}
	return slices.Sorted(maps.Values(byName)), until
}

// old returns the revisions of the heartbeats, by id, of those silent for so long that these may go.
func (s *members) old(now time.Duration) map[string]uint64 {
	revs := map[string]uint64{}
	for id, m := range s.by {
		if s.heard(now)-m.last >= s.o.Sweep {
			revs[id] = m.rev
		}
	}
	return revs
}

// NameOf returns the configured name of a node; empty for no id.
func NameOf(id string) string { return id[:max(0, strings.LastIndexByte(id, '.'))] }

// spread assigns each partition to one of the nodes, by rendezvous hashing of their names with bounded load: of all pairs of a
// node and a partition those with the highest score are taken first, unless the node is full. So every node has a share that
// differs by one at most, and who comes or goes moves little more than what it takes or leaves. It returns ids by partition.
func spread(ids []string, partitions int) []string {
	if len(ids) == 0 {
		return nil
	}
	return assign(ids, partitions, ranked(ids, partitions), -1)
}

// inLine returns the partitions that a node would have if the one that has each of them went, as spread would tell; target is what
// it tells now.
func inLine(id string, ids, target []string) (partitions []int) {
	pairs := ranked(ids, len(target))
	for owner := range ids {
		if len(ids) == 1 || ids[owner] == id {
			continue
		}
		without := assign(ids, len(target), pairs, owner)
		for p := range target {
			if target[p] == ids[owner] && without[p] == id {
				partitions = append(partitions, p)
			}
		}
	}
	slices.Sort(partitions)
	return partitions
}

// A pair is a node, by its place among the ids, and a partition.
type pair struct {
	score           uint64
	node, partition int
}

// ranked returns all pairs, those with the highest score first.
func ranked(ids []string, partitions int) []pair {
	pairs := make([]pair, 0, len(ids)*partitions)
	for n, id := range ids {
		for p := range partitions {
			sum := sha256.Sum256([]byte(strconv.Itoa(p) + " " + NameOf(id)))
			pairs = append(pairs, pair{binary.BigEndian.Uint64(sum[:]), n, p})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.node-b.node, a.partition-b.partition)
	})
	return pairs
}

// assign is spread for ranked pairs, without one of the nodes; -1 for with all. At least one is left.
func assign(ids []string, partitions int, pairs []pair, without int) []string {
	nodes := len(ids)
	if without >= 0 {
		nodes--
	}
	share, more := partitions/nodes, partitions%nodes // that many have one more
	load, owner := make([]int, len(ids)), make([]string, partitions)
	for _, p := range pairs {
		switch full := load[p.node] > share || load[p.node] == share && more == 0; {
		case full || owner[p.partition] != "" || p.node == without:
			continue
		case load[p.node] == share:
			more--
		}
		owner[p.partition] = ids[p.node]
		load[p.node]++
	}
	return owner
}
