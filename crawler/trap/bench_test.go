//go:build unix

package trap

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/cybermapper/cybermapper/storage/cputime"
)

// BenchmarkDetector measures what a page costs: the question before it and the hundred links after it, of which ten are new.
func BenchmarkDetector(b *testing.B) {
	d := New(Options{})
	var links []URL
	for i := range 5000 {
		links = append(links, at(fmt.Sprintf("/docs/part-%d/page-%d.html", i/100, i)))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		from := i * 10 % 4900
		u := links[from]
		d.Suspect(u, links[0], today)
		d.Visit(Page{URL: u, Via: links[0], Links: links[from : from+100], New: 10, Text: Text{Hash: uint64(i) * 0x9e3779b97f4a7c15, Words: 100}})
	}
}

// BenchmarkDetector_Lineage measures what a place takes of memory while it is remembered, with the URL that it begins at.
func BenchmarkDetector_Lineage(b *testing.B) {
	const places = 100_000
	for b.Loop() {
		before := heap()
		d := New(Options{Lineages: 3 * places, Links: 2})
		home := d.newLineageLocked(at("/"), nil)
		for i := range places {
			u := at(fmt.Sprintf("/documentation/of/part-%d/page-about-something-%d.html", i/100, i))
			d.mu.Lock()
			d.newLineageLocked(u, home)
			d.mu.Unlock()
		}
		b.ReportMetric(float64(heap()-before)/places, "B/lineage")
		runtime.KeepAlive(d)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkDetector_Recordings measures what a page of recorded sites costs, the questions before and the links after it, and the
// replay itself. TestRealSites in cmd/cybermapper prints what a page costs the crawl as a whole.
func BenchmarkDetector_Recordings(b *testing.B) {
	var all []*replay
	for _, tt := range recordings {
		all = append(all, &replay{answers: readRecording(b, tt.name).answers, most: 1 << 30})
	}
	pages, cpu := 0, cputime.Used()
	for b.Loop() {
		for i, r := range all {
			r.run(recordings[i].seed)
			pages += r.visited
		}
	}
	b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(pages), "cpu-µs/page")
}
