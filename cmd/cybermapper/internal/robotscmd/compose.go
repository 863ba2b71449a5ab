package robotscmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// composeOptions are the flags of robots compose.
type composeOptions struct {
	output   string
	dryRun   bool
	diff     bool
	stricter bool
	asJSON   bool
}

// A composeReport is what robots compose prints as JSON.
type composeReport struct {
	Fragments []string           `json:"fragments"`
	Robots    []string           `json:"robots"`
	Problems  []string           `json:"problems"`
	Conflicts []compose.Conflict `json:"conflicts"`
	Warnings  []string           `json:"warnings"`
	Bytes     int                `json:"bytes"`
	Tried     int                `json:"tried"`
	Written   bool               `json:"written"`
	Text      string             `json:"text,omitempty"`
}

func newComposeCommand() *cobra.Command {
	var o composeOptions
	cmd := &cobra.Command{
		Use:   "compose DIR",
		Short: "Make one robots.txt of fragments that many people maintain",
		Long: `Makes one robots.txt of the fragments in DIR, which mirrors the site: the files robots.txt and
*.robots in DIR/team speak for what is below /team/ and for nothing else. A path in them is
relative to that directory, or begins with /team/. Crawl-delay and the like, which speak for the
whole site, may stand at the top only.

A page is open to a robot if every fragment leaves it open to that robot; one that does not name it
says to it what it says to all, or to the name that the robot then obeys, as Googlebot-News does
Googlebot. What one fragment allows
and another forbids is named; if the Allow would win, nothing is written, unless --stricter leaves
it out. The result is read again and compared with the fragments, and replaces FILE whole or not
at all.

Exit codes:
  0    done
  1    fragments have mistakes or contradict each other, and nothing was written
  2    error
`,
		Example: `  cybermapper robots compose -o htdocs/robots.txt fragments
  cybermapper robots compose -o htdocs/robots.txt --dry-run --diff fragments
  cybermapper robots compose fragments > robots.txt`,
		Args: cli.Exactly(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error { return cli.Trouble(composeRobots(cmd, o, args[0])) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "file to write to, in place of stdout; must not be a fragment itself")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing")
	f.BoolVar(&o.diff, "diff", false, "print how FILE changes, as a unified diff")
	f.BoolVar(&o.stricter, "stricter", false, "where fragments contradict each other, leave out the Allow")
	f.BoolVar(&o.asJSON, "json", false, "print what was done as JSON")
	return cmd
}

func composeRobots(cmd *cobra.Command, o composeOptions, dir string) error {
	if o.output == "" && o.diff {
		return cli.UsageError("-o FILE names it", "--diff needs a file to compare with")
	}
	if err := notAFragment(dir, o.output); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // what leads out of the directory is not followed
	if err != nil {
		return fmt.Errorf("open fragments: %w", err)
	}
	defer root.Close()
	c, err := compose.Compose(root.FS(), compose.Options{Stricter: o.stricter})
	if errors.Is(err, fs.ErrNotExist) {
		err = cli.WithHint(fmt.Errorf("%s: %w", dir, err), "a fragment is called robots.txt or something.robots")
	}
	if err != nil {
		return err
	}
	return finishCompose(cmd, o, c)
}

// notAFragment refuses an output that the next run would take for a fragment.
func notAFragment(dir, output string) error {
	if output == "" {
		return nil
	}
	absDir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	absOutput, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(absDir, absOutput)
	if err == nil && filepath.IsLocal(rel) && compose.IsFragment(filepath.ToSlash(rel)) {
		return cli.UsageError("write it to another directory", "%s would be a fragment of %s itself", output, dir)
	}
	return nil
}

// finishCompose says what came of it, and writes it.
func finishCompose(cmd *cobra.Command, o composeOptions, c *compose.Composed) error {
	present, err := readPresent(o.output)
	if err != nil {
		return err
	}
	write := c.Text != nil && o.output != "" && !o.dryRun
	if write {
		if err := job.WriteFile(o.output, c.Text); err != nil {
			return err
		}
	}
	if o.asJSON {
		err = cli.EncodeJSON(cmd.OutOrStdout(), reportCompose(o, c, write))
	} else {
		printCompose(cmd, o, c, present)
	}
	if err == nil && c.Text == nil {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return err
}

// readPresent returns what a file holds now; nothing if it is not there.
func readPresent(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	present, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read present file: %w", err)
	}
	return present, nil
}

func reportCompose(o composeOptions, c *compose.Composed, written bool) composeReport {
	r := composeReport{
		Fragments: c.Fragments, Robots: orEmpty(c.Robots), Problems: []string{}, Conflicts: orEmpty(c.Conflicts),
		Warnings: orEmpty(c.Warnings), Bytes: len(c.Text), Tried: c.Tried, Written: written,
	}
	if o.output == "" {
		r.Text = string(c.Text)
	}
	for _, p := range c.Problems {
		r.Problems = append(r.Problems, p.String())
	}
	return r
}

func printCompose(cmd *cobra.Command, o composeOptions, c *compose.Composed, present []byte) {
	out, w := cmd.OutOrStdout(), cmd.ErrOrStderr()
	for _, p := range c.Problems {
		fmt.Fprintln(w, say.Printable(p.String()))
	}
	for _, x := range c.Conflicts {
		fmt.Fprintln(w, say.Printable(conflictText(x)))
	}
	for _, text := range c.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	switch {
	case c.Text == nil:
		fmt.Fprintln(w, "nothing was written")
		return
	case o.diff:
		fmt.Fprint(out, cli.UnifiedDiff(o.output, present, "composed", c.Text))
	case o.output == "" && !o.dryRun:
		out.Write(c.Text)
	}
	verb := "composed"
	if o.dryRun {
		verb = "would compose"
	}
	fmt.Fprintf(w, "%s %d bytes from %s for %s; compared on %s\n", verb, len(c.Text), say.Plural(len(c.Fragments), "fragment"),
		say.Plural(len(c.Robots), "name"), say.Plural(c.Tried, "path"))
}

// conflictText says which rules contradict each other, and what becomes of it.
func conflictText(x compose.Conflict) string {
	what, then := "note", "the Disallow decides"
	switch x.Outcome {
	case compose.Open:
		what, then = "conflict", "the Allow would decide: settle it, or leave it out with --stricter"
	case compose.Dropped:
		then = "the Allow was left out"
	}
	both := ""
	if x.Path != "" {
		both = fmt.Sprintf(" (both match %s)", x.Path)
	}
	return fmt.Sprintf("%s for %s: %s, but %s%s; %s", what, x.Robot, x.Allow, x.Disallow, both, then)
}
