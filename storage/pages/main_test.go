package pages_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// What the test binary does instead of testing when a test has started it; its argument is the directory of a store.
const victim = "PAGES_VICTIM"

func TestMain(m *testing.M) {
	work, ok := victims[os.Getenv(victim)]
	if !ok {
		goleak.VerifyTestMain(m)
	}
	if err := work(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
