package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
)

// RunGroup answers a command line that names no subcommand, or none that exists.
func RunGroup(cmd *cobra.Command, args []string) error {
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
	return UsageError(hint, "unknown command %q", args[0])
}

// FlagError words what is wrong with a flag, with a guess at what was meant.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return UsageError(cmd.CommandPath()+" --help lists the flags", "%w", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	hint := cmd.CommandPath() + " --help lists the flags"
	if name, ok := guess.Word(unknown.GetSpecifiedName(), names); ok {
		hint = "did you mean --" + name + "?"
	}
	return UsageError(hint, "%w", err)
}

// AtLeast refuses a command line with fewer than n arguments; what names them in the message.
func AtLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return UsageError("usage: "+cmd.UseLine(), "missing %s", what)
		}
		return nil
	}
}

// Exactly refuses a command line with other than n arguments; what names them in the message.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := AtLeast(n, what)(cmd, args); err != nil {
			return err
		}
		if len(args) > n {
			return UsageError("usage: "+cmd.UseLine(), "unexpected argument %q", args[n])
		}
		return nil
	}
}
