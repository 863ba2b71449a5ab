//go:build !linux

package main

import "github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"

// withClock returns no overlay: clocks of nodes cannot be set here.
func withClock(*chaos.Run) (overlay string, err error) { return "", nil }
