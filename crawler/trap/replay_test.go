package trap

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A replay visits a site as a crawl does, breadth first, some pages under way at once, without asking for anything.
type replay struct {
	links func(path string) (to []string, text Text, ok bool)
	most  int // pages

	chance  *rand.Rand // by which some answers take longer than others; nil when all take equally long
	shuffle bool       // the links of pages, too, come in an order by chance
	abreast int        // pages under way at once; zero is 4
	perTurn int        // pages after which what waits is asked about anew; zero is 64
	perRun  int        // pages after which the crawl is killed and started anew; zero is never

	visited int
	told    []toldPage       // in that order
	asides  []string         // that are parked at the end
	parked  []Finding        // for each of them
	found   map[Finding]bool // for which they are

	d              *Detector
	via            map[string]string
	queue, waiting []string
	under          []underWay // the one that is answered next first
	clock          int        // answers so far
	visits, trials int        // of this turn, and before it
}

// underWay is a page that was asked for, or that was answered and is not told yet.
type underWay struct {
	url  string
	due  int   // when it is answered, or told
	page *Page // that is to be told
}

// A toldPage is what the ledger of a crawl has of a page.
type toldPage struct {
	Page
	opens bool
}

// inOrder lets pages come in one of very many orders. Order 0 is the plain one; in odd ones answers and links come by chance, in
// even ones answers alone. In one of four the crawl is killed now and then.
func (r *replay) inOrder(order int) *replay {
	if order > 0 {
		r.chance = rand.New(rand.NewPCG(uint64(order), 0))
		r.abreast, r.perTurn, r.shuffle = 1+r.chance.IntN(10), 20+r.chance.IntN(200), order%2 == 1
		if order%4 == 3 {
			r.perRun = 100 + r.chance.IntN(2000)
		}
	}
	return r
}

// run starts at the seeds.
func (r *replay) run(seeds ...string) {
	r.abreast, r.perTurn = cmp.Or(r.abreast, 4), cmp.Or(r.perTurn, 64)
	r.d, r.via, r.found = New(Options{}), map[string]string{}, map[Finding]bool{}
	for _, s := range seeds {
		r.via[s] = ""
	}
	r.queue, r.waiting, r.under = slices.Clone(seeds), nil, nil
	r.visited, r.told, r.asides, r.parked, r.clock, r.visits, r.trials = 0, nil, nil, nil, 0, 0, 0
	for runs := 1; r.visited < r.most; {
		if r.perRun > 0 && r.visited >= runs*r.perRun {
			r.startAnew()
			runs++
		}
		if len(r.queue) == 0 && len(r.under) == 0 || r.visits >= r.perTurn || r.d.Trials() > r.trials {
			if !r.nextTurn() {
				break
			}
		}
		switch {
		case len(r.queue) > 0 && len(r.under) < r.abreast:
			r.take()
		case len(r.under) > 0:
			r.answer()
		}
	}
	for _, u := range r.asides {
		if f, suspect := r.d.Suspect(at(u), r.from(u), today); suspect {
			r.found[f] = true
		}
	}
}

func (r *replay) from(u string) URL {
	if r.via[u] == "" {
		return URL{}
	}
	return at(r.via[u])
}

// nextTurn asks about what waits anew. It reports whether anything is left.
func (r *replay) nextTurn() bool {
	if r.visits == 0 && len(r.waiting) > 0 && len(r.queue) == 0 && len(r.under) == 0 {
		r.d.Conclude(at(r.waiting[0]), r.from(r.waiting[0]))
	}
	if r.queue = append(r.waiting, r.queue...); len(r.queue) == 0 && len(r.under) == 0 {
		if r.queue = r.askLast(r.d, r.from); len(r.queue) == 0 {
			return false
		}
	}
	r.waiting, r.visits, r.trials = nil, 0, r.d.Trials()
	return true
}

// take asks for the next page, or puts it aside.
func (r *replay) take() {
	u := r.queue[0]
	r.queue = r.queue[1:]
	if r.d.Waits(at(u), r.from(u)) {
		r.waiting = append(r.waiting, u)
		return
	}
	r.visits++
	if f, suspect := r.d.Suspect(at(u), r.from(u), today); suspect {
		r.asides, r.parked = append(r.asides, u), append(r.parked, f)
		return
	}
	due := 0
	switch {
	case r.chance == nil:
	case r.chance.IntN(20) == 0:
		due = r.chance.IntN(20 * r.abreast)
	default:
		due = r.chance.IntN(2 * r.abreast)
	}
	r.add(underWay{url: u, due: r.clock + due})
}

func (r *replay) add(u underWay) {
	i, _ := slices.BinarySearchFunc(r.under, u.due+1, func(o underWay, due int) int { return cmp.Compare(o.due, due) })
	r.under = slices.Insert(r.under, i, u)
}

// answer answers a page that is under way, or tells one that was answered.
func (r *replay) answer() {
	u := r.under[0]
	r.under = r.under[1:]
	if u.page != nil {
		r.tell(*u.page)
		return
	}
	r.clock = max(r.clock+1, u.due)
	to, text, ok := r.links(u.url)
	if !ok {
		return
	}
	r.visited++
	if r.shuffle {
		to = slices.Clone(to)
		r.chance.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	}
	p := Page{URL: at(u.url), Via: r.from(u.url), Text: text}
	for _, l := range to {
		if _, known := r.via[l]; !known {
			r.via[l] = u.url
			r.queue = append(r.queue, l)
			p.New++
		}
		p.Links = append(p.Links, at(l))
	}
	if r.chance == nil {
		r.tell(p)
		return
	}
	r.add(underWay{page: &p, due: r.clock + r.chance.IntN(3)})
}

func (r *replay) tell(p Page) {
	opens := r.d.Visit(p)
	r.told = append(r.told, toldPage{Page{URL: p.URL, Via: p.Via, New: p.New}, opens})
}

// startAnew goes on with what a killed crawl has on disk: what was under way is asked for again.
func (r *replay) startAnew() {
	var again []string
	for _, u := range r.under {
		if u.page != nil {
			r.tell(*u.page)
		} else {
			again = append(again, u.url)
		}
	}
	r.queue, r.waiting, r.under = slices.Concat(again, r.waiting, r.queue), nil, nil
	r.d, r.visits, r.trials = New(Options{}), 0, 0
	for _, p := range r.told {
		r.d.Recall(p.Page, p.opens)
	}
	for i, u := range r.asides {
		r.d.Restore(at(u), r.parked[i])
	}
}

// askLast returns what was put aside and should be visited when nothing else is left.
func (r *replay) askLast(d *Detector, from func(string) URL) (queue []string) {
	if !d.Rehear() {
		return nil
	}
	var rest []string
	var parked []Finding
	for i, u := range r.asides {
		if d.Wanted(at(u), from(u)) {
			queue = append(queue, u)
		} else {
			rest, parked = append(rest, u), append(parked, r.parked[i])
		}
	}
	r.asides, r.parked = rest, parked
	return queue
}

// recordedStreams names the environment variable with a folder of recorded sites.
const recordedStreams = "CYBERMAPPER_TRAP_STREAMS"

// recordedOrders is in how many orders the pages of a recording come, beside those of wildOrders.
const recordedOrders = 4

// Ensure that no recorded site is suspected, but for further orders of lists that lead to no page which is not met otherwise. A
// recording is a file of JSON lines, one for each page, the seeds first: its path U, the paths L that it leads to, each once, and
// its text T.
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
			recorded, seeds, pages := readRecording(t, name)
			for order := range recordedOrders + furtherOrders() {
				r := (&replay{most: recorded.most, links: recorded.links}).inOrder(order)
				r.run(seeds...)
				t.Logf("order %d: %d pages visited, %d URLs parked", order, r.visited, len(r.asides))
				met := r.visited
				for _, u := range r.asides {
					_, _, is := recorded.links(u)
					met += one(is)
				}
				for f := range r.found {
					if f.Kind != Orders || met < pages {
						t.Errorf("order %d: %s", order, f)
					}
				}
			}
		})
	}
}

func readRecording(t testing.TB, name string) (r *replay, seeds []string, recorded int) {
	t.Helper()
	type line struct {
		U string
		L []string
		T struct {
			Hash   uint64
			Words  int
			Sample [8]uint64
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
		return l.L, Text{Hash: l.T.Hash, Words: l.T.Words, Sample: l.T.Sample}, ok
	}}, seeds, len(pages)
}
