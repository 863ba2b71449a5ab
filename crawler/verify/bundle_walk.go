package verify

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// rows iterates over the proof of a bundle. An error is final.
func (b *Bundle) rows() iter.Seq2[checkpoint.Row, error] {
	return func(yield func(checkpoint.Row, error) bool) {
		in, err := b.open(bundleProof)
		if err != nil {
			yield(checkpoint.Row{}, err)
			return
		}
		defer in.Close()
		var fold checkpoint.Fold
		const longest = 128
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, longest), longest)
		n := 0
		for lines.Scan() {
			n++
			row, err := checkpoint.ParseRow(lines.Text())
			if err == nil {
				err = fold.Add(row)
			}
			if err != nil {
				yield(row, fmt.Errorf("%s line %d: %w", bundleProof, n, err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(checkpoint.Row{}, fmt.Errorf("%s: %w", bundleProof, err))
		} else if fold.Size() != b.Info.Records {
			yield(checkpoint.Row{}, fmt.Errorf("%s ends at record %d, of %d", bundleProof, fold.Size(), b.Info.Records))
		}
	}
}

// walk hands out the lines of a bundle, each of which the proof must show, until visit returns false. The report is that of the
// ledger as a whole; what does not fit is in it.
func (b *Bundle) walk(visit func(*ledger.Entry) bool) (ledger.Report, error) {
	report := ledger.Report{Records: uint64(b.Info.Records), Files: 1}
	in, err := b.open(bundleLines)
	if err != nil {
		return report, err
	}
	defer in.Close()
	next, stop := iter.Pull2(b.rows())
	defer stop()
	lines, at := bufio.NewReaderSize(in, ledger.MaxRecord), ledger.Entry{InFile: bundleLines}
	broken := func(format string, args ...any) (ledger.Report, error) {
		report.Bad = &ledger.CorruptError{File: bundleLines, Line: at.AtLine, Seq: at.Seq, What: fmt.Sprintf(format, args...)}
		return report, nil
	}
	var row checkpoint.Row
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		at = ledger.Entry{InFile: bundleLines, AtLine: at.AtLine + 1}
		if err != nil {
			return broken("cannot be read: %v", err)
		}
		line = line[:len(line)-1]
		read, err := ledger.DecodeEntry(line)
		if err != nil {
			return broken("is not a record")
		}
		at.Record, at.Foreign = read.Record, read.Foreign
		if uint64(row.Last) >= at.Seq {
			return broken("is out of order")
		}
		for uint64(row.Last) < at.Seq {
			var more bool
			if row, err, more = next(); !more {
				return broken("has no proof: the proof ends before")
			}
			if err != nil {
				return broken("has no proof: %v", err)
			}
		}
		if !row.Shows(line) {
			return broken("was altered: the proof shows another line")
		}
		if !visit(&at) {
			return report, nil
		}
	}
	if int64(at.AtLine) != b.Info.Lines {
		return broken("is the last one; the bundle is said to have %d lines", b.Info.Lines)
	}
	return report, nil
}

// roots returns the roots that follow from the proof for ledgers of some sizes, those of which it says anything.
func (b *Bundle) roots(sizes map[int64]bool) (map[int64]checkpoint.Checkpoint, error) {
	var fold checkpoint.Fold
	found := map[int64]checkpoint.Checkpoint{}
	for row, err := range b.rows() {
		if err == nil {
			err = fold.Add(row)
		}
		if err != nil {
			return found, err
		}
		if sizes[fold.Size()] {
			found[fold.Size()] = checkpoint.Checkpoint{Size: fold.Size(), Root: fold.Root()}
		}
	}
	return found, nil
}

// compareBundle holds a bundle against what is known: what its proof leads to.
func (h *history) compareBundle(b *Bundle) error {
	sizes := map[int64]bool{b.Info.Records: true}
	for _, c := range slices.Concat(h.own, h.kept) {
		sizes[c.Size] = true
	}
	for _, head := range h.heads {
		sizes[head.Size] = true
	}
	found, err := b.roots(sizes)
	if err != nil {
		h.proof.refute(nil, "the proof leads nowhere: %v", err)
		return nil
	}
	if a := b.anchor(); found[a.Size].Root != a.Root {
		h.proof.refute(nil, "the proof leads to %s, the checkpoint is %s", found[a.Size].Short(), a.Short())
	}
	h.hold(func(size int64) (checkpoint.Checkpoint, bool) { c, ok := found[size]; return c, ok })
	for i, c := range slices.Concat(h.own, h.kept) {
		then, ok := found[c.Size]
		if same := ok && then.Root == c.Root; !same && i < len(h.own) && h.isLost(c) {
			continue
		}
		h.bundleContinues(b, c.Short(), c.Size, ok, then.Root == c.Root)
	}
	for _, head := range h.heads {
		if head.Sum != "" {
			if err := h.findInBundle(b, head.Sum); err != nil {
				return err
			}
			continue
		}
		then, ok := found[head.Size]
		h.bundleContinues(b, fmt.Sprintf("%d@%s", head.Size, head.Root), head.Size, ok, isRoot(head, then.Root))
	}
	return nil
}

// bundleContinues judges whether a bundle continues a checkpoint of a size of which its proof says something, or not.
func (h *history) bundleContinues(b *Bundle, name string, size int64, known, same bool) {
	switch {
	case known && same:
		h.tally.ok()
	case known:
		h.tally.refute(nil, "the ledger of the checkpoint %s is not what it was: %s%s", name, h.others(size),
			h.excuse(size))
	case size > b.Info.Records:
		h.tally.lack(nil, "the bundle is older than the checkpoint %s: ask for one of today", name)
	default:
		h.tally.lack(nil,
			"the proof does not say what the ledger was at %d records, as of %s: ask for a bundle made with --head %s",
			size, name, name)
	}
}

// findInBundle looks for the hash of a line.
func (h *history) findInBundle(b *Bundle, sum string) error {
	found := false
	if _, err := b.walk(func(e *ledger.Entry) bool {
		found = e.Prev == sum && e.Seq > 1
		return !found
	}); err != nil {
		return err
	}
	if found {
		h.tally.ok()
	} else {
		h.tally.lack(nil, "no line of the bundle names the hash %s; of the lines that are not in it nothing is known: note "+
			"SIZE@ROOT instead", sum)
	}
	return nil
}
