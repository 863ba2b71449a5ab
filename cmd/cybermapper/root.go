package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/archivecmd"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/audit"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/changescmd"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/clustercmd"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demo"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/exportcmd"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/robotscmd"
)

// run is the command without the process around it: it ends when ctx does, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRootCommand(), args, stdin, stdout, stderr)
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "cybermapper",
		Short: "A polite web crawler that can explain everything it did",
		Long: `Cybermapper crawls the web and obeys what sites ask of robots: robots.txt, META
ROBOTS, X-Robots-Tag, and a decent pace. It can be stopped and continued
without losing or repeating work, and can explain of every URL why it was
fetched, when, or why not.

Data goes to stdout, progress and logs to stderr. Durations need a unit (3s,
5m, 2h), and so do sizes (500KiB, 16MiB, 2GB). Flags win over the environment
(CYBERMAPPER_...), the environment over the configuration file, the file over
the defaults.
`,
		Example: `  cybermapper demo
  cybermapper crawl --contact you@example.org https://example.org/
  cybermapper inspect https://example.org/`,
		Args:              cobra.ArbitraryArgs, // so that an unknown command gets our words
		RunE:              cli.RunGroup,
		DisableAutoGenTag: true,
		Version:           cli.ReadBuild().Version,
	}
	root.SetVersionTemplate(versionLine(cli.ReadBuild()))
	addGroup(root, "Crawl", demo.NewCommand(), newPlanCommand(), newCrawlCommand(), newSubmitCommand(), newIdentityCommand(),
		clustercmd.NewCommand())
	addGroup(root, "Ask a job", newServeCommand(),
		newJobsCommand(), newStatusCommand(), newSearchCommand(), long(newIndexCommand()), long(newExplainCommand()),
		long(newReportCommand()), long(changescmd.NewCommand()), long(newCareCommand()),
		long(newCheckCommand()), long(newRepairCommand()), long(newVerifyCommand()), newKeyCommand())
	addGroup(root, "What was kept", long(archivecmd.NewCommand()), long(exportcmd.NewCommand()))
	addGroup(root, "For site owners", audit.NewCommand(), robotscmd.NewCommand(), robotscmd.NewInspectCommand())
	addGroup(root, "This program", newVersionCommand())
	root.SetCompletionCommandGroupID("This program")
	addHelp(root)
	root.SetHelpCommandGroupID("This program")
	return root
}

// addGroup adds commands that --help lists together, under a title.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range commands {
		c.GroupID = title
	}
	root.AddCommand(commands...)
}

// long lets a command that reads all of a job before it writes anything, or each command of a group, say on a terminal that it is
// at work.
func long(c *cobra.Command) *cobra.Command {
	for _, c := range c.Commands() {
		long(c)
	}
	if c.HasSubCommands() {
		return c
	}
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		screen := progress.NewScreen(cmd.ErrOrStderr(), false)
		if !screen.IsTerminal() {
			return run(cmd, args)
		}
		cmd.SetErr(screen)
		return screen.Busy(cmd.CommandPath(), cmd.OutOrStdout(), func(out io.Writer) error {
			cmd.SetOut(out)
			return run(cmd, args)
		})
	}
	return c
}
