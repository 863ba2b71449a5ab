package robotscmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	robotsexplain "github.com/cybermapper/cybermapper/robots/explain"
)

// explainOptions are the flags of robots explain.
type explainOptions struct {
	products     []string
	paths        []string
	dialect      string
	allowPrivate bool
	asJSON       bool
}

func newExplainCommand() *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "explain FILE|URL",
		Short: "Say in words what a robots.txt means, rule by rule",
		Long: `Says in words what a robots.txt means: who gets which group, a sentence for each rule, and for each
--product what is closed, what is open, and how fast it may go. The words are generated from the
rules, so they cannot say anything else. --path asks about paths or URLs of your own; without it the rules
suggest some.

Exit codes:
  0    done
  2    error
`,
		Example: `  cybermapper robots explain robots.txt
  cybermapper robots explain robots.txt --product Googlebot --product Bingbot
  cybermapper robots explain https://example.org/robots.txt --path /search?q=x
  cybermapper robots explain robots.txt --dialect std1994`,
		Args: cli.Exactly(1, "robots.txt to explain: a file, - for stdin, or a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(explainRobots(cmd, o, args[0]))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.products, "product", []string{"cybermapper"}, "product token of a robot; may be repeated")
	f.StringArrayVar(&o.paths, "path", nil, "path or URL to ask about; may be repeated")
	dialectFlag(cmd, &o.dialect, "how to read the file")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	allowPrivateFlag(f, &o.allowPrivate)
	return cmd
}

func explainRobots(cmd *cobra.Command, o explainOptions, name string) error {
	dialect, err := robots.ParseDialect(o.dialect)
	if err != nil {
		return err
	}
	for _, product := range o.products {
		if err := checkProduct(product); err != nil {
			return err
		}
	}
	paths, err := o.pathQueries()
	if err != nil {
		return err
	}
	body, err := readRobotsFile(cmd, name, o.allowPrivate)
	if err != nil {
		return err
	}
	e := robotsexplain.File(robots.Parse(body, dialect), o.products, paths)
	if o.asJSON {
		return cli.EncodeJSON(cmd.OutOrStdout(), e)
	}
	return printExplanation(cmd.OutOrStdout(), e)
}

// pathQueries returns what rules match of the paths and URLs that were asked about.
func (o explainOptions) pathQueries() ([]string, error) {
	base, err := frontier.ParseURL("http://site.invalid/")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, ref := range o.paths {
		u, err := resolveAsked(base, ref)
		if err != nil {
			return nil, cli.UsageError("a URL begins with its scheme, a path with a slash", "--path: %w", err)
		}
		paths = append(paths, u.PathQuery())
	}
	return paths, nil
}

func printExplanation(w io.Writer, e robotsexplain.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A file of %s, read as %s.\n", say.Plural(e.Lines, "line"), e.Dialect)
	if len(e.Groups) == 0 {
		b.WriteString("\nThere is no group in it: every robot may visit everything.\n")
	}
	for _, g := range e.Groups {
		fmt.Fprintf(&b, "\nLines %d to %d are for %s:\n", g.First, g.Last, g.Who)
		if len(g.Rules) == 0 {
			b.WriteString("  nothing is said: everything is open\n")
		}
		for _, s := range g.Rules {
			fmt.Fprintf(&b, "  %4d  %s\n        %s\n", s.Line, s.Text, s.Says)
		}
	}
	if len(e.Unused) > 0 {
		b.WriteString("\nLines that mean nothing to the reader:\n")
	}
	for _, u := range e.Unused {
		fmt.Fprintf(&b, "  %4d  %s\n", u.Line, strings.TrimSpace(u.Text+" ("+u.Why+")"))
	}
	for _, s := range e.Sitemaps {
		fmt.Fprintf(&b, "\nSitemap, for all robots: %s\n", s)
	}
	for _, p := range e.Products {
		fmt.Fprintf(&b, "\n%s\n  Group: %s.\n  %s\n  %s\n", p.Name, p.Group, p.Says, p.Delay.Says)
		for _, path := range p.Paths {
			fmt.Fprintf(&b, "  - %s\n", path.Says)
		}
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, say.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}
