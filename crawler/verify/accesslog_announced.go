package verify

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Announced is the promise that a log judges where requests in it say what the ledger was when they left.
const Announced Name = "announced"

// maxAnnounced is how many lines that say so are looked at.
const maxAnnounced = 100_000

// announcedIn returns the head of the ledger that a User-Agent names, as requests for robots.txt do if the operator wants so.
func announcedIn(agent string) (head checkpoint.Head, ok bool) {
	_, said, ok := strings.Cut(agent, "; log ")
	if !ok {
		return head, false
	}
	said, _, _ = strings.Cut(said, ")")
	head, err := checkpoint.ParseHead(said)
	return head, err == nil && head.Sum == ""
}

// judgeAnnounced holds the ledger against what requests in the log say of it. Lines that are of no request on record say nothing of
// this ledger: another one may be theirs.
func (c *comparer) judgeAnnounced(j Job) error {
	said := map[checkpoint.Head]*compared{}
	h := history{}
	for i := range c.logged {
		l := &c.logged[i]
		head, ok := c.announced[l.at]
		if _, known := said[head]; ok && l.found && !known {
			said[head], h.heads = l, append(h.heads, head)
		}
	}
	if len(said) == 0 {
		return nil
	}
	t := &tally{most: c.most}
	roots, size, err := h.rootsIn(j)
	_, bad := errors.AsType[*ledger.CorruptError](err)
	switch {
	case err != nil && (bad || j.Bundle != nil):
		t.lack(nil, "the ledger cannot be followed to its end: %v", err)
	case err != nil:
		return fmt.Errorf("read the ledger: %w", err)
	default:
		for _, head := range h.heads {
			now, known := roots[head.Size]
			c.judgeHead(t, said[head], head, known && isRoot(head, now.Root), known, size)
		}
	}
	p := announcedText()
	p.conclude(t)
	c.out.Promises = append(c.out.Promises, p)
	return nil
}

// rootsIn returns the roots of a ledger, as it is now, at the sizes of which somebody noted the head, and how many records it has.
func (h *history) rootsIn(j Job) (roots map[int64]checkpoint.Checkpoint, size int64, err error) {
	t := h.newTrail()
	if j.Bundle != nil {
		roots, err = j.Bundle.roots(t.sizes)
		return roots, j.Bundle.Info.Records, err
	}
	err = t.read(j.Ledger)
	return t.roots, t.tree.Size(), err
}

// judgeHead judges what a line says of the ledger, of which the root at that size is known or not.
func (c *comparer) judgeHead(t *tally, l *compared, head checkpoint.Head, same, known bool, size int64) {
	what := fmt.Sprintf("%s: the request at %s says that the ledger was %d@%s", c.where(l), stamp(time.Unix(0, l.start)), head.Size,
		head.Root)
	switch lost := len(c.cuts) > 0 && int64(c.cuts[0].seq) <= head.Size; {
	case same:
		t.ok()
	case c.shared:
		t.lack(nil, "%s; it was not, but another node may have made that request", what)
	case lost:
		t.lack(nil, "%s; it is not any more: record %d says that the job was damaged, and put in order", what, c.cuts[0].seq)
	case known:
		t.refute(nil, "%s; today its records 1 to %d are others: they were rewritten", what, head.Size)
	case head.Size > size:
		t.refute(nil, "%s; today it has %d records", what, size)
	default:
		t.lack(nil, "%s; the bundle does not tell: ask for one made with --head %d@%s", what, head.Size, head.Root)
	}
}
