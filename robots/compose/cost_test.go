package compose_test

import (
	"bytes"
	"fmt"
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
