//go:build !linux

package bootclock

// Read returns an empty reading.
func Read() Reading { return Reading{} }
