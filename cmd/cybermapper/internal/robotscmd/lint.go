package robotscmd

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/lint"
)

// lintOptions are the flags of robots lint.
type lintOptions struct {
	product      string
	host         string
	urls         string
	failOn       string
	fix          bool
	diff         bool
	codes        bool
	allowPrivate bool
	asJSON       bool
	asSARIF      bool
}

// A lintReport is what robots lint prints as JSON.
type lintReport struct {
	File string `json:"file"`
	lint.Report
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
}

func newLintCommand() *cobra.Command {
	var o lintOptions
	cmd := &cobra.Command{
		Use:   "lint FILE|URL",
		Short: "Find what is wrong with a robots.txt, and mend it",
		Long: `Looks for what is wrong with a robots.txt, what robots make of it, and what to write instead.
Robots read a file differently: the standard of 1994, RFC 9309 of 2022, Google's parser; where
their verdicts part, it says so. --codes lists all that it knows to look for.

--fix mends what can be mended without asking you and keeps your comments. It opens nothing:
what was forbidden to any robot stays forbidden, however it reads the file. It closes nothing but
what a line was for, and no front page. All else is only proposed. No rule is moved into what a
program writes between its marks ("# BEGIN ...", "# END ..."), nor out of it. FILE is replaced in one
step and keeps its mode, a symbolic link its target; of stdin (-) the mended text goes to stdout.
--diff shows what --fix would do. Rules that are written as URLs are mended with --host. In JSON
and SARIF each finding says whether --fix mends it (fixable).

--urls takes the URLs that the site is known to have: one per line, a sitemap, or the pages.jsonl
or the directory of a crawl, with what robots.txt kept it from. Then rules that match none of
them are found, and pages whose noindex robots never see.

robots.txt is a request, not a lock: whatever it lists, everyone can read.

Exit codes:
  0    nothing found that --fail-on asks for (with --diff: nothing to mend)
  1    something was found (with --fix: is left; with --diff: can be mended)
  2    error
`,
		Example: `  cybermapper robots lint robots.txt
  cybermapper robots lint https://example.org/robots.txt --fail-on error
  cybermapper robots lint robots.txt --urls sitemap.xml
  cybermapper robots lint robots.txt --diff && cybermapper robots lint robots.txt --fix
  cybermapper robots lint - --fix < robots.txt > mended.txt
  cybermapper robots lint robots.txt --sarif > robots.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.codes {
				return printCodes(cmd.OutOrStdout(), o.asJSON)
			}
			if err := cli.Exactly(1, "robots.txt to lint: a file, - for stdin, or a URL")(cmd, args); err != nil {
				return err
			}
			return cli.Trouble(lintRobots(cmd, o, args[0]))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.product, "product", "cybermapper", "product token of a robot to ask about beside those in the file")
	f.StringVar(&o.host, "host", "", "host that serves the file; that of the URL where one is given")
	f.StringVar(&o.urls, "urls", "", "known URLs of the site: a list, a sitemap, a pages.jsonl or the directory of a crawl")
	f.StringVar(&o.failOn, "fail-on", "warning", "exit with 1 from this severity on: error, warning or info")
	f.BoolVar(&o.fix, "fix", false, "mend the file")
	f.BoolVar(&o.diff, "diff", false, "show what --fix would change, and change nothing")
	f.BoolVar(&o.codes, "codes", false, "list the codes of all findings")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	f.BoolVar(&o.asSARIF, "sarif", false, "print as SARIF 2.1.0")
	allowPrivateFlag(f, &o.allowPrivate)
	return cmd
}

// validate says which flags do not go together.
func (o lintOptions) validate(name string) error {
	switch {
	case o.fix && o.diff:
		return cli.UsageError("", "--fix and --diff exclude each other")
	case o.asJSON && o.asSARIF:
		return cli.UsageError("", "--json and --sarif exclude each other")
	case o.fix && strings.Contains(name, "://"):
		return cli.UsageError("save the file and mend that, or use --diff", "--fix cannot write to %s", name)
	case o.fix && name == "-" && (o.asJSON || o.asSARIF):
		return cli.UsageError("", "--fix of stdin prints the mended file, and no report")
	}
	return checkProduct(o.product)
}

func lintRobots(cmd *cobra.Command, o lintOptions, name string) error {
	var failOn lint.Severity
	if err := failOn.UnmarshalText([]byte(o.failOn)); err != nil {
		return cli.UsageError("", "--fail-on: %w", err)
	}
	if err := o.validate(name); err != nil {
		return err
	}
	body, options, err := o.read(cmd, name)
	if err != nil {
		return err
	}
	if why := lint.NotMended(body); (o.fix || o.diff) && why != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: nothing is mended: %s\n", say.Printable(name), why)
	}
	if o.diff {
		return printMending(cmd.OutOrStdout(), name, body, lint.Fix(body, options))
	}
	if o.fix {
		mended := lint.Fix(body, options)
		if err := writeMended(cmd, name, body, mended); err != nil {
			return err
		}
		body = mended
	}
	options.Fixable = (o.asJSON || o.asSARIF) && !o.fix
	report := lint.File(body, options)
	if err := o.print(cmd, name, report); err != nil {
		return err
	}
	if worst, ok := report.Worst(); ok && worst >= failOn {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}

// read reads the file and all that is known beside it.
func (o lintOptions) read(cmd *cobra.Command, name string) (body []byte, options lint.Options, err error) {
	options = lint.Options{Product: o.product, Host: o.host}
	if body, err = readRobotsFile(cmd, name, o.allowPrivate); err != nil {
		return nil, options, err
	}
	if strings.Contains(name, "://") {
		u, err := cli.ParseURL(name)
		if err != nil {
			return nil, options, err
		}
		options.Absent = body == nil
		if o.host == "" {
			options.Host = u.Host()
		}
	}
	if o.urls != "" {
		options.URLs, err = readSiteURLs(cmd, o.urls, options.Host)
	}
	return body, options, err
}

// writeMended replaces the file, if there is something to replace, or prints it when it came from stdin.
func writeMended(cmd *cobra.Command, name string, body, mended []byte) error {
	if name != "-" && bytes.Equal(body, mended) {
		return nil
	}
	return cli.WriteFile(cmd.OutOrStdout(), name, mended)
}

// printMending shows what Fix would do.
func printMending(w io.Writer, name string, body, mended []byte) error {
	diff := cli.UnifiedDiff(name, body, name+" (mended)", mended)
	if diff == "" {
		return nil
	}
	if _, err := io.WriteString(w, diff); err != nil {
		return err
	}
	return &cli.Error{Code: cli.ExitFailure}
}

// print prints a report. When stdout holds the mended file, the summary goes to stderr.
func (o lintOptions) print(cmd *cobra.Command, name string, r lint.Report) error {
	out := cmd.OutOrStdout()
	switch {
	case o.fix && name == "-":
		printLintSummary(cmd.ErrOrStderr(), r, true)
		return nil
	case o.asSARIF:
		return cli.EncodeJSON(out, newSARIF(sarifURI(name), cli.ReadBuild().Version, r))
	case o.asJSON:
		if r.Findings == nil {
			r.Findings = []lint.Finding{}
		}
		return cli.EncodeJSON(out, lintReport{File: name, Report: r, Errors: r.Count(lint.Error), Warnings: r.Count(lint.Warning),
			Infos: r.Count(lint.Info)})
	}
	return printTo(out, func(w io.Writer) {
		printFindings(w, name, r)
		printRobotTable(w, r.Robots)
		printLintSummary(w, r, o.fix)
	})
}

// sarifURI names the file in a SARIF report, where it must be a relative or absolute URI.
func sarifURI(name string) string {
	if name == "-" {
		return "robots.txt"
	}
	if u, err := url.Parse(name); err == nil && strings.Contains(name, "://") {
		return u.String()
	}
	if filepath.VolumeName(name) != "" {
		return (&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(name)}).String()
	}
	return (&url.URL{Path: filepath.ToSlash(name)}).String()
}

// findingPlace names a line of a file; 0 is the file as a whole.
func findingPlace(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func printFindings(w io.Writer, name string, r lint.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s: %s: %s: %s\n", findingPlace(name, f.Line), f.Severity, f.Code, say.Printable(f.Message))
		if f.Text != "" {
			fmt.Fprintf(w, "    | %s\n", say.Printable(f.Text))
		}
		for i, line := range strings.Split(f.Advice, "\n") {
			if f.Advice == "" {
				break
			}
			lead := "fix: "
			if i > 0 {
				lead = "     "
			}
			fmt.Fprintf(w, "    %s%s\n", lead, say.Printable(line))
		}
	}
}

// printLintSummary counts the findings.
func printLintSummary(w io.Writer, r lint.Report, fixed bool) {
	mendable, listed := lint.Mendable(r), len(r.Findings)
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	if total == 0 {
		fmt.Fprintln(w, "nothing found")
		return
	}
	fmt.Fprintf(w, "%s, %s, %s", say.Plural(r.Count(lint.Error), "error"), say.Plural(r.Count(lint.Warning), "warning"),
		say.Plural(r.Count(lint.Info), "hint"))
	if more := total - listed; more > 0 {
		fmt.Fprintf(w, " (%s of them not listed)", say.Count(more))
	}
	switch {
	case fixed:
		fmt.Fprint(w, " left for you to decide")
	case mendable:
		fmt.Fprint(w, "; --diff shows what --fix can mend, if anything")
	}
	fmt.Fprintln(w)
}

// printCodes lists all codes.
func printCodes(w io.Writer, asJSON bool) error {
	if asJSON {
		return cli.EncodeJSON(w, lint.Codes())
	}
	return printTo(w, func(w io.Writer) {
		for _, c := range lint.Codes() {
			mark := " "
			if c.Fixable {
				mark = "*"
			}
			fmt.Fprintf(w, "%-7s %s %-21s %s\n", c.Severity, mark, c.Code, c.Title)
		}
		fmt.Fprintln(w, "* --fix mends it, where that opens nothing, and closes nothing but what the line was for")
	})
}

// printRobotTable lists the known robots that the file closes out, and whether they keep to it.
func printRobotTable(w io.Writer, list []lint.Robot) {
	named := 0
	var closed []string // without being named
	for _, r := range list {
		if !r.Named {
			if r.Access == "closed" {
				closed = append(closed, r.Name)
			}
			continue
		}
		if named++; named == 1 {
			fmt.Fprintf(w, "\nKnown robots in this file:\n  %-22s %-8s %s\n", "name", "access", "keeps to robots.txt")
		}
		obeys := r.Obeys
		if r.Note != "" {
			obeys += ": " + r.Note
		}
		fmt.Fprintf(w, "  %-22s %-8s %s\n", say.Printable(r.Name), r.Access, say.Printable(obeys))
	}
	if named > 0 {
		fmt.Fprintln(w)
	}
	const most = 8
	switch n := len(closed); {
	case n > most:
		fmt.Fprintf(w, "Closed to %d known crawlers that it does not name (--json lists them): %s and others.\n\n", n,
			strings.Join(closed[:most], ", "))
	case n > 0:
		fmt.Fprintf(w, "Closed to known crawlers that it does not name: %s.\n\n", strings.Join(closed, ", "))
	}
}
