package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// An ownerless frontier has partitions that nobody owns: who asks for what is in them gets no answer.
type ownerless struct{ frontier.Frontier }

func (ownerless) Lookup(ctx context.Context, _ frontier.URL) (frontier.Info, error) {
	<-ctx.Done()
	return frontier.Info{}, errors.New("nobody answers")
}

// Ensure that a node ends whose seeds are in partitions that nobody owns.
func TestSession_EndsWithoutOwners(t *testing.T) {
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	u := frontiertest.URL(t, "http://a.example/")
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		told := &progress.Report{}
		told.Total.Pages = 1
		s := &stores{frontier: ownerless{}, node: &cluster.Member{}}
		r := &run{Session: &Session{}, job: j, stores: s, seeds: []seed.Seed{{URL: u}}}
		if err := r.writeReport(t.Context(), told); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > fateTime {
			t.Errorf("it took %v", took)
		}
	})
}
