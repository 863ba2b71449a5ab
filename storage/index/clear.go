package index

import (
	"context"
	"errors"
	"fmt"
)

// Clear takes everything out, marks too, so that the index can be made again in its file: who has it open, to search or to change
// it, goes on with what is there from then on. The room that this leaves in the file is used again.
func (x *Index) Clear(ctx context.Context) error {
	if x.write == nil {
		return errors.New("clear index: opened to read only")
	}
	x.writing.Lock()
	defer x.writing.Unlock()
	x.writer.reset()
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("clear index: %w", classify(err))
	}
	defer tx.Rollback()
	for _, statement := range cleared {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("clear index: %w", classify(err))
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("clear index: %w", classify(err))
	}
	return nil
}

// cleared are the statements of Clear. What the index was made by and for stays. Pages are numbered on, so that what was there is
// never taken for what comes.
var cleared = []string{
	`INSERT INTO fts(fts) VALUES('delete-all')`, `INSERT INTO heads(heads) VALUES('delete-all')`,
	`DELETE FROM pages`, `DELETE FROM texts`, `DELETE FROM refused`, `DELETE FROM anchors`, `DELETE FROM stale`,
	`DELETE FROM similar`,
	`DELETE FROM meta WHERE key NOT IN ('` + analyzerMark + `', '` + modeMark + `')`,
}
