package crawler

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
)

// This file knows the witnesses: of each site a page that was answered, by which a page that fails is told from a site that does
// (see unlessOutage), and the answer of a page from that of a site which has one for all (see unlessAway).

// mostWitnesses is of how many sites a witness is remembered in memory; witnessesFor says what stands in for it.
const mostWitnesses = 8192

// leastAlike is after how many answers in a row that are alike, redirects to one place or pages with one body, a witness is asked
// for, and again after twice as many.
const leastAlike = 3

// mostRun is of how many answers in a row that are alike it is remembered whose they are, the last ones: of as many as there are
// before a witness is asked for once more, where a site with some pages of one body was found well.
const mostRun = leastAlike << 2

// leastKept is after how many pages of a site a witness is kept, durably: a smaller site has little to lose to a notice, and there
// are many of these.
const leastKept = 10

// witnesses are the pages that were answered last, by site. It is safe for concurrent use.
type witnesses struct {
	mu    sync.Mutex // guards sites
	sites bounded.Map[witness]
}

// answered is a page that was answered.
type answered struct {
	page frontier.URL
	body uint64 // hash of its body; 0 when it is not known
}

type witness struct {
	answered          // last; zero when none was
	isHTML   bool     // it is; else nothing else was answered
	told     bool     // what became of it
	before   answered // last with a body of its own that is another; zero when none was
	target   uint64   // to which redirects lead since
	alike    int      // how many do, or how many pages in a row had the body
	run      []joined // the last of these since the site was found well
	cleared  int      // how often pages had one body while the site was well
	pages    int      // answered, of bodies that were not those before them
	first    answered // of these
}

// joined is whose answer is like that before it.
type joined struct {
	url  frontier.URL
	told bool // what became of it
}

// isRun reports whether several pages in a row had the body.
func (w *witness) isRun() bool { return w.alike > 0 && w.target == 0 }

// join notes whose answer is like those before it.
func (w *witness) join(j joined) {
	if j.url.IsZero() {
		return
	}
	w.leave(j.url)
	w.run = append(w.run[max(0, len(w.run)-mostRun+1):], j)
}

// leave takes out whose answer is another now.
func (w *witness) leave(u frontier.URL) {
	w.run = slices.DeleteFunc(w.run, func(j joined) bool { return j.url == u })
}

// joined returns u in the run; nil if it is not there.
func (w *witness) joined(u frontier.URL) *joined {
	if i := slices.IndexFunc(w.run, func(j joined) bool { return j.url == u }); i >= 0 {
		return &w.run[i]
	}
	return nil
}

// answered notes a page that was answered, and reports whether that is nothing like what came before: no place where redirects
// lead, and not the body of the page before, while another one was known. A file is a witness only while no other page was;
// after one it neither ends what is alike nor shows that to be over. body is 0 when it is not known.
func (w *witnesses) answered(site string, u frontier.URL, isHTML bool, body uint64) bool {
	key := xxhash.Sum64String(site)
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(key)
	switch {
	case now.alike > 0 && now.target == targetOf(u):
		return false
	case isHTML && body != 0 && now.body == body && (u != now.page || now.isRun()):
		if now.target != 0 {
			now.target, now.alike, now.run = 0, 0, nil
		}
		if now.alike == 0 {
			now.join(joined{now.page, now.told})
		}
		now.alike = max(now.alike, 1) + 1
		now.join(joined{url: u})
	case isHTML || !now.isHTML:
		before := now.answered
		if now.isRun() { // as of a site that a script fills in: when it is renewed all of its pages have another one
			before = now.before
		} else if !now.isHTML {
			before = answered{}
		}
		now = witness{answered: answered{u, body}, isHTML: isHTML, before: before, cleared: now.cleared,
			pages: now.pages + 1, first: now.first}
		if isHTML && now.first.body == 0 {
			now.first = now.answered
		}
	default:
		if now.leave(u); len(now.run) > 0 { // or they would be remembered for ever where files are many
			now.run = now.run[1:]
		}
		w.sites.Put(key, now)
		return now.alike < leastAlike
	}
	w.sites.Put(key, now)
	return now.alike == 0 || now.before.page.IsZero()
}

// distinct returns the page that was answered first, if the last one has another body and the site has several; else it is zero.
func (w *witnesses) distinct(site string) answered {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(xxhash.Sum64String(site))
	if now.pages < leastKept || now.alike > 0 || now.body == 0 || now.body == now.first.body || now.page == now.first.page {
		return answered{}
	}
	return now.first
}

// recall takes up what an earlier process found out of a site: a page that was answered, which no file stands in for, and of a site
// that rests the body that each page has instead, else 0.
func (w *witnesses) recall(site string, before answered, notice uint64) {
	key := xxhash.Sum64String(site)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch _, known := w.sites.Get(key); {
	case known:
	case notice != 0:
		w.sites.Put(key, witness{answered: answered{body: notice}, isHTML: true, before: before, alike: leastAlike})
	case before.body != 0:
		w.sites.Put(key, witness{answered: before, isHTML: true})
	}
}

// repeated reports whether pages in a row have had one body. It returns the page before them, and whether it is time to ask for
// that.
func (w *witnesses) repeated(site string) (before answered, ask, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(xxhash.Sum64String(site))
	ask = isTurn(now.alike) && now.alike >= leastAlike<<min(2*now.cleared, 32)
	return now.before, ask, now.isRun()
}

// precede notes which page had a body of its own before those in a row that have one.
func (w *witnesses) precede(site string, before answered) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		now.before = before
	}
}

// clear notes that a site is well of which page after page led to one place, or had one body.
func (w *witnesses) clear(site string, isBody bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		if now.run = nil; isBody {
			now.cleared++
		}
	}
}

// told notes that it was told what became of u.
func (w *witnesses) told(site string, u frontier.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		now.told = now.told || now.page == u
		if j := now.joined(u); j != nil {
			j.told = true
		}
	}
}

// takeRun takes out those whose answers in a row are alike, if it was told what became of them.
func (w *witnesses) takeRun(site string) (run []joined) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		for _, j := range now.run {
			if j.told {
				run = append(run, j)
			}
		}
		now.run = slices.DeleteFunc(now.run, func(j joined) bool { return j.told })
	}
	return run
}

// isTurn reports whether a witness is to be asked for after so many answers that are alike.
func isTurn(alike int) bool {
	return alike%leastAlike == 0 && bits.OnesCount(uint(alike/leastAlike)) == 1
}

// redirected notes a redirect. It returns how many in a row have led there since another page was answered, which it returns, too.
func (w *witnesses) redirected(site string, from, to frontier.URL) (alike int, page answered) {
	key, target := xxhash.Sum64String(site), targetOf(to)
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(key)
	if now.target != target {
		now.target, now.alike, now.run = target, 0, nil
	}
	now.alike++
	now.join(joined{url: from})
	w.sites.Put(key, now)
	return now.alike, now.answered
}

// targetOf returns a hash of where a redirect leads, without the query, in which it may be said where one came from.
func targetOf(u frontier.URL) uint64 {
	target, _, _ := strings.Cut(u.String(), "?")
	return xxhash.Sum64String(target)
}

// of returns the page of a site that was answered last; it is zero when none is remembered. The body is known if it is its own.
func (w *witnesses) of(site string) answered {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, _ := w.sites.Get(xxhash.Sum64String(site))
	if last.isRun() {
		last.body = 0
	}
	return last.answered
}

// hashOf returns a hash of a body; 0 if it is empty, or not in memory.
func hashOf(body []byte) uint64 {
	if len(body) == 0 {
		return 0
	}
	return xxhash.Sum64(body)
}
