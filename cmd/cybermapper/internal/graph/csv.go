package graph

import (
	"context"
	"encoding/csv"
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// WriteCSV writes the faults of kinds, one line for each page concerned, below a line of names: kind, url, detail, page. It returns
// how many faults these are.
func (g *Graph) WriteCSV(ctx context.Context, w io.Writer, kinds []Kind, o FaultOptions) (n int, err error) {
	c := csv.NewWriter(w)
	c.Write([]string{"kind", "url", "detail", "page"})
	o.setDefaults()
	for _, k := range kinds {
		for f, err := range g.faults(ctx, k, o) {
			if err != nil {
				return n, err
			}
			n++
			pages := 0
			for page, err := range f.pages {
				if err == nil {
					pages++
					err = c.Write([]string{string(k), say.Cell(f.URL), say.Cell(f.Detail), say.Cell(page)})
				}
				if err != nil {
					return n, err
				}
			}
			if pages == 0 {
				if err := c.Write([]string{string(k), say.Cell(f.URL), say.Cell(f.Detail), ""}); err != nil {
					return n, err
				}
			}
		}
	}
	c.Flush()
	return n, c.Error()
}
