//go:build unix

package chaos

import (
	"context"
	"os"
	"syscall"
	"time"
)

// freeze stops a process for a time.
func freeze(ctx context.Context, p *os.Process, d time.Duration) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := sleep(ctx, d)
	if err2 := p.Signal(syscall.SIGCONT); err == nil {
		err = err2
	}
	return err
}
