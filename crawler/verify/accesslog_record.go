package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// An onRecord is what the ledger tells.
type onRecord struct {
	told       []compared
	toldOf     map[uint64][]int     // places of requests, by target
	asked      map[uint64]bool      // targets; nil until they are needed
	refused    map[uint64][]refused // by target, of lines that may have been under way when a process was killed
	names      []string             // that we have called ourselves
	runs       []period             // these times are covered
	losses     []lostTime
	cuts       []cutTime
	connection int   // requests that may be under way at once
	made       int64 // when it was looked at
	shared     bool  // other nodes may have asked the site
	near       *neighbourhood
	others     int64 // requests to other sites that are on record here
	neighbours int64 // requests to other sites of the server that are on a record that is not here; negative when nobody says
}

type period struct{ from, to int64 }

// A cutTime is the time of which a repair says that records may be lost: from the last one before it until it.
type cutTime struct {
	period
	seq uint64 // of the record that says so
}

// readLedger collects what is on record.
func (c *comparer) readLedger(ctx context.Context, j Job) error {
	told := teller{comparer: c}
	report, err := j.walk(func(e *ledger.Entry) bool {
		told.add(e)
		c.full = len(c.told) > maxCompared
		return !c.full && ctx.Err() == nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("read the ledger: %w", err)
	case ctx.Err() != nil:
		return ctx.Err()
	case report.Records == 0:
		return ErrNoLedger
	}
	c.made = time.Now().UnixNano()
	switch {
	case j.Bundle != nil:
		c.made = max(j.Bundle.Info.Made.UnixNano(), told.last) // it cannot have been made before what it has
		c.neighbours = j.Bundle.Info.neighbours()
	case c.running:
		c.made = told.last
	}
	if told.open {
		told.end()
	}
	return nil
}

// A teller tells a comparer what a ledger says, record by record.
type teller struct {
	*comparer
	last    int64         // when the last record was made
	open    bool          // a run has begun and not ended
	boot    string        // of the machine the run is on
	by      reader        // the build that runs
	gap     time.Duration // between two requests of the site
	inForce string        // the digest of the robots.txt
}

func (t *teller) add(e *ledger.Entry) {
	at := e.Time.UnixNano()
	switch {
	case e.Type == ledger.Run:
		t.run(e, at)
	case e.Type == ledger.Request && siteOf(e.URL) == t.site:
		t.request(e)
	case e.Type == ledger.Request:
		t.others++
	}
	if n := len(t.runs); n > 0 && (t.open || e.Event == ledger.EventStop) {
		t.runs[n-1].to = max(t.runs[n-1].to, at)
	}
	t.last = at
}

func (t *teller) run(e *ledger.Entry, at int64) {
	switch {
	case e.Event == ledger.EventStart:
		if t.open { // the run before was killed
			left := t.connection
			if t.boot != e.Boot { // the machine went down, perhaps with the records of the last second
				left *= 1 + int(logLost/max(t.gap, time.Millisecond))
			}
			t.lost(period{t.last, at}, left)
			t.runs[len(t.runs)-1].to = at
		}
		t.open, t.connection, t.boot, t.by = true, 1, e.Boot, readerOf(e)
		if t.gap == 0 && e.Policy != nil {
			t.gap = time.Duration(e.Policy.Delay)
		}
		t.runs = append(t.runs, period{at, at})
		for _, name := range []string{e.Product, productOf(e.UserAgent)} {
			if name = strings.ToLower(name); name != "" && !slices.Contains(t.names, name) {
				t.names = append(t.names, name)
			}
		}
	case e.Event == ledger.EventOverride && e.Site == t.site:
		t.connection = max(e.Connections, 1)
	case e.Event == ledger.EventRepair:
		t.cuts = append(t.cuts, cutTime{period{t.last, at}, e.Seq})
	case e.Event == ledger.EventStop:
		t.open = false
		for i := range t.losses {
			t.losses[i].done = t.losses[i].done || e.Why == doneRun
		}
	}
}

func (t *teller) request(e *ledger.Entry) {
	_, path := splitURL(e.URL)
	t.near.add(&e.Record)
	if e.Purpose != forRobots {
		t.inForce = e.RobotsDigest
	} else if e.Digest != "" {
		t.inForce = e.Digest
	}
	t.gap, t.shared = time.Duration(e.Gap), t.shared || e.Tenure != ""
	t.told = append(t.told, compared{
		target: t.target(path), decoded: t.target(asDecoded(path)),
		start: e.Start.UnixNano(), end: e.End.UnixNano(), status: int16(e.Status), seq: e.Seq,
	})
}

// lost notes a time after which up to left requests may be missing from the ledger.
func (t *teller) lost(p period, left int) {
	t.losses = append(t.losses, lostTime{period: p, left: left, digest: t.inForce, reader: t.by})
}

// end is called for a ledger whose last run did not end.
func (t *teller) end() {
	run := &t.runs[len(t.runs)-1]
	if !t.running {
		run.to = t.last + int64(time.Minute)
		t.lost(period{t.last, run.to}, t.connection)
		return
	}
	from := run.from // what is under way now left after what was told of last
	for i := range t.told {
		from = max(from, t.told[i].end)
	}
	t.lost(period{from, t.last}, t.connection)
}

// productOf returns the first product of a User-Agent.
func productOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}
