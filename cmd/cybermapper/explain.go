package main

import (
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
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	job    string
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

It changes nothing; while the crawl runs it shows what the ledger says so far.

Exit codes:
  0    done
  1    error, or the job knows nothing of the URL or host
  2    wrong usage
`,
		Example: `  cybermapper explain --job big https://example.org/private/
  cybermapper explain --job big example.org
  cybermapper explain --job big --traps --json | jq '.traps[] | select(.pattern == "calendar")'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return explainTo(cmd, o, args) },
	}
	cli.JobFlag(cmd, &o.job)
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
	v, err := cli.LookAt(o.job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	if err := sound(v); err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	switch {
	case o.traps:
		return explainTraps(cmd.Context(), v, site, w, o.asJSON)
	case u.IsZero():
		return explainSite(cmd.Context(), v, site, w, o.asJSON)
	}
	return explainURL(cmd.Context(), v, u, w, o.asJSON)
}

// sound reports a ledger of which records are missing or altered, or that another version wrote: it would explain half of the
// story, or another one.
func sound(v *job.View) error {
	found, err := ledger.Verify(v.Path(job.LedgerDir))
	switch bad := found.Bad; {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case bad == nil:
		return err
	case bad.Format != 0:
		return cli.WithHint(bad, "use the version of cybermapper that wrote it")
	}
	return cli.WithHint(found.Bad, "cybermapper verify --job "+v.Dir+" tells more")
}

// explainURL prints all that a job knows of u, and of its site when u is the front page.
func explainURL(ctx context.Context, v *job.View, u frontier.URL, w io.Writer, asJSON bool) error {
	e, err := explain.URL(ctx, v, u)
	if err != nil {
		return err
	}
	if err := tell(w, e, asJSON); err != nil {
		return err
	}
	if e.Known() {
		return nil
	}
	near, err := explain.NearURL(ctx, v, u)
	if err == nil {
		err = neverHeard(u.String(), near)
	}
	return err
}

// explainSite prints all that a job knows of a site.
func explainSite(ctx context.Context, v *job.View, site string, w io.Writer, asJSON bool) error {
	r, known, err := explain.Site(ctx, v, site)
	if err != nil {
		return err
	}
	if !known {
		return unknownSite(ctx, v, site)
	}
	return tell(w, r, asJSON)
}

// explainTraps prints the traps of a job, or of one site of it.
func explainTraps(ctx context.Context, v *job.View, site string, w io.Writer, asJSON bool) error {
	t, err := explain.JobTraps(v, site)
	if err != nil {
		return err
	}
	if site != "" && t.Refusals == 0 {
		if _, known, err := explain.Site(ctx, v, site); err != nil || !known {
			return errors.Join(err, unknownSite(ctx, v, site))
		}
	}
	return tell(w, t, asJSON)
}

// unknownSite says that the job has never heard of a site, and which one may have been meant.
func unknownSite(ctx context.Context, v *job.View, site string) error {
	near, err := explain.NearSite(ctx, v, site)
	if err != nil {
		return err
	}
	return neverHeard(site, near)
}

// neverHeard says that the job has never heard of something, and what may have been meant; near may be empty.
func neverHeard(what, near string) error {
	hint := ""
	if near != "" {
		hint = "did you mean " + near + "?"
	}
	return cli.WithHint(fmt.Errorf("the job knows nothing of %s", what), hint)
}

// tell writes what there is to tell.
func tell(w io.Writer, e interface{ Print(io.Writer) }, asJSON bool) error {
	if asJSON {
		return cli.EncodeJSON(w, e)
	}
	e.Print(w)
	return nil
}
