package robotscmd

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// diffOptions are the flags of robots diff.
type diffOptions struct {
	products     []string
	urls         string
	dialect      string
	allowPrivate bool
	asJSON       bool
}

// A diffReport is what robots diff prints as JSON.
type diffReport struct {
	Same    bool         `json:"same"`    // nothing that was tried differs
	Decided bool         `json:"decided"` // whether the files differ is known; else the same may be different elsewhere
	Proved  bool         `json:"proved"`  // the rules are equal on all paths, not only on those that were tried
	Tried   int          `json:"tried"`
	Changes []diffChange `json:"changes"`
	Paces   []diffPace   `json:"paces"`

	Obeyed map[string]string `json:"obeyed,omitempty"` // the name that a robot obeys in a file that does not name it
}

type diffChange struct {
	Change   string      `json:"change"` // opened or closed
	Products []string    `json:"products"`
	Paths    []string    `json:"paths"`
	Old      verdictView `json:"old"` // without the digest
	New      verdictView `json:"new"`
}

type diffPace struct {
	Products []string `json:"products"`
	OldMS    int64    `json:"old_ms"`
	NewMS    int64    `json:"new_ms"`
	OldLine  int      `json:"old_line,omitempty"`
	NewLine  int      `json:"new_line,omitempty"`
}

// anyOther stands for a robot that no group names.
const anyOther = "(any other)"

func newDiffCommand() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what a new robots.txt changes, where and for whom",
		Long: `Compares two robots.txt files, each a file, - for stdin, or a URL, by what they say: which paths are
opened or closed, for which robots, and by which line of either; and which pauses change. A file
that is only written differently does not differ.

Asked are all robots that either file names, cybermapper, and one that is not named, on the URLs of
--urls or else on sample paths around every rule of both files. When the rules are provably equal
on all paths, it says so. A robot that obeys another name where its own does not stand, as
Googlebot-News does Googlebot, is taken to do that.

Exit codes:
  0    the files say the same
  1    they differ
  2    error
  7    undecided: no difference on the paths tried, no proof for the others
`,
		Example: `  cybermapper robots diff https://example.org/robots.txt robots.txt
  cybermapper robots diff --product googlebot --product gptbot old.txt new.txt
  cybermapper robots diff --urls urls.txt --json old.txt new.txt`,
		Args: cli.Exactly(2, "OLD and NEW"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(diffRobots(cmd, o, args[0], args[1]))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.products, "product", nil, "ask for this product token only; repeatable; * is one that is not named")
	f.StringVar(&o.urls, "urls", "", "file with the URLs or paths to ask about, one per line; - is stdin")
	dialectFlag(cmd, &o.dialect, "how to read the files")
	allowPrivateFlag(f, &o.allowPrivate)
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

func diffRobots(cmd *cobra.Command, o diffOptions, oldName, newName string) error {
	dialect, err := robots.ParseDialect(o.dialect)
	if err != nil {
		return err
	}
	if stdins := slices.DeleteFunc([]string{oldName, newName, o.urls},
		func(name string) bool { return name != "-" }); len(stdins) > 1 {
		return cli.UsageError("save one of them to a file", "stdin (-) can be read once only")
	}
	options := compose.DiffOptions{Dialect: dialect}
	if options.Products, err = diffProducts(o.products); err != nil {
		return err
	}
	if options.Paths, err = readPaths(cmd, o.urls); err != nil {
		return err
	}
	before, err := readRobotsFile(cmd, oldName, o.allowPrivate)
	if err != nil {
		return err
	}
	after, err := readRobotsFile(cmd, newName, o.allowPrivate)
	if err != nil {
		return err
	}
	d := compose.Diff(before, after, options)
	if o.asJSON {
		err = cli.EncodeJSON(cmd.OutOrStdout(), reportDiff(d))
	} else {
		err = printTo(cmd.OutOrStdout(), func(w io.Writer) { printDiff(w, d) })
	}
	switch {
	case err != nil:
		return err
	case !d.Same():
		return &cli.Error{Code: cli.ExitFailure}
	case !d.Decided():
		return &cli.Error{Code: cli.ExitNotShown}
	}
	return nil
}

// diffProducts returns the products to ask for; nil for all.
func diffProducts(given []string) ([]string, error) {
	var products []string
	for _, p := range given {
		if p == "*" {
			p = ""
		} else if err := checkProduct(p); err != nil {
			return nil, err
		}
		if !slices.Contains(products, p) {
			products = append(products, p)
		}
	}
	return products, nil
}

func reportDiff(d compose.Difference) diffReport {
	r := diffReport{Same: d.Same(), Decided: d.Decided(), Proved: d.Proved, Tried: d.Tried,
		Changes: []diffChange{}, Paces: []diffPace{}, Obeyed: d.Obeyed}
	for _, c := range d.Changes {
		c.Old.Digest, c.New.Digest = "", ""
		r.Changes = append(r.Changes, diffChange{openedText(c.Opened), productNames(c.Products), c.Paths,
			verdictView(c.Old), verdictView(c.New)})
	}
	for _, p := range d.Paces {
		r.Paces = append(r.Paces, diffPace{productNames(p.Products), p.Old.Milliseconds(), p.New.Milliseconds(),
			p.OldLine, p.NewLine})
	}
	return r
}

func printDiff(w io.Writer, d compose.Difference) {
	for _, c := range d.Changes {
		fmt.Fprintf(w, "%s  %s\n", openedText(c.Opened), say.Printable(cli.SomeOf(c.Paths, 4)))
		fmt.Fprintf(w, "  for  %s\n", say.Printable(cli.SomeOf(productNames(c.Products), 8)))
		fmt.Fprintf(w, "  old  %s\n  new  %s\n", say.Printable(say.Verdict(c.Old)), say.Printable(say.Verdict(c.New)))
	}
	for _, p := range d.Paces {
		fmt.Fprintf(w, "pause   %s -> %s\n  for  %s\n", config.Duration(p.Old), config.Duration(p.New),
			say.Printable(cli.SomeOf(productNames(p.Products), 8)))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Obeyed)) {
		fmt.Fprintf(w, "%s obeys what a file says to %s if the file does not name it, as its maker says\n",
			say.Printable(name), d.Obeyed[name])
	}
	switch {
	case d.Same() && d.Proved:
		fmt.Fprintln(w, "the files say the same, on every path")
	case d.Same():
		fmt.Fprintf(w, "the files say the same on what was tried: %s\n", say.Plural(d.Tried, "path"))
		if !d.Decided() {
			fmt.Fprintln(w, "undecided: that they do on every path could not be proved")
		}
	}
}

func openedText(opened bool) string {
	if opened {
		return "opened"
	}
	return "closed"
}

// productNames returns the products as people read them.
func productNames(products []string) []string {
	names := slices.Clone(products)
	for i, p := range names {
		if p == "" {
			names[i] = anyOther
		}
	}
	return names
}
