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
	o.Pages = -1
	for _, k := range kinds {
		for f, err := range g.Faults(ctx, k, o) {
			if err != nil {
				return n, err
			}
			n++
			pages := 0
			err := g.eachPage(ctx, &f, questionOf(k, o), func(page string) error {
				pages++
				return c.Write([]string{string(k), say.Cell(f.URL), say.Cell(f.Detail), say.Cell(page)})
			})
			if err == nil && pages == 0 {
				err = c.Write([]string{string(k), say.Cell(f.URL), say.Cell(f.Detail), ""})
			}
			if err != nil {
				return n, err
			}
		}
	}
	c.Flush()
	return n, c.Error()
}
