package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// checkFlags reports flags that do not go together, that are missing, or that were typed behind one dash, as wrong usage: to cobra
// that is an error like any other, or none.
func checkFlags(cmd *cobra.Command, _ []string) error {
	if err := checkDashes(cmd); err != nil {
		return err
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return UsageError(cmd.CommandPath()+" --help lists the flags", "%w", err)
	}
	return nil
}

// checkDashes refuses the name of a flag behind one dash where its first letter is a flag of its own that took the rest as its
// value: -output is -o with the value "utput".
func checkDashes(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, value := range valuesOf(f) {
			if name, ok := ourWord(cmd.Flags(), f.Shorthand+value); ok && f.Shorthand != "" {
				err = UsageError("did you mean --"+name+"?", "-%s is -%s with the value %q", f.Shorthand+value, f.Shorthand, value)
			}
		}
	})
	return err
}

// valuesOf returns the text of a flag, or the texts if it takes several.
func valuesOf(f *pflag.Flag) []string {
	if all, ok := f.Value.(pflag.SliceValue); ok {
		return all.GetSlice()
	}
	return []string{f.Value.String()}
}

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
	if strings.Contains(args[0], "://") {
		hint = "what to do with it? cybermapper --help lists the commands; cybermapper crawl URL crawls a site"
	} else if name, ok := guess.Word(args[0], names); ok {
		hint = "did you mean " + cmd.CommandPath() + " " + name + "?"
	} else if flag, ok := FlagOf(cmd, args[0]); ok {
		hint = "did you mean " + flag + "?"
	}
	return UsageError(hint, "unknown command %q", args[0])
}

// FlagOf finds the flag that somebody took for a command or a topic, with the first command below cmd that has it.
func FlagOf(cmd *cobra.Command, name string) (flag string, ok bool) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(name) != nil {
			return c.CommandPath() + " --" + name, true
		}
	}
	return "", false
}

// FlagError words what is wrong with a flag, with a guess at what was meant. Where a word before it is a command that does not
// exist, the flag may be one of the command that was meant: then that is what is wrong.
func FlagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); len(args) > 0 && cmd.HasAvailableSubCommands() && cmd.Use == cmd.Name() {
		return RunGroup(cmd, args)
	}
	word := wordOfOneDash(err)
	if name, ok := ourWord(cmd.Flags(), word); ok {
		return UsageError("did you mean --"+name+"?", "%w", err)
	}
	if hint, ok := HintAbroad(cmd.Flags(), word); ok {
		return UsageError(hint, "%w", err)
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		err = misread(invalid)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return UsageError(cmd.CommandPath()+" --help lists the flags", "%w", err)
	}
	return UsageError(flagHint(cmd, unknown.GetSpecifiedName()), "%w", err)
}

// misread says what a flag wants that could not read its value. Those of pflag's own kinds have the words of package strconv and
// of package time; others speak for themselves.
func misread(invalid *pflag.InvalidValueError) error {
	f, text, why := invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap()
	if f.Value.Type() == "duration" {
		var d config.Duration
		why = cmp.Or(d.UnmarshalText([]byte(text)), why)
	} else if _, isOwn := errors.AsType[*strconv.NumError](why); isOwn {
		switch {
		case f.Value.Type() == "bool":
			why = fmt.Errorf("%q is neither true nor false", text)
		case errors.Is(why, strconv.ErrRange):
			why = fmt.Errorf("%q is too large", text)
		default:
			why = fmt.Errorf("%q is not a whole number", text)
		}
	}
	return fmt.Errorf("--%s: %w", f.Name, why)
}

// wordOfOneDash returns what was typed where err is about letters behind one dash, which to other programs is a word: -np, -list.
func wordOfOneDash(err error) string {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknown.GetSpecifiedShortnames()
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok && invalid.GetFlag().Shorthand != "" {
		return invalid.GetFlag().Shorthand + invalid.GetValue()
	}
	return ""
}

// ourWord returns the flag whose name was typed behind one dash, as -depth, also where its first letter was taken for a flag of its
// own: of -quiet that leaves uiet.
func ourWord(flags *pflag.FlagSet, word string) (name string, ok bool) {
	word, _, _ = strings.Cut(word, "=")
	flags.VisitAll(func(f *pflag.Flag) {
		if len(word) > 1 && (f.Name == word || f.Name == f.Shorthand+word) {
			name, ok = f.Name, true
		}
	})
	return name, ok
}

// flagHint says what may have been meant by a flag that cmd does not have: by somebody who comes from another program, or who
// mistyped, perhaps both.
func flagHint(cmd *cobra.Command, name string) string {
	if hint, ok := HintAbroad(cmd.Flags(), name); ok {
		return hint
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if longer := withPrefix(name, names); len(longer) == 1 {
		return "did you mean --" + longer[0] + "?"
	}
	near, isNear := guess.Typo(name, append(names, strangers(cmd)...))
	if hint, ok := HintAbroad(cmd.Flags(), near); isNear && ok {
		return "did you mean --" + near + "? " + hint
	}
	if near, ok := guess.Word(name, names); ok {
		return "did you mean --" + near + "?"
	}
	return cmd.CommandPath() + " --help lists the flags"
}

// HintAbroad answers a flag of another program, for a command with these flags. The name has no dashes.
func HintAbroad(flags *pflag.FlagSet, name string) (hint string, ok bool) {
	for _, a := range abroad[name] {
		switch {
		case a.flag == "":
			return a.text + "; cybermapper help coming-from", true
		case flags.Lookup(a.flag) != nil:
			return strings.TrimSuffix("here it is --"+a.flag+": "+a.text, ": "), true
		}
	}
	return "", false
}

// strangers returns the flags of other programs that cmd has an answer to, in order. Those of few letters would resemble anything.
func strangers(cmd *cobra.Command) (names []string) {
	const few = 5
	for name := range abroad {
		if _, ok := HintAbroad(cmd.Flags(), name); ok && len(name) > few {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withPrefix returns the names that begin with what was typed, if that is more than a letter or two.
func withPrefix(typed string, names []string) (longer []string) {
	for _, name := range names {
		if len(typed) > 2 && strings.HasPrefix(name, typed) {
			longer = append(longer, name)
		}
	}
	return longer
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

// AtMostOne refuses a command line with more than one argument.
func AtMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return unexpected(cmd, args[1])
	}
	return nil
}

// unexpected says that an argument is one too many. A directory may be that of a crawl, where cmd wants to know which one.
func unexpected(cmd *cobra.Command, arg string) error {
	if err := checkDashes(cmd); err != nil {
		return err
	}
	hint := "usage: " + cmd.UseLine()
	if info, err := os.Stat(arg); err == nil && info.IsDir() && cmd.Flags().Lookup("job") != nil {
		hint = "did you mean --job " + say.Argument(arg) + "?"
	}
	return UsageError(hint, "unexpected argument %q", arg)
}

// Exactly refuses a command line with other than n arguments; what names them in the message.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := AtLeast(n, what)(cmd, args); err != nil {
			return err
		}
		if len(args) > n {
			return unexpected(cmd, args[n])
		}
		return nil
	}
}

// CompleteValues lets a shell complete the values of a flag of cmd.
func CompleteValues(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("cli: " + err.Error()) // the command has no such flag
	}
}
