package trap

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A replay visits a site as a crawl does, breadth first, some pages under way at once, without asking for anything.
type replay struct {
	links func(path string) (to []string, text Text, ok bool)
	most  int // pages

	visited int
	asides  []string         // that are parked at the end
	found   map[Finding]bool // for which they are
}

// Of a replay so many pages are under way at once, and after so many of them what waits is asked about anew.
const (
	abreast = 4
	perTurn = 64
)

// run starts at the seeds.
func (r *replay) run(seeds ...string) {
	d := New(Options{})
	via := map[string]string{}
	for _, s := range seeds {
		via[s] = ""
	}
	r.found = map[Finding]bool{}
	queue, waiting := slices.Clone(seeds), []string(nil)
	from := func(u string) URL {
		if via[u] == "" {
			return URL{}
		}
		return at(via[u])
	}
	var under []string
	visits, trials := 0, 0
	for r.visited < r.most {
		if len(queue) == 0 && len(under) == 0 || visits >= perTurn || d.Trials() > trials {
			if visits == 0 && len(waiting) > 0 && len(queue) == 0 && len(under) == 0 {
				d.Conclude(at(waiting[0]), from(waiting[0]))
			}
			if queue = append(waiting, queue...); len(queue) == 0 && len(under) == 0 {
				if queue = r.askLast(d, from); len(queue) == 0 {
					break
				}
			}
			waiting, visits, trials = nil, 0, d.Trials()
		}
		if len(queue) > 0 && len(under) < abreast {
			u := queue[0]
			queue = queue[1:]
			if d.Waits(at(u), from(u)) {
				waiting = append(waiting, u)
				continue
			}
			visits++
			if _, suspect := d.Suspect(at(u), from(u), today); suspect {
				r.asides = append(r.asides, u)
				continue
			}
			under = append(under, u)
			continue
		}
		if len(under) == 0 {
			continue
		}
		u := under[0]
		under = under[1:]
		to, text, ok := r.links(u)
		if !ok {
			continue
		}
		r.visited++
		p := Page{URL: at(u), Via: from(u), Text: text}
		for _, l := range to {
			if _, known := via[l]; !known {
				via[l] = u
				queue = append(queue, l)
				p.New++
			}
			p.Links = append(p.Links, at(l))
		}
		d.Visit(p)
	}
	for _, u := range r.asides {
		if f, suspect := d.Suspect(at(u), from(u), today); suspect {
			r.found[f] = true
		}
	}
}

// askLast returns what was put aside and should be visited when nothing else is left.
func (r *replay) askLast(d *Detector, from func(string) URL) (queue []string) {
	if !d.Rehear() {
		return nil
	}
	var rest []string
	for _, u := range r.asides {
		if d.Wanted(at(u), from(u)) {
			queue = append(queue, u)
		} else {
			rest = append(rest, u)
		}
	}
	r.asides = rest
	return queue
}

// recordedStreams names the environment variable with a folder of recorded sites.
const recordedStreams = "CYBERMAPPER_TRAP_STREAMS"

// Ensure that no recorded site is suspected. A recording is a file of JSON lines, one for each page, the seeds first: its path U,
// the paths L that it leads to, each once, and its text T.
func TestDetector_Recordings(t *testing.T) {
	if os.Getenv(recordedStreams) == "" {
		t.Skip("no folder of recordings in " + recordedStreams)
	}
	files, err := filepath.Glob(filepath.Join(os.Getenv(recordedStreams), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			r, seeds := readRecording(t, name)
			r.run(seeds...)
			t.Logf("%d pages visited, %d URLs parked", r.visited, len(r.asides))
			for f := range r.found {
				t.Error(f)
			}
		})
	}
}

func readRecording(t testing.TB, name string) (r *replay, seeds []string) {
	t.Helper()
	type line struct {
		U string
		L []string
		T struct {
			Hash  uint64
			Words int
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pages, linked, order := map[string]line{}, map[string]bool{}, []string(nil)
	for d := json.NewDecoder(bufio.NewReader(f)); d.More(); {
		var l line
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		pages[l.U] = l
		order = append(order, l.U)
		for _, to := range l.L {
			linked[to] = true
		}
	}
	for i, u := range order {
		if i == 0 || !linked[u] {
			seeds = append(seeds, u)
		}
	}
	return &replay{most: 1 << 30, links: func(path string) ([]string, Text, bool) {
		l, ok := pages[path]
		return l.L, Text{Hash: l.T.Hash, Words: l.T.Words}, ok
	}}, seeds
}
