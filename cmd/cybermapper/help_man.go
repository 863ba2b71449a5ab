package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// newManCommand makes the manual pages that packages install.
func newManCommand(root *cobra.Command, describe func()) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write a manual page for each command",
		Long: `Writes a manual page in section 1 for each command into DIR, which is made if
there is none. They say what --help says.`,
		Example: "  cybermapper help man /usr/local/share/man/man1",
		Args:    cli.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			describe()
			header := doc.GenManHeader{Section: "1", Source: "cybermapper " + cli.ReadBuild().Version, Manual: "User Commands"}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return fmt.Errorf("manual pages: %w", err)
			}
			return nil
		},
	}
}
