package engine

import (
	"context"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler"
)

// codeForEnd returns the exit code for the way a run ended.
func codeForEnd(end crawler.Reason) int {
	switch end {
	case crawler.EndDone:
		return cli.ExitDone
	case crawler.EndWaiting:
		return cli.ExitWaiting
	case crawler.EndPages, crawler.EndBytes, crawler.EndTime, crawler.EndPagesOfHost, crawler.EndBytesOfHost, crawler.EndTimeOfHost:
		return cli.ExitLimit
	case crawler.EndInterrupted:
		return cli.ExitInterrupted
	}
	return cli.ExitFailure
}

// reportTime is how long the report may take after a run that was to end on time, and the page again: reading a large ledger takes
// minutes, and so does looking at millions of sites.
const reportTime = time.Second

// fateTime is how long the report of a node waits for what others know of its seeds: there may be nobody who owns a partition.
const fateTime = 10 * time.Second

// afterRun returns the context of what is done when a run has ended, which takes no longer than most if that was to end on time.
func afterRun(ctx context.Context, end crawler.Reason, most time.Duration) (context.Context, context.CancelFunc) {
	whole := context.WithoutCancel(ctx)
	if ctx.Err() != nil || end == crawler.EndInterrupted || end == crawler.EndTime {
		return context.WithTimeout(whole, most)
	}
	return whole, func() {}
}
