package cputime_test

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/storage/cputime"
)

// Time in which nothing is done is none of the processor's.
func ExampleUsed() {
	before, start := cputime.Used(), time.Now()
	time.Sleep(50 * time.Millisecond)
	fmt.Println(cputime.Used()-before <= time.Since(start))
	// Output: true
}
