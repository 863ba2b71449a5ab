package accesslog_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

func sourceOf(name, text string) accesslog.Source {
	return accesslog.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// numbered returns lines, one each second or more, whose target is their number.
func numbered(n int) []string {
	var list []string
	for i := range n {
		at := noon.Add(time.Duration(i*3/2) * time.Second)
		list = append(list, fmt.Sprintf(`192.0.2.%d - - [%s] "GET /%d HTTP/1.1" 200 5 "-" "a"`, i%200, at.Format("02/Jan/2006:15:04:05 -0700"), i))
	}
	return list
}

// merged reads sources and returns the targets in their order, with file and line.
func merged(t testing.TB, m *accesslog.Merge) (targets []string, err error) {
	t.Helper()
	last := time.Time{}
	err = m.Each(func() { targets, last = nil, time.Time{} }, func(e *accesslog.Entry, file string, line int64, text []byte) {
		if e.Time.Before(last) {
			t.Errorf("%s:%d is out of order", file, line)
		}
		last = e.Time
		targets = append(targets, string(e.Target))
	})
	return targets, err
}

// TestMerge: however a log was divided, it is read in order, and each line once.
func TestMerge(t *testing.T) {
	const n = 3000
	all := numbered(n)
	rng := rand.New(rand.NewPCG(1, 2))
	for name, divide := range map[string]func(i int) int{
		"at random": func(int) int { return rng.IntN(5) }, "one after the other": func(i int) int { return 4 - i*5/n }, "in turn": func(i int) int { return i % 5 }, "one": func(int) int { return 2 },
	} {
		parts := make([][]string, 5)
		for i, line := range all {
			k := divide(i)
			parts[k] = append(parts[k], line)
		}
		var sources []accesslog.Source
		for k, p := range parts {
			sources = append(sources, sourceOf(fmt.Sprint("log", k), strings.Join(p, "\n")))
		}
		for _, concatenated := range []bool{false, true} {
			m := accesslog.NewMerge(sources...)
			if concatenated {
				text := ""
				for _, p := range parts {
					text += strings.Join(p, "\n") + "\n"
				}
				m = accesslog.NewMerge(sourceOf("all", text))
				m.MaxMemory = 20_000 // many runs
				m.TempDir = t.TempDir()
			}
			got, err := merged(t, m)
			if err != nil || len(got) != n {
				t.Errorf("%s, concatenated %v: %d lines, %v", name, concatenated, len(got), err)
			}
			slices.Sort(got)
			if len(slices.Compact(got)) != n {
				t.Errorf("%s, concatenated %v: lines were lost", name, concatenated)
			}
			if left, _ := os.ReadDir(m.TempDir); concatenated && len(left) > 0 {
				t.Errorf("%s: %d temporary files are left", name, len(left))
			}
		}
	}
}

// TestMerge_Duplicates: a copy of a log, of its beginning or of any larger part, is found; logs that have a few lines in common are
// none.
func TestMerge_Duplicates(t *testing.T) {
	all := numbered(2000)
	text := func(lines []string) string { return strings.Join(lines, "\n") }
	rng := rand.New(rand.NewPCG(1, 2))
	var a, b []string
	for i, line := range all {
		switch {
		case i%7 == 0: // both have logged it
			a, b = append(a, line), append(b, line)
		case rng.IntN(2) == 0:
			a = append(a, line)
		default:
			b = append(b, line)
		}
	}
	for name, c := range map[string]struct {
		a, b []string
		want bool
	}{
		"copy": {all, all, true}, "its beginning": {all, all[:500], true}, "its end": {all, all[1500:], true}, "the middle": {all, all[700:900], true},
		"one line": {all[:1], all[:1], true}, "two halves": {all[:1000], all[1000:], false}, "overlap": {all[:1200], all[1000:], true}, "some in common": {a, b, false},
		"one line of many": {all, all[:1], false},
	} {
		_, err := merged(t, accesslog.NewMerge(sourceOf("a", text(c.a)), sourceOf("b", text(c.b))))
		var twin *accesslog.DuplicateError
		if got := errors.As(err, &twin); got != c.want {
			t.Errorf("%s: %v, want an error: %v", name, err, c.want)
		}
		if c.want && twin != nil && (twin.A == twin.B || twin.A == "" || twin.B == "") {
			t.Errorf("%s: %v does not name both", name, twin)
		}
	}
}

// TestMerge_LogBehindItself: a log that was put behind itself is an error; one whose lines are alike, or in another order, is not.
func TestMerge_LogBehindItself(t *testing.T) {
	all := numbered(300)
	later := numbered(900)[600:]
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"twice":                     {slices.Concat(all, all), true},
		"twice, and it is short":    {slices.Concat(all[:7], all[:7]), true},
		"a part of it again":        {slices.Concat(all, later, all[:50]), true},
		"once":                      {all, false},
		"the first line again":      {slices.Concat(all, all[:1], later), false},
		"lines that are all alike":  {slices.Repeat(all[:1], 200), false},
		"the last lines once more":  {slices.Concat(all, all[200:]), false},
		"two logs, the later first": {slices.Concat(later, all), false},
	} {
		m := accesslog.NewMerge(sourceOf("a", strings.Join(c.lines, "\n")))
		err := m.Each(func() {}, func(*accesslog.Entry, string, int64, []byte) {})
		if got := errors.As(err, new(*accesslog.DuplicateError)); got != c.want {
			t.Errorf("%s: %v, want an error: %v", name, err, c.want)
		}
	}
}

// TestMerge_Cut: whether a log leaves queries out is said by its own lines, also when those of several are sorted.
func TestMerge_Cut(t *testing.T) {
	var texts [2]string
	for i := range 40 {
		at := noon.Add(time.Duration(-i) * time.Hour).Format("02/Jan/2006:15:04:05 -0700")
		for k, query := range []string{"", "b"} {
			texts[k] += fmt.Sprintf("192.0.2.7 - - [%s] \"GET http://e.example/a?%s HTTP/1.1\" 200 5 \"-\" \"a\"\n", at, query)
		}
		texts[1] += fmt.Sprintf("192.0.2.8 - - [%s] \"GET http://e.example/%d? HTTP/1.1\" 200 5 \"-\" \"a\"\n", at, i)
	}
	m := accesslog.NewMerge(sourceOf("squid", texts[0]), sourceOf("varnish", texts[1]))
	cut := map[string]int{}
	err := m.Each(func() { clear(cut) }, func(e *accesslog.Entry, file string, _ int64, _ []byte) {
		if e.Cut {
			cut[file]++
		}
	})
	if err != nil || cut["squid"] != 40 || cut["varnish"] != 0 {
		t.Errorf("queries are left out of %v; %v", cut, err)
	}
}

// TestMerge_Errors: what goes wrong with a source is said, with its name.
func TestMerge_Errors(t *testing.T) {
	bad := accesslog.Source{Name: "bad", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(strings.Join(numbered(100), "\n")), brokenReader{})), nil
	}}
	if _, err := merged(t, accesslog.NewMerge(bad)); err == nil || !strings.Contains(err.Error(), "read bad: broken") {
		t.Errorf("a log that cannot be read: %v", err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
