package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
)

// MaxHeldSeeds is how many seeds are held in memory. A job with more takes the others in, batch by batch, while it crawls.
const MaxHeldSeeds = 5000

// streamBatch is how many of these are handed on at once.
const streamBatch = 1000

// heldSeeds returns the first seeds of a job, and whether there are more.
func heldSeeds(j *job.Job) (first []seed.Seed, more bool, err error) {
	for s, err := range job.EachSeed(j.Path("")) {
		if err != nil {
			return nil, false, err
		}
		if len(first) == MaxHeldSeeds {
			return first, true, nil
		}
		first = append(first, s)
	}
	lists, err := j.Incoming()
	return first, len(lists) > 0, err
}

// A seedStream takes in the seeds of a job that are not held.
type seedStream struct {
	job   *job.Job
	held  int
	list  io.Reader                                // that is to be copied into the job first; nil when there is none
	offer func(context.Context, []seed.Seed) error // those that are more than a URL
	after func(digest string) error                // called with a digest of all seeds when they are in
	out   io.Writer
}

// batches yields their URLs. A batch holds until the next.
func (s *seedStream) batches(ctx context.Context) iter.Seq2[[]frontier.URL, error] {
	return func(yield func([]frontier.URL, error) bool) {
		err := s.take(ctx, func(urls []frontier.URL) bool { return yield(urls, nil) })
		if err != nil && !errors.Is(err, errNoMore) {
			yield(nil, cli.DiskError(err))
		}
	}
}

// errNoMore says that whoever asks for seeds has enough.
var errNoMore = errors.New("no more seeds")

func (s *seedStream) take(ctx context.Context, yield func([]frontier.URL) bool) error {
	urls, marked := make([]frontier.URL, 0, streamBatch), []seed.Seed(nil)
	flush := func() error {
		if !yield(urls) {
			return errNoMore
		}
		err := s.offer(ctx, marked)
		urls, marked = urls[:0], marked[:0]
		return err
	}
	add := func(given seed.Seed) error {
		if given.IsPlain() {
			urls = append(urls, given.URL)
		} else {
			marked = append(marked, given)
		}
		if len(urls)+len(marked) < streamBatch {
			return nil
		}
		return flush()
	}
	n := 0
	for given, err := range job.EachSeed(s.job.Path("")) {
		if n++; err == nil && n > s.held {
			err = add(given)
		}
		if err != nil {
			return err
		}
	}
	if err := s.copyList(ctx); err != nil {
		return err
	}
	lists, err := s.job.Incoming()
	if err != nil {
		return err
	}
	for _, list := range lists {
		for given, err := range s.job.EachIncoming(list, cli.ParseURL) {
			if bad, ok := errors.AsType[*seed.Bad](err); ok {
				fmt.Fprintf(s.out, "cybermapper: warning: skipped %s\n", bad)
				continue
			}
			if err == nil {
				err = add(given)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	digest, err := digestOfSeeds(s.job)
	if err != nil {
		return err
	}
	return s.after(digest)
}

// copyList copies the list that was given into the job. What was not read to its end is not there.
func (s *seedStream) copyList(ctx context.Context) error {
	if s.list == nil {
		return nil
	}
	if err := s.job.Spool(ctx, s.list); err != nil {
		return err
	}
	s.list = nil
	return nil
}

// tellUnread says, when the run is over, that a list was not read to its end.
func (s *seedStream) tellUnread() {
	if s != nil && s.list != nil {
		fmt.Fprintln(s.out, "cybermapper: warning: the list of seeds was not read to its end; give it again")
	}
}

// digestOfSeeds returns what reachOf does of seeds that are held.
func digestOfSeeds(j *job.Job) (string, error) {
	sum := sha256.New()
	for s, err := range job.EachSeed(j.Path("")) {
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, s.URL)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
