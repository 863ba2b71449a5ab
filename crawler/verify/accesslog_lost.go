package verify

import (
	"context"
	"slices"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A lostTime is the time between the last record of a run that was killed and the next.
type lostTime struct {
	period
	most   int    // requests that may have been under way
	left   int    // of these, that no line has been taken for
	digest string // of the robots.txt in force
	origin string // of which that is; empty if the site has several
	reader reader // by which that was read
	done   bool   // a later run ended with nothing left to do: what had been under way was asked for again
}

// doneRun is why a run ended that left nothing to do.
const doneRun = "done"

// has reports whether a request that left then may have been under way.
func (l *lostTime) has(at int64) bool {
	return at >= l.from-int64(logSlack) && at <= l.to+int64(logSlack)
}

// A reader is who reads a robots.txt: another product, version or dialect may make something else of it.
type reader struct{ product, version, dialect string }

// readerOf returns that of a run, by the record of its start.
func readerOf(e *ledger.Entry) reader {
	r := reader{product: e.Product, version: e.Version}
	if e.Policy != nil {
		r.dialect = e.Policy.Dialect
	}
	return r
}

// A refused is a record that says that something was not asked for, because of a robots.txt.
type refused struct {
	seq    uint64
	digest string
	reader reader
	rule   string
}

// amidLoss reports whether a process may have been killed with a request that left then under way.
func (c *comparer) amidLoss(at int64) bool {
	return slices.ContainsFunc(c.losses, func(l lostTime) bool { return l.has(at) })
}

// findRefusals looks for what the record says of lines on no record that may have been under way when a process was killed.
func (c *comparer) findRefusals(ctx context.Context, j Job) error {
	c.refused = map[uint64][]refused{}
	for i := range c.logged {
		if l := &c.logged[i]; !l.found && c.amidLoss(l.start-c.by()) {
			c.refused[l.target] = nil
		}
	}
	if len(c.refused) == 0 {
		return nil
	}
	var by reader
	return j.walkAll(ctx, func(e *ledger.Entry) {
		if e.Type == ledger.Run && e.Event == ledger.EventStart {
			by = readerOf(e)
		}
		if e.Type != ledger.Refusal || e.Reason != disallowed || siteOf(e.URL) != c.site {
			return
		}
		_, path := splitURL(e.URL)
		if c.decoded {
			path = asDecoded(path)
		}
		if list, open := c.refused[c.target(path)]; open && len(list) < maxPairs {
			c.refused[c.target(path)] = append(list, refused{e.Seq, e.Digest, by, e.Rule})
		}
	})
}

// interrupted reports whether a request that left then may have been under way when a process was killed, and judges it: at most as
// many as were allowed at once, each time. What was under way was allowed, and is asked for again; a kill hides nothing else.
func (c *comparer) interrupted(t *tally, l *compared, at int64, what string) bool {
	i := slices.IndexFunc(c.losses, func(lost lostTime) bool { return lost.left > 0 && lost.has(at) })
	if i < 0 || l.posts { // a crawl only gets
		return false
	}
	lost, list := &c.losses[i], c.refused[l.target]
	lost.left--
	banned := slices.IndexFunc(list, func(r refused) bool { return r.digest == lost.digest && r.reader == lost.reader })
	switch {
	case banned >= 0:
		t.refute(&ledger.Entry{Record: ledger.Record{Seq: list[banned].seq}},
			"%s is of when a process was killed; the record says that it was not asked for under the robots.txt of that time: %s",
			what, list[banned].rule)
	case c.closed(lost, l) != "" && lost.reader.version != c.reader.version:
		t.lack(nil, "%s is of when a process was killed; the robots.txt of that time disallows it, unless the version of then "+
			"read it otherwise: %s", what, c.closed(lost, l))
	case c.closed(lost, l) != "":
		refute := t.refute
		if lost.most > 1 || c.isTold(l.target) { // it may have been let go under the one before, or be where a robots.txt led
			refute = t.lack
		}
		refute(nil, "%s is of when a process was killed; the robots.txt of that time disallows it: %s", what, c.closed(lost, l))
	case lost.done && len(list) == 0 && !c.isTold(l.target):
		t.lack(nil, "%s is of when a process was killed, says the record, and was not asked for again, as what is under way then "+
			"is", what)
	default:
		c.out.Interrupted++
		t.ok()
	}
	return true
}

// lateOfKill returns a lost time in which a request may have left that a line of some time later is of; nil if there is none. Like
// all that is under way at a kill, it was allowed, and was asked for again.
func (c *comparer) lateOfKill(l *compared, at int64) *lostTime {
	if l.posts || !c.isTold(l.target) {
		return nil
	}
	i := slices.IndexFunc(c.losses, func(lost lostTime) bool {
		return lost.left > 0 && at > lost.to && at <= lost.to+int64(logLate) && c.closed(&lost, l) == ""
	})
	if i < 0 {
		return nil
	}
	return &c.losses[i]
}

// closed returns the rule by which the robots.txt in force when a process was killed disallows what a line asks for, as it was read
// then, but by this version; "" when it does not, or nobody can tell.
func (c *comparer) closed(lost *lostTime, l *compared) (rule string) {
	path, known := c.targets[l.target]
	if lost.digest == "" || lost.origin == "" || !known || c.decoded || l.rewritten {
		return ""
	}
	by := lost.reader
	rules := c.rules.of(ruleKey{digest: lost.digest, origin: lost.origin, product: by.product, dialect: by.dialect})
	if rules.lack != "" {
		return ""
	}
	if v := rules.Test(path); !v.Allowed {
		return v.Rule
	}
	return ""
}

// isTold reports whether something is on record as asked for, whenever that was.
func (c *comparer) isTold(target uint64) bool {
	if c.asked == nil {
		c.asked = make(map[uint64]bool, len(c.told))
		for i := range c.told {
			c.asked[c.told[i].target] = true
		}
	}
	return c.asked[target]
}
