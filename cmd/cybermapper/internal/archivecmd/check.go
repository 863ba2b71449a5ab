package archivecmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// maxFindings is how many problems of a file, and how many notes, are told one by one.
const maxFindings = 100

func newCheckCommand() *cobra.Command {
	var dirs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Prove WARC files: compute every digest again",
		Long: `Reads WARC files to their end. It checks the checksums of the compression, the
form of each record and of the HTTP message in it, and computes the digests of
block and payload again, but for those of payloads that are not in the record: of
a revisit, or of a segment. Of each problem it tells the file, the offset, and
what was expected there; then it goes on with the next record that can be found.

Notes are about what is allowed but could be better, as several records that are
compressed as one. They do not count as problems.

Exit codes:
  0    all files are sound
  1    something is wrong
  2    error: a file cannot be read
`,
		Example: `  cybermapper archive check --job JOB
  cybermapper archive check *.warc.gz --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(check(cmd.Context(), args, dirs, cmd.OutOrStdout(), asJSON))
		},
	}
	fileFlags(cmd, &dirs)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// A checked file is one with what was found in it.
type checked struct {
	warc.Result
	Findings []warc.Finding `json:"findings"` // the first problems, and the first notes
}

func check(ctx context.Context, args, dirs []string, w io.Writer, asJSON bool) error {
	files, err := filesOf(args, dirs)
	if err != nil {
		return err
	}
	all, wrong := []checked{}, false
	for _, name := range files {
		c, told := checked{Findings: []warc.Finding{}}, map[bool]int{} // of problems, and of notes
		c.Result, err = warc.Check(ctx, name, func(f warc.Finding) error {
			if told[f.Problem]++; told[f.Problem] <= maxFindings {
				c.Findings = append(c.Findings, f)
			}
			return nil
		})
		if err != nil {
			return err
		}
		wrong = wrong || c.Problems > 0
		if asJSON {
			all = append(all, c)
		} else {
			c.print(w)
		}
	}
	if asJSON {
		if err := cli.EncodeJSON(w, all); err != nil {
			return err
		}
	}
	if wrong {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}

func (c *checked) print(w io.Writer) {
	state := "sound"
	if c.Problems > 0 {
		state = say.Plural(int64(c.Problems), "problem")
	}
	total, kinds := 0, []string{}
	for _, kind := range slices.Sorted(maps.Keys(c.Records)) {
		total += c.Records[kind]
		kinds = append(kinds, fmt.Sprintf("%d %s", c.Records[kind], say.Printable(kind)))
	}
	records := say.Plural(int64(total), "record")
	if total > 0 {
		records += " (" + strings.Join(kinds, ", ") + ")"
	}
	digests := say.Plural(int64(c.Digests), "digest") + " computed again"
	if c.Unknown > 0 {
		digests += fmt.Sprintf(", %d of a kind not known here", c.Unknown)
	}
	fmt.Fprintf(w, "%s: %s: %s, %s, %s\n", c.File, state, say.Bytes(c.Bytes), records, digests)
	for _, f := range c.Findings {
		what := "note"
		if f.Problem {
			what = "problem"
		}
		fmt.Fprintf(w, "  %s at offset %d: %s\n", what, f.Offset, say.Printable(f.Text))
	}
	if more := c.Problems + c.Notes - len(c.Findings); more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
