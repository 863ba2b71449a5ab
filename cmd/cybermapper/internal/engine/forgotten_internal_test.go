package engine

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// What is the matter with the system, and goes with it, is no reason to repair a job.
func TestDamaged(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EBADMSG: "cybermapper repair", syscall.EIO: "the disk fails", syscall.EMFILE: "ulimit -n",
		syscall.ESTALE: "mount it again", syscall.ENOTCONN: "mount it again", syscall.ENOSPC: "make room",
	} {
		var b strings.Builder
		code := cli.PrintError(&b, Damaged(config.Default(), "the queue", fmt.Errorf("read CURRENT: %w", err)))
		if said := b.String(); code != cli.ExitDisk || !strings.Contains(said, want) ||
			strings.Contains(said, "repair") != errors.Is(err, syscall.EBADMSG) {
			t.Errorf("%v: exit code %d, %q; want %d, and %q", err, code, said, cli.ExitDisk, want)
		}
	}
}
