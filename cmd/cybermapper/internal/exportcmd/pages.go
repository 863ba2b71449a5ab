package exportcmd

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func newPagesCommand() *cobra.Command {
	var dir, format string
	var text bool
	cmd := &cobra.Command{
		Use:   "pages",
		Short: "Write what is known of every stored page, with its text if wanted",
		Long: `Writes a line for each stored page to stdout: as JSON with the fields of
pages.jsonl (see topic job), or as CSV with the most asked for of them. A page
that had changed when it was visited again has a line for each version, of which
the last one is what it is now. What was fetched because pages need it (crawl
--requisites) has the kind "requisite". A cell of CSV that a spreadsheet would
take for a formula stands behind a '. With --text, the visible text of the page
comes last.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper export pages --job JOB --format csv > pages.csv
  cybermapper export pages --job JOB --text | jq -r .text`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exportPages(cmd.Context(), dir, format, text, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	cmd.Flags().BoolVar(&text, "text", false, "the visible text, too")
	return cmd
}

// A listedPage is a line of export pages.
type listedPage struct {
	pages.Line
	Fetched string `json:"fetched"`
	Text    string `json:"text,omitempty"`
}

func exportPages(ctx context.Context, dir, format string, text bool, w, warnings io.Writer) error {
	s, err := openSource(dir, warnings)
	if err != nil {
		return err
	}
	return buffered(w, func(b *bufio.Writer) error {
		var write func(p listedPage) error
		switch format {
		case "jsonl":
			e := json.NewEncoder(b)
			e.SetEscapeHTML(false)
			write = func(p listedPage) error { return e.Encode(p) }
		case "csv":
			c := csv.NewWriter(b)
			defer c.Flush()
			if err := c.Write(pageColumns(text)); err != nil {
				return err
			}
			write = func(p listedPage) error { return c.Write(p.row(text)) }
		default:
			return cli.UsageError("", "--format %q is none of jsonl and csv", format)
		}
		for l, err := range s.lines(ctx) {
			if err != nil {
				return err
			}
			p := listedPage{Line: l, Fetched: stamp(l.Fetched)}
			if text {
				if p.Text, err = s.textOf(ctx, l); err != nil {
					return err
				}
			}
			if err := write(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// textOf returns the visible text of a page, "" for what is none.
func (s *source) textOf(ctx context.Context, l pages.Line) (string, error) {
	if !isHTML(l) {
		return "", nil
	}
	body, err := s.body(l)
	if err != nil {
		return "", err
	}
	return s.text(ctx, l, body)
}

func pageColumns(text bool) []string {
	c := []string{
		"url", "final_url", "file", "fetched", "status", "type", "charset", "bytes", "digest", "title", "lang", "depth", "via",
		"canonical",
		"same_as", "near", "truncated", "robots_digest", "robots_line", "robots_rule", "kind",
	}
	if text {
		c = append(c, "text")
	}
	return c
}

func (p *listedPage) row(text bool) []string {
	l := &p.Line
	r := []string{
		l.URL, l.FinalURL, say.Cell(l.File), p.Fetched, strconv.Itoa(l.Status), say.Cell(l.Type), l.Charset,
		strconv.FormatInt(l.Bytes, 10), string(l.Digest),
		say.Cell(l.Title), say.Cell(l.Lang), strconv.Itoa(l.Depth), l.Via, say.Cell(l.Canonical),
		l.SameAs, l.Near, l.Truncated, string(l.Robots.Digest),
		strconv.Itoa(l.Robots.Line), say.Cell(l.Robots.Rule), string(l.Kind),
	}
	if text {
		r = append(r, say.Cell(p.Text))
	}
	return r
}
