package exportcmd

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// shownPages is how many pages with a dead link the text names.
const shownPages = 20

func deadText(w io.Writer, dead []*deadLink) error {
	unclear, on := 0, map[string]bool{}
	for _, d := range dead {
		if d.Unclear {
			unclear++
			continue
		}
		for _, p := range d.Pages {
			on[p.URL] = true
		}
	}
	fmt.Fprintf(w, "%s on %s", say.Plural(len(dead)-unclear, "dead link"), say.Plural(len(on), "page"))
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
		for _, p := range d.Pages[:min(len(d.Pages), shownPages)] {
			fmt.Fprintf(w, "%-8s on %s", "", p.URL)
			if p.Kind != "" {
				fmt.Fprintf(w, "  as %s", p.Kind)
			}
			if p.Text != "" {
				fmt.Fprintf(w, "  %q", p.Text)
			}
			fmt.Fprintln(w)
		}
		if more := len(d.Pages) - shownPages; more > 0 {
			fmt.Fprintf(w, "%-8s and %d more pages\n", "", more)
		}
	}
	return nil
}

func deadCSV(w io.Writer, dead []*deadLink) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"url", "status", "why", "unclear", "through", "page", "text", "kind"}}
	for _, d := range dead {
		for _, p := range d.Pages {
			rows = append(rows, []string{
				d.URL, strconv.Itoa(d.Status), say.Cell(d.Why), strconv.FormatBool(d.Unclear), d.Through,
				p.URL, say.Cell(p.Text), p.Kind,
			})
		}
	}
	return errors.Join(c.WriteAll(rows), c.Error())
}
