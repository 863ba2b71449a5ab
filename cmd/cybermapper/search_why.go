package main

import (
	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

// why says whether a search finds a URL, and why not.
func why(cmd *cobra.Command, o searchOptions, args []string) (err error) {
	if len(args) > 0 {
		return cli.UsageError("--why asks about one URL, without a query", "unexpected argument %q", args[0])
	}
	u, err := cli.ParseURL(o.why)
	if err != nil {
		return cli.UsageError("", "--why: %w", err)
	}
	if o.jobs, err = cli.Jobs(o.jobs); err != nil {
		return err
	}
	ask := func(v *job.View) (answer, error) {
		if err := sound(v); err != nil {
			return answer{}, err
		}
		a, err := indexer.Why(cmd.Context(), v, u)
		if err != nil {
			return answer{}, indexError(err, v.Dir)
		}
		return answer{told: a, known: a.Known, near: a.Nearest}, nil
	}
	return tellJobs(o.jobs, cmd.OutOrStdout(), o.asJSON, u.String(), ask)
}
