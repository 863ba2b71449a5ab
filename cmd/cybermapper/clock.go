//go:build clocktest && linux && (amd64 || arm64)

package main

import "github.com/cybermapper/cybermapper/frontier/clocktest"

// A command that is built with the tag clocktest, for tests, has a wall clock that is set as the environment says.
func init() { clocktest.Follow() }
