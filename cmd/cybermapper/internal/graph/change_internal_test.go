package graph

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// A change that is interrupted says so, and not what the database makes of it.
func TestChange_Interrupted(t *testing.T) {
	g, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx, cancel := context.WithCancel(t.Context())
	err = g.change(ctx, func(tx *sql.Tx) (err error) {
		cancel()
		for err == nil { // until the database has learned of it
			_, err = tx.Exec("DELETE FROM meta")
		}
		return err
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, sql.ErrTxDone) {
		t.Errorf("interrupted: %v, want %v", err, context.Canceled)
	}
}
