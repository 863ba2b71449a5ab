package main

import (
	"github.com/spf13/cobra"
)

func newRobotsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "robots",
		Short: "Ask what a robots.txt file says",
		Example: `  cybermapper robots check --robots robots.txt https://example.org/tmp/
  cybermapper robots test cases.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newRobotsCheckCommand(), newRobotsTestCommand())
	return cmd
}
