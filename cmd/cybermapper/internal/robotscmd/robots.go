package robotscmd

import (
	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// NewCommand returns the command robots with all of its family.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "robots",
		Short: "Check, explain, mend, compare and write robots.txt files",
		Example: `  cybermapper robots check --robots robots.txt https://example.org/tmp/
  cybermapper robots test cases.jsonl
  cybermapper robots lint robots.txt
  cybermapper robots explain robots.txt
  cybermapper robots diff old.txt new.txt`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(
		newCheckCommand(),
		newTestCommand(),
		newLintCommand(),
		newExplainCommand(),
		newComposeCommand(),
		newGenerateCommand(),
		newMinimizeCommand(),
		newDiffCommand(),
		newHistoryCommand(),
	)
	return cmd
}
