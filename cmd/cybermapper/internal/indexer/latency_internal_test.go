//go:build unix

package indexer

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/cputime"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// TestLatency prints how long queries of several kinds take on the index of a job:
//
//	SEARCH_JOB=DIR go test -run Latency -v ./cmd/cybermapper/internal/indexer
//
// Words are drawn from the titles of its pages. Times are of the processor, of which other programs take nothing, and of the clock.
func TestLatency(t *testing.T) {
	dir := os.Getenv("SEARCH_JOB")
	if dir == "" {
		t.Skip("SEARCH_JOB names no job with a search index")
	}
	x, err := index.Open(File(dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	titles, common := drawn(t, dir)
	counts, err := x.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages, %.1f MB", counts.Pages, float64(counts.Bytes)/1e6)
	for _, class := range []struct {
		name    string
		queries []string
	}{{"words of a title, ten snippets", titles}, {"one of the 30 commonest words", common}, {"two of them", pairs(common)}} {
		var cpu, wall []time.Duration
		for _, q := range class.queries {
			before, began := cputime.Used(), time.Now()
			if _, err := x.Search(t.Context(), index.Query{Text: q}); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			cpu, wall = append(cpu, cputime.Used()-before), append(wall, time.Since(began))
		}
		t.Logf("%-32s %d queries: processor p50 %v, p99 %v; clock p50 %v, p99 %v", class.name, len(cpu), quantile(cpu, 50),
			quantile(cpu, 99), quantile(wall, 50), quantile(wall, 99))
	}
}

// drawn are queries of a job: titles drawn by chance, at most five words of each, and its commonest words.
func drawn(t *testing.T, dir string) (titles, common []string) {
	times := map[string]int{}
	for l, err := range pages.Read(filepath.Join(dir, job.PagesDir)) {
		if err != nil {
			t.Fatal(err)
		}
		words := strings.FieldsFunc(strings.ToLower(l.Title), func(r rune) bool { return !unicode.IsLetter(r) })
		if words = words[:min(len(words), 5)]; len(words) > 1 {
			titles = append(titles, strings.Join(words, " "))
		}
		if rand.IntN(20) == 0 && hasText(l.Type) {
			body := filetest.Read(t, filepath.Join(dir, job.PagesDir, filepath.FromSlash(l.File)))
			for _, w := range strings.FieldsFunc(string(body), func(r rune) bool { return !unicode.IsLetter(r) }) {
				if len(w) > 1 && w == strings.ToLower(w) {
					times[w]++
				}
			}
		}
	}
	rand.Shuffle(len(titles), func(i, k int) { titles[i], titles[k] = titles[k], titles[i] })
	for w := range times {
		common = append(common, w)
	}
	slices.SortFunc(common, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	return titles[:min(len(titles), 300)], common[:min(len(common), 30)]
}

func pairs(words []string) (list []string) {
	for i := 1; i < len(words); i++ {
		list = append(list, words[i-1]+" "+words[i])
	}
	return list
}

func quantile(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*percent/100)].Round(10 * time.Microsecond)
}
