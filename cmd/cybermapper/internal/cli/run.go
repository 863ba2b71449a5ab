package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// Run lets a command do what args ask for, prints what is wrong, and returns the exit code. It ends when ctx does.
func Run(ctx context.Context, cmd *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true // PrintError says what is wrong, and how to learn more
	cmd.SetFlagErrorFunc(FlagError)
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return PrintError(stderr, cmd.ExecuteContext(ctx))
}
