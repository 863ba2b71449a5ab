package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

func newStatusCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how a crawl stands",
		Long: `Tells how a crawl stands, also while it runs: what was done, every reason for which something was
not, and which sites are waiting, until when and why. It changes nothing.

Exit codes:
  0    it was told
  1    error
  2    wrong usage
`,
		Example: "  cybermapper status --job big\n  cybermapper status --job big --json | jq .total.queued",
		Args:    exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return status(cmd.Context(), dir, cmd.OutOrStdout(), asJSON)
		},
	}
	jobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func status(ctx context.Context, dir string, w io.Writer, asJSON bool) (err error) {
	v, err := openView(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	r, err := v.report(ctx)
	if err != nil {
		return err
	}
	return printSummary(w, r, asJSON)
}
