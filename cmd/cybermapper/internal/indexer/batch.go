package indexer

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A batch is what becomes one change of the index.
type batch struct {
	lines []pages.Line
	bytes int64
	at    lineMark // of the last line
}

func (b *batch) add(l pages.Line) {
	b.lines = append(b.lines, l)
	b.bytes += l.Bytes
	b.at = lineMark{l.Start, l.End, l.Listing}
}

// Bounds of one change of the index: what is written with it is written in one piece, and the fewer pieces, the less is merged.
const (
	batchPages = 1024 // with Options.Memory of index.MaxMemory, and as much less with less
	batchPart  = 6    // of Options.Memory: bytes of pages, before their text is taken apart
)

// isFull reports whether a batch is to be taken in, by what may be held in memory.
func (b *batch) isFull(memory int64) bool {
	return int64(len(b.lines)) >= max(memory/(index.MaxMemory/batchPages), 1) || b.bytes >= memory/batchPart
}

// readPages takes in the lines of pages.jsonl since the last time.
func (d *Indexer) readPages(ctx context.Context, r *Report) error {
	dir := filepath.Join(d.dir, job.PagesDir)
	var from lineMark
	if mark := d.marks[pagesMark]; mark != "" {
		if err := json.Unmarshal([]byte(mark), &from); err != nil {
			return fmt.Errorf("%w: %w", index.ErrDamaged, err)
		}
		if l, err := pages.LineAt(dir, from.Start); err != nil || l.Listing != from.Listing {
			return errOther
		}
	}
	b := batch{at: from}
	read := 0
	for l, err := range pages.ReadFrom(dir, from.End) {
		if err != nil {
			if l.End == 0 && !isBadLine(err) {
				return err
			}
			continue // check tells of it
		}
		if !l.IsPage() {
			continue // what pages need is not searched
		}
		b.add(l)
		if read++; b.isFull(d.o.Memory) {
			if err := d.takeBatch(ctx, r, &b); err != nil {
				return err
			}
			if d.o.Progress != nil {
				d.o.Progress(read)
			}
		}
	}
	return d.takeBatch(ctx, r, &b)
}

func isBadLine(err error) bool { return strings.Contains(err.Error(), "not a page") }

// takeBatch puts the pages of a batch into the index, and empties it.
func (d *Indexer) takeBatch(ctx context.Context, r *Report, b *batch) error {
	if len(b.lines) == 0 {
		return nil
	}
	c, err := d.change(ctx, b.lines)
	if err != nil {
		return err
	}
	mark, err := json.Marshal(b.at)
	if err != nil {
		return err
	}
	if err := d.apply(ctx, c, map[string]string{pagesMark: string(mark)}); err != nil {
		return err
	}
	r.count(c)
	b.lines, b.bytes = b.lines[:0], 0
	return nil
}

func (r *Report) count(c index.Change) {
	r.Added += len(c.Documents)
	for _, f := range c.Refusals {
		r.Refused[f.Reason]++
	}
}

// change judges lines, and takes the pages apart that may be in the index, on all processors.
func (d *Indexer) change(ctx context.Context, lines []pages.Line) (c index.Change, err error) {
	now := time.Now()
	latest := map[string]int{} // a page that changed stands there twice
	for i := range lines {
		latest[lines[i].FinalURL] = i
		d.hosts[frontier.SiteOf(lines[i].FinalURL)] = true
	}
	var kept []*pages.Line
	for i := range lines {
		l := &lines[i]
		if latest[l.FinalURL] != i {
			continue
		}
		if f, refused := d.judge.Refuse(l, now); refused {
			c.Refusals = append(c.Refusals, f)
			continue
		}
		kept = append(kept, l)
	}
	docs, failed := make([]index.Document, len(kept)), make([]error, len(kept))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(kept)) {
		workers.Go(func() {
			for i := range next {
				docs[i], failed[i] = d.document(ctx, kept[i])
			}
		})
	}
	for i := range kept {
		next <- i
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if d.hasOtherPages() { // the lines are not about what was read
		return c, errOther
	}
	for i, doc := range docs {
		if failed[i] != nil {
			c.Refusals = append(c.Refusals, index.Refusal{
				URL: kept[i].FinalURL, Reason: index.Unreadable, Rule: failed[i].Error(), File: kept[i].File, Time: now,
				Source: kept[i].Start,
			})
			continue
		}
		c.Documents = append(c.Documents, doc)
	}
	return c, nil
}
