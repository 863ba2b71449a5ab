//go:build !linux

package engine

// forgetStartUp does nothing: what a process holds of its program file is told, and managed, otherwise here.
func forgetStartUp() {}
