package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/help"
)

// addHelp gives root the topics of the manual: a help command that shows them beside the help of commands, and a list of them
// where the commands are listed. Call it when root has all its commands: what they print for reading is made to fit a
// terminal.
func addHelp(root *cobra.Command) {
	describe := sync.OnceFunc(func() { // when somebody asks: it takes longer than all else that begins a command
		wrapLong(root)
		usage := strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", help.Width))
		root.SetUsageTemplate(usage + `{{if or (not .HasParent) (eq .Name "help")}}
Topics (cybermapper help TOPIC):
` + help.List() + `{{end}}`)
	})
	command := newHelpCommand(root)
	command.AddCommand(newManCommand(root, describe))
	root.SetHelpCommand(command)
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		describe()
		show(cmd, args)
	})
}

// wrapLong makes the descriptions of cmd and of all commands below it fit a terminal.
func wrapLong(cmd *cobra.Command) {
	cmd.Long = help.Wrap(cmd.Long)
	for _, c := range cmd.Commands() {
		wrapLong(c)
	}
}

func newHelpCommand(root *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [TOPIC | COMMAND]",
		Short: "Show a topic of the manual, or the help of a command",
		Long:  "Shows a topic of the manual. Of a command that is no topic it shows what --help shows.",
		Example: `  cybermapper help robots
  cybermapper help job
  cybermapper help robots lint`,
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return root.Help()
		}
		topic, isTopic := help.Find(args[0])
		about, rest, err := root.Find(args)
		isCommand := err == nil && about != root && len(rest) == 0
		switch {
		case isTopic && len(args) == 1:
			if err := topic.Print(root.OutOrStdout()); err != nil {
				return err
			}
			if isCommand {
				fmt.Fprintf(root.OutOrStdout(), "\nThe command: %s --help\n", about.CommandPath())
			}
			return nil
		case isCommand:
			about.InitDefaultHelpFlag()
			return about.Help()
		}
		return unknownTopic(root, args)
	}
	return cmd
}

func unknownTopic(root *cobra.Command, args []string) error {
	var commands []string
	for _, c := range root.Commands() {
		commands = append(commands, c.Name())
	}
	hint := "cybermapper help lists topics and commands"
	if near, ok := help.Near(args[0], commands); ok && len(args) == 1 {
		hint = "did you mean cybermapper help " + near + "?"
	} else if flag, ok := cli.FlagOf(root, args[0]); ok {
		hint = "did you mean " + flag + "?"
	}
	return cli.UsageError(hint, "no help on %q", strings.Join(args, " "))
}
