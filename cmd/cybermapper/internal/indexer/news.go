package indexer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A recordMark is how far the ledger was read.
type recordMark struct {
	Seq uint64
	Sum string
}

func parseRecordMark(s string) (m recordMark) {
	seq, sum, _ := strings.Cut(s, " ")
	m.Seq, _ = strconv.ParseUint(seq, 10, 64)
	m.Sum = sum
	return m
}

func (m recordMark) String() string { return fmt.Sprint(m.Seq, " ", m.Sum) }

// eachRecord calls f for the lines of the ledger of the job in dir since a mark, and returns the mark of the last one. The error is
// errOther if the ledger is not the one that was read then.
func eachRecord(dir string, from recordMark, f func(line []byte) error) (recordMark, error) {
	after := from.Seq
	if from.Seq > 0 {
		after--
	}
	m, first := recordMark{Seq: after}, from.Seq > 0
	var last []byte
	for line, err := range ledger.Lines(filepath.Join(dir, job.LedgerDir), after) {
		if err != nil {
			return from, fmt.Errorf("read ledger: %w", err)
		}
		m.Seq++
		if first {
			if first = false; ledger.Sum(line) != from.Sum {
				return from, errOther
			}
		} else if err := f(line); err != nil {
			return from, err
		}
		last = append(last[:0], line...)
	}
	if first {
		return from, errOther // it is shorter than it was
	}
	if m.Seq > 0 {
		m.Sum = ledger.Sum(last)
	}
	return m, nil
}

// readRobots takes in what robots.txt said since the last time, and judges the pages again of origins where that is something else.
func (d *Indexer) readRobots(ctx context.Context, r *Report) error {
	var changed []string
	news := map[string]originState{}
	from := parseRecordMark(d.marks[ledgerMark])
	to, err := eachRecord(d.dir, from, func(line []byte) error {
		if s, origin, ok := robotsOf(line); ok {
			news[origin] = s
		}
		return nil
	})
	if err != nil || to == from {
		return err
	}
	marks := map[string]string{ledgerMark: to.String()}
	for origin, s := range news {
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		marks[originMark+origin] = string(text)
		if was, known := d.judge.origins[origin]; known && (was.Outcome != s.Outcome || was.Digest != s.Digest ||
			was.Address != s.Address) {
			changed = append(changed, origin)
		}
		d.judge.origins[origin] = s
		delete(d.judge.rules, origin)
	}
	// What changed is noted when its pages have been judged again, so that a process that dies in between does it again.
	for _, origin := range changed {
		if err := d.recheck(ctx, r, origin); err != nil {
			return err
		}
	}
	return d.apply(ctx, index.Change{}, marks)
}

// readRefusals takes in which pages asked not to be indexed, or were gone, when they were visited, and which have come back.
func (d *Indexer) readRefusals(ctx context.Context, r *Report) error {
	from := parseRecordMark(d.marks[goneMark])
	counts, err := d.x.Counts(ctx)
	if err != nil {
		return err
	}
	h := heard{latest: map[string]index.Refusal{}, away: counts.Refused[index.Moved]+counts.Refused[index.Gone] > 0}
	to, err := eachRecord(d.dir, from, func(line []byte) error {
		if h.add(line); len(h.latest) < batchPages {
			return nil
		}
		defer clear(h.latest)
		return d.takeRefusals(ctx, r, h.latest, nil)
	})
	if err != nil || to == from {
		return err
	}
	return d.takeRefusals(ctx, r, h.latest, map[string]string{goneMark: to.String()})
}

// heard is what visits heard last of pages.
type heard struct {
	latest map[string]index.Refusal // without a reason it has come back
	away   bool                     // pages are, or were
}

// add takes in a line of the ledger.
func (h *heard) add(line []byte) {
	f, ok := refusalOf(line, h.away)
	if was, met := h.latest[f.URL]; !ok || met && f.Rule == unchanged && !isAway(was.Reason) {
		return
	}
	h.away = h.away || isAway(f.Reason)
	h.latest[f.URL] = f
}

// takeRefusals changes the index by what visits heard last of pages; one without a reason has come back.
func (d *Indexer) takeRefusals(ctx context.Context, r *Report, latest map[string]index.Refusal, marks map[string]string) error {
	var c index.Change
	var back []pages.Line
	urls := slices.Sorted(maps.Keys(latest))
	known, err := d.x.Find(ctx, urls)
	if err != nil {
		return err
	}
	for _, url := range urls {
		f, is := latest[url], index.Found{Entry: index.Entry{Source: -1}}
		if was, ok := known[url]; ok {
			is = was
		}
		f.Source = is.Source
		stored := pages.Line{Fetched: is.Fetched}
		if is.Refusal != "" && is.Source >= 0 {
			if stored, err = d.lineAt(is.Entry); err != nil {
				return err
			}
		}
		switch {
		case stored.Fetched.After(f.Time), f.Source < 0 && f.Reason != index.NoIndex:
			// what is stored is later, or it never was there
		case f.Reason != "":
			c.Refusals = append(c.Refusals, f)
		case isAway(is.Refusal) || f.Rule != unchanged && is.Refusal == index.NoIndex:
			back = append(back, stored)
		}
	}
	if err := d.bringBack(ctx, r, &c, back); err != nil {
		return err
	}
	r.count(c)
	return d.apply(ctx, c, marks)
}

// bringBack adds to a change the pages that may be in the index again.
func (d *Indexer) bringBack(ctx context.Context, r *Report, c *index.Change, back []pages.Line) error {
	returned, err := d.change(ctx, back)
	if err != nil {
		return err
	}
	c.Documents = returned.Documents
	c.Refusals = append(c.Refusals, returned.Refusals...)
	r.Returned += len(c.Documents)
	return nil
}

// isAway reports whether a page was not where it had been. One that is unchanged since is there again: of a page that was away no
// validators are kept, so that a visit has found it whole, of which a kill may have left no outcome.
func isAway(r index.Reason) bool { return r == index.Moved || r == index.Gone }

// unchanged is the rule of what has come back as it was before it was away. Whether it may be in the index that does not say.
const unchanged = string(crawler.ReasonUnchanged)

// mayTell reports whether a record can be of use to refusalOf, before it is decoded: most are not.
func mayTell(line []byte, away bool) bool {
	has := func(text string) bool { return bytes.Contains(line, []byte(text)) }
	isGone := has(`"status":404`) || has(`"status":410`)
	switch {
	case has(`"type":"outcome"`):
		return isGone || has(`"reason":"moved"`) || away && has(`"reason":"unchanged"`) ||
			has(`"reason":"changed"`) && !has(`"listing_digest":`)
	case has(`"type":"request"`):
		return isGone && has(`"purpose":"page"`)
	}
	return has(`"reason":"noindex"`)
}

// refusalOf reads from a record that a page must not be in the index or, without a reason, that a visit found it as it is stored
// after one that did not; ok is false if it says neither. That it is gone its request says, too: a kill may leave no outcome. Where
// pages are away, one that is unchanged has come back.
func refusalOf(line []byte, away bool) (f index.Refusal, ok bool) {
	if !mayTell(line, away) {
		return f, false
	}
	r, err := ledger.Decode(line)
	if err != nil {
		return f, false
	}
	f = index.Refusal{URL: r.URL, Time: r.Time}
	switch {
	case r.Type == ledger.Refusal && r.Reason == string(crawler.ReasonNoindex):
		f.Reason, f.Rule = index.NoIndex, r.Rule
	case r.Type != ledger.Refusal && (r.Status == http.StatusNotFound || r.Status == http.StatusGone):
		f.Reason, f.Rule = index.Gone, fmt.Sprint(r.Status, " ", http.StatusText(r.Status))
	case r.Type == ledger.Outcome && r.Reason == string(crawler.ReasonMoved) && isMoved(r.Status):
		f.Reason, f.Rule = index.Moved, fmt.Sprint(r.Status, " to ", r.Location)
	case r.Type == ledger.Outcome && away && r.Reason == unchanged:
		f.Rule = unchanged
	case r.Type == ledger.Outcome && r.Reason == string(crawler.ReasonChanged) && r.File != "" && r.Listing == "":
	default:
		return f, false
	}
	return f, true
}

// recheck judges again what the index knows of an origin, or of all.
func (d *Indexer) recheck(ctx context.Context, r *Report, origin string) error {
	after := ""
	for {
		list, err := d.x.Entries(ctx, origin, after, batchPages)
		if err != nil || len(list) == 0 {
			return err
		}
		after = list[len(list)-1].URL
		if err := d.rejudge(ctx, r, list); err != nil {
			return err
		}
	}
}

// rejudge judges entries again, and changes what is judged otherwise.
func (d *Indexer) rejudge(ctx context.Context, r *Report, list []index.Entry) error {
	var c index.Change
	var back []pages.Line
	for _, e := range list {
		if e.Source < 0 || e.Refusal == index.Gone || e.Refusal == index.Moved || e.Refusal == index.NoIndex {
			continue // no page of it is stored, or another visit must tell
		}
		l, err := d.lineAt(e)
		if err != nil {
			return err
		}
		f, refused := d.judge.Refuse(&l, time.Now())
		switch {
		case refused && f.Reason != e.Refusal:
			c.Refusals = append(c.Refusals, f)
		case !refused && e.Refusal != "":
			back = append(back, l)
		}
	}
	if err := d.bringBack(ctx, r, &c, back); err != nil {
		return err
	}
	if len(c.Documents)+len(c.Refusals) == 0 {
		return nil
	}
	r.count(c)
	return d.apply(ctx, c, nil)
}

// lineAt reads the line that an entry was made from.
func (d *Indexer) lineAt(e index.Entry) (pages.Line, error) {
	l, err := pages.LineAt(filepath.Join(d.dir, job.PagesDir), e.Source)
	if err == nil && l.FinalURL == e.URL {
		return l, nil
	}
	return pages.Line{}, errOther
}

// expire takes out what must not be found any longer.
func (d *Indexer) expire(ctx context.Context, r *Report) error {
	for {
		urls, err := d.x.Outdated(ctx, time.Now(), batchPages)
		if err != nil || len(urls) == 0 {
			return err
		}
		var c index.Change
		for _, u := range urls {
			s, err := d.x.Why(ctx, u)
			if err != nil {
				return err
			}
			f := index.Refusal{URL: u, Reason: index.Expired, Time: time.Now()}
			if s.Page != nil {
				f.Source, f.Rule = s.Page.Source, "until "+s.Page.Expires.Format(time.RFC3339)
			}
			c.Refusals = append(c.Refusals, f)
		}
		r.count(c)
		if err := d.apply(ctx, c, nil); err != nil {
			return err
		}
	}
}

// peekRobots learns what robots.txt said since the last time, without noting anything.
func (d *Indexer) peekRobots() error {
	_, err := eachRecord(d.dir, parseRecordMark(d.marks[ledgerMark]), func(line []byte) error {
		if s, origin, ok := robotsOf(line); ok {
			d.judge.origins[origin] = s
		}
		return nil
	})
	if errors.Is(err, errOther) {
		return nil // the next Sync makes the index anew
	}
	return err
}

// robotsOf reads from a record what robots.txt says; ok is false if it does not.
func robotsOf(line []byte) (s originState, origin string, ok bool) {
	if !bytes.Contains(line, []byte(`"type":"request"`)) || !bytes.Contains(line, []byte(`"purpose":"robots"`)) {
		return s, "", false
	}
	r, err := ledger.Decode(line)
	outcome := robots.Outcome(r.Outcome)
	if err != nil || r.Purpose != string(crawler.ForRobots) || outcome != robots.Found && outcome != robots.Unavailable {
		return s, "", false // if it is none, check tells of it
	}
	return originState{outcome, r.Digest, r.Address, r.End}, r.Origin, true
}
