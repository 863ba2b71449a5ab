package audit

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A Copy is a robots.txt as a host served it from a moment on, until the next Copy for the same host. Of what came before the first
// of them nothing is known, and nothing is judged.
type Copy struct {
	Host   string       // as in the log, in lower case, without the default port; empty for every host
	From   time.Time    // zero: always
	Name   string       // for evidence
	File   *robots.File // nil when there was none: everything was allowed
	Closed bool         // it could not be had: nothing was allowed (RFC 9309 section 2.3.1.4)

	// Earliest is when it may have been there first, if nobody looked between then and From. The zero time is clockStep before
	// From, for the clocks of servers may differ.
	Earliest time.Time

	// Presumed says that From is only when the file was written: it may have been put in its place later. Answers for /robots.txt
	// in the log then show since when it may have been there.
	Presumed bool
	Size     int64 // how many bytes it has; 0 if that is not known
}

// Copies are those of each host, sorted by when they were served first.
type copies map[string][]Copy

// newCopies sorts copies.
func newCopies(list []Copy) copies {
	sorted := copies{}
	for _, c := range list {
		sorted[c.Host] = append(sorted[c.Host], c)
	}
	for _, ofHost := range sorted {
		slices.SortStableFunc(ofHost, func(x, y Copy) int { return x.From.Compare(y.From) })
	}
	return sorted
}

// of returns the copies of a host; those for every host if it has none of its own.
func (c copies) of(host string) []Copy {
	if own := c[host]; len(own) > 0 {
		return own
	}
	return c[""]
}

// A rulebook is what the copies for one host say to one robot.
type rulebook struct {
	names  names
	copies []Copy            // not to be written: other robots have the same
	read   map[int]*readCopy // by index; what the log has gone past is forgotten
	kept   int               // of read, after it was forgotten last
}

// A readCopy is what a robot may read in a copy.
type readCopy struct {
	strict *robots.Rules // as RFC 9309 reads it; nil until it is asked for
	ways   []reading     // and all readings; nil until they matter
	open   int           // bytes of the longest rule that may allow more with a query; 0 until asked for
}

// newRulebook returns the rules for a product in copies of a host.
func newRulebook(ofHost []Copy, token string, r *roster.Record) rulebook {
	b := rulebook{copies: ofHost, names: names{token: token, hearsAll: r.HearsAll()}, read: map[int]*readCopy{}}
	if r != nil {
		b.names.also, b.names.fallbacks = r.Tokens(), r.Fallbacks()
	}
	for t := strings.ToLower(token); strings.Contains(t, "-"); {
		t = t[:strings.LastIndexByte(t, '-')]
		b.names.fallbacks = append(b.names.fallbacks, t)
	}
	return b
}

// readingOf returns what has been read of the copy of an index. There are robots in their thousands, and copies in their thousands
// where a site writes one every hour: what nobody looks back at any more is forgotten now and then.
func (b *rulebook) readingOf(i int) *readCopy {
	c := b.read[i]
	if c == nil {
		if len(b.read) >= 2*b.kept+16 {
			now := b.copies[i].From.UnixNano()
			maps.DeleteFunc(b.read, func(j int, _ *readCopy) bool { return j < i && now-b.until(j) >= int64(grace) })
			b.kept = len(b.read)
		}
		c = &readCopy{}
		b.read[i] = c
	}
	return c
}

// at returns the index of the copy in force at t, in nanoseconds; -1 when none is known.
func (b *rulebook) at(t int64) int {
	return sort.Search(len(b.copies), func(i int) bool {
		return !b.copies[i].From.IsZero() && b.copies[i].From.UnixNano() > t
	}) - 1
}

// served returns the index of the copy that a robot got while the one of that index was in force, as far as is known; -1 for none.
// It may be the one before, for the clocks of servers may differ, and caches in between keep a file for a while; or the one after,
// which was there before it is known to have been. The size tells.
func (b *rulebook) served(inForce int, e *accesslog.Entry) int {
	switch {
	case string(e.Method) == "HEAD":
		return -1
	case inForce < 0 || e.Status != 200 || e.Bytes <= 0 || e.Bytes == b.copies[inForce].Size:
	case inForce+1 < len(b.copies) && e.Bytes == b.copies[inForce+1].Size:
		return inForce + 1
	case inForce > 0 && e.Time.Sub(b.copies[inForce].From) <= clockStep && e.Bytes == b.copies[inForce-1].Size:
		return inForce - 1
	}
	return inForce
}

// mayBeNewer reports whether the copy after that of an index may have been there at a moment.
func (b *rulebook) mayBeNewer(i int, at int64) bool {
	if i+1 >= len(b.copies) {
		return false
	}
	next := &b.copies[i+1]
	earliest := next.From.Add(-clockStep)
	if !next.Earliest.IsZero() && next.Earliest.Before(earliest) {
		earliest = next.Earliest
	}
	return at >= earliest.UnixNano()
}

// until returns when the copy of that index was replaced; not for the last one.
func (b *rulebook) until(i int) int64 { return b.copies[i+1].From.UnixNano() }

// rules returns what RFC 9309 reads in a copy.
func (b *rulebook) rules(i int) *robots.Rules {
	read := b.readingOf(i)
	if read.strict == nil {
		switch c := b.copies[i]; {
		case c.Closed:
			read.strict = robots.DenyAll(robots.ReasonUnreachable)
		case c.File == nil:
			read.strict = robots.AllowAll(robots.ReasonUnavailable)
		default:
			read.strict = c.File.Rules(b.names.token)
		}
	}
	return read.strict
}

// readings returns all ways to read a copy.
func (b *rulebook) readings(i int) []reading {
	read := b.readingOf(i)
	if read.ways == nil {
		read.ways = b.names.readings(b.copies[i])
	}
	return read.ways
}

// test returns what the copy of that index says of a path, and the name of a reading that allows what RFC 9309 forbids.
func (b *rulebook) test(i int, path string) (v robots.Verdict, reading string) {
	if v = b.rules(i).Test(path); v.Allowed {
		return v, ""
	}
	return v, excused(b.readings(i), path)
}

// mayAllow reports whether the copy of that index, which forbids a target as v says, may allow it with a query that the log does
// not have: by a rule at least as long (RFC 9309 section 2.2.2).
func (b *rulebook) mayAllow(i int, v robots.Verdict, e *accesslog.Entry) bool {
	if v.Allowed || !e.Cut {
		return false
	}
	read := b.readingOf(i)
	if read.open == 0 {
		read.open = -1
		for _, r := range b.rules(i).List() {
			if r.Allow && strings.ContainsAny(r.Pattern, "?*") {
				read.open = max(read.open, len(r.Pattern))
			}
		}
	}
	_, closed, _ := strings.Cut(v.Rule, ":")
	return read.open >= len(strings.TrimSpace(closed))
}

// allows reports whether a copy allows a path in any reading.
func (b *rulebook) allows(i int, path string) bool {
	v, reading := b.test(i, path)
	return v.Allowed || reading != ""
}

// judge says what the copy in force at a moment says of a path to somebody of whom it is not known what they fetched: what a copy
// of the last 24 hours allowed, or the next one if it may have been there, or a reading allows, is excused.
func (b *rulebook) judge(path string, at, began int64) (v robots.Verdict, copyName string, isExcused bool) {
	i := b.at(at)
	if i < 0 {
		return robots.Verdict{Allowed: true}, "", false
	}
	v, reading := b.test(i, path)
	isExcused = !v.Allowed && (reading != "" || b.mayBeNewer(i, at) && b.allows(i+1, path))
	for j := i - 1; !v.Allowed && !isExcused && j >= 0 && at-b.until(j) < int64(grace); j-- {
		isExcused = b.allows(j, path)
	}
	return v, b.copies[i].Name, isExcused || !v.Allowed && i == 0 && b.mayBeOlder(at, began)
}

// mayBeOlder reports whether somebody may use a copy that nothing is known of: one from before the first, which came after the log
// began.
func (b *rulebook) mayBeOlder(at, began int64) bool {
	first := b.copies[0].From
	return !first.IsZero() && first.UnixNano() > began && at-first.UnixNano() < int64(grace)
}

// delay returns the pause asked for at a moment, the shortest of all readings of the copies in force in the last 24 hours, or which
// may have been there.
func (b *rulebook) delay(at, began int64) (d time.Duration, line int) {
	i := b.at(at)
	if i < 0 {
		return 0, 0
	}
	d, line = b.delayOf(i)
	if i == 0 && b.mayBeOlder(at, began) {
		return 0, 0
	}
	if b.mayBeNewer(i, at) {
		if next, l := b.delayOf(i + 1); next < d {
			d, line = next, l
		}
	}
	for j := i - 1; d > 0 && j >= 0 && at-b.until(j) < int64(grace); j-- {
		if before, l := b.delayOf(j); before < d {
			d, line = before, l
		}
	}
	return d, line
}

// delayOf returns the pause that a copy asks for.
func (b *rulebook) delayOf(i int) (time.Duration, int) {
	if d, _ := b.rules(i).Delay(); d == 0 {
		return 0, 0
	}
	return owed(b.readings(i))
}
