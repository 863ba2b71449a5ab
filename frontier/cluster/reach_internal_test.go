package cluster

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// Ensure that an operator hears once that the brokers take nothing, not of a moment at which they elect who leads them, and once
// that they do again.
func TestReach_TellsOfSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.WarnLevel)
		r := &reach{logger: zap.New(core)}
		away := errors.New("no quorum")
		want := func(n int, about string) {
			t.Helper()
			if got := logs.Len(); got != n {
				t.Errorf("%s: %d lines, want %d: %+v", about, got, n, logs.All())
			}
		}
		r.note(time.Now(), away)
		time.Sleep(silencePatience - time.Second)
		r.note(time.Now(), away)
		r.note(time.Now(), nil)
		want(0, "an election")
		r.note(time.Now(), away)
		time.Sleep(silencePatience)
		r.note(time.Now(), away)
		r.note(time.Now(), away)
		r.note(time.Now(), context.Canceled)
		want(1, "silence")
		r.note(time.Now(), stream.ErrConflict)
		r.note(time.Now(), nil)
		want(2, "they answer again")
	})
}
