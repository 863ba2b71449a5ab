package trap

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
)

// Options bound what a Detector takes for endless, and its memory. Zero means the default, which the field names. A negative number
// switches off what the field is about. A field marked "always" bounds memory: there a negative number means the default, too.
type Options struct {
	Pages    int // pages of a place, before it is suspected and scouts are sent; default 40, twice that for all of a site
	Levels   int // links that scouts follow one after the other; always; default 6
	Dates    int // pages of a calendar that are like the one before; default 60
	Variants int // spellings of one path that are asked for; default 4
	Orders   int // more orders of lists on one path that lead to nothing new, in a row; four times as many on others; default 8
	Guises   int // pages of one shape that are known ones in other guises, one after the other; default 16
	Archives int // archives of one revision each at addresses that differ in it only; four times as many of an origin; default 8
	Hosts    int // hosts of a domain, found on others of it; default 40

	Yield float64 // least share of scouted pages with a text of their own; default 0.1

	Links    int // URLs that are remembered, at about 35 bytes; always; default 200,000
	Lineages int // places that are remembered, at about 200 bytes; always; default 20,000

	// SiteShare is how much of Links, Lineages and what else is remembered may be of one registrable domain; always; default 0.75.
	// When it is full all the same, the domain that has most forgets first: one that is hostile cannot drive out the others.
	SiteShare float64
}

func (o Options) withDefaults() Options {
	o.Pages = orNever(o.Pages, 40)
	o.Levels = cmp.Or(max(o.Levels, 0), 6)
	o.Yield = cmp.Or(o.Yield, 0.1) // no share is less than a negative one
	o.Dates = orNever(o.Dates, 60)
	o.Variants = cmp.Or(o.Variants, 4) // spellings are not even counted when it is negative
	o.Orders = cmp.Or(o.Orders, 8)     // orders are not even counted when it is negative
	o.Guises = cmp.Or(o.Guises, 16)    // nor are guises
	o.Archives = cmp.Or(o.Archives, 8) // nor archives
	o.Hosts = orNever(o.Hosts, 40)
	o.Links = cmp.Or(max(o.Links, 0), 200_000)
	o.Lineages = cmp.Or(max(o.Lineages, 0), 20_000)
	if o.SiteShare <= 0 || o.SiteShare > 1 {
		o.SiteShare = 0.75
	}
	return o
}

// orNever reads a number that something must reach to be judged: when it is negative, one that is never reached.
func orNever(n, def int) int {
	if n < 0 {
		return 1 << 29 // twice that is still an int where that has 32 bits
	}
	return cmp.Or(n, def)
}

// A URL is an address in the parts that the detector looks at.
type URL struct {
	Domain    string // the registrable domain
	Origin    string // scheme, host and port
	PathQuery string
}

func (u URL) hash() uint64 { return hashOf(u.Origin, u.PathQuery) }

// siteOf is by whom is remembered what a URL is about.
func siteOf(u URL) uint64 { return xxhash.Sum64String(u.Domain) }

// String returns the origin with the path and the query.
func (u URL) String() string { return u.Origin + u.PathQuery }

// hashOf returns the hash of a text in two parts. It does not allocate.
func hashOf(a, b string) uint64 {
	return hashOfOrigin(a) + xxhash.Sum64String(b)
}

// hashOfOrigin is what the first part contributes to hashOf.
func hashOfOrigin(origin string) uint64 { return xxhash.Sum64String(origin) * 31 }

// A Page is one that was visited.
type Page struct {
	URL   URL
	Via   URL   // where it was found; zero for a seed
	Links []URL // that may be visited, each once
	New   int   // of these, the ones that were not known
	Text  Text
	Exact uint64 // hash of all that the text says, with its numbers, which make no other Text.Hash
	Made  bool   // by a program, for the request

	Pictures []URL // that it shows; none of a page that says much need be told

	Unkept  bool // it is not to be kept
	Mirrors bool // it names another as its canonical one that was visited, or that another page named with parameters both have

	// Extras are parameters, as they stand in its address, without one of which that is of a page that was visited.
	Extras []string
}

// A Text is what is known of the text of a page.
type Text struct {
	Hash   uint64    // simhash
	Words  int       // their number
	Sample [8]uint64 // hashes of phrases; texts with a phrase in common mostly have it in their samples too; zeros when unknown
}

// A Kind says what a place looks like.
type Kind string

// The kinds of places that seem to have no end.
const (
	Unclosed  Kind = "unclosed"  // page after page leads to what is new, and hardly any leads back or to an end
	Regular   Kind = "regular"   // each page leads to its own address with more added, or with the next numbers
	SameText  Kind = "same-text" // the same text under ever new links
	Calendar  Kind = "calendar"  // dates without end
	Spellings Kind = "spellings" // one path in ever new spellings
	Orders    Kind = "orders"    // one list in ever new orders
	Guises    Kind = "guises"    // known pages in ever new guises
	Archives  Kind = "archives"  // archives of ever new revisions
	WildHosts Kind = "hosts"     // hosts that lead to ever new hosts
)

// IsJudged reports whether it takes scouts to find places of this kind; of the others the addresses alone tell.
func (k Kind) IsJudged() bool { return k == Unclosed || k == Regular || k == SameText }

// A Finding says why a URL is suspected.
type Finding struct {
	Kind     Kind
	Place    string // where it begins: a URL, or a pattern of URLs
	Evidence string // in words
}

// String writes a finding so that ParseFinding reads it.
func (f Finding) String() string { return string(f.Kind) + " " + f.Place + ": " + f.Evidence }

// ParseFinding reads what String wrote; ok is false when it did not.
func ParseFinding(s string) (f Finding, ok bool) {
	kind, rest, _ := strings.Cut(s, " ")
	place, evidence, ok := strings.Cut(rest, ": ")
	return Finding{Kind(kind), place, evidence}, ok
}

// A Detector watches the pages of a crawl and tells which of its URLs belong to places that seem to have no end. It is safe for
// concurrent use.
type Detector struct {
	o Options

	mu        sync.Mutex           // guards all below
	links     bounded.Shared[link] // by domain, as are those below
	lineages  bounded.Shared[*lineage]
	templates bounded.Shared[*template]
	spellings bounded.Shared[[]uint64] // of a path, the hashes of the URLs that were asked for
	orders    bounded.Shared[uint64]   // of a list, the hash of the URL that was asked for first
	vain      bounded.Shared[int]      // of a path, how many more orders of its lists led to nothing new
	values    bounded.Shared[[]uint64] // of a path and a parameter, the hashes of its values, until they are many
	guises    bounded.Shared[int]      // of a shape, how many pages in a row brought nothing
	shown     bounded.Shared[shown]    // of an address that ends in a number, what was shown there last
	originals bounded.Shared[original] // by their text
	copies    bounded.Shared[uint64]   // by the path of a copy, the key of its original
	seconds   bounded.Shared[uint64]   // of an original and a query, what a copy showed there last
	compared  bounded.Shared[int]      // of a revision, how many comparisons show it
	archives  bounded.Shared[int]      // of a place, and of an origin, how many archives of one revision each were made for us
	domains   bounded.Map[*domain]
	texts     nearSet
	said      bounded.Shared[struct{}] // phrases
	pictures  bounded.Shared[uint8]    // by what names them, how many pages have shown them, at most mostShowing
	reached   bounded.Shared[struct{}] // known pages that places which were on trial have led to, by both
	hashes    []uint64                 // of the links of the page that is taken in
	known     []known                  // of the same links
	fresh     []uint64                 // of the hashes, the new ones
	puts      []put                    // of the links, what is put
	backs     []uint64                 // of the hashes, those that lead back
	met       [maxDepth + 2]uint32     // of its links back, by how many lineages page and target have in common
	now       visit                    // what else is known of it
	trials    int                      // that have ended
	suspects  []suspect
	acquitted bool // by a second hearing, since Rehear was called last
	recalled  bool // some of what was found before the crawl was started anew is not known: then Page.New tells
}

// New returns a Detector that has seen nothing.
func New(o Options) *Detector {
	d := &Detector{o: o.withDefaults()}
	d.domains.Most = d.o.Lineages
	share(&d.links, d.o.Links, d.o.SiteShare)
	share(&d.said, d.o.Links, d.o.SiteShare)
	share(&d.pictures, d.o.Links, d.o.SiteShare)
	share(&d.reached, d.o.Links, d.o.SiteShare)
	share(&d.lineages, d.o.Lineages, d.o.SiteShare)
	share(&d.templates, d.o.Lineages, d.o.SiteShare)
	share(&d.spellings, d.o.Lineages, d.o.SiteShare)
	share(&d.orders, d.o.Lineages, d.o.SiteShare)
	share(&d.vain, d.o.Lineages, d.o.SiteShare)
	share(&d.values, max(d.o.Lineages/4, 1), d.o.SiteShare) // at up to a kilobyte
	share(&d.guises, d.o.Lineages, d.o.SiteShare)
	share(&d.shown, d.o.Lineages, d.o.SiteShare)
	share(&d.originals, max(d.o.Lineages/4, 1), d.o.SiteShare) // at up to longestOriginal
	share(&d.copies, max(d.o.Lineages/4, 1), d.o.SiteShare)
	share(&d.seconds, max(d.o.Lineages/4, 1), d.o.SiteShare)
	share(&d.compared, d.o.Lineages, d.o.SiteShare)
	share(&d.archives, d.o.Lineages, d.o.SiteShare)
	for i := range d.texts.parts {
		share(&d.texts.parts[i], d.o.Lineages, d.o.SiteShare)
	}
	return d
}

// share bounds a map, as a whole and for each domain.
func share[V any](m *bounded.Shared[V], most int, share float64) {
	m.Most, m.Each = most, max(int(share*float64(most)), 1)
}

// Suspect reports whether a URL that is about to be asked for belongs to a place that seems to have no end, and why.
func (d *Detector) Suspect(u, via URL, now time.Time) (Finding, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, bad := d.suspectHostLocked(u); bad {
		return f, true
	}
	parent := d.parentLocked(u, via)
	if f := parent.finding(); f != nil {
		return *f, true
	}
	if f, bad := d.suspectDateLocked(u, via, parent, now); bad {
		return f, true
	}
	if f, bad := d.suspectOrderLocked(u); bad {
		return f, true
	}
	if f, bad := d.suspectArchiveLocked(u); bad {
		return f, true
	}
	if f, bad := d.suspectComparisonLocked(u); bad {
		return f, true
	}
	if f, bad := d.suspectCombinationLocked(u); bad {
		return f, true
	}
	if f, bad := d.suspectGuiseLocked(u); bad {
		return f, true
	}
	if f, bad := d.suspectCopyLocked(u); bad {
		return f, true
	}
	return d.suspectSpellingLocked(u)
}

// IsExempt reports whether a URL is what a rule is about that is switched off, so that it may have been suspected before by that
// alone.
func (d *Detector) IsExempt(u URL) bool {
	_, archive := archivesOf(u.PathQuery)
	_, _, by := orderOf(u.PathQuery)
	return d.o.Archives < 0 && archive || d.o.Orders < 0 && by != "" || d.o.Variants < 0 && fold(u.PathQuery) != u.PathQuery ||
		d.o.Guises < 0 && mayBeGuise(u.PathQuery)
}

// Visit takes in a page. It reports whether the page opens its place: it brings new links, and none that leads across.
func (d *Detector) Visit(p Page) (opens bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p = d.withoutCopiesLocked(p.withoutWaysBack())
	d.dateLocked(p, false)
	d.archiveLocked(p)
	d.comparisonLocked(p)
	opens = d.visitLocked(p, d.linksLocked)
	d.orderLocked(p)
	d.combinationLocked(p)
	d.guiseLocked(p)
	return opens
}

// Recall takes in a page that Visit took in before the crawl was started anew, without its links. opens is what Visit returned.
func (d *Detector) Recall(p Page, opens bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recalled = true
	d.dateLocked(p, true)
	d.comparisonLocked(p)
	d.domainLocked(p.URL.Domain).recalled++
	d.visitLocked(p, func(p Page, parent, _ *lineage, _ int) counts {
		d.fresh = d.fresh[:0]
		c := counts{fresh: uint32(p.New), ends: uint32(one(p.New == 0))}
		if !opens {
			c.back = c.fresh
			d.favourLocked(parent, p.New)
		}
		return c
	})
}

// Restore takes up a finding of before the crawl was started anew, for which a URL was put aside.
func (d *Detector) Restore(u URL, f Finding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case f.Kind.IsJudged():
		if origin, path, ok := cutOrigin(f.Place); ok {
			l := d.newLineageLocked(URL{u.Domain, origin, path}, nil)
			switch {
			case l.found == nil:
				d.findLocked(l, u.Domain, f)
				if wasHeard(f) {
					l.marks |= heardTwice
				}
			case !l.was(heardTwice) && wasHeard(f):
				l.marks |= heardTwice
				l.found = &f
			}
		}
	case f.Kind == Calendar:
		if t := d.templateLocked(u.Domain, f.Place); f.Evidence != farAhead {
			t.found = &f
		}
	case f.Kind == Guises && f.Evidence != copyEvidence: // of copies each that is met is found anew
		d.restoreGuiseLocked(u, f.Place)
	case f.Kind == Orders:
		if origin, path, ok := cutOrigin(f.Place); ok {
			if by, everywhere := strings.CutPrefix(path, anyPath+"?"); everywhere {
				d.vain.Put(siteOf(u), hashOf(origin, by+"&"), originOrders*d.o.Orders)
			} else {
				d.vain.Put(siteOf(u), hashOf(origin, path), d.o.Orders)
			}
		}
	case f.Kind == Archives:
		if origin, place, ok := cutOrigin(f.Place); ok {
			if place == anyPath {
				d.archives.Put(siteOf(u), hashOf(origin, ""), originArchives*d.o.Archives)
			} else {
				d.archives.Put(siteOf(u), hashOf(origin, place), d.o.Archives)
			}
		}
	}
}

// cutOrigin splits a URL before its path.
func cutOrigin(url string) (origin, path string, ok bool) {
	_, rest, ok := strings.Cut(url, "://")
	i := strings.IndexByte(rest, '/')
	if !ok || i < 0 {
		return "", "", false
	}
	i += len(url) - len(rest)
	return url[:i], url[i:], true
}

func (d *Detector) visitLocked(p Page, count func(Page, *lineage, *lineage, int) counts) (opens bool) {
	dom := d.hostsLocked(p)
	parent := d.parentLocked(p.URL, p.Via)
	site, h := siteOf(p.URL), p.URL.hash()
	if !d.isKnownLocked(site, h) { // a seed, or forgotten
		d.links.Put(site, h, link{found: parent, by: uint32(p.Via.hash())})
	}
	d.hashLinks(p)
	fresh := d.newLinksLocked(site, d.begunLocked(site, h, parent))
	if !d.recalled && !dom.forgets {
		p.New = fresh // pages that are settled at once are told in any order
		dom.forgets = d.links.LenOf(site)+fresh > d.links.Each/2 || d.links.Forgot()
	}
	var own *lineage
	if p.New > 0 {
		own = d.newLineageLocked(p.URL, parent)
	}
	d.met, d.now, d.backs = [maxDepth + 2]uint32{}, visit{}, d.backs[:0]
	c := count(p, parent, own, dom.pages-max(dom.recalled-unknownHubs, 0))
	c.pages = 1
	d.now.phrases = d.newPhrasesLocked(p)
	d.now.said = p.Text.Sample[0] != 0 && d.now.phrases <= newPhrases
	d.now.own = d.picturesLocked(p)
	c.said = uint32(one(d.now.said && !d.now.own))
	opens = p.New > 0 && c.back == 0
	before := d.texts.swap(site, p.Text, parent).meet(parent)
	if parent.finding() == nil { // else found while this page was under way
		d.countLocked(p, c, parent, own, before)
		d.judgeLocked(parent, p.URL.Domain)
	}
	return opens
}

// countLocked counts a page with the places that it lies in, and with the one that it begins. before is how many of them a page
// with the same text lies in, too.
func (d *Detector) countLocked(p Page, c counts, parent, own *lineage, before int) {
	site, h := siteOf(p.URL), p.URL.hash()
	forks := uint16(0)
	if own != nil && own != parent {
		own.all.add(c)
		if parent != nil {
			forks = parent.leadsOn()
		}
	}
	if c.ends > 0 {
		d.isEndLocked(site, h, parent, c)
	}
	c.inside = 0
	leadsOut := true // to what no place within l has led to before
	for l, apart := parent, false; l != nil; l = l.parent {
		c.same = uint32(one(int(l.depth) < before && !d.now.own))
		c.lateSame = c.same * uint32(one(d.now.late))
		c.inside += d.met[l.depth+1]
		c.lists, c.listed = 0, 0
		if l.was(tried) {
			n := d.listsLocked(site, l)
			if leadsOut = n >= leastListed && leadsOut; leadsOut {
				c.lists, c.listed = 1, uint32(n)
			}
		}
		if !apart {
			l.all.add(c)
			l.forks += forks
		}
		if l.trial != nil {
			l.trial.visited(h, c, d.now, parent, d.fresh)
		}
		apart = apart || l.isApart()
	}
}

// A visit is what is known of a page beyond its counts.
type visit struct {
	late    bool // it is an end that leads to what was found elsewhere
	returns bool // it leads back to where it was found
	said    bool // its text says what others have said
	own     bool // its text does not matter: it shows a picture of its own
	phrases int  // of the sample of its text, that no page of the domain has said before
}

// newPhrasesLocked returns how many phrases of the sample of a page no page of the domain has said before, and remembers them.
func (d *Detector) newPhrasesLocked(p Page) (fresh int) {
	if p.Text.Sample[0] == 0 {
		return 0
	}
	site := siteOf(p.URL)
	for _, phrase := range p.Text.Sample {
		at, young := d.said.Of(site).At(phrase)
		fresh += one(at == nil)
		if !young {
			d.said.Put(site, phrase, struct{}{})
		}
	}
	return fresh
}

// newPhrases is how many phrases of a sample may be new in a text that says what others have said.
const newPhrases = 1

// Moved takes in a redirect: what is found behind it has the lineage of where it was, so none where a seed was. vain says that this
// was known, or is not to be visited.
func (d *Detector) Moved(from, via, to URL, vain bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known = d.known[:0]
	if !vain || strings.Contains(from.PathQuery, "?") { // /node/17 may be all that names a page
		d.guiseLocked(Page{URL: from, Unkept: vain})
	}
	parent, h := d.parentLocked(from, via), to.hash()
	if l, known := d.links.Get(siteOf(to), h); to.Domain != from.Domain || known && !l.early {
		return
	}
	d.links.Put(siteOf(to), h, link{found: parent})
	for l := parent; l != nil; l = l.parent {
		if l.trial != nil {
			l.trial.moved(from.hash(), h)
		}
	}
}

func (d *Detector) isKnownLocked(site, url uint64) bool {
	_, known := d.links.Get(site, url)
	return known
}

// parentLocked returns the lineage in which a URL was found; nil for a seed, and for what was found on another domain.
func (d *Detector) parentLocked(u, via URL) *lineage {
	site := siteOf(u)
	if l, ok := d.links.Get(site, u.hash()); ok {
		return l.found
	}
	if via.Domain != u.Domain {
		return nil
	}
	l, ok := d.lineages.Get(site, via.hash())
	if !ok { // forgotten, or its links are asked about before Visit has heard of it
		found, _ := d.links.Get(site, via.hash())
		l = d.newLineageLocked(via, found.found)
	}
	d.links.Put(site, u.hash(), link{found: l, by: uint32(via.hash()), early: true})
	return l
}

// begunLocked returns the lineage that a page began when its links were asked about before it was told; nil when they were not.
func (d *Detector) begunLocked(site, url uint64, parent *lineage) *lineage {
	if parent != nil && parent.depth >= maxDepth {
		return parent
	}
	l, _ := d.lineages.Get(site, url)
	return l
}

func (d *Detector) newLineageLocked(u URL, parent *lineage) *lineage {
	site, h := siteOf(u), u.hash()
	if l, ok := d.lineages.Get(site, h); ok {
		return l
	}
	if parent != nil && parent.depth >= maxDepth {
		return parent // so that a long chain is not remembered for ever
	}
	l := newLineage(u, uint32(h), parent)
	d.lineages.Put(site, h, l)
	return l
}
