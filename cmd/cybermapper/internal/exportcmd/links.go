package exportcmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

func newLinksCommand() *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "links",
		Short: "Write every link of every stored page",
		Long: `Writes a line for each link of the stored pages to stdout, in the order in which
they were stored, each in its latest version: from, to, kind (a, area, frame,
iframe, refresh; next, prev, alternate, feed and related, of LINK elements;
header-... for those of the HTTP header; and entry, of a feed), rel as written,
whether the page lets robots follow it, the text of the link, and its place in
the page. Of those after the first 1000 of a page, repeated ones are left out.
A cell of CSV that a spreadsheet would take for a formula stands behind a '.

As graphml or gexf it is what "export graph" writes.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper export links --job JOB --format csv > links.csv
  cybermapper export links --job JOB | jq -r 'select(.follow | not) | .to'
  cybermapper export links --job JOB --format gexf > site.gexf     # for Gephi`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exportLinks(cmd.Context(), dir, format, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl, csv, graphml or gexf")
	return cmd
}

func exportLinks(ctx context.Context, dir, format string, w, warnings io.Writer) error {
	if f := graph.Format(format); f == graph.GEXF || f == graph.GraphML {
		return exportGraph(ctx, dir, f, w)
	}
	s, err := openSource(dir, warnings)
	if err != nil {
		return err
	}
	return buffered(w, func(b *bufio.Writer) error {
		switch format {
		case "jsonl":
			e := json.NewEncoder(b)
			e.SetEscapeHTML(false)
			return s.eachLink(ctx, func(l link) error { return e.Encode(l) })
		case "csv":
			return s.linksCSV(ctx, b)
		}
		return cli.UsageError("", "--format %q is none of jsonl, csv, graphml and gexf", format)
	})
}

// eachLink calls f with every link of every page, in its latest version.
func (s *source) eachLink(ctx context.Context, f func(link) error) error {
	versions, err := s.versions(ctx)
	if err != nil {
		return err
	}
	for l, err := range s.pages(ctx) {
		if err != nil {
			return err
		}
		if !versions.isLatest(l) {
			continue
		}
		body, err := s.body(l)
		if err != nil {
			return err
		}
		links, err := s.links(ctx, l, body)
		if err != nil {
			return err
		}
		for _, x := range links {
			if err := f(x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *source) linksCSV(ctx context.Context, w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"from", "to", "kind", "rel", "follow", "text", "place"})
	err := s.eachLink(ctx, func(l link) error {
		return c.Write([]string{
			l.From, say.Cell(l.To), l.Kind, say.Cell(l.Rel), strconv.FormatBool(l.Follow), say.Cell(l.Text), strconv.Itoa(l.Place),
		})
	})
	c.Flush()
	return cmp.Or(err, c.Error())
}
