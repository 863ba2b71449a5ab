package trap

import (
	"fmt"
	"strings"
	"testing"
)

// A board has topics, each with posts that show their topic once more.
type board struct {
	d     *Detector
	asked int // posts that were asked for
}

func newBoard() *board { return &board{d: New(Options{})} }

// post asks for a topic at one of its posts, with the links that it brings, and reports whether it was visited.
func (f *board) post(n int, p Page) bool {
	p.URL, p.Via = at(fmt.Sprintf("/topic?f=2&p=%d", n)), at("/")
	if _, bad := f.d.Suspect(p.URL, p.Via, today); bad {
		return false
	}
	f.d.Visit(p)
	f.asked++
	return true
}

// said is a text that the home page said.
var said = Text{Hash: 1, Words: 100, Sample: [8]uint64{1, 2, 3, 4, 5, 6, 7, 8}}

func (f *board) posts(n int, page func(i int) Page) *board {
	home := Page{URL: at("/"), Text: said}
	for i := range n {
		home.Links = append(home.Links, at(fmt.Sprintf("/topic?p=%d", i)), at(fmt.Sprintf("/topic?p=%d", 1000+i)))
	}
	home.New = len(home.Links)
	f.d.Visit(home)
	for i := range n {
		f.post(i, page(i))
	}
	return f
}

// Ensure that known pages in other guises are no longer asked for once sixteen brought nothing.
func TestDetector_Guises(t *testing.T) {
	news := func(i int) []URL { return []URL{at(fmt.Sprintf("/topic?t=%d", i))} }
	more := func(i int) []URL { return []URL{at(fmt.Sprintf("/topic?f=2&p=%d", 1000+i))} }
	views := func(i, to int) []URL {
		return []URL{at(fmt.Sprintf("/topic?f=2&p=%d", to)), at(fmt.Sprintf("/topic?f=3&p=%d", i))}
	}
	unsaid := func(i int) Text {
		x := uint64(100 * (i + 1))
		return Text{Hash: x, Words: 100, Sample: [8]uint64{x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7}}
	}
	const all, few = 100, 2*manyValues - 1 // the first that is counted makes the values many
	for _, tt := range []struct {
		name string
		page func(i int) Page
		want int
	}{
		{"not to be kept", func(int) Page { return Page{Unkept: true} }, few},
		{"others once more", func(int) Page { return Page{Mirrors: true, Text: said} }, few},
		{"others with a parameter more", func(int) Page { return Page{Extras: []string{"f=2"}, Text: said} }, few},
		{"others once more that lead to themselves by another order of parameters", func(i int) Page {
			return Page{Mirrors: true, Text: said, Links: []URL{at(fmt.Sprintf("/topic?p=%d&f=2", i))}, New: 1}
		}, few},
		{"with a parameter more that lead to other known ones with it", func(i int) Page {
			return Page{Extras: []string{"f=2"}, Text: said, Links: views(i, 1000+i), New: 2}
		}, few},
		{"with a parameter more that lead to ones that are not known without it", func(i int) Page {
			return Page{Extras: []string{"f=2"}, Text: said, Links: views(i, 5000+i), New: 2}
		}, all},
		{"with their own one more", func(i int) Page { return Page{Extras: []string{fmt.Sprintf("p=%d", i)}, Text: said} }, all},
		{"pages", func(int) Page { return Page{Text: said} }, all},
		{"that name another wrongly", func(i int) Page { return Page{Mirrors: true, Text: unsaid(i)} }, all},
		{"that lead to further ones", func(i int) Page { return Page{Unkept: true, Links: more(i), New: 1} }, all},
		{"that lead to what is new", func(i int) Page { return Page{Unkept: true, Links: news(i), New: 1} }, all},
		{"of which one in ten is kept", func(i int) Page { return Page{Unkept: i%10 > 0} }, all},
	} {
		if f := newBoard().posts(all, tt.page); f.asked != tt.want {
			t.Errorf("%s: %d of %d pages are asked for, want %d", tt.name, f.asked, all, tt.want)
		}
	}
}

// Ensure that the pages of a topic that each of its posts has once more, whatever page it stands on, are no longer asked for once
// sixteen brought nothing; and that those of boards, brands, albums and users by their numbers are, however little each says.
func TestDetector_GuisesOfNumberedLists(t *testing.T) {
	const all = 100
	inAll := func(n int) string { return fmt.Sprintf("/all?page=%d", n) }
	for _, tt := range []struct {
		name  string
		pages int // of each number
		page  func(i int) Page
		want  int
	}{
		{"of one text", 5, func(int) Page { return Page{Text: said} }, 20}, // the first of each number says nothing
		{"of known phrases", 5, func(i int) Page {
			return Page{Text: Text{uint64(i+1) * 0x9e3779b97f4a7c15, 100, said.Sample}}
		}, all},
		{"of nearly one text", 5, func(i int) Page { return Page{Text: Text{1 + uint64(i%2), 100, said.Sample}} }, all},
		{"that lead on", 5, func(i int) Page { return Page{Text: said, Links: []URL{at(fmt.Sprint("/new/", i))}, New: 1} }, all},
		{"that lead to other known pages", 5, func(i int) Page { return Page{Text: said, Links: []URL{at(inAll(i % 3))}} }, all},
		{"with pictures", 5, func(i int) Page {
			return Page{Text: said, Pictures: []URL{at(fmt.Sprintf("/pictures/%d.jpg", i))}}
		}, all},
		{"without entries", 1, func(int) Page { return Page{Text: said} }, all},
	} {
		d, asked := New(Options{}), 0
		home := Page{URL: at("/"), Text: said}
		for n := range 5 {
			home.Links = append(home.Links, at(inAll(n)))
		}
		home.New = len(home.Links)
		d.Visit(home)
		for i := range all {
			p := tt.page(i)
			number := fmt.Sprintf("/all/%d", i/tt.pages)
			if p.Via = at("/"); i%tt.pages == 0 {
				p.URL = at(number)
				d.Visit(p)
			}
			p.URL = at(fmt.Sprintf("%s?page=%d", number, i%tt.pages))
			if _, bad := d.Suspect(p.URL, p.Via, today); !bad {
				d.Visit(p)
				asked++
			}
		}
		if asked != tt.want {
			t.Errorf("%s: %d of %d pages are asked for, want %d", tt.name, asked, all, tt.want)
		}
		if _, bad := d.Suspect(at("/other/17?page=2"), at("/"), today); bad {
			t.Errorf("%s: a page is suspected of a list that is not known without the number", tt.name)
		}
	}
}

// Ensure that what one value of a parameter shows does not speak against another value, as long as these are few.
func TestDetector_GuisesOfOneView(t *testing.T) {
	d := New(Options{})
	visit := func(view string, n int, unkept bool) bool {
		u := at(fmt.Sprintf("/index?view=%s&id=%d", view, n))
		_, bad := d.Suspect(u, at("/"), today)
		if !bad {
			d.Visit(Page{URL: u, Via: at("/"), Unkept: unkept})
		}
		return !bad
	}
	for n := range 50 {
		visit("print", n, true)
		visit("form-"+strings.Repeat("x", n), 1000+n, true) // many other views, all in words
	}
	if visit("print", 51, true) || !visit("article", 51, false) {
		t.Error("pages to print are asked for, or articles are not")
	}
}

// Ensure that redirects to what was visited, as to a form to sign in, are not followed for ever, and that others are.
func TestDetector_GuisesOfRedirects(t *testing.T) {
	for _, vain := range []bool{true, false} {
		d, asked := New(Options{}), 0
		d.Visit(Page{URL: at("/"), Links: []URL{at("/a")}, New: 1})
		for n := range 100 {
			u := at(fmt.Sprintf("/review?id=%d", n))
			if _, bad := d.Suspect(u, at("/"), today); !bad {
				asked++
				d.Moved(u, at("/"), at("/login"), vain)
			}
		}
		if want := map[bool]int{true: 2*manyValues - 1, false: 100}[vain]; asked != want {
			t.Errorf("in vain %v: %d of 100 are asked for, want %d", vain, asked, want)
		}
	}
}

// Ensure that the query of ever other paths is known for what it shows, and that it does not speak against the paths.
func TestDetector_GuisesOfAllPaths(t *testing.T) {
	d, asked := New(Options{}), 0
	for n := range 100 {
		u := at(fmt.Sprintf("/items/%d?output=atom", n))
		if _, bad := d.Suspect(u, at("/"), today); bad {
			continue
		}
		asked++
		d.Visit(Page{URL: u, Via: at("/"), Unkept: true})
	}
	if asked != 2*manyValues-1 {
		t.Errorf("%d of 100 feeds are asked for", asked)
	}
	for _, path := range []string{"/items/101", "/items/101?output=html", "/items/101?page=2"} {
		if f, bad := d.Suspect(at(path), at("/"), today); bad {
			t.Errorf("%s is suspected: %v", path, f)
		}
	}
	f, _ := d.Suspect(at("/items/101?output=atom"), at("/"), today)
	d = New(Options{})
	d.Restore(at("/items/101?output=atom"), f)
	if _, bad := d.Suspect(at("/items/102?output=atom"), at("/"), today); !bad {
		t.Error("another feed is asked for when the crawl is started anew")
	}
}

// Ensure that a parameter that shows the page of ever other paths once more, at one of its answers, is known whatever it says, and
// that one that shows a page of its own now and then is not.
func TestDetector_GuisesOfAnyValue(t *testing.T) {
	answers := func(own func(n int) bool) (d *Detector, asked int) {
		d = New(Options{})
		d.Visit(Page{URL: at("/"), Text: said})
		for n := range 200 {
			u := at(fmt.Sprintf("/%d/title-%d?show=%d", n/2, n/2, 1000+n))
			if _, bad := d.Suspect(u, at("/"), today); !bad {
				asked++
				d.Visit(Page{URL: u, Via: at("/"), Mirrors: !own(n), Text: said})
			}
		}
		return d, asked
	}
	d, asked := answers(func(int) bool { return false })
	if asked < anyValueGuises*16 || asked > anyValueGuises*16+2*manyValues {
		t.Errorf("%d of 200 answers are asked for", asked)
	}
	for _, path := range []string{"/101/title", "/101/title?show=5&view=x", "/101/title?show", "/101/title?page=2"} {
		if f, bad := d.Suspect(at(path), at("/"), today); bad {
			t.Errorf("%s is suspected: %v", path, f)
		}
	}
	f, _ := d.Suspect(at("/101/title?show=5"), at("/"), today)
	d = New(Options{})
	d.Restore(at("/101/title?show=5"), f)
	if _, bad := d.Suspect(at("/102/title?show=6"), at("/"), today); !bad {
		t.Error("another answer is asked for when the crawl is started anew")
	}
	if _, asked := answers(func(n int) bool { return n%50 == 0 }); asked != 200 {
		t.Errorf("%d of 200 are asked for where one in 50 is a page of its own", asked)
	}
}

// Ensure that pages which say in a parameter where they were found, and lead to others as found on them, are known, unless they
// lead to what is not.
func TestDetector_GuisesThatSayWhereTheyWereFound(t *testing.T) {
	const products = 100
	related := func(n, k int) string { return fmt.Sprintf("/product/%d-title?ref=%d", (n+k*k)%products, n) }
	shop := func(own bool) (asked int) {
		d := New(Options{Pages: -1})
		var all []URL
		for n := range products {
			all = append(all, at(fmt.Sprintf("/product/%d-title", n)))
		}
		d.Visit(Page{URL: at("/"), Links: all, New: len(all), Text: said})
		for k := range 8 {
			for n := range products {
				u := at(related(n, k+1))
				if _, bad := d.Suspect(u, all[n], today); bad {
					continue
				}
				asked++
				var links []URL
				to := (n + (k+1)*(k+1)) % products
				for k := range 8 {
					links = append(links, at(related(to, k+1)))
				}
				if own {
					links = append(links, at(fmt.Sprintf("/offer/%d-%d", n, k)))
				}
				d.Visit(Page{URL: u, Via: all[n], Links: links, New: 8, Mirrors: true, Text: said})
			}
		}
		return asked
	}
	if asked := shop(false); asked > anyValueGuises*16+2*manyValues {
		t.Errorf("%d of 800 pages are asked for as found on others", asked)
	}
	if asked := shop(true); asked != 800 {
		t.Errorf("%d of 800 pages that lead to what is new are asked for", asked)
	}
}

// Ensure that what was put aside stays so when the crawl is started anew.
func TestDetector_GuisesRestored(t *testing.T) {
	f := newBoard().posts(50, func(int) Page { return Page{Unkept: true} })
	finding, _ := f.d.Suspect(at("/topic?f=2&p=77"), at("/"), today)
	read, ok := ParseFinding(finding.String())
	if !ok || read != finding || finding.Kind != Guises {
		t.Fatalf("finding is %v, read as %v", finding, read)
	}
	d := New(Options{})
	d.Restore(at("/topic?f=2&p=77"), read)
	if _, bad := d.Suspect(at("/topic?p=78&f=2"), at("/"), today); !bad {
		t.Error("another one is asked for")
	}
	if _, bad := d.Suspect(at("/topic?t=78&f=2"), at("/"), today); bad {
		t.Error("a topic is not asked for")
	}
}

// Ensure that paths which end in a number are parked when they show known pages once more by their own word, as the comments on an
// article do, and that articles, lists in pages and redirects are not.
func TestDetector_GuisesOfNumberedPaths(t *testing.T) {
	copies := Page{Mirrors: true, Text: said}
	for _, tt := range []struct {
		path  string // with the number
		page  Page
		parks bool
	}{
		{"/comment/%d", copies, true},
		{"/d/%[1]d-title/%[1]d/", copies, true},
		{"/index.php?feed/atom/comments/%d", Page{Unkept: true}, true},
		{"/index.php?post/2026/%d", Page{Text: said}, false},
		{"/members/%d", Page{Unkept: true}, true},
		{"/node/%d", Page{Text: said}, false},
		{"/tag/old-books/page/%d", copies, false},
		{"/title-%d", copies, false},
		{"/2026/11/title-%d", copies, false},
	} {
		d, asked := New(Options{}), 0
		d.Visit(Page{URL: at("/"), Text: said})
		var f Finding
		for n := range 100 {
			p := tt.page
			p.URL, p.Via = at(fmt.Sprintf(tt.path, n)), at("/")
			var bad bool
			if f, bad = d.Suspect(p.URL, p.Via, today); !bad {
				asked++
				d.Visit(p)
			}
		}
		if want := map[bool]int{true: 2*manyValues - 1, false: 100}[tt.parks]; asked != want {
			t.Errorf("%d of 100 of %s are asked for, want %d", asked, tt.path, want)
		}
		if !tt.parks {
			continue
		}
		again := New(Options{})
		again.Restore(at(fmt.Sprintf(tt.path, 99)), f)
		if _, bad := again.Suspect(at(fmt.Sprintf(tt.path, 101)), at("/"), today); !bad {
			t.Errorf("another one of %s is asked for when the crawl is started anew", tt.path)
		}
		if g, bad := again.Suspect(at("/other/101"), at("/"), today); bad {
			t.Errorf("another path is suspected after %s: %v", tt.path, g)
		}
	}

	d := New(Options{})
	for n := range 100 {
		u := at(fmt.Sprintf("/node/%d", n))
		if f, bad := d.Suspect(u, at("/"), today); bad {
			t.Fatalf("an old address is suspected: %v", f)
		}
		d.Moved(u, at("/"), at("/title"), true)
	}
}

// Ensure that second pages of lists which all show what is known do not speak against the second page of another list.
func TestDetector_GuisesOfSecondPages(t *testing.T) {
	for _, path := range []string{"/user/%d/track?page=1", "/forum.php?f=%d&start=25"} {
		d := New(Options{})
		d.Visit(Page{URL: at("/"), Text: said})
		for n := range 100 {
			u := at(fmt.Sprintf(path, n))
			if f, bad := d.Suspect(u, at("/"), today); bad {
				t.Fatalf("%s is suspected: %v", u.PathQuery, f)
			}
			d.Visit(Page{URL: u, Via: at("/"), Text: said, Extras: []string{"page=1", "start=25"}})
		}
	}
}
