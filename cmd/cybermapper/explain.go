package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/frontier"
)

func newExplainCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain URL",
		Short: "Tell why a URL was fetched, when, or why not",
		Long: `Tells everything that a job knows of one URL: where it was found, what each gate said, which line of
which robots.txt decided, how the pause before each request came about, every attempt, and what is
next. It changes nothing; while the crawl runs it tells what the ledger says so far.

Exit codes:
  0    it was told
  1    error, or the job has never heard of the URL
  2    wrong usage
`,
		Example: "  cybermapper explain --job big https://example.org/private/",
		Args:    exactly(1, "URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := parseSeed(args[0])
			if err != nil {
				return usageError("", "%w", err)
			}
			return explainURL(cmd.Context(), dir, u, cmd.OutOrStdout(), asJSON)
		},
	}
	jobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// explainURL prints all that the job in dir knows of u.
func explainURL(ctx context.Context, dir string, u frontier.URL, w io.Writer, asJSON bool) (err error) {
	v, err := lookAt(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	e, err := explain.URL(ctx, v, u)
	if err != nil {
		return err
	}
	if asJSON {
		err = encodeJSON(w, e)
	} else {
		e.Print(w)
	}
	if err == nil && !e.Known() {
		err = &exitError{code: exitFailure}
	}
	return err
}
