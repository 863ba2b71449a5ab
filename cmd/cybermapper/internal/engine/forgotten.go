package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// How many outcomes at the beginning and at the end of the ledger the queue is asked about.
const (
	firstOutcomes = 50
	lastOutcomes  = 200
)

// ForgottenBy returns a URL that the ledger in dir says was settled, or submitted and queued, which is written only when the queue
// has it for good, and the queue does not know of; nothing when there is none among the first and the last of the ledger.
func ForgottenBy(ctx context.Context, f *disk.Frontier, dir string) (string, error) {
	unknown := map[string]bool{}
	first, err := firstOutcomesOf(dir)
	if err != nil {
		return "", err
	}
	for _, r := range first {
		is, err := isForgotten(ctx, f, r, false)
		if err != nil {
			return "", err
		}
		if is {
			unknown[r.URL] = true
		}
	}
	if lost, err := stillSettled(dir, unknown); lost != "" || err != nil {
		return lost, err
	}
	last, err := lastOutcomesOf(dir)
	if err != nil {
		return "", err
	}
	for _, r := range last {
		if is, err := isForgotten(ctx, f, r, true); is || err != nil {
			return r.URL, err
		}
	}
	return "", nil
}

func firstOutcomesOf(dir string) (first []ledger.Record, err error) {
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}}) {
		if err != nil || len(first) == firstOutcomes {
			return first, err
		}
		first = append(first, r)
	}
	return first, nil
}

// lastOutcomesOf returns the last outcomes in the ledger in dir, of each URL the latest, and what was submitted and queued since
// the last repair: what one found again has met the gates once more.
func lastOutcomesOf(dir string) (map[string]ledger.Record, error) {
	last := make([]ledger.Record, 0, lastOutcomes)
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Seed, ledger.Run}, Tail: 1 << 20}
	for r, err := range ledger.ReadSound(dir, o) {
		if err != nil {
			return nil, err
		}
		if r.Event == ledger.EventRepair {
			last = slices.DeleteFunc(last, func(r ledger.Record) bool { return r.Type == ledger.Seed })
		}
		if r.Type == ledger.Run || r.Type == ledger.Seed && r.Outcome != "queued" {
			continue
		}
		if len(last) == lastOutcomes {
			last = append(last[:0], last[lastOutcomes/2:]...)
		}
		last = append(last, r)
	}
	latest := map[string]ledger.Record{}
	for _, r := range last {
		latest[r.URL] = r
	}
	return latest, nil
}

// stillSettled returns one of the URLs whose latest outcome in the ledger in dir settles it. Of a sitemap that a lost queue knew
// of, repair says that it is to be read again, and leaves it to robots.txt to name it.
func stillSettled(dir string, urls map[string]bool) (string, error) {
	if len(urls) == 0 {
		return "", nil
	}
	settled := map[string]bool{}
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}}) {
		if err != nil {
			return "", err
		}
		if urls[r.URL] {
			settled[r.URL] = r.Outcome != "retrying"
		}
	}
	for u, is := range settled {
		if is {
			return u, nil
		}
	}
	return "", nil
}

// isForgotten reports whether the queue contradicts an outcome; isLatest says that no newer one of the same URL is known.
func isForgotten(ctx context.Context, f *disk.Frontier, r ledger.Record, isLatest bool) (bool, error) {
	u, err := frontier.ParseURL(r.URL)
	if err != nil {
		return false, nil
	}
	info, err := f.Lookup(ctx, u)
	if err != nil {
		return false, err
	}
	waits := (info.Status == frontier.Queued || info.Status == frontier.Retrying) && len(info.Entry.State) == 0 // not again
	return info.Status == frontier.Unknown && r.Outcome != "retrying" || isLatest && waits && !mayWait(r) &&
		(r.Outcome == "done" || r.Outcome == "failed"), nil
}

// mayWait reports whether what an outcome settles may wait to be asked for once more, as a page: what was not asked for as one, and
// a redirect, which may have been after a cookie.
func mayWait(r ledger.Record) bool {
	return crawler.Reason(r.Reason) == crawler.ReasonChecked || crawler.Purpose(r.Purpose) == crawler.ForRequisite ||
		r.Status >= 300 && r.Status < 400 && r.Status != http.StatusNotModified
}

// lostLedger says of a job whose ledger has no record at all how it can be seen that there were some; nothing when it cannot. f is
// nil for a node, whose queue others have filled as well.
func lostLedger(ctx context.Context, f *disk.Frontier, j *job.Job) (string, error) {
	for _, err := range ledger.ReadSound(j.Path(job.LedgerDir), ledger.ReadOptions{}) {
		return "", err
	}
	if f != nil {
		stats, err := f.Stats(ctx)
		if err != nil || stats.Known > 0 {
			return "it has no record, though the queue knows " + say.Plural(stats.Known, "URL"), err
		}
	}
	for range pages.Read(j.Path(job.PagesDir)) {
		return "it has no record, though pages are stored", nil
	}
	return "", nil
}

// lastLines is how much of the end of the list of pages is read for its last line, which is much shorter, in bytes.
const lastLines = 1 << 20

// lastRecords is how much of the end of the ledger is read for the request that brought the last page, in bytes. Where it is not
// there, nor all of it is of later, all is read: the wall clock may have been set back.
const lastRecords = 1 << 20

// LostEnd says of a ledger how it can be seen that its end is gone, as when an older one was put back; nothing when it cannot. What
// the queue tells of is on stable storage only after the ledger, which had so many records then, and has so many now.
func LostEnd(had, has uint64) string {
	if has >= had {
		return ""
	}
	return fmt.Sprintf("its end is gone: it has %s, and had %s when the queue was written", say.Plural(int64(has), "record"),
		say.Count(int64(had)))
}

// unrecorded returns the page that was stored last if the ledger does not have the request that brought it, and no repair has been
// on record since pages were stored.
func unrecorded(j *job.Job) (*pages.Line, error) {
	var last *pages.Line
	for l, err := range pages.ReadLast(j.Path(job.PagesDir), lastLines) {
		if err == nil { // what is wrong with a line is for check to tell
			last = &l
		}
	}
	if last == nil {
		return nil, nil
	}
	for _, tail := range []int64{lastRecords, 0} {
		if known, err := isRecorded(j.Path(job.LedgerDir), last, tail); known || err != nil {
			return nil, err
		}
	}
	return last, nil
}

// clockSlack is by how much a request may seem to have ended before its page was fetched: the wall clock may be set in between.
const clockSlack = time.Hour

// isRecorded reports whether the end of the ledger in dir, so many bytes at least or all for 0, has the request that brought a
// page, or a repair since which no page was stored; or goes on so long after the page that it has none of its time.
func isRecorded(dir string, l *pages.Line, tail int64) (is bool, err error) {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Outcome, ledger.Run}, Tail: tail}
	repaired, isFirst := false, true
	for r, err := range ledger.ReadSound(dir, o) {
		isLater := isFirst && tail > 0 && r.Time.After(l.Fetched)
		isFirst = false
		switch {
		case err != nil:
			return false, err
		case isLater:
			return true, nil
		case r.Type == ledger.Request && r.URL == l.FinalURL && r.End.After(l.Fetched.Add(-clockSlack)):
			return true, nil
		case r.Event == ledger.EventRepair:
			repaired = true
		case r.Listing != "":
			repaired = false
		}
	}
	return repaired, nil
}

// lostPages says of a job how it can be seen that lines of its list of pages are gone; nothing when it cannot. It asks for the
// first and the last pages that the ledger tells of, and looks further only if the list does not know one of them. f is nil for a
// node, whose pages no repair queues again.
func lostPages(ctx context.Context, j *job.Job, f *disk.Frontier, stored *pages.Store) (string, error) {
	dir := j.Path(job.LedgerDir)
	first, err := firstOutcomesOf(dir)
	if err != nil {
		return "", err
	}
	last, err := lastOutcomesOf(dir)
	if err != nil {
		return "", err
	}
	unknown := map[string]bool{}
	for _, r := range append(first, slices.Collect(maps.Values(last))...) {
		if r.Listing == "" {
			continue
		}
		known, err := stored.Knows(r.URL, storage.Digest(r.Digest))
		if err != nil {
			return "", err
		}
		if !known {
			unknown[r.URL] = true
		}
	}
	if err := keepStored(dir, unknown); err != nil || len(unknown) == 0 {
		return "", err
	}
	for l, err := range pages.Read(j.Path(job.PagesDir)) {
		if err == nil { // what is wrong with a line is for check to tell
			delete(unknown, l.FinalURL)
		}
	}
	for url := range unknown {
		u, err := frontier.ParseURL(url)
		if err != nil {
			continue
		}
		if f != nil {
			info, err := f.Lookup(ctx, u)
			if err != nil {
				return "", err
			}
			if info.Status != frontier.Done { // but about to be asked for again, as after a repair
				continue
			}
		}
		return "their list has lost lines: it does not know " + url + ", which the ledger says is stored", nil
	}
	return "", nil
}

// keepStored deletes the URLs of which the ledger in dir does not say that they are stored, by what it heard last of each.
func keepStored(dir string, urls map[string]bool) error {
	if len(urls) == 0 {
		return nil
	}
	stored := map[string]bool{}
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Purge}}) {
		if err != nil {
			return err
		}
		if urls[r.URL] && r.Reason != string(crawler.ReasonUnchanged) {
			stored[r.URL] = r.Type == ledger.Outcome && r.Listing != ""
		}
	}
	maps.DeleteFunc(urls, func(url string, _ bool) bool { return !stored[url] })
	return nil
}

// ListedPages returns how many lines the list of pages has at least, by what the ledger in dir tells. A repair knows how many are
// lost: what was listed before it does not count.
func ListedPages(ctx context.Context, dir string) (lines int64, err error) {
	purged := map[[3]string]bool{}
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Purge}}) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return 0, err
		}
		purged[[3]string{r.URL, r.File, r.Digest}] = true
	}
	for r, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Run}}) {
		err = cmp.Or(err, ctx.Err())
		switch {
		case err != nil:
			return 0, err
		case r.Event == ledger.EventRepair:
			lines = 0
		case r.Listing != "" && !purged[[3]string{r.URL, r.File, r.Digest}]:
			lines++
		}
	}
	return lines, nil
}

// Damaged says what of a job cannot be used, and what helps, unless it is in use, not ours, or on a full disk.
func Damaged(c config.Config, what string, err error) error {
	err = fmt.Errorf("%s cannot be read: %w", what, err)
	if cli.IsDiskFull(err) || errors.Is(err, disk.ErrInUse) || errors.Is(err, pages.ErrInUse) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	if isNewer(err) {
		return cli.JobError(fmt.Errorf("%w: %w", job.ErrNewer, err))
	}
	if job.IsOfSystem(err) {
		return cli.DiskError(err)
	}
	hint := repairHint
	if c.Frontier.IsShared() {
		hint = nodeHint
	}
	return &cli.Error{Code: cli.ExitDisk, Err: err, Hint: hint}
}

// isNewer reports whether a later version of the program wrote what cannot be read.
func isNewer(err error) bool { return errors.Is(err, ledger.ErrNewer) || errors.Is(err, disk.ErrNewer) }

// What helps if a job is damaged.
const (
	repairHint = "cybermapper repair --job DIR puts a damaged job in order, without a request; crawl --fresh starts over"
	nodeHint   = "what is queued is at the brokers: give the node another --job, and keep this one as evidence; " +
		"pages that only it had are not asked for again"
)
