package engine

import (
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
