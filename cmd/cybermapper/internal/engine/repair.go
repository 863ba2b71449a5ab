package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What repair puts beside the queue: the one that it builds, and the one that could not be read.
const (
	newFrontier     = job.FrontierDir + ".new"
	damagedFrontier = job.FrontierDir + ".damaged"
	damagedSeeds    = job.SeedsFile + ".damaged"
	damagedPages    = job.PagesDir + ".damaged" // files of pages of which the list has lost its line
)

// Repaired is what Repair did.
type Repaired struct {
	Job          string `json:"job"`
	Queue        string `json:"queue"` // why it was built anew; empty when it was sound
	Settled      int64  `json:"settled"`
	Queued       int64  `json:"queued"`
	AskedAgain   int64  `json:"asked_again"` // pages that were fetched, and are lost
	PageLines    int64  `json:"page_lines"`
	BadLines     int64  `json:"bad_lines"` // of the list of pages: none, or not as they were written
	TornPages    int64  `json:"torn_page_bytes"`
	LedgerWhy    string `json:"ledger,omitempty"` // why its end was cut off, or it begins anew
	LedgerLost   uint64 `json:"ledger_records_lost"`
	LedgerCut    int64  `json:"ledger_bytes_cut"`
	LedgerAnew   bool   `json:"ledger_anew,omitempty"`   // nothing was left of it
	LedgerBehind string `json:"ledger_behind,omitempty"` // how it can be seen that its end is gone
	LedgerBroken string `json:"ledger_broken,omitempty"` // what is wrong in the middle of it, which nothing mends
	Unlisted     int64  `json:"unlisted,omitempty"`      // files of pages without a line, which were put aside
	IndexRebuilt bool   `json:"index_rebuilt"`

	Seeds      int64     `json:"seeds,omitempty"`      // in the file of seeds, which was written anew
	DebtsUntil time.Time `json:"debts_until,omitzero"` // every site is left alone until then: debts.json could not be read

	ArchiveGone    int `json:"archive_files_gone,omitempty"`
	ArchiveDamaged int `json:"archive_files_damaged,omitempty"`
	ArchiveIndexes int `json:"archive_indexes,omitempty"` // that were written anew
}

// A repairer puts one job in order.
type repairer struct {
	job     *job.Job
	config  config.Config
	stores  *stores
	engine  *engine
	extract *extract.Extractor
	done    Repaired
	archive *archiveSurvey
	had     uint64 // how many records the ledger had when the queue was written; 0 if it is not known

	hash     maphash.Seed
	sound    map[uint64]bool                   // hashes of the URLs of pages that are there, whole
	kept     map[uint64]bool                   // hashes of versions of pages that are there, whole, as of version
	purged   map[uint64]bool                   // and of those that were removed
	listed   map[uint64]bool                   // by hashes of the files that the list of pages names: whether one is as a line says
	sitemaps map[string]bool                   // URLs that were asked for as sitemaps
	needed   map[string]bool                   // URLs that were asked for as what pages need
	retrying map[string]ledger.Record          // by URL
	lost     map[string]loss                   // by URLs to ask for again
	batch    map[frontier.URL]frontier.Outcome // to be settled
	links    map[frontier.URL]int              // of batch, with their depth
	last     map[string]ledger.Record          // the last request to each site
}

// A loss is a version of a page that was stored, and is not there.
type loss struct {
	depth   int
	fetched time.Time // zero when the ledger tells of it, in the order in which all came about
	state   []byte    // what is remembered of the visits before
}

// settledAtOnce is how many URLs go into the new queue in one step.
const settledAtOnce = 5000

// Repair puts the job in dir in order, as far as what is there allows it: the end of the ledger, the index of pages, the queue, and
// pages that were lost. It makes no request. What asks us to be polite, or to stay away, is carried over.
func Repair(ctx context.Context, dir string, out io.Writer) (done *Repaired, err error) {
	kind, err := job.KindOf(dir)
	if err != nil {
		return nil, cli.JobError(err)
	}
	j, err := job.Open(dir, kind)
	if err != nil {
		return nil, cli.JobError(err)
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	r := &repairer{
		job: j, done: Repaired{Job: dir}, hash: maphash.MakeSeed(), sound: map[uint64]bool{}, kept: map[uint64]bool{},
		purged: map[uint64]bool{}, sitemaps: map[string]bool{},
		listed: map[uint64]bool{}, needed: map[string]bool{},
		retrying: map[string]ledger.Record{}, lost: map[string]loss{}, last: map[string]ledger.Record{},
		batch: map[frontier.URL]frontier.Outcome{}, links: map[frontier.URL]int{},
	}
	if r.config, err = config.Read(j.Path(job.ConfigFile)); err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	if err := r.repair(ctx, out); isNewer(err) {
		return nil, cli.JobError(fmt.Errorf("repair %s: %w: %w", dir, job.ErrNewer, err))
	} else if err != nil {
		return nil, cli.DiskError(fmt.Errorf("repair %s: %w", dir, err))
	}
	chain, err := ledger.Verify(j.Path(job.LedgerDir))
	if err != nil {
		return nil, cli.DiskError(err)
	}
	if chain.Bad != nil {
		r.done.LedgerBroken = chain.Bad.Error()
	}
	return &r.done, nil
}

func (r *repairer) repair(ctx context.Context, out io.Writer) (err error) {
	if r.config.Frontier.IsShared() {
		return &cli.Error{Code: cli.ExitUsage, Err: errors.New("its queue is at the brokers of its crawl"),
			Hint: "cybermapper help cluster says what to do for a node"}
	}
	list, err := openOptOuts(r.config, r.job.Path(job.OptOutFile))
	if err != nil {
		return err
	}
	if err := r.cut(ctx); err != nil {
		return err
	}
	if err := r.mendSeeds(ctx); err != nil {
		return err
	}
	if r.done.DebtsUntil, err = mendDebts(r.job, r.config.Crawler().Politeness); err != nil {
		return err
	}
	if r.archive, err = r.surveyArchive(ctx); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stores.Close(), r.swap(err)) }()
	if err := r.begin(ctx, list, out); err != nil {
		return err
	}
	defer r.engine.Close()
	if err := r.eachSeeds(func(seeds []seed.Seed) error { r.engine.Extend(seed.URLs(seeds)); return nil }); err != nil {
		return err
	}
	steps := []func(context.Context) error{
		r.forgetRobots, r.checkPages, r.readLedger, r.settleStored, r.loseCaptures, r.queueLost, r.putAside, r.queueFound, r.owe,
		r.mendArchive, r.note,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// cut takes away what nothing can be made of: the torn end of the ledger and of the list of pages, and what was derived of them.
func (r *repairer) cut(ctx context.Context) error {
	queue, err := disk.Open(r.job.Path(job.FrontierDir), disk.Options{ReadOnly: true})
	if isNewer(err) {
		return err // before anything is changed
	}
	if err == nil {
		r.had = queue.ReliesOn()
		if err := queue.Close(); err != nil {
			return err
		}
	}
	loss, err := ledger.Cut(r.job.Path(job.LedgerDir), func(loss ledger.Loss) ledger.Record {
		return repairRecord("ledger cut: "+loss.Why, loss.Bytes)
	})
	if err != nil {
		return err
	}
	if err := ledger.Describe(ctx, r.job.Path(job.LedgerDir)); err != nil {
		return err
	}
	r.done.LedgerWhy, r.done.LedgerLost, r.done.LedgerCut = loss.Why, loss.Records, loss.Bytes
	if err := os.RemoveAll(filepath.Join(r.job.Path(job.PagesDir), ".store", "index")); err != nil {
		return err
	}
	isWrong, err := r.contradictsLedger(ctx)
	if err != nil {
		return err
	}
	if r.done.BadLines, err = pages.Cut(r.job.Path(job.PagesDir), isWrong); err != nil {
		return err
	}
	r.done.Queue, err = queueTrouble(ctx, r.job)
	return err
}

// begin makes what the steps work with.
func (r *repairer) begin(ctx context.Context, list *optOuts, out io.Writer) error {
	if err := r.stores.pages.Describe(); err != nil {
		return err
	}
	if lost, err := lostLedger(ctx, r.stores.own, r.job); err != nil {
		return err
	} else if lost != "" {
		r.done.LedgerAnew, r.done.LedgerWhy = true, lost
	}
	r.extract = extract.New(extract.Options{MaxBytes: int(r.config.Fetch.MaxBody), MaxLinks: r.config.Traps.LinksPerPage,
		Budget: int64(r.config.Extract.Memory)})
	log := NewLogger(r.config.Log, progress.NewScreen(out, true), true)
	var err error
	r.engine, err = newEngine(r.job, r.stores, parts{config: r.config, optOuts: list, log: log})
	return err
}

// queueTrouble says why the queue of a job must be built anew; nothing when it need not.
func queueTrouble(ctx context.Context, j *job.Job) (string, error) {
	problems, err := disk.Check(ctx, j.Path(job.FrontierDir))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, disk.ErrNotExist):
		return "it is missing", nil
	case errors.Is(err, disk.ErrInUse), errors.Is(err, fs.ErrPermission), isNewer(err):
		return "", err
	case err != nil:
		return "it cannot be read: " + err.Error(), nil
	case len(problems) > 0:
		return problems[0], nil
	}
	f, err := disk.Open(j.Path(job.FrontierDir), disk.Options{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer f.Close()
	forgotten, err := ForgottenBy(ctx, f, j.Path(job.LedgerDir))
	if err != nil || forgotten != "" {
		return "it does not know " + forgotten + ", which the ledger knows", err
	}
	stats, err := f.Stats(ctx)
	if err != nil || stats.Known > 0 {
		return "", err
	}
	for range pages.Read(j.Path(job.PagesDir)) {
		return "it is empty, though pages are stored", nil
	}
	return "", nil
}

// open opens the stores, with a new queue if the old one is of no use.
func (r *repairer) open() (err error) {
	s := &stores{began: time.Now()}
	if s.pages, err = pages.Open(r.job.Path(job.PagesDir), pages.Options{}); err != nil {
		return err
	}
	r.done.IndexRebuilt, r.done.TornPages = s.pages.Recovery().Rebuilt, s.pages.Recovery().TornBytes
	if s.ledger, err = ledger.Open(r.job.Path(job.LedgerDir),
		ledger.Options{MaxFile: int64(r.config.Storage.LedgerFile), Began: s.began}); err != nil {
		return errors.Join(err, s.pages.Close())
	}
	if err := r.findLostEnd(s); err != nil {
		return errors.Join(err, s.ledger.Close(), s.pages.Close())
	}
	dir := r.job.Path(job.FrontierDir)
	if r.done.Queue != "" {
		dir = r.job.Path(newFrontier)
		if err := os.RemoveAll(dir); err != nil {
			return errors.Join(err, s.ledger.Close(), s.pages.Close())
		}
	}
	s.own, err = disk.Open(dir, disk.Options{
		Memory: int64(r.config.Frontier.Memory), DefaultDelay: time.Duration(r.config.Politeness.Delay), Began: s.began,
		Barrier: s.barrier,
	})
	if err != nil {
		return errors.Join(err, s.ledger.Close(), s.pages.Close())
	}
	s.frontier, s.compared = s.own, true
	r.stores = s
	return nil
}

// findLostEnd finds out whether the end of the ledger is gone, as when an older one was put back. If the list of pages is no newer,
// nothing but the queue knows what came after, and only by hashes of URLs: it is built anew, for all of that to be asked for again.
func (r *repairer) findLostEnd(s *stores) error {
	l, err := unrecorded(r.job)
	if err != nil {
		return err
	}
	if err := s.ledger.Sync(); err != nil || s.ledger.Synced() == 0 {
		return err
	}
	if l != nil {
		r.done.LedgerBehind = "its end is gone: it has no request for " + l.FinalURL + ", which is stored"
	} else if lost := LostEnd(r.had, s.ledger.Synced()); lost != "" && r.done.LedgerWhy == "" {
		r.done.LedgerBehind = lost
		r.done.Queue = cmp.Or(r.done.Queue, "it is of later than the ledger and the list of pages")
	}
	return nil
}

// swap puts the new queue, if one was built, in the place of the old one, which is kept.
func (r *repairer) swap(failed error) error {
	if r.done.Queue == "" || failed != nil {
		return nil
	}
	if err := os.RemoveAll(r.job.Path(damagedFrontier)); err != nil {
		return err
	}
	if err := os.Rename(r.job.Path(job.FrontierDir), r.job.Path(damagedFrontier)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(r.job.Path(newFrontier), r.job.Path(job.FrontierDir))
}

// mostCompared is how many bytes a page may have to be held against a line that says another length.
const mostCompared = 256 << 20

// contradictsLedger returns what says of a line of the list of pages that it is not as it was written: the ledger knows its file,
// but as that of another URL, or with another body, or the line has another length than its file, which is whole. A line that the
// ledger does not know may have been written just before a kill.
func (r *repairer) contradictsLedger(ctx context.Context) (func(*pages.Line) bool, error) {
	files, versions := map[uint64]bool{}, map[uint64]bool{}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if rec.File != "" {
			files[r.key(rec.File)], versions[r.version(rec)] = true, true
		}
	}
	return func(l *pages.Line) bool {
		if !files[r.key(l.File)] {
			return false
		}
		if !versions[r.version(ledger.Record{URL: l.FinalURL, File: l.File, Digest: string(l.Digest)})] {
			return true
		}
		info, err := os.Stat(r.pageFile(*l))
		if err != nil || info.Size() == l.Bytes {
			return false
		}
		body, err := job.ReadFile(r.pageFile(*l), mostCompared)
		return err == nil && storage.DigestOf(body) == l.Digest
	}, nil
}

// checkPages finds out which pages are there, whole. A file that is not what was stored, and would be taken for it, is removed, but
// not if it is what another line says: where a file was lost, a later version may have taken its name.
func (r *repairer) checkPages(ctx context.Context) error {
	damaged := map[string]string{} // by their names in the list
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		}
		r.done.PageLines++
		body, err := job.ReadFile(r.pageFile(l), l.Bytes)
		isSound := err == nil && storage.DigestOf(body) == l.Digest
		r.listed[r.key(l.File)] = r.listed[r.key(l.File)] || isSound
		if isSound {
			r.sound[r.key(l.FinalURL)] = true
			r.kept[r.version(ledger.Record{URL: l.FinalURL, File: l.File, Digest: string(l.Digest)})] = true
			delete(r.lost, l.FinalURL)
			continue
		}
		if err == nil {
			damaged[l.File] = r.pageFile(l)
		}
		r.lost[l.FinalURL] = loss{depth: l.Depth, fetched: l.Fetched}
	}
	for name, file := range damaged {
		if r.listed[r.key(name)] {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// version returns the hash of what a record says was stored, or removed.
func (r *repairer) version(rec ledger.Record) uint64 {
	return r.key(rec.URL + " " + rec.File + " " + rec.Digest)
}

func (r *repairer) key(url string) uint64 { return maphash.String(r.hash, url) }

func (r *repairer) pageFile(l pages.Line) string {
	if !filepath.IsLocal(filepath.FromSlash(l.File)) {
		return ""
	}
	return filepath.Join(r.job.Path(job.PagesDir), filepath.FromSlash(l.File))
}

// putAside keeps beside what no line of the list is about, as a loss of power may leave it, which makes room for pages that are to
// be asked for again. The folder of pages may be a link, and lie on another disk; what is linked within it, and what this user may
// not read, is left alone.
func (r *repairer) putAside(ctx context.Context) error {
	dir, err := filepath.EvalSymlinks(r.job.Path(job.PagesDir))
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && path != dir {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case name == ".store":
			return fs.SkipDir
		case !e.Type().IsRegular() || name == "pages.jsonl":
			return ctx.Err()
		}
		if _, isListed := r.listed[r.key(filepath.ToSlash(name))]; isListed {
			return nil
		}
		to := filepath.Join(r.job.Path(damagedPages), name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		r.done.Unlisted++
		return move(path, to)
	})
}

// move renames a file, and copies it where it is to lie on another file system.
func move(from, to string) error {
	if err := os.Rename(from, to); !errors.Is(err, syscall.EXDEV) {
		return err
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Sync(), target.Close()); err != nil {
		return err
	}
	return os.Remove(from)
}

// readLedger takes up what became of every URL, and settles it in a queue that was built anew.
func (r *repairer) readLedger(ctx context.Context) error {
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), ledger.ReadOptions{Types: []ledger.Type{ledger.Purge}}) {
		if err != nil {
			return err
		}
		r.purged[r.version(rec)] = true
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Outcome}}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec.Type == ledger.Request {
			r.last[rec.Site] = ledger.Record{Site: rec.Site, End: rec.End, Gap: rec.Gap}
			switch crawler.Purpose(rec.Purpose) {
			case crawler.ForSitemap:
				r.sitemaps[rec.URL] = true
			case crawler.ForRequisite:
				r.needed[rec.URL] = true
			case crawler.ForPage:
				delete(r.needed, rec.URL) // it turned out to be a page
			}
			continue
		}
		if err := r.outcome(ctx, rec); err != nil {
			return err
		}
	}
	return r.settle(ctx)
}

// outcome takes up one outcome. A page whose body, and with it its links, is on no disk is asked for again.
func (r *repairer) outcome(ctx context.Context, rec ledger.Record) error {
	u, err := frontier.ParseURL(rec.URL)
	if err != nil {
		return nil
	}
	isPage := rec.Outcome == "done" && rec.Status >= 200 && rec.Status < 300
	delete(r.retrying, rec.URL)
	if replaces(rec) && rec.Time.After(r.lost[rec.URL].fetched) {
		delete(r.lost, rec.URL) // only what is there now can be asked for
	}
	switch {
	case rec.Outcome == "retrying":
		r.retrying[rec.URL] = rec
		return nil
	case isPage && rec.File != "" && !r.kept[r.version(rec)] && !r.purged[r.version(rec)]:
		r.lost[rec.URL] = loss{depth: rec.Depth}
	case r.done.Queue == "":
		return nil
	case isPage && rec.File == "" && rec.Reason == "":
		r.lost[rec.URL] = loss{depth: rec.Depth}
	}
	if _, isLost := r.lost[rec.URL]; isLost || r.done.Queue == "" || r.sitemaps[rec.URL] {
		return nil
	}
	status := frontier.Done
	if rec.Outcome == "failed" {
		status = frontier.Failed
	}
	before := r.batch[u] // by visits before: the page that a further one found unchanged is counted as well
	r.batch[u] = frontier.Outcome{Status: status, Reason: rec.Reason, Code: rec.Status,
		Page:  before.Page || isPage && !r.needed[rec.URL] && !crawler.Reason(rec.Reason).IsAgain(),
		Bytes: before.Bytes + rec.Bytes}
	r.links[u] = rec.Depth
	if len(r.batch) < settledAtOnce {
		return nil
	}
	return r.settle(ctx)
}

// replaces reports whether a visit has found something else at a URL than what was stored before, or nothing.
func replaces(o ledger.Record) bool {
	return o.File != "" || o.Outcome == "done" && o.Reason != string(crawler.ReasonUnchanged) &&
		o.Status > 0 && o.Status < http.StatusInternalServerError
}

// archiveFiles returns how many files of the archive were gone, or damaged.
func (d Repaired) archiveFiles() int { return d.ArchiveGone + d.ArchiveDamaged }

// isSound reports whether the job was in order before. The index and the tables of contents, which are made anew each time, say
// nothing that is not said elsewhere.
func (d Repaired) isSound() bool {
	return d.Queue == "" && d.Queued == 0 && d.AskedAgain == 0 && d.Settled == 0 && d.BadLines == 0 && d.TornPages == 0 &&
		!d.LedgerAnew && d.LedgerBehind == "" && d.Unlisted == 0 && d.archiveFiles() == 0 && d.Seeds == 0 && d.DebtsUntil.IsZero()
}

// note writes down in the ledger what was done besides cutting it, which it tells of already. Of a job that was in order it says
// nothing: what the ledger tells from before a repair counts for less than what it tells from then on.
func (r *repairer) note(context.Context) error {
	if r.done.isSound() {
		return nil
	}
	why := fmt.Sprintf("queued %d, to be asked for again %d", r.done.Queued, r.done.AskedAgain)
	if r.done.Queue != "" {
		why = "queue built anew, " + why
	}
	if r.done.LedgerAnew {
		why += "; ledger begun anew: " + r.done.LedgerWhy
	}
	if r.done.LedgerBehind != "" {
		why += "; the end of the ledger is gone"
	}
	if r.done.Unlisted > 0 {
		why += fmt.Sprintf("; files without a line put aside: %d", r.done.Unlisted)
	}
	if r.done.Seeds > 0 {
		why += fmt.Sprintf("; seeds found again: %d", r.done.Seeds)
	}
	if !r.done.DebtsUntil.IsZero() {
		why += "; what was owed to sites was lost"
	}
	if n := r.done.archiveFiles(); n > 0 {
		why += fmt.Sprintf("; files of the archive that were gone or damaged: %d", n)
	}
	return errors.Join(r.stores.ledger.Append(repairRecord(why, 0)), r.stores.ledger.Sync())
}

// repairRecord says in the ledger that the job was put in order, and how many bytes of the ledger that took.
func repairRecord(why string, cut int64) ledger.Record {
	return ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Why: why, Version: cli.ReadBuild().Version, Torn: cut}
}
