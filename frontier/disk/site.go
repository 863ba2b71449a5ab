package disk

import (
	"container/list"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A site is what memory holds of a site: its records, the gate that requests pass, and who has leased it. All fields but
// id and name are guarded by Frontier.mu.
type site struct {
	id     siteID
	name   string
	rec    siteRecord // as of the last batch
	stored bool       // there is a record
	policy frontier.SitePolicy
	full   bool // policy has been read

	lease    *lease
	rested   time.Time // not leased before
	inFlight int
	own      bool          // a request of this process has ended
	dirty    bool          // lastEnd and gap are not in a batch yet
	lastEnd  int64         // when the last request ended; 0 if none is known
	gap      time.Duration // owed since
	gapEnd   time.Time     // by the clock of this process, if own
	changed  chan struct{}

	kept *list.Element // in siteCache.ahead; nil if nothing is read ahead, or it is a lease's
	pins int           // why it must stay in memory
	idle *list.Element // in siteCache.idle while pins is 0
}

// waitLocked returns a channel that is closed when the gate should be tried again.
func (s *site) waitLocked() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// wakeLocked lets those who wait at the gate try again.
func (s *site) wakeLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// exactLocked reports whether what is in memory of s suffices to know when it is due.
func (f *Frontier) exactLocked(s *site) bool { return s.full || s.own || s.lastEnd == 0 && !f.anew() }

// anew reports whether gaps begin anew with this process.
func (f *Frontier) anew() bool { return f.unclean || f.tookOver && f.opts.Drift > 0 }

// passableLocked returns when the gate lets the next request pass, or, unless what is known of s is exact, a time before that.
//
// As long as no request of this process has ended, the gap is the longer of the one that was recorded and the delay of the
// policy. If the last process died, the time of the last request is not known: then it begins anew with this process. With
// Options.Drift it does in any case, and is that much longer.
func (f *Frontier) passableLocked(s *site) int64 {
	if s.own {
		return max(f.core.clock.at(s.gapEnd), s.rec.blocked)
	}
	var t int64
	if s.lastEnd != 0 {
		t = later(s.lastEnd, f.owedLocked(s))
	}
	if f.anew() && s.full {
		from := f.opened
		if f.tookOver {
			from = from.Add(f.opts.Drift)
		}
		t = max(t, f.core.clock.at(from.Add(f.owedLocked(s))))
	}
	return max(t, s.rec.blocked)
}

// owedLocked returns the gap owed since lastEnd.
func (f *Frontier) owedLocked(s *site) time.Duration {
	if s.own || !s.full {
		return s.gap
	}
	return max(s.gap, f.delayLocked(s))
}

func (f *Frontier) delayLocked(s *site) time.Duration {
	if s.policy.Delay > 0 {
		return s.policy.Delay
	}
	return f.opts.DefaultDelay
}

// dueLocked returns when s may be leased; ok is false if there is nothing to fetch.
func (f *Frontier) dueLocked(s *site) (due int64, ok bool) {
	due, ok = f.owedUntilLocked(s)
	return max(due, f.core.clock.at(s.rested)), ok
}

// owedUntilLocked returns when the next request to s may leave; ok is false if there is nothing to fetch.
func (f *Frontier) owedUntilLocked(s *site) (due int64, ok bool) {
	if s.rec.waiting() == 0 {
		return 0, false
	}
	due = s.rec.retry
	if s.rec.queued > 0 {
		due = min(s.rec.since, f.core.clock.now())
	}
	return max(due, f.passableLocked(s)), true
}

func (f *Frontier) infoLocked(s *site) frontier.SiteInfo {
	r := &s.rec
	i := frontier.SiteInfo{
		Site: s.name, Policy: s.policy, LastEnd: f.core.clock.wall(s.lastEnd), Leased: s.lease != nil,
		Queued: r.queued, Retrying: r.retrying, Done: r.done, Refused: r.refused, Failed: r.failed,
		Pages: r.pages, Bytes: r.bytes,
	}
	if !i.Policy.BlockedUntil.IsZero() {
		i.Policy.BlockedUntil = f.core.clock.wall(r.blocked)
	}
	if due, ok := f.owedUntilLocked(s); ok {
		i.Due = f.core.clock.wall(due)
	}
	return i
}

// newSite makes what memory holds of a site.
func (f *Frontier) newSite(id siteID, name string, rec siteRecord, stored bool) *site {
	s := f.siteOf(id, name, rec, stored)
	return &s
}

// siteOf is newSite for who looks once.
func (f *Frontier) siteOf(id siteID, name string, rec siteRecord, stored bool) site {
	now := time.Now()
	s := site{id: id, name: name, rec: rec, stored: stored, lastEnd: rec.lastEnd, gap: time.Duration(rec.gap)}
	present := f.core.clock.at(now)
	if s.lastEnd > present { // the wall clock was set back between two processes: the gap begins now
		s.lastEnd = present
	}
	if !f.unclean && rec.lastEnd > f.core.clock.at(f.opened) { // it was in memory before
		s.own, s.gapEnd = true, now.Add(time.Duration(later(s.lastEnd, s.gap)-present))
	}
	return s
}

// pinFull brings a site into memory with its policy, until unpin. A site without record must be given its name.
func (f *Frontier) pinFull(id siteID, name string) (*site, error) {
	for {
		f.mu.Lock()
		s, evicted := f.sites.pin(id), f.sites.evicted
		full := s != nil && s.full
		f.mu.Unlock()
		if full {
			return s, nil
		}
		rec, stored, pol, err := f.readSite(id, name)
		f.mu.Lock()
		if err == nil && s == nil {
			s = f.sites.pin(id)
		}
		switch {
		case err != nil:
			if s != nil {
				f.sites.unpin(s)
			}
		case s == nil && f.sites.evicted != evicted: // who knows what the record is now
			f.mu.Unlock()
			continue
		case s == nil:
			s = f.newSite(id, pol.name, rec, stored)
			f.sites.put(s)
			f.sites.evict()
		}
		if err == nil && !s.full {
			s.name, s.policy, s.full = pol.name, pol.SitePolicy, true
		}
		f.mu.Unlock()
		return s, err
	}
}

// unpin lets a site go that pinFull brought.
func (f *Frontier) unpin(s *site) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sites.unpin(s)
}

// readSite reads the records of a site.
func (f *Frontier) readSite(id siteID, name string) (rec siteRecord, stored bool, pol policyRecord, err error) {
	r, err := f.core.reader()
	if err != nil {
		return rec, false, pol, err
	}
	defer r.Close()
	if rec, stored, err = r.site(id); err != nil {
		return rec, false, pol, err
	}
	pol, found, err := r.policy(id)
	if err != nil {
		return rec, false, pol, err
	}
	if found != stored || !found && name == "" {
		return rec, false, pol, fmt.Errorf("site %016x: %w", uint64(id), errRecord)
	}
	if !found {
		pol.name = name
	}
	return rec, stored, pol, nil
}
