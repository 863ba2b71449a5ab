//go:build !linux

package cli

// MaxMemory returns how many bytes of memory the control group of this process may take; 0, as there are none on this system.
func MaxMemory() uint64 { return 0 }
