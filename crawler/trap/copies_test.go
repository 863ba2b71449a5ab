package trap

import (
	"fmt"
	"strings"
	"testing"
)

// A front is a site whose program shows its front page, with links to its second pages, at each path that it does not know.
type front struct {
	d     *Detector
	asked map[string]int // by the kind of what was asked for
}

func (f *front) links(path string, of int) (links []URL) {
	for n := 2; n <= 7; n++ {
		links = append(links, at(fmt.Sprintf("%s?paged=%d", path, n)))
	}
	for n := range of {
		links = append(links, at(fmt.Sprintf("/article-%d", n)))
	}
	if path != "/" {
		links = append(links, at("/"))
	}
	return links
}

func (f *front) visit(kind string, p Page, via URL) bool {
	p.Via = via
	if _, bad := f.d.Suspect(p.URL, p.Via, today); bad {
		return false
	}
	p.New = len(p.Links)
	f.d.Visit(p)
	f.asked[kind]++
	return true
}

// Ensure that the second pages of copies of the front page are asked for no more once sixteen paths had it, and that lists with
// links or pictures of their own are none.
func TestDetector_Copies(t *testing.T) {
	for _, tt := range []struct {
		name          string
		own, pictures bool // each path has a link of its own, too, or shows a picture of its own
		want          int  // second pages that are asked for
	}{{"copies", false, false, 16 * 6}, {"lists", true, false, 100 * 6}, {"albums", false, true, 100 * 6}} {
		t.Run(tt.name, func(t *testing.T) {
			f := &front{d: New(Options{}), asked: map[string]int{}}
			f.visit("front", Page{URL: at("/"), Text: said, Links: f.links("/", 30)}, at("/"))
			for n := range 100 {
				article, wrong := at(fmt.Sprintf("/article-%d", n%30)), fmt.Sprintf("/old/%d/name", n)
				links := f.links(wrong, 30)
				if tt.own {
					links = append(links, at(fmt.Sprintf("/photo-%d", n)))
				}
				p := Page{URL: at(wrong), Text: said, Links: links}
				if tt.pictures {
					p.Pictures = []URL{at(fmt.Sprintf("/photo-%d.jpg", n))}
				}
				f.visit("wrong", p, article)
				for i := 2; i <= 7; i++ {
					text := said
					text.Hash += uint64(i)
					second := at(fmt.Sprintf("%s?paged=%d", wrong, i))
					f.visit("second", Page{URL: second, Text: text, Links: f.links(wrong, 30)}, at(wrong))
				}
			}
			if f.asked["wrong"] != 100 || f.asked["second"] != tt.want {
				t.Errorf("asked for %d paths, %d second pages, want 100 and %d", f.asked["wrong"], f.asked["second"], tt.want)
			}
			finding, bad := f.d.Suspect(at("/old/99/name?paged=2"), at("/old/99/name"), today)
			place := at("/*?paged=*").String()
			if want := !tt.own && !tt.pictures; bad != want || bad && (finding.Kind != Guises || finding.Place != place) {
				t.Errorf("found %q, want the place to be %s or, of lists and albums, nothing", finding, place)
			}
			copied, on := Page{URL: at("/old/99/name"), Links: f.links("/old/99/name", 30)}, 30+1
			if tt.own || tt.pictures {
				on += 6
			}
			if got := len(f.d.withoutCopiesLocked(copied).Links); got != on {
				t.Errorf("%d links lead on, want %d", got, on)
			}
			if finding, bad := f.d.Suspect(at("/article-1?page=2"), at("/article-1"), today); bad {
				t.Errorf("the second page of an article is not asked for: %v", finding)
			}
		})
	}
}

// Ensure that all second pages are asked for of tables that differ in their numbers, and of paths that show the same until somebody
// has said how old he is.
func TestDetector_NoCopies(t *testing.T) {
	for name, says := range map[string]func(path, query uint64) uint64{
		"tables": func(path, _ uint64) uint64 { return path },
		"gates":  func(path, query uint64) uint64 { return path * min(query, 1) },
	} {
		f := &front{d: New(Options{}), asked: map[string]int{}}
		for n := range uint64(100) {
			path := fmt.Sprintf("/table-%d", n)
			f.visit("first", Page{URL: at(path), Text: said, Exact: says(n, 0), Links: f.links(path, 3)}, at("/"))
		}
		for n := range uint64(100) {
			path := fmt.Sprintf("/table-%d", n)
			for i := uint64(2); i <= 7; i++ {
				second := at(fmt.Sprintf("%s?paged=%d", path, i))
				f.visit("second", Page{URL: second, Text: said, Exact: says(n, i), Links: f.links(path, 3)}, at(path))
			}
		}
		if f.asked["first"] != 100 || f.asked["second"] != 600 {
			t.Errorf("%s: asked for %d paths, %d second pages, want 100 and 600", name, f.asked["first"], f.asked["second"])
		}
	}
}

// Ensure that all pages of a site with such a program are visited although its articles lead to many paths of old that it does not
// know, whatever the order in which pages come.
func TestDetector_CopiesAmongPages(t *testing.T) {
	const articles = 65
	for order := range 4 + furtherOrders() {
		r := (&replay{most: 5000}).inOrder(order)
		r.perRun = 0
		visited := map[string]bool{}
		r.answers = func(path string) answered {
			visited[path] = true
			return fallenBack(path, articles)
		}
		r.run("/")
		for n := range articles {
			for part := 1; part <= 3; part++ {
				if path := fmt.Sprintf("/?p=%d&page=%d", n, part); !visited[path] {
					t.Errorf("order %d: %s is not visited; found %v", order, path, r.found)
				}
			}
		}
		if most := articles*(3+5) + 250; r.visited > most {
			t.Errorf("order %d: %d pages were asked for, want at most %d", order, r.visited, most)
		}
	}
}

// fallenBack is a site of articles in three pages, by their numbers, and of lists of ten of these, the first of which it shows at
// each path that it does not know. Each article leads to five such paths.
func fallenBack(path string, articles int) answered {
	text := sameFor(func(path string) string { return path })
	path, query, _ := strings.Cut(path, "?")
	n, page := 0, 1
	if scan("?"+query, "?p=%d&page=%d", &n, &page) {
		a := answered{ok: true, text: text("/?" + query), to: []string{"/"}}
		if page < 3 {
			a.to = append(a.to, fmt.Sprintf("/?p=%d&page=%d", n, page+1))
		}
		for i := range 5 {
			a.to = append(a.to, fmt.Sprintf("/2019/%d/%d-of-old", n, i))
		}
		return a
	}
	scan("?"+query, "?paged=%d", &page)
	a := answered{ok: true, text: text(fmt.Sprintf("/?paged=%d", page))}
	if path == "/" {
		a.to = append(a.to, "/feed") // which that of a part of a site is not asked for
	}
	for other := range 7 {
		if other+1 != page {
			a.to = append(a.to, fmt.Sprintf("%s?paged=%d", path, other+1))
		}
	}
	for n := 10 * (page - 1); n < min(10*page, articles); n++ {
		a.to = append(a.to, fmt.Sprintf("/?p=%d&page=1", n))
	}
	return a
}
