package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/storage/index"
)

// shelves are the indexes of several jobs, or of one.
type shelves struct {
	dirs    []string
	indexes []*index.Index
}

// openShelves opens the indexes of jobs to search them.
func openShelves(dirs []string) (*shelves, error) {
	s := &shelves{dirs: dirs}
	for _, dir := range dirs {
		x, err := openIndex(dir)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.indexes = append(s.indexes, x)
	}
	return s, nil
}

func (s *shelves) close() error {
	var errs []error
	for _, x := range s.indexes {
		errs = append(errs, x.Close())
	}
	return errors.Join(errs...)
}

// pages returns how many pages can be searched.
func (s *shelves) pages(ctx context.Context) (n int, err error) {
	for i, x := range s.indexes {
		c, err := x.Counts(ctx)
		if err != nil {
			return 0, indexError(err, s.dirs[i])
		}
		n += c.Pages
	}
	return n, nil
}

// behind says which indexes lack pages of their jobs.
func (s *shelves) behind(ctx context.Context) (notices []string, err error) {
	for i, x := range s.indexes {
		n, err := indexer.Notice(ctx, x, s.dirs[i])
		if err != nil {
			return nil, s.explain(i, err)
		}
		if n != "" {
			notices = append(notices, n)
		}
	}
	return notices, nil
}

// A find is a hit and the job that has it.
type find struct {
	hit index.Hit
	job string
}

// search returns what a query finds, and of several jobs the one that has each hit. Those with all words come first, the best by
// the score that their own index gives them.
func (s *shelves) search(ctx context.Context, q index.Query) (*index.Result, []string, error) {
	if len(s.indexes) == 1 {
		r, err := s.indexes[0].Search(ctx, q)
		return r, nil, s.explain(0, err)
	}
	limit, offset := q.Limit, q.Offset
	q.Limit, q.Offset = min(limit+offset, index.MaxHits), 0
	var all *index.Result
	var finds []find
	for i, x := range s.indexes {
		r, err := x.Search(ctx, q)
		if err != nil {
			return nil, nil, s.explain(i, err)
		}
		for _, h := range r.Hits {
			finds = append(finds, find{h, s.dirs[i]})
		}
		all = both(all, r)
	}
	slices.SortStableFunc(finds, func(a, b find) int {
		return cmp.Or(cmp.Compare(min(len(a.hit.Missing), 1), min(len(b.hit.Missing), 1)), cmp.Compare(b.hit.Score, a.hit.Score))
	})
	all.More = len(finds) > offset+limit || all.More && offset+limit < index.MaxHits
	all.Capped = !all.More && all.Total > index.MaxHits
	finds = finds[min(offset, len(finds)):]
	finds = finds[:min(limit, len(finds))]
	all.Hits = nil
	jobs := []string{}
	for i, f := range finds {
		f.hit.Rank = offset + i + 1
		all.Hits = append(all.Hits, f.hit)
		jobs = append(jobs, f.job)
	}
	return all, jobs, nil
}

// explain says what can be done about an error of one index.
func (s *shelves) explain(i int, err error) error {
	if err == nil || errors.Is(err, index.ErrNothing) {
		return err
	}
	return indexError(err, s.dirs[i])
}

// both returns what two indexes say of a query as a whole; a may be nil.
func both(a, b *index.Result) *index.Result {
	if a == nil {
		return b
	}
	a.Total += b.Total
	a.Took += b.Took
	a.Some, a.More, a.Partial = a.Some || b.Some, a.More || b.More, a.Partial || b.Partial
	for _, n := range b.Notices {
		if !slices.Contains(a.Notices, n) {
			a.Notices = append(a.Notices, n)
		}
	}
	a.Unmatched = slices.DeleteFunc(a.Unmatched, func(word string) bool { return !slices.Contains(b.Unmatched, word) })
	if a.Suggestion = cmp.Or(a.Suggestion, b.Suggestion); a.Total > 0 {
		a.Suggestion = "" // what one job lacks another has
	}
	return a
}
