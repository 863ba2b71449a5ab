package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
)

// run is the command without the process around it: it ends when ctx does, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return printError(stderr, root.ExecuteContext(ctx))
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "cybermapper",
		Short: "A polite web crawler that can explain everything it did",
		Long: `Cybermapper crawls the web and keeps to what sites ask of robots: robots.txt, META ROBOTS,
X-Robots-Tag, and a decent pace. It stops and goes on without losing or repeating work, and
can tell of every URL why it was fetched, when, and why not.

Data goes to stdout, progress and logs to stderr. Durations need a unit (3s, 5m, 2h), sizes
too (500KiB, 16MiB, 2GB). Settings come from flags, then the environment (CYBERMAPPER_...),
then the configuration file, then the defaults.
`,
		Example: `  cybermapper demo
  cybermapper crawl --contact you@example.org https://example.org/
  cybermapper inspect https://example.org/`,
		Args:              cobra.ArbitraryArgs, // so that an unknown command gets our words
		RunE:              runGroup,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newDemoCommand(),
		newPlanCommand(),
		newCrawlCommand(),
		newSubmitCommand(),
		newStatusCommand(),
		newExplainCommand(),
		newReportCommand(),
		newInspectCommand(),
		newCheckCommand(),
		newVerifyCommand(),
		newAuditCommand(),
		newRobotsCommand(),
		newIdentityCommand(),
		newVersionCommand(),
	)
	return root
}

// runGroup answers a command line that names no subcommand, or none that exists.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := cmd.CommandPath() + " --help lists the commands"
	if name, ok := guess.Word(args[0], names); ok {
		hint = "did you mean " + cmd.CommandPath() + " " + name + "?"
	}
	return usageError(hint, "unknown command %q", args[0])
}

// flagError words what is wrong with a flag, with a guess at what was meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageError(cmd.CommandPath()+" --help lists the flags", "%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := cmd.CommandPath() + " --help lists the flags"
	if name, ok := guess.Word(unknown.GetSpecifiedName(), names); ok {
		hint = "did you mean --" + name + "?"
	}
	return usageError(hint, "%w", err)
}

// atLeast and exactly check the number of arguments; what names them in the message.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError("usage: "+cmd.UseLine(), "missing %s", what)
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := atLeast(n, what)(cmd, args); err != nil {
			return err
		}
		if len(args) > n {
			return usageError("usage: "+cmd.UseLine(), "unexpected argument %q", args[n])
		}
		return nil
	}
}
