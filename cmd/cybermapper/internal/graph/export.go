package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// A Format is a form of a file with nodes and edges.
type Format string

// The formats.
const (
	GEXF    Format = "gexf"    // version 1.2, the last one that NetworkX reads; for Gephi
	GraphML Format = "graphml" // for Gephi, yEd, igraph, NetworkX
)

// form is how a format writes things: of a node id, URL, title, state, status, depth; of an edge two ids.
type form struct{ head, node, middle, edge, tail string }

var forms = map[Format]form{
	GEXF: {
		`<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<graph defaultedgetype="directed">
<attributes class="node">
<attribute id="title" title="title" type="string"/><attribute id="state" title="state" type="string"/>
<attribute id="status" title="status" type="integer"/><attribute id="depth" title="depth" type="integer"/>
</attributes>
<nodes>
`, `<node id="%s" label="%s"><attvalues><attvalue for="title" value="%s"/><attvalue for="state" value="%s"/>` +
			`<attvalue for="status" value="%d"/><attvalue for="depth" value="%d"/></attvalues></node>` + "\n",
		"</nodes>\n<edges>\n", `<edge id="%[1]s%[2]s" source="%[1]s" target="%[2]s"/>` + "\n", "</edges>\n</graph>\n</gexf>\n",
	},
	GraphML: {
		`<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/><key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="state" for="node" attr.name="state" attr.type="string"/><key id="status" for="node" attr.name="status" attr.type="int"/>
<key id="depth" for="node" attr.name="depth" attr.type="int"/>
<graph edgedefault="directed">
`, `<node id="%s"><data key="url">%s</data><data key="title">%s</data><data key="state">%s</data>` +
			`<data key="status">%d</data><data key="depth">%d</data></node>` + "\n",
		"", `<edge source="%s" target="%s"/>` + "\n", "</graph>\n</graphml>\n",
	},
}

// Write writes the site as a file: what lies in it as nodes, with what became of each, and the links between them.
func (g *Graph) Write(ctx context.Context, w io.Writer, format Format) error {
	f, ok := forms[format]
	if !ok {
		return fmt.Errorf("graph: no format %q", format)
	}
	b := bufio.NewWriterSize(w, 64<<10)
	b.WriteString(f.head)
	type node struct {
		id            int64
		url, title    string
		status, depth int
		state         State
	}
	columns := func(n *node) []any { return []any{&n.id, &n.url, &n.title, &n.status, &n.depth, &n.state} }
	for n, err := range sqlfile.Rows(ctx, g.db, columns, `SELECT u.id, u.url, u.title, u.status, u.depth, `+stateOf+
		` FROM urls u WHERE `+inside) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, f.node, nodeName(n.id), escaped(n.url), escaped(n.title), n.state, n.status, n.depth)
	}
	b.WriteString(f.middle)
	type edge struct{ from, to int64 }
	for e, err := range sqlfile.Rows(ctx, g.db, func(e *edge) []any { return []any{&e.from, &e.to} },
		`SELECT l.source, l.target FROM links l JOIN urls s ON s.id = l.source
		JOIN urls u ON u.id = l.target WHERE `+inside+` AND `+strings.ReplaceAll(inside, "u.", "s.")) {
		if err != nil {
			return err
		}
		fmt.Fprintf(b, f.edge, nodeName(e.from), nodeName(e.to))
	}
	b.WriteString(f.tail)
	return b.Flush()
}

func nodeName(id int64) string { return fmt.Sprintf("n%016x", uint64(id)) }

// escaped returns a text for XML, in an attribute too.
func escaped(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s))
	return b.String()
}
