package exportcmd

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

func newLinksCommand() *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "links",
		Short: "Write every link of every stored page",
		Long: `Writes a line for each link of the stored pages to stdout, in the order in which
they were stored: from, to, kind (a, area, frame, iframe, refresh, next, prev,
alternate, and header-... for those of the HTTP header), rel as written, whether
the page lets robots follow it, the text of the link, and its place in the page.

GraphML and GEXF have the pages as nodes, and of the links those between pages.
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
		case "graphml", "gexf":
			return s.graph(ctx, b, format)
		}
		return cli.UsageError("", "--format %q is none of jsonl, csv, graphml and gexf", format)
	})
}

// eachLink calls f with every link of every page.
func (s *source) eachLink(ctx context.Context, f func(link) error) error {
	for l, err := range s.lines(ctx) {
		if err != nil {
			return err
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
		return c.Write([]string{l.From, l.To, l.Kind, l.Rel, strconv.FormatBool(l.Follow), l.Text, strconv.Itoa(l.Place)})
	})
	c.Flush()
	if err == nil {
		err = c.Error()
	}
	return err
}

// A graphFormat is how nodes and edges are written: format strings of id, URL and title, and of two ids and a kind.
type graphFormat struct{ head, node, middle, edge, tail string }

var graphFormats = map[string]graphFormat{
	"graphml": {
		`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/><key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="kind" for="edge" attr.name="kind" attr.type="string"/>
<graph edgedefault="directed">
`,
		`<node id="%s"><data key="url">%s</data><data key="title">%s</data></node>` + "\n", "",
		`<edge source="%s" target="%s"><data key="kind">%s</data></edge>` + "\n", "</graph>\n</graphml>\n",
	},
	"gexf": {
		`<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://gexf.net/1.3" version="1.3">
<graph defaultedgetype="directed">
<attributes class="node"><attribute id="title" title="title" type="string"/></attributes>
<nodes>
`,
		`<node id="%s" label="%s"><attvalues><attvalue for="title" value="%s"/></attvalues></node>` + "\n", "</nodes>\n<edges>\n",
		`<edge source="%s" target="%s" label="%s"/>` + "\n", "</edges>\n</graph>\n</gexf>\n",
	},
}

// graph writes pages as nodes, and the links between them as edges.
func (s *source) graph(ctx context.Context, w *bufio.Writer, format string) error {
	f, nodes := graphFormats[format], map[uint64]bool{}
	w.WriteString(f.head)
	for l, err := range s.lines(ctx) {
		if err != nil {
			return err
		}
		if id := xxhash.Sum64String(l.FinalURL); !nodes[id] {
			nodes[id] = true
			fmt.Fprintf(w, f.node, nodeID(id), escaped(l.FinalURL), escaped(l.Title))
		}
	}
	w.WriteString(f.middle)
	err := s.eachLink(ctx, func(l link) error {
		if to := xxhash.Sum64String(l.To); nodes[to] {
			fmt.Fprintf(w, f.edge, nodeID(xxhash.Sum64String(l.From)), nodeID(to), escaped(l.Kind))
		}
		return nil
	})
	w.WriteString(f.tail)
	return err
}

func nodeID(id uint64) string { return fmt.Sprintf("n%016x", id) }

// escaped returns a text for XML, in an attribute too.
func escaped(s string) string {
	var b escapedText
	xml.EscapeText(&b, []byte(s))
	return string(b)
}

type escapedText []byte

func (e *escapedText) Write(p []byte) (int, error) {
	*e = append(*e, p...)
	return len(p), nil
}
