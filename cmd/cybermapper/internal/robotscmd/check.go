package robotscmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A checkedURL is what robots check prints about one URL.
type checkedURL struct {
	URL string `json:"url"`
	verdictView
	wishesView
}

// A verdictView is a verdict as it is printed.
type verdictView struct {
	Allowed  bool          `json:"allowed"`
	Reason   robots.Reason `json:"reason"`
	Line     int           `json:"line,omitempty"`
	Rule     string        `json:"rule,omitempty"`
	Digest   string        `json:"digest,omitempty"`
	Leniency string        `json:"leniency,omitempty"`
}

// checkOptions are the flags of robots check.
type checkOptions struct {
	robots       string
	product      string
	dialect      string
	allowPrivate bool
	asJSON       bool
}

func newCheckCommand() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check --robots FILE|URL URL...",
		Short: "Say whether a robots.txt allows URLs, and which line says so",
		Long: `Says for each URL whether a robots.txt allows it, and which line decides. A URL
may be given as a path (/tmp/x). What else the file asks for a URL is shown, too:
when visits are welcome, which URL it counts as (Clean-param), what it may be used
for. With --robots URL the file is fetched, by cybermapper whoever --product is,
and read as a crawl would: a missing file allows everything, one that cannot be
fetched allows nothing.

Exit codes:
  0    all URLs are allowed
  1    some are not
  2    error
`,
		Example: `  cybermapper robots check --robots robots.txt https://example.org/tmp/x
  cybermapper robots check --robots robots.txt --product otherbot --dialect rfc9309 /tmp/x
  cybermapper robots check --robots https://example.org/robots.txt /tmp/x
  curl -s https://example.org/robots.txt | cybermapper robots check --robots - /tmp/x`,
		Args: cli.AtLeast(1, "URL to check"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(checkRobots(cmd, o, args))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.robots, "robots", "", "the robots.txt: a file, - for stdin, or a URL")
	f.StringVar(&o.product, "product", "cybermapper", "product token of the robot that asks")
	dialectFlag(cmd, &o.dialect, "how to read the file")
	allowPrivateFlag(f, &o.allowPrivate)
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object per URL")
	return cmd
}

// checkRobots prints a verdict for each URL.
func checkRobots(cmd *cobra.Command, o checkOptions, args []string) error {
	dialect, err := robots.ParseDialect(o.dialect)
	if err != nil {
		return err
	}
	if err := checkProduct(o.product); err != nil {
		return err
	}
	base, rules, err := readRules(cmd, o, dialect)
	if err != nil {
		return err
	}
	var verdicts []checkedURL
	for _, arg := range args {
		u, err := resolveAsked(base, arg)
		if err != nil {
			return cli.UsageError("a URL begins with its scheme, a path with a slash", "%w", err)
		}
		verdicts = append(verdicts, checkedURL{arg, verdictView(rules(u).Test(u.PathQuery())), viewWishes(rules(u), u)})
	}
	return printVerdicts(cmd.OutOrStdout(), verdicts, o.asJSON)
}

// readRules returns the rules of the file that --robots names, for the origin of a URL, and the URL that paths are
// relative to.
func readRules(cmd *cobra.Command, o checkOptions, d robots.Dialect) (frontier.URL, func(frontier.URL) *robots.Rules, error) {
	base, err := frontier.ParseURL("http://site.invalid/")
	if err != nil {
		return base, nil, err
	}
	switch {
	case o.robots == "":
		return base, nil, cli.UsageError("usage: "+cmd.UseLine(), "missing --robots FILE or URL")
	case strings.Contains(o.robots, "://"):
		return fetchRules(cmd.Context(), o, d)
	}
	body, err := cli.ReadInput(cmd, o.robots, robots.MaxBytes+1)
	if err != nil {
		return base, nil, cli.OrURL(err, o.robots, "/robots.txt")
	}
	file := robots.Parse(body, d)
	product := roster.NewRegister(file).HeardAs(o.product)
	return base, func(u frontier.URL) *robots.Rules {
		if u.Origin() == base.Origin() {
			return file.Rules(product)
		}
		return file.RulesFor(u.Origin(), product)
	}, nil
}

// fetchRules gets the robots.txt that robots check is to read.
func fetchRules(ctx context.Context, o checkOptions, d robots.Dialect) (frontier.URL, func(frontier.URL) *robots.Rules, error) {
	u, err := cli.ParseURL(o.robots)
	if err != nil {
		return u, nil, cli.UsageError("", "--robots: %w", err)
	}
	if u.PathQuery() != "/robots.txt" {
		return u, nil, cli.UsageError("did you mean --robots "+u.Origin()+"/robots.txt?",
			"--robots: robots.txt lies at the top of its site")
	}
	v := newVisitor(visitorOptions{dialect: d, allowPrivate: o.allowPrivate})
	defer v.Close()
	answer, err := v.rules(ctx, u.Origin())
	if err == nil && answer.State.Outcome == robots.Unreachable && answer.State.Status == 0 {
		err = errors.New(answer.State.Err) // nothing answered: that says more about us than about the site
	}
	if err != nil {
		return u, nil, privateHint(err)
	}
	return u, func(other frontier.URL) *robots.Rules { return rulesFor(answer, other.Origin(), o.product) }, nil
}

func printVerdicts(w io.Writer, verdicts []checkedURL, asJSON bool) error {
	var b bytes.Buffer
	allAllowed := true
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	for _, v := range verdicts {
		allAllowed = allAllowed && v.Allowed
		if asJSON {
			if err := out.Encode(v); err != nil {
				return err
			}
			continue
		}
		because := say.Because(robots.Verdict(v.verdictView))
		fmt.Fprintf(&b, "%-10s  %s  (%s)\n", say.Allowed(v.Allowed), say.Printable(v.URL), because)
		v.wishesView.print(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	if !allAllowed {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}
