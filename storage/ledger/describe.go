package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/internal/contents"
)

// errForeign says that others may read a line of a file as another record, and may look for what no key tells of.
var errForeign = errors.New("has a line that no version of this package wrote")

// A describer writes the contents of a ledger.
type describer struct {
	dir   string
	table contents.Table
	done  map[int]described
}

func newDescriber(dir string) *describer {
	w := &describer{dir: dir, table: contents.Table{Name: filepath.Join(dir, contentsName)}, done: map[int]described{}}
	for d := range describedIn(dir) {
		w.done[d.File] = d
	}
	return w
}

// pack packs the nth file, which has ended, and describes it, unless that is done.
func (w *describer) pack(ctx context.Context, n int) error {
	if d, ok := w.done[n]; ok && d.hasSize(w.dir) {
		return nil
	}
	d, keys, bad := describe(ctx, w.dir, n)
	if !isPacked(w.dir, n) {
		if err := pack(ctx, w.dir, n); err != nil {
			return err
		}
	}
	if bad != nil {
		return nil // whoever reads the file tells what is wrong with it
	}
	p, err := d.part(w.dir, keys)
	if err == nil {
		err = w.table.Append(p)
	}
	return err
}

// describe reads the text of the nth file. The error says why its chain is not whole.
func describe(ctx context.Context, dir string, n int) (d described, keys []Key, err error) {
	d.File = n
	var c chain
	var line decoded
	segmentLines(dir, entry{segment: n}, false, func(e entry, failed error) bool {
		if err = errors.Join(failed, ctx.Err()); err != nil {
			return false
		}
		if line.decode(e); line.ok && d.First == 0 {
			d.First, d.Prev = line.is.Seq, line.is.Prev
			c.seq, c.sum = d.First-1, d.Prev
		}
		if err = c.extend(&line); err == nil && line.is.Foreign {
			err = errForeign
		}
		keys = keysOf(keys, &line.is.Record)
		return err == nil
	})
	if d.Last, d.Sum = c.seq, c.sum; err == nil && d.First == 0 {
		err = errors.New("is empty")
	}
	return d, keys, err
}

// part returns what the contents say of a file, now that it is packed.
func (d described) part(dir string, keys []Key) (p contents.Part, err error) {
	name := filepath.Join(dir, packedName(d.File))
	info, err := os.Stat(name)
	if err != nil {
		return p, err
	}
	d.Size, d.Check = info.Size(), checksumOf(name)
	head, err := json.Marshal(d)
	return contents.NewPart(head, keys), err
}

// Describe makes the contents of the ledger in dir anew: they describe each packed file whose chain is whole. No process may be
// appending.
func Describe(ctx context.Context, dir string) error {
	list, err := segments(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(filepath.Join(dir, contentsName))
	}
	w := newDescriber(dir)
	for _, n := range list {
		if err == nil && isPacked(dir, n) {
			err = errors.Join(w.pack(ctx, n), ctx.Err())
		}
	}
	if err != nil {
		return fmt.Errorf("ledger: describe: %w", err)
	}
	return nil
}

// CheckContents returns the names of the packed files of which the contents of the ledger in dir say what is not so: a forger has
// written that. That contents are missing, or are of files that are no more what they were, does no harm. It takes as long as
// Verify.
func CheckContents(ctx context.Context, dir string) (wrong []string, err error) {
	c := OpenContents(dir)
	for d, p := range describedIn(dir) {
		if d != c.files[d.File] {
			continue
		}
		found, keys, bad := describe(ctx, dir, d.File)
		if ctx.Err() != nil {
			return wrong, ctx.Err()
		}
		want, err := found.part(dir, keys)
		if err != nil {
			return wrong, fmt.Errorf("ledger: check contents: %w", err)
		}
		if bad != nil || !p.Equal(want) {
			wrong = append(wrong, packedName(d.File))
		}
	}
	return wrong, nil
}
