package indexer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// MaxBehind is how far Behind counts.
const MaxBehind = 1000

// maxHeard is how many records are looked through, at each search, for pages of an index that later visits found gone. Among more
// there may well be one.
const maxHeard = 20_000

// Behind returns how many pages the job in dir has stored that its index was not made from yet, MaxBehind at most. There are some
// while a crawl runs, while the index is made anew, and after whoever did so was killed.
func Behind(ctx context.Context, x *index.Index, dir string) (n int, err error) {
	marks, err := x.Marks(ctx)
	if err != nil {
		return 0, err
	}
	var read lineMark
	if mark := marks[pagesMark]; mark != "" && json.Unmarshal([]byte(mark), &read) != nil {
		return 0, index.ErrDamaged
	}
	for l, err := range pages.ReadFrom(filepath.Join(dir, job.PagesDir), read.End) {
		switch {
		case errors.Is(err, fs.ErrNotExist), err != nil && l.End == 0 && !isBadLine(err):
			return n, nil // another command says what is wrong
		case err == nil && l.IsPage():
			n++
		}
		if n == MaxBehind || ctx.Err() != nil {
			break
		}
	}
	return n, ctx.Err()
}

// Notice says to whoever searches how many stored pages the index lacks: that no page has a word may be for that; or that it has
// pages that later visits found gone. It is empty when none lack, and those are out.
func Notice(ctx context.Context, x *index.Index, dir string) (string, error) {
	n, err := Behind(ctx, x, dir)
	if err != nil {
		return "", err
	}
	if n == 0 {
		if stale, err := hasGone(ctx, x, dir); err != nil || !stale {
			return "", err
		}
		return fmt.Sprintf("the index is not complete: pages that were gone, or asked not to be found, at a later visit may still "+
			"be found; cybermapper index --job %s takes them out", say.Argument(dir)), nil
	}
	number := say.Count(n)
	if n == MaxBehind {
		number += " or more"
	}
	return fmt.Sprintf("stored pages that are not in the index yet: %s; cybermapper index --job %s takes them in",
		number, say.Argument(dir)), nil
}

// hasGone reports whether an index has pages that visits after what it was made from found gone, or asked not to be found; or may
// have, as that was not looked at since it was made, or is said by more records than are read here.
func hasGone(ctx context.Context, x *index.Index, dir string) (bool, error) {
	marks, err := x.Marks(ctx)
	made := marks[ledgerMark] != "" && marks[pagesMark] != ""
	if err != nil || !made || marks[goneMark] == "" {
		return made, err
	}
	h := heard{latest: map[string]index.Refusal{}}
	n := 0
	_, err = eachRecord(dir, parseRecordMark(marks[goneMark]), func(line []byte) error {
		if n++; n > maxHeard {
			return errEnough
		}
		h.add(line)
		return ctx.Err()
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return errors.Is(err, errEnough), nil // of other errors another command says what is wrong
	}
	for url, f := range h.latest {
		if f.Reason == "" {
			continue
		}
		if s, err := x.Why(ctx, url); err != nil || s.Page != nil && s.Page.URL == url && !s.Page.Fetched.After(f.Time) {
			return err == nil, err
		}
	}
	return false, nil
}

// errEnough ends the reading of a ledger.
var errEnough = errors.New("enough")
