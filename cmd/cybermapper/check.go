package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// A checkReport is what check found.
type checkReport struct {
	Job      string   `json:"job"`
	Sound    bool     `json:"sound"`
	URLs     int64    `json:"urls"`
	Pages    int64    `json:"pages"`
	Files    int64    `json:"files"`
	Records  uint64   `json:"ledger_records"`
	Head     string   `json:"ledger_head"`             // stands for the whole ledger
	Torn     int64    `json:"ledger_torn,omitempty"`   // bytes of a record that a killed process left; no problem
	Robots   int      `json:"robots_files"`            // that the ledger refers to
	Archive  int      `json:"archive_files,omitempty"` // finished ones
	Captures int      `json:"captures,omitempty"`      // answers that these have
	Lost     int64    `json:"lost_requests,omitempty"` // that were made, and whose records were lost before a repair; no problem
	Problems []string `json:"problems"`
	More     int64    `json:"more_problems,omitempty"` // that were not listed

	isNode bool  // others share its queue, which is not here
	done   int64 // URLs that were visited, says the queue
}

// maxProblems bounds the problems that are listed.
const maxProblems = 1000

func newCheckCommand() *cobra.Command {
	var dirs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that a job directory is consistent",
		Long: `Checks a job directory: the queue, every stored page and every record of the
archive against its digest, the chain of the ledger, and that they agree with
each other and with what was published of the ledger (evidence.publish); of a
node of a shared crawl all but the queue, which is at the brokers; and whether
job.yaml, seeds.txt and debts.json can be read. It changes nothing. The crawl
must not be running. Several jobs are checked one by one.

Exit codes:
  0    all is as it should be
  1    something is not; each line of output says what
  2    error, wrong usage, or there is no job
  4    the job is in use
`,
		Example: "  cybermapper check --job big",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Trouble(check(cmd.Context(), dirs, cmd.OutOrStdout(), asJSON))
		},
	}
	cli.JobsFlag(cmd, &dirs)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func check(ctx context.Context, dirs []string, w io.Writer, asJSON bool) error {
	dirs, err := cli.Jobs(dirs)
	if err != nil {
		return err
	}
	all := struct {
		Sound bool           `json:"sound"`
		Jobs  []*checkReport `json:"jobs"`
	}{true, []*checkReport{}}
	several, looked := len(dirs) > 1, 0
	err = cli.EachJob(dirs, func(v *job.View) error {
		looked++
		r := &checkReport{Job: v.Dir, Problems: []string{}, isNode: v.IsNode}
		if err := r.check(ctx, v); err != nil {
			return err
		}
		all.Sound = all.Sound && r.Sound
		all.Jobs = append(all.Jobs, r)
		if asJSON && several {
			return nil
		}
		return cli.Tell(w, asJSON, r, r.print)
	})
	if looked < len(dirs) {
		err = cli.UsageError("", "%w", err)
	}
	all.Sound = all.Sound && len(all.Jobs) == len(dirs)
	if asJSON && several {
		err = errors.Join(err, cli.EncodeJSON(w, all))
	}
	if err == nil && !all.Sound {
		err = &cli.Error{Code: cli.ExitFailure}
	}
	return err
}

// check looks at every part of a job.
func (r *checkReport) check(ctx context.Context, v *job.View) error {
	if v.Running {
		return cli.WithHint(cli.DiskError(fmt.Errorf("a process works on the job in %s", v.Dir)), "stop the crawl first")
	}
	for _, p := range engine.CheckGiven(v.Dir) {
		r.problem("%s", p)
	}
	parts := []func(context.Context, *job.View) error{
		r.checkFrontier, r.checkPages, r.checkArchive, r.checkLedger, r.checkPublished,
	}
	for _, part := range parts {
		if err := part(ctx, v); err != nil {
			return err
		}
	}
	r.Sound = len(r.Problems) == 0
	return nil
}

func (r *checkReport) problem(format string, args ...any) {
	if len(r.Problems) >= maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

func (r *checkReport) checkFrontier(ctx context.Context, v *job.View) error {
	if v.Frontier == nil {
		return nil // the first run has not got so far
	}
	stats, err := v.Frontier.Stats(ctx)
	if err != nil {
		return fmt.Errorf("check frontier: %w", err)
	}
	r.URLs, r.done = stats.Known, stats.Done
	problems, err := v.Frontier.Check(ctx)
	for _, p := range problems {
		r.problem("frontier: %s", p)
	}
	if err != nil {
		return err
	}
	forgotten, err := engine.ForgottenBy(ctx, v.Frontier, v.Path(job.LedgerDir))
	if forgotten != "" {
		r.problem("frontier: it has forgotten %s, which the ledger knows", forgotten)
	}
	return err
}

// checkPages compares lines and files, and asks the frontier about every page: what is stored must have been queued.
func (r *checkReport) checkPages(ctx context.Context, v *job.View) error {
	dir := v.Path(job.PagesDir)
	found, err := pages.Check(ctx, dir)
	if err != nil {
		return err
	}
	r.Pages, r.Files, r.More = found.Lines, found.Files, r.More+found.More
	for _, p := range found.Problems {
		r.problem("pages: %s", p)
	}
	if v.Frontier == nil {
		return nil
	}
	for line, err := range pages.Read(dir) {
		if err != nil {
			continue // reported by pages.Check
		}
		u, err := frontier.ParseURL(line.FinalURL)
		if err != nil {
			r.problem("pages: %s: %v", line.FinalURL, err)
			continue
		}
		info, err := v.Frontier.Lookup(ctx, u)
		if err != nil {
			return fmt.Errorf("check pages: %w", err)
		}
		if info.Status == frontier.Unknown {
			r.problem("pages: %s is stored in %s, but the frontier does not know it", u, line.File)
		}
	}
	return nil
}

// checkArchive reads the files of the archive to their end, and compares them with their indexes.
func (r *checkReport) checkArchive(ctx context.Context, v *job.View) error {
	dir, indexes := v.Path(job.ArchiveDir), v.Path(job.IndexesDir)
	files, err := warc.Files(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	missing, merr := warc.Missing(dir, indexes)
	if err := errors.Join(err, merr); err != nil {
		return fmt.Errorf("check archive: %w", err)
	}
	for _, name := range missing {
		r.problem("archive: %s is gone, of which there is an index", name)
	}
	for _, name := range files {
		r.Archive++
		file := filepath.Join(dir, name)
		found, err := warc.Check(ctx, file, func(f warc.Finding) error {
			if f.Problem {
				r.problem("archive: %s: offset %d: %s", name, f.Offset, f.Text)
			}
			return nil
		})
		for _, kind := range []string{warc.TypeResponse, warc.TypeRevisit, warc.TypeResource} {
			r.Captures += found.Records[kind]
		}
		differs := ""
		if err == nil && found.Problems == 0 {
			differs, err = warc.CheckIndex(ctx, file, filepath.Join(indexes, name+warc.IndexSuffix))
		}
		if differs != "" {
			r.problem("archive: the index of %s: %s", name, differs)
		}
		if err != nil {
			return fmt.Errorf("check archive: %w", err)
		}
	}
	return nil
}

// checkLedger verifies the chain, and that every robots.txt which a decision refers to is there.
func (r *checkReport) checkLedger(ctx context.Context, v *job.View) error {
	dir := v.Path(job.LedgerDir)
	found, err := ledger.Verify(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if v.Frontier != nil || r.Pages > 0 {
			r.problem("ledger: there is none, though there is a queue, or pages")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("check ledger: %w", err)
	}
	r.Records, r.Head, r.Torn = found.Records, found.Head, found.Torn
	if found.Bad != nil && errors.Is(found.Bad, ledger.ErrNewer) {
		return fmt.Errorf("%s: %w: %w", v.Dir, job.ErrNewer, found.Bad)
	}
	if found.Bad != nil {
		r.problem("ledger: %v", found.Bad)
	}
	if err := errors.Join(r.compareLedger(ctx, v, found.Bad == nil), r.checkContents(ctx, dir)); err != nil {
		return err
	}
	bodies, seen := robots.DirBodies(v.Path(job.RobotsDir)), map[string]bool{}
	for record, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Refusal}}) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return fmt.Errorf("check ledger: %w", err)
		}
		if digest := record.RobotsDigest; digest != "" && !seen[digest] {
			seen[digest] = true
			if _, err := bodies.Get(digest); err != nil {
				r.problem("robots: record %d of the ledger refers to a file that cannot be read: %v", record.Seq, err)
			}
		}
	}
	r.Robots = len(seen)
	return nil
}

// checkContents compares the contents of the ledger with it.
func (r *checkReport) checkContents(ctx context.Context, dir string) error {
	wrong, err := ledger.CheckContents(ctx, dir)
	for _, name := range wrong {
		r.problem("ledger: contents: they do not say what is in %s", name)
	}
	return err
}

// checkPublished compares what was published of the ledger, if the job says where, with it.
func (r *checkReport) checkPublished(_ context.Context, v *job.View) error {
	dir := evidenceSettings(v).Publish
	if _, err := os.Stat(dir); dir == "" || err != nil && !filepath.IsAbs(dir) {
		return nil // or it is named as seen from elsewhere
	}
	problems, err := checkpoint.CheckPublished(v.Path(job.LedgerDir), dir)
	if _, ok := errors.AsType[*ledger.CorruptError](err); ok || errors.Is(err, fs.ErrNotExist) {
		return nil // told before
	}
	for _, p := range problems {
		r.problem("published: %s: %s", dir, p)
	}
	return err
}

// compareLedger compares the queue and the list of pages with what the ledger tells. A request is on record before anything is made
// of its answer, so neither of them can know of more than it does.
func (r *checkReport) compareLedger(ctx context.Context, v *job.View, whole bool) error {
	if !whole {
		return nil
	}
	if v.Frontier != nil {
		if lost := engine.LostEnd(v.Frontier.ReliesOn(), r.Records); lost != "" {
			r.problem("ledger: %s", lost)
		}
	}
	listed, err := engine.ListedPages(ctx, v.Path(job.LedgerDir))
	if err != nil {
		return fmt.Errorf("check ledger: %w", err)
	}
	var asked int64 // URLs of pages and sitemaps
	repaired := false
	types := []ledger.Type{ledger.Request, ledger.Run}
	for record, err := range ledger.Read(v.Path(job.LedgerDir), ledger.ReadOptions{Types: types}) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return fmt.Errorf("check ledger: %w", err)
		}
		repaired = repaired || record.Event == ledger.EventRepair
		if tellsOfURL(&record, v.IsNode) {
			asked++
		}
	}
	if v.Frontier == nil && !v.IsNode && asked > 0 {
		r.problem("frontier: there is no queue, though the ledger tells of %s", say.Plural(asked, "URL"))
	}
	if repaired {
		r.Lost = max(r.done-asked, r.Pages-asked, 0)
		asked += r.Lost
	}
	if r.done > asked {
		r.problem("ledger: the queue has %d URLs that were visited, the ledger has first requests for %d only: records are missing",
			r.done, asked)
	}
	if r.Pages > asked {
		r.problem("ledger: %d pages are stored, the ledger has requests for %d URLs only: records are missing",
			r.Pages, asked)
	}
	if listed > r.Pages {
		r.problem("pages: the ledger tells of %d pages that were stored, pages.jsonl has %d", listed, r.Pages)
	}
	return nil
}

// tellsOfURL reports whether a request is the one to count for its URL: the first attempt; of a node, since another may have made
// that one, whichever brought the page.
func tellsOfURL(record *ledger.Record, node bool) bool {
	if !slices.Contains([]string{"page", "sitemap", "requisite"}, record.Purpose) {
		return false
	}
	if node {
		return record.Status/100 == 2
	}
	return record.Attempt == 1
}

func (r *checkReport) print(w io.Writer) {
	for _, p := range r.Problems {
		fmt.Fprintln(w, say.Printable(p))
	}
	if r.More > 0 {
		fmt.Fprintf(w, "and %d more\n", r.More)
	}
	urls := say.Count(r.URLs) + " URLs"
	if r.isNode {
		urls = "its queue is at the brokers"
	}
	verdict := "sound"
	if !r.Sound {
		verdict = "not sound, " + say.Plural(int64(len(r.Problems))+r.More, "problem")
	}
	fmt.Fprintf(w, "%s: %s: %s, %s pages in %s files, %s ledger records, %s robots.txt files", r.Job, verdict,
		urls, say.Count(r.Pages), say.Count(r.Files), say.Count(int64(r.Records)), say.Count(r.Robots))
	if r.Archive > 0 {
		fmt.Fprintf(w, ", %s in %s", say.Plural(r.Captures, "capture"), say.Plural(r.Archive, "WARC file"))
	}
	fmt.Fprintln(w)
	if r.Torn > 0 {
		fmt.Fprintf(w, "the ledger ends in %d bytes of an unfinished record, which the next run cuts off\n", r.Torn)
	}
	if r.Lost > 0 {
		fmt.Fprintf(w, "the records of %s were lost before the job was put in order\n", say.Plural(r.Lost, "request"))
	}
	if r.Head != "" {
		fmt.Fprintf(w, "the ledger ends in %s\n", r.Head)
	}
}
