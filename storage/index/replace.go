package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// numbersApart is how far the numbers of pages in an index that is made beside another one are from those that are there: more than
// pages are put in meanwhile. A page that was there is never taken for one that comes.
const numbersApart = 1 << 24

// Beside makes an empty index in another file, for the same mode, that is to come in the place of this one when it is complete.
func (x *Index) Beside(ctx context.Context, path string) (*Index, error) {
	y, err := Open(path, Options{Mode: x.mode, MaxTime: x.maxTime, MaxRanked: x.ranked, Memory: x.memory})
	if err != nil {
		return nil, err
	}
	var last int64
	err = x.read.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pages'`).Scan(&last)
	if err == nil {
		_, err = y.write.ExecContext(ctx, `INSERT INTO sqlite_sequence(name, seq) VALUES('pages', ?)`, last+numbersApart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make an index beside %s: %w", x.path, classify(err)), y.Close())
	}
	return y, nil
}

// Replace puts what is in another index in the place of what is in this one, as one change: who has it open, to search or to change
// it, goes on with that from then on, and after a kill there is the one or the other.
func (x *Index) Replace(ctx context.Context, y *Index) error {
	if x.write == nil {
		return errors.New("replace index: opened to read only")
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	x.writer.reset()
	if err := sqlfile.Replace(ctx, x.write, y.path); err != nil {
		return fmt.Errorf("replace index: %w", classify(err))
	}
	return nil
}
