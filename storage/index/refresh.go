package index

import (
	"context"
	"fmt"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// Refresh lets up to most pages be found by what was noted of them since they were put in, and returns how many it has refreshed: 0
// when all are. It is durable on return.
func (x *Index) Refresh(ctx context.Context, most int) (n int, err error) {
	x.writing.Lock()
	defer x.writing.Unlock()
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("refresh index: %w", classify(err))
	}
	defer tx.Rollback()
	e := newEdit(ctx, tx, x)
	defer e.close()
	if n, err = e.refresh(most); err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return 0, fmt.Errorf("refresh index: %w", sqlfile.Cause(ctx, classify(err)))
	}
	return n, nil
}

func (e *edit) refresh(most int) (int, error) {
	ids, err := e.stale(most)
	if err != nil {
		return 0, err
	}
	a := e.x.analyzer()
	defer e.x.giveBack(a)
	for _, id := range ids {
		r, found, err := e.load(`id = ?`, id)
		if err != nil {
			return 0, err
		}
		if found {
			r.fill(a, e.x.mode)
			if err := e.index(r, true); err != nil {
				return 0, err
			}
			if err := e.addAnchors([]*row{r}); err != nil {
				return 0, err
			}
			r.fillAnchor(a)
			if err := e.index(r, false); err != nil {
				return 0, err
			}
			if err := e.exec(`UPDATE pages SET anchor = ? WHERE id = ?`, r.anchor, id); err != nil {
				return 0, err
			}
		}
		if err := e.exec(`DELETE FROM stale WHERE id = ?`, id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

func (e *edit) stale(most int) (ids []int64, err error) {
	return all(e.ctx, e.tx, sqlfile.Column[int64], `SELECT id FROM stale ORDER BY id LIMIT ?`, most)
}
