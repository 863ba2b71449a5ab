//go:build linux && (amd64 || arm64)

package clocktest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Set sets the wall clock ahead of the true one by so many whole seconds; less than 0 is behind it. It may be called at any time.
func Set(ahead time.Duration) {
	seconds.Store(int64(ahead / time.Second))
	installed()
}

var (
	seconds   atomic.Int64 // added to the wall clock
	installed = sync.OnceFunc(install)
)

// install lets package runtime call a function that adds seconds to what the one says that it called before. It is called once.
func install()

// A Step is a moment at which the wall clock is set.
type Step struct {
	In time.Duration // from now
	By time.Duration // in whole seconds; forward, or back
}

// Steps returns the variable for the environment of programs, one after the other, that call Follow.
func Steps(steps ...Step) string {
	now := monotonic()
	text := make([]string, len(steps))
	for i, s := range steps {
		text[i] = fmt.Sprintf("%d:%d", int64(now+s.In), int64(s.By/time.Second))
	}
	return variable + "=" + strings.Join(text, ",")
}

const variable = "CLOCK_STEPS"

// Follow sets the wall clock at the moments that the environment names, until the process ends. Moments that are over count before
// it returns.
func Follow() {
	var moments, by []time.Duration
	for text := range strings.SplitSeq(os.Getenv(variable), ",") {
		var at, seconds int64
		if n, _ := fmt.Sscanf(text, "%d:%d", &at, &seconds); n == 2 {
			moments, by = append(moments, time.Duration(at)), append(by, time.Duration(seconds)*time.Second)
		}
	}
	set := func() {
		var ahead time.Duration
		for i, at := range moments {
			if at <= monotonic() {
				ahead += by[i]
			}
		}
		Set(ahead)
	}
	for _, at := range moments {
		time.AfterFunc(at-monotonic(), set)
	}
	set()
}

func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
