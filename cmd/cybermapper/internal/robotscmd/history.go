package robotscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/versions"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A historyReport is what robots history tells.
type historyReport struct {
	Site     string             `json:"site"`
	Versions []versions.Version `json:"versions"`
	Earlier  int                `json:"earlier,omitempty"` // that were left out
	Changes  []historyChange    `json:"changes"`
	Queued   *forbiddenNow      `json:"queued,omitempty"` // unknown while the crawl runs
	Stored   forbiddenNow       `json:"stored"`
	Notes    []string           `json:"notes,omitempty"`
}

// A historyChange compares two versions of an origin that follow each other, but for times without an answer; From and To are
// places in Versions.
type historyChange struct {
	From int        `json:"from"`
	To   int        `json:"to"`
	Text string     `json:"text,omitempty"` // as diff -u; empty unless both are files
	Diff diffReport `json:"diff"`

	meaning compose.Difference
}

// forbiddenNow counts the URLs that the latest robots.txt does not allow.
type forbiddenNow struct {
	URLs      int64    `json:"urls"`
	Forbidden int64    `json:"forbidden"`
	Samples   []string `json:"samples"`
}

// maxForbidden bounds the samples.
const maxForbidden = 10

func newHistoryCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history HOST",
		Short: "Show how the robots.txt of a site changed during a crawl",
		Long: `Lists the versions of the robots.txt of HOST (example.org, or example.org:8080)
that a job has seen, from its ledger and the files it keeps: from when to when,
how often, with which status, and where the file is. For each version it shows
what changed against the one before, as text and in what is allowed; times
without an answer are left out. It counts the queued and the stored pages that
the latest version forbids.

A version is a run of answers that say the same; a file that comes back after a
time of errors is a new one. It changes nothing. While the crawl runs, the queue
cannot be looked at, and it says so.

Exit codes:
  0    it has always said the same
  1    it has changed
  2    error, or the job has never asked HOST for robots.txt
`,
		Example: `  cybermapper robots history --job big example.org
  cybermapper robots history --job big example.org --json | jq '.versions[] | .first, .file'`,
		Args: cli.Exactly(1, "HOST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(showHistory(cmd.Context(), dir, args[0], cmd.OutOrStdout(), asJSON))
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func showHistory(ctx context.Context, dir, host string, w io.Writer, asJSON bool) (err error) {
	site, err := cli.ParseSite(host)
	if err != nil {
		return err
	}
	v, err := cli.LookAt(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	h, err := versions.Read(v, site)
	if err != nil {
		return err
	}
	if len(h.Versions) == 0 {
		near, err := explain.NearSite(ctx, v, site)
		if near == site {
			near = ""
		}
		return errors.Join(err, neverAsked(site, near))
	}
	r, err := newHistoryReport(ctx, v, site, h)
	if err != nil {
		return err
	}
	err = cli.Tell(w, asJSON, r, r.print)
	if err == nil && len(r.Changes) > 0 {
		err = &cli.Error{Code: cli.ExitFailure}
	}
	return err
}

// neverAsked says that there is no history, and which site may have been meant.
func neverAsked(site, near string) error {
	err := fmt.Errorf("the job has never asked %s for robots.txt", site)
	if near == "" {
		return err
	}
	return cli.WithHint(err, "did you mean "+near+"?")
}

func newHistoryReport(ctx context.Context, v *job.View, site string, h *versions.History) (*historyReport, error) {
	r := &historyReport{Site: site, Versions: h.Versions, Earlier: h.Earlier, Changes: []historyChange{},
		Stored: forbiddenNow{Samples: []string{}}}
	if err := r.compare(h); err != nil {
		return nil, err
	}
	judge := newNowJudge(h)
	counted := map[uint64]struct{}{} // hashes of URLs, of which there may be a million: a page has a line for each of its versions
	for line, err := range pages.Read(v.Path(job.PagesDir)) {
		if err != nil {
			return nil, fmt.Errorf("read pages: %w", err)
		}
		u, err := frontier.ParseURL(line.FinalURL)
		if err != nil || u.Site() != site {
			continue
		}
		id := xxhash.Sum64String(u.String())
		if _, known := counted[id]; !known {
			counted[id] = struct{}{}
			r.Stored.add(judge, u)
		}
	}
	if v.Frontier == nil {
		r.Notes = append(r.Notes, "the queue cannot be looked at now")
		return r, judge.err
	}
	r.Queued = &forbiddenNow{Samples: []string{}}
	for e, err := range v.Frontier.Waiting(ctx, site) {
		if err != nil {
			return nil, fmt.Errorf("read queue: %w", err)
		}
		r.Queued.add(judge, e.URL)
	}
	return r, judge.err
}

// compare compares each version with the one before. A time without answer says nothing of what the site wants.
func (r *historyReport) compare(h *versions.History) error {
	before := -1
	for i, v := range h.Versions {
		if before >= 0 && h.Versions[before].Origin != v.Origin {
			before = -1
		}
		if v.Outcome == robots.Unreachable {
			continue
		}
		if before >= 0 && h.Versions[before].Digest != v.Digest {
			c, err := compareVersions(h, before, i)
			if err != nil {
				return err
			}
			r.Changes = append(r.Changes, c)
		}
		before = i
	}
	return nil
}

// compareVersions says what changed. No file is one that forbids nothing.
func compareVersions(h *versions.History, from, to int) (historyChange, error) {
	c := historyChange{From: from, To: to}
	before, err := h.Body(h.Versions[from])
	if err != nil {
		return c, err
	}
	after, err := h.Body(h.Versions[to])
	if err != nil {
		return c, err
	}
	if h.Versions[from].File != "" && h.Versions[to].File != "" {
		c.Text = cli.UnifiedDiff(h.Versions[from].File, before, h.Versions[to].File, after)
	}
	c.meaning = compose.Diff(before, after, compose.DiffOptions{Dialect: h.Dialect()})
	c.Diff = reportDiff(c.meaning)
	return c, nil
}

// A nowJudge says what the latest version of each origin says.
type nowJudge struct {
	history *versions.History
	rules   map[string]*robots.Rules // by origin
	err     error                    // of a version that cannot be read
}

func newNowJudge(h *versions.History) *nowJudge {
	return &nowJudge{history: h, rules: map[string]*robots.Rules{}}
}

// forbids reports whether u may not be asked for. Nothing is said of an origin that is not known.
func (j *nowJudge) forbids(u frontier.URL) bool {
	origin := u.Origin()
	rules, known := j.rules[origin]
	if !known {
		if v, ok := j.history.Now(origin); ok && v.Outcome != robots.Unreachable {
			var err error
			rules, err = j.history.Rules(v)
			j.err = errors.Join(j.err, err)
		}
		j.rules[origin] = rules
	}
	return rules != nil && !rules.Test(u.PathQuery()).Allowed
}

func (f *forbiddenNow) add(j *nowJudge, u frontier.URL) {
	f.URLs++
	if !j.forbids(u) {
		return
	}
	f.Forbidden++
	if len(f.Samples) < maxForbidden {
		f.Samples = append(f.Samples, u.String())
	}
}

func (r *historyReport) print(w io.Writer) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", label, say.Printable(fmt.Sprintf(format, args...)))
	}
	if r.Earlier > 0 {
		row("", "(%s left out)", say.Plural(r.Earlier, "earlier version"))
	}
	for i, v := range r.Versions {
		if i == 0 || v.Origin != r.Versions[i-1].Origin {
			row("robots", "%s/robots.txt", v.Origin)
		}
		row(fmt.Sprintf("%9d", i+1), "%s to %s, seen %s: %s", say.Clock(v.First), say.Clock(v.Last), say.Plural(v.Seen, "time"),
			versionText(v))
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "\nfrom %d to %d\n", c.From+1, c.To+1)
		fmt.Fprint(w, c.Text) // it is printable
		printDiff(w, c.meaning)
	}
	fmt.Fprintln(w)
	if r.Queued != nil {
		row("queued", "%s", r.Queued)
	}
	row("stored", "%s", r.Stored)
	for _, n := range r.Notes {
		row("note", "%s", n)
	}
}

// versionText says what a version is.
func versionText(v versions.Version) string {
	text := string(v.Outcome)
	if v.Status != 0 {
		text += fmt.Sprintf(", %d %s", v.Status, http.StatusText(v.Status))
	}
	if v.Error != "" {
		text += ", " + v.Error
	}
	switch v.Outcome {
	case robots.Unavailable:
		text += ": everything is allowed"
	case robots.Unreachable:
		text += ": nothing is asked for"
	default:
		text += fmt.Sprintf(", %s, %s", say.Bytes(v.Size), v.File)
	}
	return text
}

func (f forbiddenNow) String() string {
	text := fmt.Sprintf("%s of %s forbidden by the latest version", say.Count(f.Forbidden), say.Plural(f.URLs, "URL"))
	if f.Forbidden > 0 {
		text += ", e.g. " + strings.Join(f.Samples[:min(3, len(f.Samples))], ", ")
	}
	return text
}
