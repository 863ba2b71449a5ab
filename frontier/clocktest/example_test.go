//go:build linux && (amd64 || arm64)

package clocktest_test

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier/clocktest"
)

func Example() {
	before := time.Now()
	clocktest.Set(time.Hour)
	after := time.Now()
	clocktest.Set(0)

	fmt.Println("by the monotonic clock:", after.Sub(before).Truncate(time.Hour))
	fmt.Println("by the wall clock:", after.Round(0).Sub(before.Round(0)).Truncate(time.Hour))
	// Output:
	// by the monotonic clock: 0s
	// by the wall clock: 1h0m0s
}
