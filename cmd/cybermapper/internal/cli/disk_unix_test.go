//go:build unix

package cli

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// A file system that has room for no more files says of itself that there is no space left: where to see that is in the hint.
func TestRoomHint_Files(t *testing.T) {
	if hint := RoomHint(fmt.Errorf("open page: %w", syscall.ENOSPC)); !strings.Contains(hint, "make room") || !strings.Contains(hint, "df -i") {
		t.Errorf("RoomHint() = %q, want it to name df -i", hint)
	}
}
