//go:build !unix

package chaos

import (
	"context"
	"errors"
	"os"
	"time"
)

// freeze stops a process for a time, where that can be done.
func freeze(context.Context, *os.Process, time.Duration) error {
	return errors.New("a process cannot be frozen on this system")
}
