package exportcmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// shownPages is how many pages with a dead link the text names.
const shownPages = 20

func (f *deadFinder) writeText(ctx context.Context, w io.Writer, dead []*deadLink) error {
	unclear := 0
	for _, d := range dead {
		if d.Unclear {
			unclear++
		}
	}
	fmt.Fprintf(w, "%s on %s", say.Plural(len(dead)-unclear, "dead link"), say.Plural(f.on, "page"))
	if unclear > 0 {
		fmt.Fprintf(w, ", %d unclear", unclear)
	}
	fmt.Fprintln(w)
	for _, d := range dead {
		mark := "dead"
		if d.Unclear {
			mark = "unclear"
		}
		fmt.Fprintf(w, "\n%-8s %s\n%-8s ", mark, d.URL, "")
		if d.Status != 0 {
			fmt.Fprintf(w, "%d ", d.Status)
		}
		fmt.Fprintln(w, d.Why)
		if d.Through != "" {
			fmt.Fprintf(w, "%-8s redirected to %s\n", "", d.Through)
		}
		for p, err := range f.pages.of(ctx, d, shownPages) {
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%-8s on %s", "", p.URL)
			if p.Kind != "" {
				fmt.Fprintf(w, "  as %s", p.Kind)
			}
			if p.Text != "" {
				fmt.Fprintf(w, "  %q", p.Text)
			}
			fmt.Fprintln(w)
		}
		if more := d.pages - shownPages; more > 0 {
			fmt.Fprintf(w, "%-8s and %d more pages\n", "", more)
		}
	}
	return nil
}

func (f *deadFinder) writeCSV(ctx context.Context, w io.Writer, dead []*deadLink) error {
	c := csv.NewWriter(w)
	c.Write([]string{"url", "status", "why", "unclear", "through", "page", "text", "kind"})
	for _, d := range dead {
		for p, err := range f.pages.of(ctx, d, d.pages) {
			if err == nil {
				err = c.Write([]string{
					d.URL, strconv.Itoa(d.Status), say.Cell(d.Why), strconv.FormatBool(d.Unclear), d.Through,
					p.URL, say.Cell(p.Text), p.Kind,
				})
			}
			if err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// writeJSON writes an object for each dead link, of which "pages" comes last, page by page.
func (f *deadFinder) writeJSON(ctx context.Context, w *bufio.Writer, dead []*deadLink) error {
	for _, d := range dead {
		w.Write(bytes.TrimSuffix(unescaped(d), []byte("}")))
		between := `,"pages":[`
		for p, err := range f.pages.of(ctx, d, d.pages) {
			if err != nil {
				return err
			}
			w.WriteString(between)
			if _, err := w.Write(unescaped(p)); err != nil {
				return err
			}
			between = ","
		}
		if _, err := w.WriteString("]}\n"); err != nil {
			return err
		}
	}
	return nil
}

// unescaped returns a value as JSON, with < and > as they are.
func unescaped(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v) // texts and numbers can always be written
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
