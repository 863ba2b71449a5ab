package bootclock

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Read returns the present moment.
func Read() Reading {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Reading{}
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return Reading{}
	}
	return Reading{Boot: strings.TrimSpace(string(id)), Since: time.Duration(now.Nano())}
}
