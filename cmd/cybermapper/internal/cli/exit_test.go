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
	}
	for _, tt := range tests {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("codeOf(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}
