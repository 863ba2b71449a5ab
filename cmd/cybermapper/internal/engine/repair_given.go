package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// CheckGiven says what is wrong with the files of the job in dir that tell what a crawl was given: its configuration, the seeds,
// and what the crawl before owes.
func CheckGiven(dir string) (problems []string) {
	j := &job.View{Dir: dir}
	if _, err := config.Read(j.Path(job.ConfigFile)); err != nil {
		problems = append(problems, err.Error())
	}
	lost := LostSeeds(dir)
	for _, err := range job.EachSeed(dir) {
		if err != nil {
			lost = err.Error()
		}
	}
	if lost != "" {
		problems = append(problems, "seeds: "+lost)
	}
	if _, err := readDebts(j.Path(job.DebtsFile)); err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

// LostSeeds says of the job in dir how it can be seen that its seeds are gone; nothing when it cannot, as of a node, whose seeds
// others may have.
func LostSeeds(dir string) string {
	j := &job.View{Dir: dir}
	if info, err := os.Stat(j.Path(job.SeedsFile)); err == nil && info.Size() > 0 {
		return ""
	}
	if _, err := os.Stat(j.Path(job.PartitionsDir)); err == nil {
		return ""
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request}}
	for r, err := range ledger.ReadSound(j.Path(job.LedgerDir), o) {
		if err == nil && isSeed(&r) {
			return fmt.Sprintf("%s has none, though %s was one", job.SeedsFile, r.URL)
		}
	}
	return ""
}

// isSeed reports whether a request was for what somebody gave to the crawl.
func isSeed(r *ledger.Record) bool {
	return r.Via == "" && r.Depth == 0 && r.Purpose == string(crawler.ForPage)
}

// mendSeeds writes the file of seeds anew when it cannot be read, or has none: with those that can be read, and those that the
// ledger and the list of pages tell of. The one that could not be read is kept.
func (r *repairer) mendSeeds(ctx context.Context) error {
	isWhole := LostSeeds(r.job.Path("")) == ""
	for _, err := range job.EachSeed(r.job.Path("")) {
		isWhole = isWhole && err == nil
	}
	if isWhole {
		return nil
	}
	all, err := r.seedsLeft()
	if err != nil {
		return err
	}
	if err := r.seedsAsked(ctx, all); err != nil {
		return err
	}
	if err := keepBeside(r.job.Path(job.SeedsFile), r.job.Path(damagedSeeds)); err != nil {
		return err
	}
	var text bytes.Buffer
	for _, s := range all.list {
		fmt.Fprintln(&text, s)
	}
	r.done.Seeds = int64(len(all.list))
	return job.WriteFile(r.job.Path(job.SeedsFile), text.Bytes())
}

// keepBeside gives a file that is about to be replaced, if there is one, another name too; where a file has only one, the other.
func keepBeside(name, other string) error {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.Remove(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Link(name, other); err == nil {
		return nil
	}
	return os.Rename(name, other)
}

// foundSeeds are seeds in the order in which they were found, each once.
type foundSeeds struct {
	list []seed.Seed
	has  map[string]bool
}

func (f *foundSeeds) add(s seed.Seed) {
	if url := s.URL.String(); !f.has[url] {
		f.has[url] = true
		f.list = append(f.list, s)
	}
}

// seedsLeft returns the lines of the file of seeds that can be read.
func (r *repairer) seedsLeft() (*foundSeeds, error) {
	all := &foundSeeds{has: map[string]bool{}}
	f, err := os.Open(r.job.Path(job.SeedsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s, err := range seed.Scan(f, f.Name(), frontier.ParseURL) {
		if _, isBad := errors.AsType[*seed.Bad](err); isBad {
			continue
		}
		if err != nil {
			return nil, err
		}
		all.add(s)
	}
	return all, nil
}

// seedsAsked adds what was asked for, or stored, without a page that led to it, but for what was submitted: it may have been no
// seed.
func (r *repairer) seedsAsked(ctx context.Context, all *foundSeeds) error {
	isSubmitted := map[string]bool{}
	add := func(url string) {
		if u, err := frontier.ParseURL(url); err == nil && !isSubmitted[url] {
			all.add(seed.Seed{URL: u})
		}
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Seed}}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		isSubmitted[rec.URL] = rec.Via == ""
	}
	o.Types = []ledger.Type{ledger.Request}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if isSeed(&rec) {
			add(rec.URL)
		}
	}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if l.IsPage() && l.Via == "" && l.Depth == 0 {
			add(l.URL)
		}
	}
	return nil
}
