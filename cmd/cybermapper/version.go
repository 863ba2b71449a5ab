package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

func newVersionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  cybermapper version\n  cybermapper version --json",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printVersion(cmd.OutOrStdout(), cli.ReadBuild(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printVersion(w io.Writer, v cli.Build, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(v)
	}
	_, err := io.WriteString(w, versionLine(v))
	return err
}

// versionLine is what "version" and --version print.
func versionLine(v cli.Build) string {
	line := "cybermapper " + v.Version
	if v.Commit != "" {
		line += " commit " + v.Commit
	}
	return line + " " + v.Go + " " + v.Platform + "\n"
}
