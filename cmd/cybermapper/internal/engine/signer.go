package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// signEvery is how often a run signs a checkpoint of its ledger.
const signEvery = time.Hour

// A signer signs checkpoints of a ledger that is being written. A nil one, of a crawl without a key, does nothing.
type signer struct {
	ledger  *ledger.Ledger
	dir     string
	publish string
	key     *checkpoint.Key

	mu   sync.Mutex // guards log
	log  *checkpoint.Log
	head atomic.Pointer[string] // of what was signed last; nil before
}

// readKey returns the key that checkpoints are signed with, nil when none is given.
func readKey(file, jobDir string) (*checkpoint.Key, error) {
	if file == "" {
		return nil, nil
	}
	if way, err := filepath.Rel(jobDir, file); err == nil && way != ".." && !strings.HasPrefix(way, "../") {
		return nil, &cli.Error{Code: cli.ExitConfig,
			Err: fmt.Errorf("evidence.key: %s lies in the job directory, which may be given away", file)}
	}
	return ReadKey("evidence.key", file)
}

// newSigner returns a signer for the ledger of a job.
func newSigner(j *job.Job, l *ledger.Ledger, key *checkpoint.Key, publish string) *signer {
	if key == nil {
		return nil
	}
	dir := j.Path(job.LedgerDir)
	return &signer{ledger: l, dir: dir, publish: publish, key: key, log: checkpoint.OpenLog(dir, key)}
}

// verifier returns the public part of the key; "" when there is none.
func (s *signer) verifier() string {
	if s == nil {
		return ""
	}
	return s.key.Verifier
}

// sign signs a checkpoint of everything that was written so far, and publishes it if that is wanted.
func (s *signer) sign() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.ledger.Sync()
	var c checkpoint.Checkpoint
	if err == nil {
		if c, err = s.log.Sign(); err == nil && c.Size > 0 {
			head := c.Short()
			s.head.Store(&head)
		}
	}
	if err == nil && s.publish != "" {
		err = checkpoint.Publish(s.dir, s.publish, c)
	}
	if err != nil {
		return fmt.Errorf("sign the ledger: %w", err)
	}
	return nil
}

// comment returns what requests for robots.txt say of the ledger: the head that was signed last, so that the log of every site
// that is visited is a witness of it. It is nil when nothing is to be said.
func (s *signer) comment(announce bool) func() string {
	if s == nil || !announce {
		return nil
	}
	return func() string {
		if head := s.head.Load(); head != nil {
			return "log " + *head
		}
		return ""
	}
}

// watch signs every hour until stop is called, which waits; fail hears of what cannot be signed.
func (s *signer) watch(ctx context.Context, fail func(error)) (stop func()) {
	if s == nil {
		return func() {}
	}
	return every(ctx, signEvery, func(context.Context) {
		if err := s.sign(); err != nil {
			fail(err)
		}
	})
}
