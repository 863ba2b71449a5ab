package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	jobs   []string
	traps  bool
	asJSON bool
}

func newExplainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain URL | HOST | --traps [HOST]",
		Short: "Explain why a URL was fetched or not, or how a site stands",
		Long: `Explains a URL, with its scheme, by everything that a job knows of it: where it
was found, what each gate said, which line of which robots.txt decided, how the
pause before each request came about, every attempt, and what is next. For the
front page of a site it also explains how the site stands.

Explains a HOST, without a scheme (example.org, or example.org:8080): why nothing
is fetched now and until when, every reason why URLs were not followed or were
given up, every rest, which robots.txt was fetched and obeyed when, how the pause
changed and why, whether the site answers more slowly at our rate (harm), and
where it seems to have no end (traps). --traps shows the traps of the whole job,
by what they look like: how often, the first samples, the bound that was struck,
and the setting that overrules it.

Of several jobs those answer that know of it, each by its name.

It changes nothing; while the crawl runs it shows what the ledger says so far.

Exit codes:
  0    done
  1    error, or the job knows nothing of the URL or host
  2    wrong usage, or there is no job
`,
		Example: `  cybermapper explain --job big https://example.org/private/
  cybermapper explain --job big example.org
  cybermapper explain --job big --traps --json | jq '.traps[] | select(.pattern == "calendar")'`,
		Args: cli.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error { return explainTo(cmd, o, args) },
	}
	cli.JobsFlag(cmd, &o.jobs)
	cmd.Flags().BoolVar(&o.traps, "traps", false, "show the traps that were found, of the whole job or of HOST")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

// explainTo finds out what is asked about, and answers.
func explainTo(cmd *cobra.Command, o explainOptions, args []string) (err error) {
	var u frontier.URL
	var site string
	switch {
	case len(args) == 0 && !o.traps:
		return cli.UsageError("usage: "+cmd.UseLine(), "missing URL or HOST")
	case len(args) == 0:
	case strings.Contains(args[0], "/") || strings.Contains(args[0], "://"):
		if u, err = cli.ParseURL(args[0]); err != nil {
			return cli.UsageError("", "%w", err)
		}
		site = u.Site()
	default:
		if site, err = cli.ParseSite(args[0]); err != nil {
			return err
		}
	}
	if o.jobs, err = cli.Jobs(o.jobs); err != nil {
		return err
	}
	q := question{url: u, site: site, traps: o.traps}
	ask := func(v *job.View) (answer, error) { return q.ask(cmd.Context(), v) }
	return tellJobs(o.jobs, cmd.OutOrStdout(), o.asJSON, q.what(), ask)
}

// A question is what is to be explained.
type question struct {
	url   frontier.URL
	site  string
	traps bool
}

// what names what the question is about.
func (q question) what() string {
	if q.url.IsZero() {
		return q.site
	}
	return q.url.String()
}

// An answer is what one job knows.
type answer struct {
	told  interface{ Print(io.Writer) } // nil when there is nothing to tell
	known bool
	near  string // what may have been meant
}

// ask looks into a job for an answer.
func (q question) ask(ctx context.Context, v *job.View) (a answer, err error) {
	if err := sound(v); err != nil {
		return a, err
	}
	switch {
	case q.traps:
		t, err := explain.JobTraps(v, q.site)
		if err != nil {
			return a, err
		}
		if a.known = true; q.site != "" && t.Refusals == 0 {
			if _, a.known, err = explain.Site(ctx, v, q.site); err != nil {
				return a, err
			}
		}
		if a.told = t; a.known {
			return a, nil
		}
		a.told = nil
	case q.url.IsZero():
		var r *explain.SiteReport
		if r, a.known, err = explain.Site(ctx, v, q.site); err != nil {
			return a, err
		}
		if a.known {
			a.told = r
		}
	default:
		e, err := explain.URL(ctx, v, q.url)
		if err != nil {
			return a, err
		}
		a.told, a.known = e, e.Known()
	}
	switch {
	case a.known:
	case q.url.IsZero():
		a.near, err = explain.NearSite(ctx, v, q.site)
	default:
		a.near, err = explain.NearURL(ctx, v, q.url)
	}
	return a, err
}

// tellJobs prints the answer of a job, or of several the answers of those that have one.
func tellJobs(dirs []string, w io.Writer, asJSON bool, what string, ask func(*job.View) (answer, error)) error {
	if len(dirs) > 1 {
		return tellAll(dirs, w, asJSON, what, ask)
	}
	return cli.EachJob(dirs, func(v *job.View) error {
		a, err := ask(v)
		if err == nil && a.told != nil {
			err = cli.Tell(w, asJSON, a.told, a.told.Print)
		}
		if err == nil && !a.known {
			err = neverHeard("the job knows nothing of", what, a.near)
		}
		return err
	})
}

// tellAll prints the answers of the jobs that have one.
func tellAll(dirs []string, w io.Writer, asJSON bool, what string, ask func(*job.View) (answer, error)) error {
	type named struct {
		Job    string `json:"job"`
		Answer any    `json:"answer"`
	}
	answers, near := []named{}, ""
	err := cli.EachJob(dirs, func(v *job.View) error {
		a, err := ask(v)
		if err != nil || !a.known {
			near = cmp.Or(near, a.near)
			return err
		}
		answers = append(answers, named{v.Dir, a.told})
		if !asJSON {
			fmt.Fprintf(w, "%s\n", say.Printable(v.Dir))
			a.told.Print(w)
			fmt.Fprintln(w)
		}
		return nil
	})
	if err == nil && len(answers) == 0 {
		return neverHeard(fmt.Sprintf("none of the %d jobs knows anything of", len(dirs)), what, near)
	}
	if asJSON {
		return errors.Join(cli.EncodeJSON(w, map[string][]named{"jobs": answers}), err)
	}
	fmt.Fprintf(w, "%s of %d know of it\n", say.Plural(len(answers), "job"), len(dirs))
	return err
}

// sound reports a ledger of which records are missing or altered, or that another version wrote: it would explain half of the
// story, or another one.
func sound(v *job.View) error {
	err, bad := v.Contents().Sound(), (*ledger.CorruptError)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case !errors.As(err, &bad):
		return err
	case bad.Format != 0:
		return cli.WithHint(bad, "use the version of cybermapper that wrote it")
	}
	return cli.WithHint(bad, "cybermapper verify --job "+say.Argument(v.Dir)+" tells more")
}

// neverHeard says that no job has ever heard of something, and what may have been meant; near may be empty.
func neverHeard(verdict, what, near string) error {
	hint := ""
	if near != "" {
		hint = "did you mean " + near + "?"
	}
	return cli.WithHint(fmt.Errorf("%s %s", verdict, what), hint)
}
