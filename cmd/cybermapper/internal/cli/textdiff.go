package cli

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// maxDiffCells bounds the table that UnifiedDiff fills; beyond it what differs is shown as replaced whole.
const maxDiffCells = 1 << 24

// diffContext is how many equal lines are shown around a difference.
const diffContext = 3

// An edit is one line of a comparison: ' ' in both texts, '-' in the old one, '+' in the new one.
type edit struct {
	sign byte
	line string
}

// UnifiedDiff compares two texts by lines, as diff -u does. It is empty when they are equal.
func UnifiedDiff(oldName string, before []byte, newName string, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	edits := compareLines(strings.SplitAfter(string(before), "\n"), strings.SplitAfter(string(after), "\n"))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	var passed lines // of the first counted edits
	counted := 0
	for start := 0; start < len(edits); {
		if edits[start].sign == ' ' {
			start++
			continue
		}
		end, quiet := start, 0 // the hunk ends where enough equal lines follow
		for i := start; i < len(edits) && quiet <= 2*diffContext; i++ {
			if quiet++; edits[i].sign != ' ' {
				end, quiet = i+1, 0
			}
		}
		from, to := max(0, start-diffContext), min(len(edits), end+diffContext)
		passed.pass(edits[counted:from])
		counted = from
		writeHunk(&b, edits[from:to], passed)
		start = end
	}
	return b.String()
}

// lines are numbers of lines of two texts.
type lines struct{ before, after int }

// pass counts the lines of edits.
func (l *lines) pass(edits []edit) {
	for _, e := range edits {
		if e.sign != '+' {
			l.before++
		}
		if e.sign != '-' {
			l.after++
		}
	}
}

// writeHunk writes edits, which so many lines of either text precede. Were these counted for each hunk anew, two long texts with
// many differences would take minutes.
func writeHunk(b *strings.Builder, edits []edit, passed lines) {
	end := passed
	end.pass(edits)
	place := func(passed, end int) string {
		first := passed + 1
		if passed == end {
			first = passed
		}
		return fmt.Sprintf("%d,%d", first, end-passed)
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", place(passed.before, end.before), place(passed.after, end.after))
	for _, e := range edits {
		line, ended := strings.CutSuffix(e.line, "\n")
		fmt.Fprintf(b, "%c%s\n", e.sign, say.Printable(line))
		if !ended {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// compareLines finds the longest lines that two texts have in common, and returns them with what differs between.
func compareLines(a, b []string) (edits []edit) {
	a, b = withoutEmptyEnd(a), withoutEmptyEnd(b)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		edits = append(edits, edit{' ', a[head]})
		head++
	}
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	common := a[len(a)-tail:]
	edits = append(edits, compareMiddles(a[:len(a)-tail], b[:len(b)-tail])...)
	for _, line := range common {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

func withoutEmptyEnd(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

// compareMiddles fills the table of the lengths of common subsequences, from the end, and walks through it.
func compareMiddles(a, b []string) (edits []edit) {
	width := len(b) + 1
	longest := make([]int32, 0)
	if cells := (len(a) + 1) * width; cells <= maxDiffCells {
		longest = make([]int32, cells)
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					longest[i*width+j] = longest[(i+1)*width+j+1] + 1
				} else {
					longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j] && len(longest) > 0:
			edits = append(edits, edit{' ', a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && (len(longest) == 0 || longest[(i+1)*width+j] >= longest[i*width+j+1]):
			edits = append(edits, edit{'-', a[i]})
			i++
		default:
			edits = append(edits, edit{'+', b[j]})
			j++
		}
	}
	return edits
}
