package cli

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
)

func TestCodeOf(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, ExitDone},
		{errors.New("x"), ExitFailure},
		{fmt.Errorf("write: %w", syscall.ENOSPC), ExitDisk},
		{context.Canceled, ExitInterrupted},
		{WithHint(fmt.Errorf("write: %w", syscall.ENOSPC), "make room"), ExitDisk},
		{fmt.Errorf("outer: %w", UsageError("", "inner")), ExitUsage},
		{Trouble(errors.New("x")), ExitUsage},
		{Trouble(fmt.Errorf("write: %w", syscall.ENOSPC)), ExitDisk},
		{fmt.Errorf("change index: %w", sqliteError(13|1<<8)), ExitDisk},
		{fmt.Errorf("open index: %w", sqliteError(10|19<<8)), ExitDisk}, // the shared memory of a log would not grow
		{fmt.Errorf("change index: %w", sqliteError(11)), ExitFailure},
	}
	for _, tt := range tests {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("codeOf(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}

// A sqliteError is one of a database in which it has a number.
type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprintf("database (%d)", int(e)) }

func (e sqliteError) Code() int { return int(e) }
