package trap

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// honestSites look endless in their first hundred pages, or have addresses like those of endless ones: where a path
// leads to, for a site of about n pages. Beside what they return all pages lead to "/".
var honestSites = []struct {
	name  string
	links func(n int) func(path string) []string
	text  func(path string) Text // nil for texts of their own
	most  int                    // pages, of more than which they are mistaken for endless (see Limits); zero is no limit
}{
	{"forum with five annexes to a topic", func(n int) func(string) []string { return forum(n/10, 5, false) }, nil, 0},
	{"forum with members", func(n int) func(string) []string { return forum(n/2, 2, true) }, nil, 0},
	{"wiki with history", wiki, nil, 0},
	{"shop with facets", shop, nil, 0},
	{"photo archive", photos, nil, 0},
	{"mailing list", mailingList, nil, 0},
	{"mirror of a package archive", mirror, nil, 0},
	{"records in lists", records, nil, 0},
	{"tree of species", species, nil, 0},
	{"tree of records", classification, nil, 0},
	{"comic", comic, nil, 0},
	{"chain of previous pages", previous, nil, 0},
	{"pages that lead to others by chance", byChance, nil, 0},
	{"long list", longList, nil, 0},
	{"blog in lists of ten", blog, blogText, 0},
	{"archive of a blog", archiveLinks, archiveText, 0},
	{"topics with the next by number", numberedTopics, nil, 500},
	{"git web", gitWeb, nil, 0},
	{"stubs of equal text", stubs, sameFor(stubOrPath), 1000},
	{"measurements", measurements, sameFor(all("/table")), 0},
	{"manual in six languages, of one text", manuals, sameFor(withoutLanguage), 1000},
	{"changelog", changelog, nil, 3000},
	{"tables by two conditions", tables, ofNumbers, 0},
	{"eclipses by decade", eclipses, nil, 0},
	{"eclipses by decade, with a map each", mapped(eclipses), nil, 0},
	{"bonds by year", bonds, nil, 0},
	{"weather by day", weather, sameFor(all("/weather")), 0},
	{"puzzles with solutions", puzzles, ofNumbers, 0},
	{"patents that cite older ones", patents, nil, 0},
	{"tides by year", tides, sameFor(all("/tides")), 0},
	{"shop in languages, whose lists are of one text", translatedShop, sameFor(translatedOrList), 0},
}

// Ensure that nothing of a large honest site is suspected, in whatever order its pages come, whether the crawl is killed or not.
// Of twenty more orders, by wildOrders, three put a part of "measurements" aside, and one, with kills, of "blog in lists".
func TestDetector_HonestSites(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	sizes, orders := []int{1000, 8000}, 4
	if testing.Short() {
		sizes, orders = []int{3000}, 2
	}
	for _, tt := range honestSites {
		if tt.text == nil {
			tt.text = sameFor(func(path string) string { return path })
		}
		for _, n := range sizes {
			if tt.most > 0 {
				n = min(n, tt.most)
			}
			t.Run(fmt.Sprintf("%s/%d", tt.name, n), func(t *testing.T) {
				for order := range orders + furtherOrders() {
					visitHonest(t, n, order, tt.links(n), tt.text)
				}
			})
		}
	}
}

// notFound is where a path leads to that the site does not have.
var notFound = []string{"not found"}

// visitHonest visits a site of n pages in an order as visitEndless does.
func visitHonest(t *testing.T, n, order int, links func(string) []string, text func(string) Text) {
	t.Helper()
	r := (&replay{most: 2 * n}).inOrder(order)
	r.answers = func(path string) answered {
		to := links(path)
		if len(to) > 0 && to[0] == notFound[0] {
			return answered{}
		}
		to = append(to, "/")
		slices.Sort(to)
		to = slices.DeleteFunc(slices.Compact(to), func(l string) bool { return l == path })
		return answered{ok: true, to: to, text: text(path), canonical: path} // none is another once more
	}
	r.run("/")
	t.Logf("order %d: %d pages visited", order, r.visited)
	for f := range r.found {
		t.Errorf("order %d: %s", order, f)
	}
}

// chance returns numbers that are the same for the same name.
func chance(name string) *rand.Rand { return rand.New(rand.NewPCG(xxhash.Sum64String(name), 1)) }

// popular returns a number below n, more often a small one.
func popular(r *rand.Rand, n int) int { return min(int(math.Pow(float64(n), r.Float64())), n-1) }

// scan reports whether path is as the format says, and reads its numbers.
func scan(path, format string, numbers ...any) bool {
	n, _ := fmt.Sscanf(path, format, numbers...)
	return n == len(numbers)
}

// forum has topics in boards, 25 to a page, and of each topic pages that lead nowhere: print, reply, report, ...
func forum(topics, annexes int, members bool) func(string) []string {
	boards := max(3, topics/300)
	return func(path string) (to []string) {
		r := chance(path)
		var b, page, t int
		switch {
		case path == "/":
			for b := range boards {
				to = append(to, fmt.Sprintf("/board/%d/1", b))
			}
		case scan(path, "/board/%d/%d", &b, &page):
			for i := range 25 {
				if t := b + boards*(25*(page-1)+i); t < topics {
					to = append(to, fmt.Sprintf("/topic/%d/", t))
				}
			}
			if b+boards*25*page < topics {
				to = append(to, fmt.Sprintf("/board/%d/%d", b, page+1))
			}
		case strings.Contains(path, "do="):
		case scan(path, "/topic/%d/", &t):
			to = append(to, fmt.Sprintf("/board/%d/1", t%boards))
			for a := range annexes {
				to = append(to, fmt.Sprintf("/topic/%d/?do=%d", t, a))
			}
			for range 1 + r.IntN(12) {
				if members {
					to = append(to, fmt.Sprintf("/member/%d/", popular(r, topics/2)))
				}
			}
		case scan(path, "/member/%d/", &t):
			for range r.IntN(4) {
				to = append(to, fmt.Sprintf("/topic/%d/", r.IntN(topics)))
			}
		}
		return to
	}
}

// wiki has articles that lead to others, half of them at random, and of each its history, an editor and old versions.
func wiki(n int) func(string) []string {
	n /= 8
	return func(path string) (to []string) {
		r := chance(path)
		article, of, _ := strings.Cut(path, "?")
		i := 0
		scan(article, "/wiki/A%d", &i)
		versions := 1 + popular(chance(article), 30)
		var v int
		switch {
		case of == "":
			for range 3 + popular(r, 30) {
				to = append(to, fmt.Sprintf("/wiki/A%d", popular(r, n)), fmt.Sprintf("/wiki/A%d", r.IntN(n)))
			}
			if path != "/" {
				to = append(to, article+"?history", article+"?edit")
			}
		case of == "history":
			for v := range versions {
				to = append(to, fmt.Sprintf("%s?version=%d", article, v))
			}
		case scan(of, "version=%d", &v):
			for _, near := range []int{max(v-1, 0), min(v+1, versions-1)} {
				to = append(to, article, fmt.Sprintf("%s?version=%d", article, near))
			}
		}
		return to
	}
}

// shop has articles in categories, which can be narrowed by one value of each of three facets, in a fixed order.
func shop(n int) func(string) []string {
	n /= 6
	categories := max(4, n/100)
	return func(path string) (to []string) {
		r := chance(path)
		var c, i int
		place, query, _ := strings.Cut(path, "?")
		switch {
		case path == "/":
			for c := range categories {
				to = append(to, fmt.Sprintf("/category/%d", c))
			}
		case scan(place, "/category/%d", &c):
			chosen := [3]int{-1, -1, -1}
			scan(query, "f=%d,%d,%d", &chosen[0], &chosen[1], &chosen[2])
			for f := range chosen {
				for v := range 4 {
					next := chosen
					next[f] = v
					to = append(to, fmt.Sprintf("%s?f=%d,%d,%d", place, next[0], next[1], next[2]))
				}
			}
			for range 12 {
				to = append(to, fmt.Sprintf("/article/%d", c+categories*r.IntN(n/categories)))
			}
		case scan(path, "/article/%d", &i):
			for range 4 {
				to = append(to, fmt.Sprintf("/article/%d", i%categories+categories*r.IntN(n/categories)))
			}
			to = append(to, path+"/reviews", path+"/questions", fmt.Sprintf("/category/%d", i%categories))
		}
		if strings.HasSuffix(path, "s") {
			return nil
		}
		return to
	}
}

// photos has albums of forty photos; an album leads to its first, and each to the next, the one before, and the picture.
func photos(n int) func(string) []string {
	return func(path string) (to []string) {
		var a, i int
		switch {
		case path == "/":
			for a := range n / 80 {
				to = append(to, fmt.Sprintf("/album-%d/", a))
			}
		case strings.HasSuffix(path, ".jpg"):
		case scan(path, "/album-%d/photo-%d.html", &a, &i):
			to = append(to, fmt.Sprintf("/album-%d/", a), fmt.Sprintf("/album-%d/%d.jpg", a, i))
			to = append(to, fmt.Sprintf("/album-%d/photo-%d.html", a, max(i-1, 0)))
			if i < 39 {
				to = append(to, fmt.Sprintf("/album-%d/photo-%d.html", a, i+1))
			}
		case scan(path, "/album-%d/", &a):
			to = append(to, fmt.Sprintf("/album-%d/photo-0.html", a))
		}
		return to
	}
}

// mailingList has for each month lists by thread, date and author, and messages with the next and the one before.
func mailingList(n int) func(string) []string {
	return func(path string) (to []string) {
		var y, m, i int
		if path == "/" {
			for k := range n / 100 {
				to = append(to, fmt.Sprintf("/%d-%02d/thread.html", 2000+k/12, 1+k%12))
			}
			return to
		}
		scan(path, "/%d-%02d/", &y, &m)
		month := fmt.Sprintf("/%d-%02d/", y, m)
		to = append(to, month+"thread.html", month+"date.html", month+"author.html")
		if scan(path, month+"msg%d.html", &i) {
			return append(to, fmt.Sprintf("%smsg%d.html", month, max(i-1, 0)), fmt.Sprintf("%smsg%d.html", month, min(i+1, 96)))
		}
		for i := range 97 {
			to = append(to, fmt.Sprintf("%smsg%d.html", month, i))
		}
		return to
	}
}

// mirror lists folders: letters, packages, files.
func mirror(n int) func(string) []string {
	return func(path string) (to []string) {
		var letter rune
		switch strings.Count(path, "/") {
		case 1:
			to = append(to, "/pool/")
		case 2:
			for letter = 'a'; letter <= 'z'; letter++ {
				to = append(to, fmt.Sprintf("%s%c/", path, letter))
			}
		case 3:
			for p := range n / 26 / 8 {
				to = append(to, fmt.Sprintf("%spackage-%d/", path, p))
			}
		case 4:
			for f := range 1 + chance(path).IntN(12) {
				to = append(to, fmt.Sprintf("%sfile-%d.deb", path, f))
			}
		}
		if !strings.HasSuffix(path, "/") {
			return nil
		}
		return to
	}
}

// records has records, fifty to a list, each with three views that lead nowhere.
func records(n int) func(string) []string {
	return func(path string) (to []string) {
		var i int
		switch {
		case path == "/":
			to = append(to, "/list?from=0")
		case scan(path, "/list?from=%d", &i):
			for k := range 50 {
				to = append(to, fmt.Sprintf("/record/%d", i+k))
			}
			if i+50 < n/4 {
				to = append(to, fmt.Sprintf("/list?from=%d", i+50))
			}
		case scan(path, "/record/%d", &i) && !strings.Contains(path, "?"):
			to = append(to, path+"?view=cite", path+"?view=export", path+"?view=print")
		}
		return to
	}
}

// species is a tree up to eight levels deep, whose pages lead down, and back to those above.
func species(int) func(string) []string {
	return func(path string) (to []string) {
		r := chance(path)
		level := strings.Count(path, "/") - 1
		if level < 8 && (level < 3 || r.IntN(7) >= level-3) {
			for i := range 1 + r.IntN(5) {
				to = append(to, fmt.Sprintf("%s%c%d/", path, 'a'+level, i))
			}
		}
		for i, c := range path {
			if c == '/' {
				to = append(to, path[:i+1])
			}
		}
		return to
	}
}

// classification is a tree ten levels deep, in which half of the pages lead on, each to four more; a page names no others.
func classification(int) func(string) []string {
	return func(path string) (to []string) {
		if level := strings.Count(path, "/"); level < 10 && (level < 3 || chance("on"+path).IntN(2) == 0) {
			for i := range 4 {
				to = append(to, fmt.Sprintf("%s%d/", path, i))
			}
		}
		return to
	}
}

// comic has one page after the other, each with its next and its previous.
func comic(n int) func(string) []string {
	return func(path string) []string {
		i := 0
		scan(path, "/%d", &i)
		return []string{fmt.Sprintf("/%d", max(i-1, 1)), fmt.Sprintf("/%d", min(i+1, n))}
	}
}

// eclipses are those of six decades before and after today, in a list for each decade, and each leads to the next and the previous.
func eclipses(n int) func(string) []string {
	return dates("/eclipse/2006-01-02.html", "/decade/%d", 10, n/2, n/2)
}

// mapped adds to each page of a day one that only it leads to.
func mapped(site func(int) func(string) []string) func(int) func(string) []string {
	return func(n int) func(string) []string {
		links := site(n)
		return func(path string) []string {
			day, ok := strings.CutPrefix(path, "/eclipse/")
			switch {
			case ok:
				return append(slices.Clone(links(path)), "/map/"+strings.ReplaceAll(day, "-", "x"))
			case strings.HasPrefix(path, "/map/"):
				return nil
			}
			return links(path)
		}
	}
}

// bonds are listed by the year in which they end, which may be far ahead.
func bonds(n int) func(string) []string {
	return dates("/bond?day=02&month=01&year=2006", "/bonds/%d/", 1, 0, n)
}

// weather is that of each day in sixty years, which differs in some numbers only.
func weather(n int) func(string) []string {
	return dates("/weather/2006/01/02", "/weather/%d/", 1, n, 0)
}

// tides are those of days to come, which differ in some numbers only.
func tides(n int) func(string) []string {
	return dates("/tides/2006/01/02", "/tides/%d/", 1, n/2, n/2)
}

// dates are so many pages of days in sixty years before today, and after it, in lists of so many years.
func dates(page, list string, years, before, after int) func(string) []string {
	in, pages, place := map[string][]string{}, []string(nil), map[string]int{}
	for i := -before; i < after; i++ {
		day := today.AddDate(0, 0, i*60*365/max(before, after))
		u := day.Format(page)
		if _, double := place[u]; double {
			continue
		}
		of := fmt.Sprintf(list, day.Year()/years*years)
		in[of] = append(in[of], u)
		place[u] = len(pages)
		pages = append(pages, u)
	}
	return func(path string) []string {
		if path == "/" {
			return slices.Collect(maps.Keys(in))
		}
		if i, ok := place[path]; ok {
			return []string{pages[max(i-1, 0)], pages[min(i+1, len(pages)-1)]}
		}
		return in[path]
	}
}

// previous begins with the last page, and each leads to the one before only.
func previous(n int) func(string) []string {
	return func(path string) []string {
		i := n
		scan(path, "/entry/%d.html", &i)
		if i == 0 {
			return nil
		}
		return []string{fmt.Sprintf("/entry/%d.html", i-1)}
	}
}

// byChance has, in a site of documents, a place of two thousand pages at most, each of which leads to any five of them. It is
// parked, and found to be finite when its scouts are sent for the second time.
func byChance(n int) func(string) []string {
	return func(path string) (to []string) {
		r := chance(path)
		var i int
		switch {
		case path == "/":
			to = append(to, "/place/0")
			for i := range 20 {
				to = append(to, fmt.Sprintf("/chapter-%d", i))
			}
		case scan(path, "/chapter-%d", &i) && strings.Count(path, "/") == 1:
			for s := range n / 20 {
				to = append(to, fmt.Sprintf("/chapter-%d/%d", i, s))
			}
		case scan(path, "/chapter-%d/%d", &i, new(int)):
			to = append(to, fmt.Sprintf("/chapter-%d", i), fmt.Sprintf("/chapter-%d", r.IntN(20)))
		default:
			for range 5 {
				to = append(to, fmt.Sprintf("/place/%x", r.IntN(min(n, 2000))*7919))
			}
		}
		return to
	}
}

// Ensure that the way to sign in, which is the first link of all pages, says where to go on after it and has another such way
// behind it, does not speak against a site, and that few of these are asked for.
func TestDetector_WaysToSignIn(t *testing.T) {
	const lists, perList = 8, 60
	text := func(path string) Text {
		if strings.HasPrefix(path, "/a-") {
			path = "form"
		}
		return sameFor(func(path string) string { return path })(path)
	}
	for order := range 4 {
		items, forms := map[string]bool{}, 0
		r := (&replay{most: 100 * lists * perList}).inOrder(order)
		r.answers = func(path string) answered {
			k := 0
			to := []string{"/a-login?return=" + url.QueryEscape(path), "/", "/home"}
			switch {
			case strings.HasPrefix(path, "/a-login?"):
				forms++
				to = []string{"/a-join?" + path[len("/a-login?"):], "/home"}
			case strings.HasPrefix(path, "/a-"):
				forms++
			case scan(path, "/item/%d", &k):
				items[path] = true
				to = append(to, fmt.Sprintf("/list/%d", k/perList))
			case scan(path, "/list/%d", &k):
				for i := range perList {
					to = append(to, fmt.Sprintf("/item/%d", perList*k+i))
				}
			case path == "/home":
				for i := range lists {
					to = append(to, fmt.Sprintf("/list/%d", i))
				}
			}
			return answered{ok: true, to: to, text: text(path)}
		}
		r.run("/")
		if len(items) != lists*perList || forms > 100 {
			t.Errorf("order %d: %d of %d items were visited, and %d forms: %v", order, len(items), lists*perList, forms, r.found)
		}
	}
}
