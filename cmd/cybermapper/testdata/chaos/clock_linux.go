//go:build amd64 || arm64

package main

import (
	"time"

	"github.com/cybermapper/cybermapper/frontier/clocktest"
)

func init() {
	stepClock = func(in, by time.Duration) string { return clocktest.Steps(clocktest.Step{In: in, By: by}) }
}
