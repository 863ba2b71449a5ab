package trap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Ensure that what an address says with one condition less is told.
func TestWithoutOne(t *testing.T) {
	for _, tt := range []struct {
		pathQuery string
		want      []string
	}{
		{"/issues?state=open&labels=1%2C22", []string{"/issues?labels=1%2C22", "/issues?state=open", "/issues?state=open&labels=22",
			"/issues?state=open&labels=1"}},
		{"/shop?color=red,blue,green", []string{"/shop", "/shop?color=blue,green", "/shop?color=red,green", "/shop?color=red,blue"}},
		{"/list?f%5B0%5D=a&f%5B1%5D=b&f%5B2%5D=c",
			[]string{"/list?f%5B0%5D=b&f%5B1%5D=c", "/list?f%5B0%5D=a&f%5B1%5D=c", "/list?f%5B0%5D=a&f%5B1%5D=b"}},
		{"/list?tag[]=a&tag[]=b", []string{"/list?tag[]=b", "/list?tag[]=a"}},
		{"/shop?filter_color=a,b&query_type_color=or&filter_size=m", []string{"/shop?filter_size=m",
			"/shop?filter_color=b&query_type_color=or&filter_size=m", "/shop?filter_color=a&query_type_color=or&filter_size=m",
			"/shop?filter_color=a,b&query_type_color=or"}},
		{"/shop?min_price=5&size=m&max_price=9", []string{"/shop?size=m", "/shop?min_price=5&max_price=9"}},
		{"/list?user_id=5&post_id=9", []string{"/list?post_id=9", "/list?user_id=5"}},
		{"/list?a=1;b=2;page=3", []string{"/list?b=2;page=3", "/list?a=1;page=3"}},
		{"/list?q=&page=3", nil},
		{"/list?tagged", nil},
		{"/list", nil},
		{"/index.php?feed/comments/17", nil},
		{"/list?" + strings.Repeat("a=1&", mostConditions+1), nil},
	} {
		if got := withoutOne(tt.pathQuery); !slices.Equal(got, tt.want) {
			t.Errorf("withoutOne(%q) = %q, want %q", tt.pathQuery, got, tt.want)
		}
	}
	if n := len(withoutOne("/list?a=" + strings.Repeat("1,", 1000))); n != mostConditions {
		t.Errorf("of a thousand members %d are looked at, want %d", n, mostConditions)
	}
}

// Ensure that another thing on the path of a list is none of its lists.
func TestIsFurther(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"/issues?state=open&labels=1,2", "/issues?state=open&labels=1,2,3&page=2", true},
		{"/issues?state=open&labels=1,2", "/issues?state=open", true},
		{"/issues?state=open&labels=1,2", "/issues?state=open&labels=1,2&poster=7", true},
		{"/shop/page/2/?color=red&size=m", "/shop/page/3/?color=red&size=m", true},
		{"/list?f[0]=a&f[1]=b", "/list?f[0]=a&f[1]=b&f[2]=c", true},
		{"/index.php?lang=fr&category=3", "/index.php?lang=fr&id=17", false},
		{"/issues?state=open&labels=1,2", "/issues/17?state=open&labels=1,2", false},
	} {
		if got := isFurther(tt.from, tt.to); got != tt.want {
			t.Errorf("isFurther(%q, %q) = %t", tt.from, tt.to, got)
		}
	}
}

// filters is a list of entries with labels: each set of them has a page, which leads to all that are one larger or one smaller.
type filters struct {
	labels  int
	address func(set []int) string
	text    func(asked int) Text
	entry   func(asked int) string // what a set of two or more leads to
}

// visit asks for the sets breadth first, until so many were, and returns how many, and how many were suspected.
func (f filters) visit(d *Detector, most int) (asked, suspected int, found Finding) {
	type place struct {
		set []int
		via URL
	}
	d.Visit(Page{URL: at("/"), Links: []URL{at(f.address(nil))}, New: 1, Text: said})
	queue, met := []place{{nil, at("/")}}, map[string]bool{f.address(nil): true}
	for ; len(queue) > 0 && asked < most; queue = queue[1:] {
		u := at(f.address(queue[0].set))
		if why, bad := d.Suspect(u, queue[0].via, today); bad {
			found = why
			suspected++
			continue
		}
		asked++
		p := Page{URL: u, Via: queue[0].via, Text: f.text(asked)}
		for label := range f.labels {
			set := slices.Clone(queue[0].set)
			if i := slices.Index(set, label); i >= 0 {
				set = slices.Delete(set, i, i+1)
			} else {
				set = append(set, label)
				slices.Sort(set)
			}
			to := f.address(set)
			p.Links = append(p.Links, at(to))
			if !met[to] {
				met[to] = true
				queue = append(queue, place{set, u})
				p.New++
			}
		}
		if len(queue[0].set) > 1 && f.entry != nil {
			p.Links = append(p.Links, at(f.entry(asked)))
			p.New++
		}
		d.Visit(p)
	}
	return asked, suspected, found
}

// labelled writes a set as the value of one parameter.
func labelled(separator string) func(set []int) string {
	return func(set []int) string {
		if len(set) == 0 {
			return "/issues?state=open"
		}
		return "/issues?state=open&labels=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(set), " ", separator), "[]")
	}
}

// faceted writes a set as parameters.
func faceted(name func(i, label int) string) func(set []int) string {
	return func(set []int) string {
		to := "/issues"
		for i, label := range set {
			to += string("?&"[min(i, 1)]) + name(i, label)
		}
		return to
	}
}

// Ensure that sets of conditions are no longer asked for once sixteen in a row brought nothing, in whatever way they are written,
// and are when they say or lead to what is new.
func TestDetector_Combinations(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	same := func(int) Text { return said }
	own := func(asked int) Text {
		x := uint64(100 * (asked + 1))
		return Text{Hash: x, Words: 100, Sample: [8]uint64{x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7}}
	}
	comma := labelled(",")
	for _, tt := range []struct {
		name  string
		f     filters
		ends  bool
		place string
	}{
		{"with commas", filters{labels: 30, address: comma, text: same}, true, "http://a.example/issues?{labels,state}"},
		{"with escaped commas", filters{labels: 30, address: labelled("%2C"), text: same}, true,
			"http://a.example/issues?{labels,state}"},
		{"as a repeated parameter", filters{labels: 30, text: same,
			address: faceted(func(_, label int) string { return fmt.Sprintf("tag[]=%d", label) })}, true,
			"http://a.example/issues?{tag[]}"},
		{"as counted parameters", filters{labels: 30, text: same,
			address: faceted(func(i, label int) string { return fmt.Sprintf("f[%d]=t%d", i, label) })}, true,
			"http://a.example/issues?{f[]}"},
		{"that say what is new", filters{labels: 12, address: comma, text: own}, false, ""},
		{"that lead to what is new", filters{labels: 12, address: comma, text: same,
			entry: func(asked int) string { return fmt.Sprintf("/issues/%d", asked) }}, false, ""},
		{"that lead to what is new on their path", filters{labels: 12, address: comma, text: same,
			entry: func(asked int) string { return fmt.Sprintf("/issues?state=open&id=%d", asked) }}, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, suspected, found := tt.f.visit(New(Options{Pages: -1}), 3000)
			if tt.ends && (asked > 100 || found.Place != tt.place || found.Kind != Guises) {
				t.Errorf("%d sets were asked for and %d suspected: %v", asked, suspected, found)
			}
			if !tt.ends && suspected > 0 && found.Kind == Guises {
				t.Errorf("%d sets are suspected: %v", suspected, found)
			}
		})
	}
	if _, suspected, found := (filters{labels: 30, address: comma, text: same}).visit(New(Options{Pages: -1, Guises: -1}), 3000); suspected > 0 {
		t.Errorf("%d sets are suspected although guises do not matter: %v", suspected, found)
	}
}

// Ensure that sets that were put aside before the crawl was started anew are after it, also those of all lists of a site.
func TestDetector_CombinationsAreRestored(t *testing.T) {
	f := filters{labels: 30, address: labelled(","), text: func(int) Text { return said }}
	_, _, found := f.visit(New(Options{Pages: -1}), 3000)
	for _, place := range []string{found.Place, "http://a.example/*?{labels,state}"} {
		d := New(Options{Pages: -1})
		d.Restore(at("/issues?state=open&labels=1,2"), Finding{Guises, place, found.Evidence})
		if asked, suspected, _ := f.visit(d, 3000); suspected == 0 || asked > 1+30 {
			t.Errorf("%s: %d sets were asked for and %d suspected after the crawl was started anew", place, asked, suspected)
		}
	}
}

// Ensure that a combination is known by smaller ones that were put aside before the crawl was started anew.
func TestDetector_CombinationsOfWhatIsParked(t *testing.T) {
	d := New(Options{})
	for _, set := range []string{"1,2", "1,3", "2,3"} {
		u := at("/issues?labels=" + set)
		d.Restore(u, Finding{Guises, "http://a.example/issues?{labels}", "16 such combinations"})
	}
	if _, bad := d.Suspect(at("/issues?labels=1,2,3"), at("/issues?labels=1,2"), today); !bad {
		t.Error("a set whose smaller ones are parked is asked for")
	}
	if f, bad := d.Suspect(at("/issues?labels=4,5,6"), at("/"), today); bad {
		t.Errorf("a set of which nothing is known is suspected: %v", f)
	}
}
