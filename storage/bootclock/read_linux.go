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
	since, ok := Since()
	if !ok {
		return Reading{}
	}
	return Reading{Boot: strings.TrimSpace(string(id)), Since: since}
}

// Since returns only how long ago the machine was started, which takes a fraction of a microsecond; ok is false when the clock
// cannot be read.
func Since() (since time.Duration, ok bool) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0, false
	}
	return time.Duration(now.Nano()), true
}
