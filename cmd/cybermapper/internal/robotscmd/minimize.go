package robotscmd

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// minimizeOptions are the flags of robots minimize.
type minimizeOptions struct {
	urls         string
	output       string
	dialects     []string
	keepComments bool
	allowPrivate bool
	asJSON       bool
}

// A minimizeReport is what robots minimize prints as JSON.
type minimizeReport struct {
	Before  int               `json:"before"`
	After   int               `json:"after"`
	Tried   int               `json:"tried"` // paths of --urls on which both were compared
	Robots  string            `json:"robots"`
	Removed []compose.Removal `json:"removed"`
}

func newMinimizeCommand() *cobra.Command {
	var o minimizeOptions
	cmd := &cobra.Command{
		Use:   "minimize FILE|URL",
		Short: "Write a shorter robots.txt that says the same",
		Long: `Writes a robots.txt that says the same in fewer bytes: without what is repeated, rules that never
decide, lines that mean nothing, and comments; robots with the same rules share a group. Every
name stays, and what is not written as RFC 9309 wants stays as it is.

Every verdict and pause is proved to be the same on every path, for each robot named and for one
that is not, however it reads the file: as rfc9309, cautious and std1994, or as each --dialect
only. Those on the paths of --urls are also asked for and compared. What was taken out, and why,
goes to stderr. Readers that follow none of these, as those that take the first rule that matches
or the first group of a name only (Python's urllib, Perl's WWW::RobotRules), may read the shorter
file otherwise: mostly, as RFC 9309 does.

Exit codes:
  0    done, also when there was nothing to take out
  1    the comparison on --urls failed, and nothing was written
  2    error
`,
		Example: `  cybermapper robots minimize robots.txt > shorter.txt
  cybermapper robots minimize --keep-comments -o robots.txt robots.txt
  cybermapper robots minimize --urls urls.txt https://example.org/robots.txt`,
		Args: cli.Exactly(1, "FILE or URL"),
		RunE: func(cmd *cobra.Command, args []string) error { return cli.Trouble(minimizeRobots(cmd, o, args[0])) },
	}
	f := cmd.Flags()
	f.StringVar(&o.urls, "urls", "", "file with URLs or paths, one per line, on which to compare too; - is stdin")
	f.StringVarP(&o.output, "output", "o", "", "file to write to, in place of stdout; replaced whole or not at all")
	f.StringArrayVar(&o.dialects, "dialect", nil,
		"keep the verdicts of this reading only: rfc9309, cautious or std1994; repeatable")
	cli.CompleteValues(cmd, "dialect", "cautious", "rfc9309", "std1994")
	f.BoolVar(&o.keepComments, "keep-comments", false, "keep every comment; groups then stay where they are")
	allowPrivateFlag(f, &o.allowPrivate)
	f.BoolVar(&o.asJSON, "json", false, "print what was taken out as JSON, to stdout in place of the file")
	return cmd
}

func minimizeRobots(cmd *cobra.Command, o minimizeOptions, name string) error {
	body, err := readRobotsFile(cmd, name, o.allowPrivate)
	if err != nil {
		return err
	}
	paths, err := readPaths(cmd, o.urls)
	if err != nil {
		return err
	}
	dialects, err := minimizeDialects(o.dialects)
	if err != nil {
		return err
	}
	m := compose.Minimize(body, compose.MinimizeOptions{KeepComments: o.keepComments, Dialects: dialects})
	if err := compareOn(cmd.ErrOrStderr(), body, m.Text, dialects, paths); err != nil {
		return err
	}
	if o.output != "" {
		if err := job.WriteFile(o.output, m.Text); err != nil {
			return err
		}
	}
	return reportMinimize(cmd, o, body, m, len(paths))
}

// compareOn compares what two files say on some paths to each robot that either names, and to one that none does.
func compareOn(w io.Writer, before, after []byte, dialects []robots.Dialect, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	products := append(compose.Products(before, after), "")
	for _, d := range dialects {
		old, new := robots.Parse(before, d).Register(), robots.Parse(after, d).Register()
		for _, audience := range robots.Audiences(products, old, new) {
			a, b := old.Rules(audience[0]), new.Rules(audience[0])
			for _, path := range paths {
				if v := a.Test(path); v.Allowed != b.Test(path).Allowed {
					whom := cli.SomeOf(productNames(audience), 8)
					fmt.Fprintf(w, "for %s, %s was: %s\n", say.Printable(whom), say.Printable(path), say.Printable(say.Verdict(v)))
					return &cli.Error{Code: cli.ExitFailure}
				}
			}
		}
	}
	return nil
}

func allDialects() []robots.Dialect {
	return []robots.Dialect{robots.RFC9309, robots.Cautious, robots.Std1994}
}

// minimizeDialects returns the readings in which nothing may change: those given, or all.
func minimizeDialects(given []string) (dialects []robots.Dialect, err error) {
	if len(given) == 0 {
		return allDialects(), nil
	}
	for _, name := range given {
		d, err := robots.ParseDialect(name)
		if err != nil {
			return nil, cli.UsageError("", "--dialect: %w", err)
		}
		dialects = append(dialects, d)
	}
	return dialects, nil
}

// sayGivenUp says in which readings verdicts may differ, and whether any does.
func sayGivenUp(w io.Writer, body []byte, m compose.Minimized, kept []string) {
	for _, d := range allDialects() {
		if len(kept) == 0 || slices.Contains(kept, d.String()) {
			continue
		}
		diff := compose.Diff(body, m.Text, compose.DiffOptions{Dialect: d})
		switch {
		case diff.Same() && diff.Proved:
			fmt.Fprintf(w, "%s was given up; nothing changed in it\n", d)
		default:
			fmt.Fprintf(w, "%s was given up; %s changed in it\n", d,
				say.Plural(len(diff.Changes)+len(diff.Paces), "verdict or pause"))
		}
	}
}

func reportMinimize(cmd *cobra.Command, o minimizeOptions, body []byte, m compose.Minimized, tried int) error {
	if o.asJSON {
		return cli.EncodeJSON(cmd.OutOrStdout(), minimizeReport{
			Before: len(body), After: len(m.Text), Tried: tried, Robots: string(m.Text), Removed: orEmpty(m.Removed),
		})
	}
	if o.output == "" {
		if _, err := cmd.OutOrStdout().Write(m.Text); err != nil {
			return err
		}
	}
	w := cmd.ErrOrStderr()
	if m.TooMany {
		fmt.Fprintf(w, "nothing is made shorter: the file names more than the %d robots for which that can be proved\n",
			compose.MaxNames)
		return nil
	}
	for _, g := range m.Removed {
		fmt.Fprintf(w, "line %d: %s (%s)\n", g.Line, say.Printable(say.Shorten(g.Text, 80)), g.Why)
	}
	sayGivenUp(w, body, m, o.dialects)
	compared := ""
	if tried > 0 {
		compared = ", and compared on " + say.Plural(tried, "path")
	}
	fmt.Fprintf(w, "%d bytes became %d; proved equal on every path%s\n", len(body), len(m.Text), compared)
	return nil
}
