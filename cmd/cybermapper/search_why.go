package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
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
	v, err := cli.LookAt(o.job)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	if err := sound(v); err != nil {
		return err
	}
	a, err := indexer.Why(cmd.Context(), v, u)
	if err != nil {
		return indexError(err, o.job)
	}
	if err := tell(cmd.OutOrStdout(), a, o.asJSON); err != nil {
		return err
	}
	if !a.Known {
		return neverHeard(u.String(), a.Nearest)
	}
	return nil
}
