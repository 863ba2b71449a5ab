package verify

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A history is what is known of a ledger from earlier: the checkpoints beside it, and what somebody kept elsewhere.
type history struct {
	own, kept []checkpoint.Checkpoint
	heads     []checkpoint.Head
	held      int64 // records that are as they were, by what was kept elsewhere
	repaired  int64 // the first record that says that the job was damaged and put in order; 0 for none
	tally     tally

	proof    tally                 // of a bundle: whether its proof leads to its checkpoint, and who signed that
	unsigned bool                  // nobody did, and nobody said that there is a key
	stranger checkpoint.Checkpoint // somebody signed it, and nobody said that there is a key
}

// openHistory collects what the ledger is to be held against.
func openHistory(j Job, o *Options) *history {
	h := &history{kept: o.Checkpoints, heads: o.Heads, tally: tally{most: o.Findings, job: j.Name},
		proof: tally{most: o.Findings}}
	if b := j.Bundle; b != nil {
		h.own = b.Checkpoints[:len(b.Checkpoints)-1]
		return h
	}
	var err error
	if h.own, err = checkpoint.Read(j.Ledger); err != nil {
		h.tally.lack(nil, "the checkpoints beside the ledger cannot be read: %v", err)
	}
	return h
}

// empty reports whether nothing is known from earlier.
func (h *history) empty() bool { return len(h.own)+len(h.kept)+len(h.heads)+int(h.tally.checked) == 0 }

// largest returns the size of the largest checkpoint beside the ledger; 0 when there is none.
func (h *history) largest() (size int64) {
	for _, c := range h.own {
		size = max(size, c.Size)
	}
	return size
}

// A trail is what the first pass over a ledger notes for what is known of it from earlier. A nil one notes nothing.
type trail struct {
	tree  checkpoint.Tree
	sizes map[int64]bool                  // of which somebody knows the root
	roots map[int64]checkpoint.Checkpoint // of those, as they are now
	sums  map[string]bool                 // that somebody noted as the hash of a line, and whether one has it
}

// newTrail returns a trail for what is known; nil when nothing is.
func (h *history) newTrail() *trail {
	if h.empty() {
		return nil
	}
	t := &trail{sizes: map[int64]bool{}, roots: map[int64]checkpoint.Checkpoint{}, sums: map[string]bool{}}
	for _, c := range slices.Concat(h.own, h.kept) {
		t.sizes[c.Size] = true
	}
	for _, head := range h.heads {
		if t.sizes[head.Size] = true; head.Sum != "" {
			t.sums[head.Sum] = false
		}
	}
	return t
}

func (t *trail) options() ledger.WalkOptions {
	if t == nil {
		return ledger.WalkOptions{}
	}
	return ledger.WalkOptions{Leaf: checkpoint.Leaf}
}

// add takes in the next record.
func (t *trail) add(e *ledger.Entry) error {
	if t == nil {
		return nil
	}
	if e.Seq > 1 {
		t.sum(e.Prev)
	}
	return t.leaf(e.Leaf)
}

func (t *trail) sum(sum string) {
	if _, noted := t.sums[sum]; noted {
		t.sums[sum] = true
	}
}

func (t *trail) leaf(hash [sha256.Size]byte) error {
	err := t.tree.AddLeaf(hash)
	if size := t.tree.Size(); t.sizes[size] {
		t.roots[size] = t.tree.Checkpoint("")
	}
	return err
}

// read follows a ledger whose chain is broken, whatever its lines are.
func (t *trail) read(dir string) error {
	for line, err := range ledger.Lines(dir, 0) {
		if err != nil {
			return err
		}
		t.sum(ledger.Sum(line))
		if err := t.leaf(checkpoint.Leaf(line)); err != nil {
			return err
		}
	}
	return nil
}

// compare holds a ledger against what is known, by the trail that it left.
func (h *history) compare(j Job, chain ledger.Report, t *trail) error {
	if j.Bundle != nil {
		return h.compareBundle(j.Bundle)
	}
	if chain.Bad != nil && !h.empty() {
		t = h.newTrail()
		err := t.read(j.Ledger)
		if bad, ok := errors.AsType[*ledger.CorruptError](err); ok {
			h.tally.lack(nil, "the ledger cannot be read to its end: %v", bad)
			return nil
		}
		if err != nil {
			return err
		}
	}
	h.hold(func(size int64) (checkpoint.Checkpoint, bool) { c, ok := t.roots[size]; return c, ok })
	for i, c := range slices.Concat(h.own, h.kept) {
		same := c.Size == 0 || t.roots[c.Size].Root == c.Root
		if !same && i < len(h.own) && h.isLost(c) {
			continue
		}
		h.judge(c.Short(), c.Size, t.tree.Size(), same)
	}
	for _, head := range h.heads {
		root := t.roots[head.Size].Root
		switch {
		case head.Sum == "":
			h.judge(fmt.Sprintf("%d@%s", head.Size, head.Root), head.Size, t.tree.Size(), isRoot(head, root))
		case t.sums[head.Sum] || chain.Head == head.Sum:
			h.tally.ok()
		default:
			h.tally.refute(nil, "no record has the hash %s: the ledger of today does not continue the one that ended in it",
				head.Sum)
		}
	}
	return nil
}

// hold finds out how many records are as they were. What lies beside the ledger shows nothing here: it may have been rewritten too.
func (h *history) hold(now func(size int64) (checkpoint.Checkpoint, bool)) {
	for _, c := range h.kept {
		if then, ok := now(c.Size); ok && then.Root == c.Root {
			h.held = max(h.held, c.Size)
		}
	}
	for _, head := range h.heads {
		if then, ok := now(head.Size); ok && head.Sum == "" && isRoot(head, then.Root) {
			h.held = max(h.held, head.Size)
		}
	}
}

// isRoot reports whether a head that somebody noted is short for a root.
func isRoot(head checkpoint.Head, root [sha256.Size]byte) bool {
	return strings.HasPrefix(fmt.Sprintf("%x", root[:]), head.Root)
}

// others says which records of a checkpoint are not what they were.
func (h *history) others(then int64) string {
	if h.held == 0 || h.held >= then {
		return fmt.Sprintf("records 1 to %d were rewritten", then)
	}
	return fmt.Sprintf("records 1 to %d are as they were, but some of %d to %d are not: they were rewritten, or lost when the job "+
		"was put back from an older copy", h.held, h.held+1, then)
}

// isLost takes note of a checkpoint beside the ledger of records that a repair says were lost. One that somebody has kept elsewhere
// is another thing: whoever cuts a ledger can also write that it was damaged.
func (h *history) isLost(c checkpoint.Checkpoint) bool {
	if h.repaired == 0 || h.repaired > c.Size {
		return false
	}
	h.tally.lack(nil, "the checkpoint %s beside the ledger is of records that are lost: record %d says that the job was damaged "+
		"and put in order", c.Short(), h.repaired)
	return true
}

// excuse says what the ledger says of records that are not what they were.
func (h *history) excuse(then int64) string {
	if h.repaired == 0 || h.repaired > then {
		return ""
	}
	return fmt.Sprintf("; record %d says that the job was damaged, and put in order", h.repaired)
}

// judge judges whether a ledger that has so many records now continues what was noted of it.
func (h *history) judge(name string, then, now int64, same bool) {
	switch {
	case now < then:
		h.tally.refute(nil, "the ledger of the checkpoint %s had %d records then; now it has %d%s", name, then, now,
			h.excuse(then))
	case !same:
		h.tally.refute(nil, "the ledger of the checkpoint %s is not what it was: %s%s", name, h.others(then),
			h.excuse(then))
	default:
		h.tally.ok()
	}
}

// signed judges who signed the checkpoints: the keys that the reader trusts or, when there are none, those that the runs name.
func (h *history) signed(b *Bundle, keys []string) {
	known := func(c checkpoint.Checkpoint) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return c.Verify(key) == nil })
	}
	for _, c := range slices.Concat(h.own, h.kept) {
		switch {
		case known(c):
		case len(keys) == 0 && c.Signed():
			h.stranger = c
		default:
			h.tally.lack(nil, "the checkpoint %s of %s is not signed with a key that is known", c.Short(), c.Origin)
		}
	}
	switch {
	case b == nil || known(b.anchor()):
	case !b.anchor().Signed() && len(keys) == 0:
		h.unsigned = true
	case len(keys) == 0:
		h.stranger = b.anchor()
	default:
		h.proof.lack(nil, "the checkpoint %s of the bundle is not signed with a key that is known", b.anchor().Short())
	}
}

// continues concludes about what is known of a ledger from earlier.
func (pr *prover) continues(w *witness) error {
	h, b := w.history, w.whole
	h.repaired = int64(b.firstRepair)
	if err := h.compare(w.job, b.chain, b.trail); err != nil {
		return err
	}
	keys := slices.Clone(pr.opts.Keys)
	for _, t := range b.terms {
		if t.Key != "" && len(pr.opts.Keys) == 0 && !slices.Contains(keys, t.Key) {
			keys = append(keys, t.Key)
		}
	}
	h.signed(w.job.Bundle, keys)
	if w.job.Bundle == nil && h.largest() < int64(b.keyed) {
		h.tally.lack(nil, "the run that began in record %d names a key, and no checkpoint of it is beside the ledger", b.keyed)
	}
	pr.tally(Continues, w).merge(&h.tally)
	pr.tally(Included, w).merge(&h.proof)
	return nil
}
