//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

// reopenOnSignal opens the log file anew at each SIGUSR1, until stop is called, which waits.
func reopenOnSignal(out *progress.Screen) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	var watching sync.WaitGroup
	watching.Go(func() {
		for range signals {
			if err := out.Reopen(); err != nil {
				fmt.Fprintf(out, "cybermapper: warning: %v\n", err)
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(signals)
		watching.Wait()
	}
}
