//go:build !linux

package bootclock

import "time"

// Read returns an empty reading.
func Read() Reading { return Reading{} }

// Since returns false: the clock cannot be read.
func Since() (since time.Duration, ok bool) { return 0, false }
