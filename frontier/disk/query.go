package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cybermapper/cybermapper/frontier"
)

// Lookup implements frontier.Frontier. A URL never added is Unknown, and no error.
func (f *Frontier) Lookup(ctx context.Context, u frontier.URL) (frontier.Info, error) {
	if err := f.begin(ctx); err != nil {
		return frontier.Info{}, err
	}
	defer f.using.Done()
	unknown := frontier.Info{Entry: frontier.Entry{Link: frontier.Link{URL: u}}}
	if u.IsZero() {
		return unknown, nil
	}
	r, err := f.core.reader()
	if err != nil {
		return frontier.Info{}, err
	}
	defer r.Close()
	key := f.core.seenKey(u)
	rec, err := r.seen(key)
	if err != nil || rec.status == frontier.Unknown {
		return unknown, err
	}
	info := frontier.Info{
		Status: rec.status, Entry: unknown.Entry, Depth: int(rec.depth),
		Reason: rec.reason, Code: rec.code, NotBefore: f.core.clock.wall(rec.due), Settled: f.core.clock.wall(rec.settled),
	}
	if info.Return, err = r.remembered(key, u.Site()); err != nil {
		return frontier.Info{}, fmt.Errorf("look up %s: %w", u, err)
	}
	if !rec.queued() {
		return info, nil
	}
	info.Leased = f.isTaken(key.site, rec.seq)
	if info.Entry, err = r.entry(key.site, u, &rec); err != nil {
		return frontier.Info{}, fmt.Errorf("look up %s: %w", u, err)
	}
	return info, nil
}

// isTaken reports whether an entry is handed out.
func (f *Frontier) isTaken(id siteID, seq uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sites.sites[id]
	return s != nil && s.lease != nil && s.lease.taken[seq] != nil
}

// entry returns the entry of a URL that waits.
func (r *reader) entry(id siteID, u frontier.URL, rec *seenRecord) (e frontier.Entry, err error) {
	missing := fmt.Errorf("its entry is missing: %w", errRecord)
	if rec.status == frontier.Retrying {
		r.key = appendRetryKey(r.key[:0], id, retryPlace{rec.due, rec.position})
		if !r.SeekGE(r.key) || string(r.Key()) != string(r.key) {
			return e, cmp.Or(r.Error(), missing)
		}
		value, err := r.ValueAndErr()
		if err != nil {
			return e, err
		}
		e, err = decodeEntry(value, u.Site())
		e.ID = rec.seq
		return e, err
	}
	r.key = appendQueueKey(r.key[:0], id, rec.position)
	if !r.SeekPrefixGE(r.key) {
		return e, cmp.Or(r.Error(), missing)
	}
	_, key, ok := parseQueueKey(r.Key())
	if !ok {
		return e, missing
	}
	value, err := r.ValueAndErr()
	if err != nil {
		return e, err
	}
	entries, err := decodeQueue(value, u.Site(), key, rec.position)
	if err != nil || len(entries) == 0 || entries[0].entry.URL != u {
		return e, errors.Join(missing, err)
	}
	return entries[0].entry, nil
}

// Site implements frontier.Frontier.
func (f *Frontier) Site(ctx context.Context, site string) (info frontier.SiteInfo, known bool, err error) {
	if err := f.begin(ctx); err != nil {
		return info, false, err
	}
	defer f.using.Done()
	r, err := f.core.reader()
	if err != nil {
		return info, false, err
	}
	defer r.Close()
	id := f.core.siteID(site)
	rec, known, err := r.site(id)
	if err != nil || !known || rec.known() == 0 {
		return info, false, err
	}
	pol, _, err := r.policy(id)
	if err != nil {
		return info, false, err
	}
	return f.describe(id, rec, pol), true, nil
}

// sitesAtOnce is how many sites are read before any is shown: what is shown takes its time.
const sitesAtOnce = 256

// Sites implements frontier.Frontier. The frontier may be used, and closed, within the loop.
func (f *Frontier) Sites(ctx context.Context) iter.Seq2[frontier.SiteInfo, error] {
	return inBatches(ctx, 0, f.someSites)
}

// inBatches iterates over what read returns, some at a time, so that nothing is open while it is shown. read appends to some what
// begins at from, and says where to go on.
func inBatches[T, K any](ctx context.Context, from K,
	read func(ctx context.Context, some []T, from K) (_ []T, next K, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var some []T
		for next, more := from, true; more; {
			var err error
			if some, next, more, err = read(ctx, some[:0], next); err != nil {
				yield(none, err)
				return
			}
			for i := range some {
				if err := ctx.Err(); err != nil {
					yield(none, err)
					return
				}
				if !yield(some[i], nil) {
					return
				}
			}
		}
	}
}

// someSites appends sites beginning with id from, and says where to go on.
func (f *Frontier) someSites(ctx context.Context, infos []frontier.SiteInfo, from siteID) (_ []frontier.SiteInfo, next siteID,
	more bool, err error) {
	if err := f.begin(ctx); err != nil {
		return nil, 0, false, err
	}
	defer f.using.Done()
	r, err := f.core.reader()
	if err != nil {
		return nil, 0, false, err
	}
	defer r.Close()
	policies, err := f.core.reader()
	if err != nil {
		return nil, 0, false, err
	}
	defer policies.Close()
	r.SetBounds([]byte{kindSite}, []byte{kindSite + 1})
	for ok := r.SeekGE(appendSite(nil, kindSite, from)); ok; ok = r.Next() {
		id, _ := siteOf(r.Key())
		if len(infos) == sitesAtOnce {
			return infos, id, true, nil
		}
		value, err := r.ValueAndErr()
		if err != nil {
			return nil, 0, false, err
		}
		rec, err := decodeSite(value)
		if err != nil {
			return nil, 0, false, err
		}
		if rec.known() == 0 {
			continue // the aim of a redirect
		}
		pol, _, err := policies.policy(id)
		if err != nil {
			return nil, 0, false, err
		}
		infos = append(infos, f.describe(id, rec, pol))
	}
	return infos, 0, false, r.Error()
}

// describe returns what is known of a site that was read from disk, and may be in memory too.
func (f *Frontier) describe(id siteID, rec siteRecord, pol policyRecord) frontier.SiteInfo {
	f.mu.Lock()
	defer f.mu.Unlock()
	var s site
	if held := f.sites.sites[id]; held != nil {
		s = *held
	} else {
		s = f.siteOf(id, pol.name, rec, true)
	}
	if !s.full {
		s.name, s.policy, s.full = pol.name, pol.SitePolicy, true
	}
	info := f.infoLocked(&s)
	info.Policy.State = slices.Clone(info.Policy.State)
	return info
}

// Stats implements frontier.Frontier. If more sites are due than Options.ActiveSites, not all of these are known to be: some
// are counted as waiting.
func (f *Frontier) Stats(ctx context.Context) (frontier.Stats, error) {
	if err := f.begin(ctx); err != nil {
		return frontier.Stats{}, err
	}
	defer f.using.Done()
	due, err := f.countDue()
	if err != nil {
		return frontier.Stats{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &f.totals
	working := int64(0) // leased sites with something queued
	for l := range f.leases {
		if l.site.rec.waiting() > 0 {
			working++
		}
	}
	return frontier.Stats{
		Known: t.known, Queued: t.queued, Retrying: t.retrying, Done: t.done, Refused: t.refused, Failed: t.failed,
		Pages: t.pages, Bytes: t.bytes, Sites: t.sites,
		Waiting: max(t.active-working-due, 0), Leased: int64(len(f.leases)),
	}, nil
}

// countDue returns how many sites that are not leased could be, as far as the schedule in memory goes.
func (f *Frontier) countDue() (n int64, err error) {
	for f.startReading() {
		if err := f.readSchedule(); err != nil {
			return 0, err
		}
	}
	for _, id := range f.vague() {
		s, err := f.pinFull(id, "")
		if err != nil {
			return 0, err
		}
		f.mu.Lock()
		f.scheduleLocked(s)
		f.sites.unpin(s)
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.core.clock.now()
	for a := range f.schedule.all {
		if a.due <= now {
			n++
		}
	}
	return n, nil
}

// startReading lets the caller read more of the schedule if there may be sites that are due.
func (f *Frontier) startReading() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &f.schedule
	if s.whole || s.reading || !s.room() || s.horizon.key > f.core.clock.now() {
		return false
	}
	s.reading = true
	f.opening++
	return true
}

// vague returns the sites in memory that seem to be due, but may not be.
func (f *Frontier) vague() (ids []siteID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.core.clock.now()
	for a := range f.schedule.all {
		if a.due <= now && !a.exact {
			ids = append(ids, a.id)
		}
	}
	return ids
}
