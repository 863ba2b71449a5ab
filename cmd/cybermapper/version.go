package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/notices"
)

func newVersionCommand() *cobra.Command {
	var asJSON, licenses bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences of what is linked",
		Long: `Prints the version, or the licences of what is linked.

Exit codes:
  0    done
  2    wrong usage
`,
		Example: "  cybermapper version\n  cybermapper version --json\n  cybermapper version --licenses",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if licenses {
				_, err := io.WriteString(cmd.OutOrStdout(), notices.Text)
				return err
			}
			return printVersion(cmd.OutOrStdout(), cli.ReadBuild(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&licenses, "licenses", false, "print the licences and notices of all that is linked into the program")
	cmd.MarkFlagsMutuallyExclusive("json", "licenses")
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
