package compose_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// hostile returns files that are dear to compare, of about size bytes each.
func hostile(size int) map[string][]byte {
	repeat := func(head, line string) []byte {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < size; i++ {
			if strings.Contains(line, "%") {
				fmt.Fprintf(&b, line, i)
			} else {
				b.WriteString(line)
			}
		}
		return []byte(b.String())
	}
	const all = "User-agent: *\n"
	shared := repeat("", "User-agent: bot%dx\n")
	shared = append(append(shared[:size/3], '\n'), repeat("", "Disallow: /%d\n")[:size/3]...)
	shared = append(append(shared, '\n'), repeat("", "User-agent: bot%dx\nDisallow: /y\n\n")[:size/3]...)
	return map[string][]byte{
		"equal lines":         repeat(all, "Disallow: /same\n"),
		"different lines":     repeat(all, "Disallow: /%d\n"),
		"exceptions":          repeat(all+"Disallow: /\n", "Allow: /%d\nDisallow: /%[1]d/x\n"),
		"groups":              repeat("", "User-agent: bot%dx\nDisallow: /x\nDisallow: /y\n\n"),
		"different groups":    repeat("", "User-agent: b%dx\nDisallow: /%[1]d\n\n"),
		"letters":             lettered(size),
		"one group, own ones": shared,
		"one group":           shared[:2*size/3],
		"wildcards":           repeat(all, "Disallow: /*a*%d*b*c\nAllow: /*b*%[1]d\n"),
		"nested":              nested(size),
		"typos":               repeat(all, "Disalow: /%d\n"),
		"agents only":         repeat("", "User-agent: a b c d e f\n"),
		"no colon":            repeat(all, "Disallow /%d\n"),
	}
}

// lettered has groups with names of RFC 9309, all different.
func lettered(size int) []byte {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		name := ""
		for n := i + 100; n > 0; n /= 26 {
			name += string(rune('a' + n%26))
		}
		fmt.Fprintf(&b, "User-agent: %sbot\nDisallow: /%d\nDisallow: /\n\n", name, i)
	}
	return []byte(b.String())
}

// nested has paths that begin with each other.
func nested(size int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for path := "/a"; b.Len() < size; path += "a" {
		b.WriteString([]string{"Disallow: ", "Allow: "}[len(path)%2] + path + "\n")
	}
	return []byte(b.String())
}

// TestDiff_OneGroup ensures that the rules of a group are not gone over again for each of the many names that it has.
func TestDiff_OneGroup(t *testing.T) {
	const many = 800
	var b strings.Builder
	for i := range many {
		fmt.Fprintf(&b, "User-agent: bot%dx\n", i)
	}
	for i := range many {
		fmt.Fprintf(&b, "Disallow: /%d\n", i)
	}
	before := []byte(b.String())
	after := append(bytes.Clone(before), "Disallow: /end\n"...)
	var d compose.Difference
	allocs := testing.AllocsPerRun(1, func() { d = compose.Diff(before, after, compose.DiffOptions{}) })
	if len(d.Changes) != 1 || len(d.Changes[0].Products) != many {
		t.Fatalf("%d changes, want 1 for %d robots: %.200v", len(d.Changes), many, d.Changes)
	}
	if most := 5 * many * many / 2; allocs > float64(most) {
		t.Errorf("%.0f allocations, want at most %d", allocs, most)
	}
}

// TestDiff_ManyChanges ensures that changes share the list of the robots that they have in common.
func TestDiff_ManyChanges(t *testing.T) {
	const many = 1000
	var before, after strings.Builder
	for i := range many {
		fmt.Fprintf(&before, "User-agent: bot%dx\n", i)
	}
	after.WriteString(before.String())
	for i := range many {
		fmt.Fprintf(&before, "Disallow: /%d\n", i)
		fmt.Fprintf(&after, "Disallow: /%d/x\n", i)
	}
	d := compose.Diff([]byte(before.String()), []byte(after.String()), compose.DiffOptions{Dialect: robots.RFC9309})
	if len(d.Changes) < 2 || len(d.Changes[0].Products) != many || &d.Changes[0].Products[0] != &d.Changes[1].Products[0] {
		t.Errorf("%d changes, want several that share the names of %d robots", len(d.Changes), many)
	}
}

// TestDiff_Bounded ensures that Diff reads no more rules when it has no more verdicts to ask for, and still sees every pause that
// changes.
func TestDiff_Bounded(t *testing.T) {
	const many = 300
	file := func(end string) []byte {
		var b strings.Builder
		for i := range many {
			fmt.Fprintf(&b, "User-agent: bot%dx\n", i)
		}
		for i := range many {
			fmt.Fprintf(&b, "Disallow: /%d\n", i)
		}
		b.WriteString(end)
		for i := range many {
			fmt.Fprintf(&b, "User-agent: bot%dx\nDisallow: /y\n", i)
		}
		return []byte(b.String())
	}
	before, after := file(""), file("Disallow: /end\nCrawl-delay: 2\n")
	tooMany := slices.Repeat([]string{"/"}, 2_000_001)
	var d compose.Difference
	allocs := testing.AllocsPerRun(1, func() {
		d = compose.Diff(before, after, compose.DiffOptions{Dialect: robots.RFC9309, Paths: tooMany})
	})
	if len(d.Paces) != many || d.Proved {
		t.Errorf("%d robots are asked for another pause, proved %t, want %d, and no proof", len(d.Paces), d.Proved, many)
	}
	if most := many * many; allocs > float64(most) {
		t.Errorf("%.0f allocations, want at most %d", allocs, most)
	}
}

// BenchmarkMinimize measures files that are dear, of the size up to which robots read.
func BenchmarkMinimize(b *testing.B) {
	for name, body := range hostile(robots.MaxBytes) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				compose.Minimize(body, compose.MinimizeOptions{})
			}
		})
	}
}

// BenchmarkDiff compares each with itself but for a rule at the end.
func BenchmarkDiff(b *testing.B) {
	for name, body := range hostile(robots.MaxBytes - 100) {
		after := append(body[:len(body):len(body)], "\nUser-agent: *\nDisallow: /end\n"...)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				compose.Diff(body, after, compose.DiffOptions{})
			}
		})
	}
}

// BenchmarkDiffStrangers compares files that have no name in common, in each dialect.
func BenchmarkDiffStrangers(b *testing.B) {
	body := lettered(robots.MaxBytes - 100)
	other := bytes.ReplaceAll(body, []byte("bot\n"), []byte("bat\n"))
	for _, dialect := range []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994} {
		b.Run(dialect.String(), func(b *testing.B) {
			for b.Loop() {
				compose.Diff(body, other, compose.DiffOptions{Dialect: dialect})
			}
		})
	}
}
