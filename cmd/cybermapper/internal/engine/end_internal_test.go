package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// What is told after a run that was to end on time ends too, however much there is to look at; after another run it takes its time.
func TestAfterRun_EndsOnTime(t *testing.T) {
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	for end, hurried := range map[crawler.Reason]bool{
		crawler.EndInterrupted: true, crawler.EndTime: true, crawler.EndDone: false, crawler.EndWaiting: false, crawler.EndPages: false,
	} {
		ctx, cancel := afterRun(t.Context(), end, reportTime)
		if _, has := ctx.Deadline(); has != hurried || ctx.Err() != nil {
			t.Errorf("%s: has a deadline: %v, want %v; %v", end, has, hurried, ctx.Err())
		}
		cancel()
	}
	ctx, cancel := afterRun(interrupted, crawler.EndDone, reportTime)
	defer cancel()
	if _, has := ctx.Deadline(); !has || ctx.Err() != nil {
		t.Errorf("interrupted at the end: has a deadline: %v; %v", has, ctx.Err())
	}
	dir := t.TempDir()
	ledgertest.Write(t, dir, ledger.Options{}, ledger.Record{Type: ledger.Outcome, URL: "http://a.example/"})
	if _, err := fates(interrupted, dir, nil, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the fate of seeds is read on: %v", err)
	}
}
