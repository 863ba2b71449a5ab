package verify

import (
	"bytes"
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
	tally     tally

	proof    tally // of a bundle: whether its proof leads to its checkpoint, and who signed that
	unsigned bool  // nobody did, and nobody said that there is a key
}

// openHistory collects what the ledger is to be held against.
func openHistory(j Job, o *Options) (*history, error) {
	h := &history{kept: o.Checkpoints, heads: o.Heads, tally: tally{most: o.Findings}, proof: tally{most: o.Findings}}
	if b := j.Bundle; b != nil {
		h.own = b.Checkpoints[:len(b.Checkpoints)-1]
		return h, nil
	}
	var err error
	if h.own, err = checkpoint.Read(j.Ledger); err != nil {
		h.tally.lack(nil, "the checkpoints beside the ledger cannot be read: %v", err)
	}
	return h, nil
}

// empty reports whether nothing is known from earlier.
func (h *history) empty() bool { return len(h.own)+len(h.kept)+len(h.heads)+int(h.tally.checked) == 0 }

// compare reads the lines of a ledger and holds them against what is known. It may run while they are judged.
func (h *history) compare(j Job) error {
	if j.Bundle != nil {
		return h.compareBundle(j.Bundle)
	}
	dir := j.Ledger
	problems, err := checkpoint.Check(dir, append(slices.Clone(h.own), h.kept...))
	var bad *ledger.CorruptError
	if errors.As(err, &bad) {
		h.tally.lack(nil, "the ledger cannot be read to its end: %v", bad)
		return nil
	}
	if err != nil {
		return err
	}
	for range len(h.own) + len(h.kept) - len(problems) {
		h.tally.ok()
	}
	for _, p := range problems {
		h.tally.refute(nil, "the ledger of the checkpoint %s %s", p.Checkpoint.Short(), p.What)
	}
	for _, head := range h.heads {
		if err := h.find(dir, head); err != nil {
			return err
		}
	}
	return nil
}

// find looks for a head that somebody noted.
func (h *history) find(dir string, head checkpoint.Head) error {
	if head.Sum == "" {
		var t checkpoint.Tree
		if err := t.Follow(dir, head.Size); err != nil {
			return err
		}
		switch root := t.Root(); {
		case t.Size() < head.Size:
			h.tally.refute(nil, "the ledger had %d records when somebody noted %d@%s; now it has %d", head.Size, head.Size,
				head.Root, t.Size())
		case !strings.HasPrefix(fmt.Sprintf("%x", root[:]), head.Root):
			h.tally.refute(nil, "records 1 to %d were rewritten since somebody noted %d@%s", head.Size, head.Size, head.Root)
		default:
			h.tally.ok()
		}
		return nil
	}
	n, mark := 0, []byte(`,"prev":"`+head.Sum+`",`)
	for line, err := range ledger.Lines(dir, 0) {
		if err != nil {
			return err
		}
		if n++; bytes.Contains(line, mark) && n > 1 || ledger.Sum(line) == head.Sum {
			h.tally.ok()
			return nil
		}
	}
	h.tally.refute(nil, "no record has the hash %s: the ledger of today does not continue the one that ended in it", head.Sum)
	return nil
}

// signed judges who signed the checkpoints: the keys that the reader trusts or, when there are none, those that the runs name.
func (h *history) signed(b *Bundle, keys []string) {
	known := func(c checkpoint.Checkpoint) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return c.Verify(key) == nil })
	}
	for _, c := range append(slices.Clone(h.own), h.kept...) {
		if !known(c) {
			h.tally.lack(nil, "the checkpoint %s of %s is not signed with a key that is known", c.Short(), c.Origin)
		}
	}
	switch {
	case b == nil || known(b.anchor()):
	case !b.anchor().Signed() && len(keys) == 0:
		h.unsigned = true
	default:
		h.proof.lack(nil, "the checkpoint %s of the bundle is not signed with a key that is known", b.anchor().Short())
	}
}

// continues concludes about what is known from earlier.
func (pr *prover) continues() {
	keys := slices.Clone(pr.opts.Keys)
	for _, t := range pr.whole.terms {
		if t.Key != "" && len(pr.opts.Keys) == 0 && !slices.Contains(keys, t.Key) {
			keys = append(keys, t.Key)
		}
	}
	pr.history.signed(pr.job.Bundle, keys)
	pr.tally(Continues).merge(&pr.history.tally)
	pr.tally(Included).merge(&pr.history.proof)
}
