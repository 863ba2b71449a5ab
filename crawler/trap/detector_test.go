package trap

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

var today = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func at(path string) URL {
	return URL{Domain: "a.example", Origin: "http://a.example", PathQuery: path}
}

// Ensure that dates are found where they are, and that what is none is left alone.
func TestCutDate(t *testing.T) {
	for _, tt := range []struct{ path, pattern, date string }{
		{"/calendar/2026/11/", "/calendar/YYYY-MM/", "2026-11-01"},
		{"/2026/11/22/", "/YYYY-MM-DD/", "2026-11-22"},
		{"/2026-1-2", "/YYYY-MM-DD", "2026-01-02"},
		{"/cal?year=2026&month=3", "/cal?year=YYYY-MM", "2026-03-01"},
		{"/cal?year=2026&month=3&day=9", "/cal?year=YYYY-MM-DD", "2026-03-09"},
		{"/2026/11/22/a-post", "/YYYY-MM-DD/a-post", "2026-11-22"},
		{"/2026/11/99", "/YYYY-MM/99", "2026-11-01"},
		{"/index.php?cal;year=2026;month=3", "/index.php?cal;year=YYYY-MM", "2026-03-01"},
		{"/cal?month=3&year=2026&x=1", "/cal?month=MM&year=YYYY&x=1", "2026-03-01"},
		{"/cal?Day=9&Month=3&id=12345678&Year=2026", "/cal?Day=DD&Month=MM&id=YYYYMMDD&Year=YYYY", "2026-03-09"},
		{"/day.php?date=20261122&friendly=1", "/day.php?date=YYYYMMDD&friendly=1", "2026-11-22"},
		{"/article?id=20261399", "/article?id=YYYYMMDD", "0001-01-01"}, // like the date that it is in others, and none
		{"/view.php?view=day&time=1795305600", "/view.php?view=day&time=SECONDS", "2026-11-22"},
		{"/view.php?time=1795285800", "/view.php?time=SECONDS", "2026-11-21"}, // midnight in India
		{"/day?at=1795305600000", "/day?at=MILLISECONDS", "2026-11-22"},
		{"/article?id=1795305601", "/article?id=SECONDS", "0001-01-01"},
		{"/article?id=1795305600001", "/article?id=MILLISECONDS", "0001-01-01"},
		{"/article?id=+795305600&n=-795305600", "", ""},
		{"/article?id=202611220", "", ""},
		{"/article/20261122", "", ""},
		{"/cal?month=11&q=year", "", ""},
		{"/year?year=2026", "/year?year=YYYY", "2026-01-01"},
		{"/2026/13/", "", ""},
		{"/20261/11/", "", ""},
		{"/page/2026/", "", ""},
		{"/2026", "", ""},
		{"/rfc/rfc2616.html", "", ""},
	} {
		pattern, date, ok := cutDate(tt.path)
		got := ""
		if ok {
			got = date.Format(time.DateOnly)
		}
		if pattern != tt.pattern || got != tt.date {
			t.Errorf("cutDate(%q) = %q, %q, want %q, %q", tt.path, pattern, got, tt.pattern, tt.date)
		}
	}
}

func TestFold(t *testing.T) {
	for path, want := range map[string]string{
		"/":                    "/",
		"/A//b///C":            "/a/b/c",
		"/a;v=1/b;w":           "/a/b",
		"/a;v=1/b;w?Q=1;x//y":  "/a/b?Q=1;x//y",
		"//a":                  "/a",
		"/a/":                  "/a/",
		"/%C3%A4/Stra%C3%9Fe/": "/%c3%a4/stra%c3%9fe/",
	} {
		if got := fold(path); got != want {
			t.Errorf("fold(%q) = %q, want %q", path, got, want)
		}
	}
}

// Ensure that four spellings of a path are asked for and no more, and each of them again.
func TestDetector_Spellings(t *testing.T) {
	d := New(Options{})
	for i, path := range []string{"/a", "/A", "//a", "/a;x", "/a"} {
		if f, suspect := d.Suspect(at(path), URL{}, today); suspect {
			t.Errorf("%d: %s is suspected: %v", i, path, f)
		}
	}
	if f, suspect := d.Suspect(at("/A;x"), URL{}, today); !suspect || f.Kind != Spellings {
		t.Errorf("a fifth spelling: %v, %v", f, suspect)
	}
}

// Ensure that an archive whose pages differ is no endless calendar, and that a date far ahead is.
func TestDetector_Calendar(t *testing.T) {
	d := New(Options{})
	for i := range 400 {
		day := today.AddDate(0, 0, -i).Format("/2006/01/02/")
		if f, suspect := d.Suspect(at(day), URL{}, today); suspect {
			t.Fatalf("after %d days of an archive: %v", i, f)
		}
		before := at(today.AddDate(0, 0, -i-1).Format("/2006/01/02/"))
		d.Visit(Page{URL: at(day), New: 1, Links: []URL{before}, Text: Text{Hash: uint64(i) * 0x9e3779b97f4a7c15, Words: 100}})
	}
	for i, day := range []string{"/2028/05/01/", "/2028/05/02/", "/2028/05/03/"} {
		if f, suspect := d.Suspect(at(day), URL{}, today); !suspect || f.Kind != Calendar || f.Evidence != farAhead {
			t.Errorf("%d dates far ahead: %v, %v", i+1, f, suspect)
		}
	}
	d.Visit(Page{URL: at("/2020/05/01/"), Text: Text{Hash: 1, Words: 100}})
	if f, suspect := d.Suspect(at("/2020/04/30/"), URL{}, today); !suspect || f.Kind != Calendar || f.Evidence == farAhead {
		t.Errorf("a date of what goes on ahead: %v, %v", f, suspect)
	}
}

// Ensure that dates far ahead which stand in one list are not suspected, and that those of ever further lists are, by and by.
func TestDetector_CalendarOfLists(t *testing.T) {
	for name, chained := range map[string]bool{"one list of years": false, "years that lead to the next one": true} {
		d, through, suspected := New(Options{}), 0, 0
		list := func(year int) URL { return at(fmt.Sprintf("/%d/", year)) }
		from := Page{URL: at("/"), New: 1, Links: []URL{list(2020)}}
		for year := 2021; year <= 2200 && !chained; year++ {
			from.Links = append(from.Links, list(year))
		}
		d.Visit(from)
		for year := 2020; year < 2200; year++ {
			via := from.URL
			if chained && year > 2020 {
				via = list(year - 1)
			}
			p := Page{URL: list(year), Via: via, New: 13, Links: []URL{list(year + 1)}}
			for month := range 12 {
				p.Links = append(p.Links, at(fmt.Sprintf("/%d/%02d/", year, month+1)))
			}
			d.Visit(p)
			for _, u := range p.Links[1:] {
				if _, suspect := d.Suspect(u, p.URL, today); suspect {
					suspected++
					continue
				}
				through++
				d.Visit(Page{URL: u, Via: p.URL, Links: []URL{p.URL}, Text: Text{Hash: uint64(through) * 0x9e3779b97f4a7c15, Words: 100}})
			}
		}
		if chained && through > 1200 || !chained && suspected > 0 {
			t.Errorf("%s: %d months were let through, and %d suspected", name, through, suspected)
		}
	}
}

// Ensure that a calendar by parameters with eight digits ends, and that articles which have such numbers do not end it.
func TestDetector_CompactDates(t *testing.T) {
	d := New(Options{})
	far := func(name string) bool {
		_, suspect := d.Suspect(at("/view?"+name+"=20280501"), URL{}, today)
		return suspect
	}
	for i := range 30 {
		next := at("/view?date=" + today.AddDate(0, 0, i+1).Format("20060102"))
		d.Visit(Page{URL: at("/view?date=" + today.AddDate(0, 0, i).Format("20060102")), New: 1, Links: []URL{next}})
		d.Visit(Page{URL: at(fmt.Sprintf("/view?id=%d", 20_200_101+7*i))})
	}
	if !far("date") || far("id") {
		t.Errorf("a date far ahead is suspected: %v, an article: %v", far("date"), far("id"))
	}
}

// Ensure that a mirror of known pages is not suspected for their text: it has ends.
func TestDetector_Mirror(t *testing.T) {
	d := New(Options{})
	for _, copy := range []string{"/en/", "/de/"} {
		index := Page{URL: at(copy), New: 300}
		for i := range 300 {
			index.Links = append(index.Links, at(fmt.Sprintf("%s%d.html", copy, i)))
		}
		d.Visit(index)
		for i, u := range index.Links {
			if f, suspect := d.Suspect(u, index.URL, today); suspect {
				t.Fatalf("%s: %v", u, f)
			}
			d.Visit(Page{URL: u, Via: index.URL, Links: index.Links[:i], Text: Text{Hash: uint64(i) * 0x9e3779b97f4a7c15, Words: 100}})
		}
	}
}

// Ensure that a manual is not suspected in which each page has a page of its own below it, as javadoc has class-use.
func TestDetector_PagesWithAnAnnex(t *testing.T) {
	d := New(Options{})
	home, index := at("/api/"), at("/api/index.html")
	d.Visit(Page{URL: home, New: 1, Links: []URL{index}})
	list := Page{URL: at("/api/list.html"), Via: index, New: 90}
	for i := range list.New {
		list.Links = append(list.Links, at(fmt.Sprintf("/api/java/lang/Class%d.html", i)))
	}
	d.Visit(Page{URL: index, Via: home, New: 1, Links: []URL{list.URL}})
	d.Visit(list)
	for i, u := range list.Links {
		if f, suspect := d.Suspect(u, list.URL, today); suspect {
			t.Fatalf("after %d pages: %v", i, f)
		}
		annex := at(fmt.Sprintf("/api/java/lang/class-use/Class%d.html", i))
		d.Visit(Page{URL: u, Via: list.URL, New: 1, Links: []URL{annex, list.Links[(i+7)%90], list.Links[(i+31)%90]}})
	}
}

// Ensure that memory is bounded however long a chain or wide a tree is.
func TestDetector_Bounded(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	d := New(Options{Pages: 1 << 30, Links: 1000, Lineages: 100})
	via := at("/")
	for i := range 20_000 {
		p := Page{URL: at(fmt.Sprintf("/%d", i)), Via: via, New: 2, Links: []URL{at(fmt.Sprintf("/%d", i+1)), at(fmt.Sprintf("/x%d", i))}}
		d.Suspect(p.URL, via, today)
		d.Visit(p)
		via = p.URL
	}
	if n := d.links.Len(); n > 1000 {
		t.Errorf("%d links are remembered, want at most 1000", n)
	}
	if n := d.lineages.Len(); n > 100 {
		t.Errorf("%d lineages are remembered, want at most 100", n)
	}
	l, _ := d.links.Get(siteOf(via), at("/20000").hash())
	depth := 0
	for p := l.found; p != nil; p = p.parent {
		depth++
	}
	if depth > maxDepth+1 {
		t.Errorf("a lineage holds %d others", depth)
	}
}

// Ensure that a chain whose pages have a text of their own, and lead to the next and the one before only, is put aside after ten
// thousand pages, taken up again when nothing else is left, and taken for endless when it is four times as long.
func TestDetector_LongChain(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	for _, tt := range []struct {
		name         string
		end          int // 0 is none
		least, most  int // pages that are visited
		looksEndless bool
	}{
		{"with an end", 12_000, 12_000, 12_000, false},
		{"without an end", 0, 4 * longestChain, 4*longestChain + 1000, true},
	} {
		r := &replay{most: 5 * longestChain, answers: func(path string) answered {
			i := 0
			scan(path, "/%d", &i)
			to := []string{fmt.Sprintf("/%d", max(i-1, 1))}
			if i != tt.end {
				to = append(to, fmt.Sprintf("/%d", i+1))
			}
			return answered{ok: true, to: to, text: Text{Hash: chance(path).Uint64(), Words: 100}}
		}}
		r.run("/1")
		if r.visited < tt.least || r.visited > tt.most || (len(r.found) == 1) != tt.looksEndless {
			t.Errorf("%s: %d pages were visited, found %v", tt.name, r.visited, r.found)
		}
		for f := range r.found {
			if !wasHeard(f) {
				t.Errorf("%s: %s does not say that it was asked last", tt.name, f)
			}
		}
	}
}

// Ensure that a place keeps together when the links of a page are asked about before the page itself was told, as happens when
// pages are settled and visited at the same time.
func TestDetector_LinksAreAskedAboutEarly(t *testing.T) {
	d := New(Options{})
	home, place, page, link := at("/"), at("/place"), at("/place/a"), at("/place/b")
	d.Visit(Page{URL: home, New: 1, Links: []URL{place}})
	d.Visit(Page{URL: place, Via: home, New: 1, Links: []URL{page}})
	d.Waits(link, page)
	d.Visit(Page{URL: page, Via: place, New: 1, Links: []URL{link}})
	above, _ := d.lineages.Get(siteOf(place), place.hash())
	if below, ok := d.lineages.Get(siteOf(page), page.hash()); !ok || !above.isAbove(below) {
		t.Errorf("%s does not lie in %s, which leads to it", page, place)
	}
}

// Ensure that what was found before the crawl was started anew is heard a second time, unless it was.
func TestDetector_RestoredIsHeardOnce(t *testing.T) {
	f := Finding{Unclosed, "http://a.example/place", "scouts came to no end"}
	for _, tt := range []struct {
		name     string
		findings []Finding
		open     bool
	}{
		{"before", []Finding{f}, true},
		{"heard", []Finding{{f.Kind, f.Place, f.Evidence + heardNote + "24 more"}}, false},
		{"both are told", []Finding{f, {f.Kind, f.Place, f.Evidence + heardNote + "24 more"}}, false},
		{"of a kind that is not judged", []Finding{{Spellings, f.Place, "x"}}, false},
	} {
		d := New(Options{})
		for _, f := range tt.findings {
			d.Restore(at("/place/x"), f)
		}
		if open := d.Rehear(); open != tt.open {
			t.Errorf("%s: Rehear = %v", tt.name, open)
		}
		if d.Rehear() {
			t.Errorf("%s: a place is heard for the third time", tt.name)
		}
	}
}

// Ensure that one hostile domain does not drive out what is remembered of two hundred honest ones, and that two do not.
func TestDetector_HostileSiteForgetsItself(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	d := New(Options{Pages: 1 << 30, Links: 20_000, Lineages: 4000})
	on := func(site int, path string) URL {
		domain := fmt.Sprintf("site-%d.example", site)
		return URL{Domain: domain, Origin: "http://" + domain, PathQuery: path}
	}
	visit := func(site, pages, links int) {
		via := on(site, "/")
		for i := range pages {
			p := Page{URL: on(site, fmt.Sprintf("/%d", i)), Via: via, New: links}
			for k := range links - 1 {
				p.Links = append(p.Links, on(site, fmt.Sprintf("/%d/%d", i, k)))
			}
			p.Links = append(p.Links, on(site, fmt.Sprintf("/%d", i+1)))
			d.Visit(p)
			via = p.URL
		}
	}
	const honest, pages, links = 200, 8, 6
	for site := range honest {
		visit(site, pages, links)
	}
	for hostile := range 2 {
		visit(honest+hostile, 5000, 20)
	}
	for site := range honest {
		for i := range pages {
			u := on(site, fmt.Sprintf("/%d", i))
			if _, ok := d.lineages.Get(siteOf(u), u.hash()); !ok {
				t.Fatalf("the place at %s is forgotten", u)
			}
			for k := range links - 1 {
				if u := on(site, fmt.Sprintf("/%d/%d", i, k)); !d.isKnownLocked(siteOf(u), u.hash()) {
					t.Fatalf("%s is forgotten", u)
				}
			}
		}
	}
	if d.links.Len() > d.o.Links || d.lineages.Len() > d.o.Lineages {
		t.Errorf("%d links and %d places are remembered", d.links.Len(), d.lineages.Len())
	}
	for hostile := range 2 {
		if n := d.links.LenOf(siteOf(on(honest+hostile, "/"))); n > d.o.Links*3/4 {
			t.Errorf("%d links are remembered of a hostile site", n)
		}
	}
}

// Ensure that what rules about addresses alone have put aside is told when they are switched off, and nothing else is.
func TestDetector_IsExempt(t *testing.T) {
	on, off := New(Options{}), New(Options{Archives: -1, Orders: -1, Variants: -1})
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/r/archive/a1927de92b15.zip", true}, {"/list?sort=name", true}, {"/LIST", true},
		{"/r/archive/v1.zip", false}, {"/list?page=2", false}, {"/2026/11/", false},
	} {
		if got := off.IsExempt(at(tt.path)); got != tt.want {
			t.Errorf("IsExempt(%q) = %v, want %v", tt.path, got, tt.want)
		}
		if on.IsExempt(at(tt.path)) {
			t.Errorf("IsExempt(%q) where every rule holds", tt.path)
		}
	}
	off = New(Options{Guises: -1})
	for path, want := range map[string]bool{"/topic?p=17": true, "/comment/17": true, "/article": false, "/blog/page/2": false} {
		if got := off.IsExempt(at(path)); got != want {
			t.Errorf("IsExempt(%q) = %v without guises, want %v", path, got, want)
		}
	}
}

// Ensure that a place of one text is endless although its pages lead to many known ones around them, so that most of those that
// come late bring nothing new, whatever the order in which pages come.
func TestDetector_OneTextAround(t *testing.T) {
	const most = 150
	for _, steps := range [][]int{{1, 2, 3}, {1, 2, 3, 4, 5}, {1, 2, 5, 10}} {
		for order := range 8 + furtherOrders() {
			r := (&replay{most: 10 * most}).inOrder(order)
			r.perRun = 0
			r.answers = around(steps)
			r.run("/")
			if r.visited > most || len(r.found) == 0 {
				t.Errorf("steps of %v, order %d: %d pages, want at most %d; found %v", steps, order, r.visited, most, r.found)
			}
		}
	}
}

// around is an endless row of pages below a few others. Each leads so many steps on and back; no address tells where it stands.
func around(steps []int) func(path string) answered {
	name := func(n int) string { return fmt.Sprintf("/%016x", uint64(n+1)*0x9e3779b97f4a7c15) }
	numbers := map[string]int{name(0): 0}
	text := sameFor(func(path string) string { return strings.Repeat("/", min(len(path), 3)) })
	return func(path string) answered {
		if len(path) < 3 {
			return answered{ok: true, to: []string{"/", "/a", "/b", "/c", name(0)}, text: text(path)}
		}
		to := []string{"/"}
		for _, step := range steps {
			for _, n := range []int{numbers[path] - step, numbers[path] + step} {
				numbers[name(n)] = n
				to = append(to, name(n))
			}
		}
		return answered{ok: true, made: true, to: to, text: text(path)}
	}
}

// Ensure that a calendar ends whose addresses have seconds since 1970, as Moodle's: only one page of thirty leads on.
func TestDetector_CalendarOfSeconds(t *testing.T) {
	const most = 150
	for order := range 4 + furtherOrders() {
		r := (&replay{most: 6 * most}).inOrder(order)
		r.perRun = 0
		r.answers = months
		r.run("/")
		if r.visited > most || len(r.found) == 0 {
			t.Errorf("order %d: %d pages, want at most %d; found %v", order, r.visited, most, r.found)
		}
	}
}

// months is an endless calendar: each month leads to its days, and to the months around it; each day to its month.
func months(path string) answered {
	address := func(view string, day time.Time) string {
		return fmt.Sprintf("/view.php?view=%s&time=%d", view, day.Unix())
	}
	text := sameFor(func(path string) string { return strings.Repeat("/", min(len(path), 3)) })(path)
	_, seconds, _ := strings.Cut(path, "&time=")
	n, _ := strconv.ParseInt(seconds, 10, 64)
	day := time.Unix(n, 0).UTC()
	first := day.AddDate(0, 0, 1-day.Day())
	switch {
	case n == 0:
		day := today.Truncate(24 * time.Hour)
		return answered{ok: true, to: []string{"/", "/a", "/b", "/c", address("month", day.AddDate(0, 0, 1-day.Day()))}, text: text}
	case strings.Contains(path, "view=day"):
		return answered{ok: true, made: true, to: []string{"/", address("month", first)}, text: text}
	}
	to := []string{"/", address("month", first.AddDate(0, -1, 0)), address("month", first.AddDate(0, 1, 0))}
	for d := first; d.Month() == first.Month(); d = d.AddDate(0, 0, 1) {
		to = append(to, address("day", d))
	}
	return answered{ok: true, made: true, to: to, text: text}
}

// Ensure that what the redirect of a seed leads to lies in no place: it is what the seed led to.
func TestDetector_SeedThatMoved(t *testing.T) {
	d := New(Options{})
	seed, front := at("/"), at("/en")
	d.Waits(front, seed)
	d.Moved(seed, URL{}, front, false)
	d.Visit(Page{URL: front, Via: seed, New: 1, Links: []URL{at("/en/list")}})
	if l, ok := d.lineages.Get(siteOf(front), front.hash()); !ok || l.parent != nil {
		t.Errorf("%s lies in %v, want in nothing", front, l.parent)
	}
}
