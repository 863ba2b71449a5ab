package trap

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
)

// A replay visits a site as a crawl does, breadth first, some pages under way at once, without asking for anything.
type replay struct {
	answers func(path string) answered
	most    int // pages

	chance  *rand.Rand // by which some answers take longer than others; nil when all take equally long
	shuffle bool       // the links of pages, too, come in an order by chance
	abreast int        // pages under way at once; zero is 4
	perTurn int        // pages after which what waits is asked about anew; zero is 64
	perRun  int        // pages after which the crawl is killed and started anew; zero is never

	asked   int              // for how many addresses
	visited int              // pages
	done    map[string]bool  // what was asked for, and redirected ones
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

// answered is what is found at a path.
type answered struct {
	ok        bool
	to        []string // each once
	text      Text
	movedTo   string // a redirect, when it is not empty
	canonical string // that the page names
	unkept    bool
	made      bool
	pictures  []string
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
	r.asked, r.visited, r.done, r.told = 0, 0, map[string]bool{}, nil
	r.asides, r.parked, r.clock, r.visits, r.trials = nil, nil, 0, 0, 0
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
	r.asked++
	a := r.answers(u.url)
	switch {
	case a.movedTo != "":
		r.done[u.url] = true
		r.d.Moved(at(u.url), r.from(u.url), at(a.movedTo), !r.find(a.movedTo, r.via[u.url]))
		return
	case !a.ok:
		return
	}
	r.visited++
	if r.shuffle {
		a.to = slices.Clone(a.to)
		r.chance.Shuffle(len(a.to), func(i, j int) { a.to[i], a.to[j] = a.to[j], a.to[i] })
	}
	p := r.page(u.url, a)
	if r.chance == nil {
		r.tell(p)
		return
	}
	r.add(underWay{page: &p, due: r.clock + r.chance.IntN(3)})
}

// page is what is told of a page. It takes up its links.
func (r *replay) page(url string, a answered) Page {
	r.done[url] = true
	p := Page{URL: at(url), Via: r.from(url), Text: a.text, Made: a.made, Unkept: a.unkept}
	p.Mirrors = a.canonical != url && r.done[a.canonical]
	if p.Mirrors || a.canonical == "" {
		p.Extras = r.extras(url)
	}
	for _, picture := range a.pictures {
		p.Pictures = append(p.Pictures, at(picture))
	}
	for _, l := range a.to {
		p.New += one(r.find(l, url))
		p.Links = append(p.Links, at(l))
	}
	return p
}

// find queues a link, and reports whether it is new.
func (r *replay) find(url, via string) bool {
	if _, known := r.via[url]; known {
		return false
	}
	r.via[url] = via
	r.queue = append(r.queue, url)
	return true
}

// extras returns the parameters of an address without one of which it was asked for.
func (r *replay) extras(url string) (extras []string) {
	path, query, has := strings.Cut(url, "?")
	parts := strings.Split(query, "&")
	for i, p := range parts {
		less := strings.TrimSuffix(path+"?"+strings.Join(slices.Delete(slices.Clone(parts), i, i+1), "&"), "?")
		if has && r.done[less] {
			extras = append(extras, p)
		}
	}
	return extras
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
