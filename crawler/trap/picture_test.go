package trap

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// pictured are sites whose pages all have the same words, and a picture each.
var pictured = []struct {
	name    string
	links   func(n int) func(path string) []string
	picture func(path string) string
	made    bool // by a program
}{
	{"comic", comic, func(path string) string { return "/strips" + path + ".png" }, false},
	{"comic of a program", comic, func(path string) string { return "/strips" + path + ".jpg" }, true},
	{"comic of a program, with titles", comic, func(path string) string { return "/strips/" + word(path) + ".png" }, true},
	{"scanned book", comic, func(path string) string {
		return "/page.php?zip=book.zip&file=book_00" + path[1:] + ".jp2&scale=4"
	}, true},
	{"pictures in two sizes", inTwoSizes, func(path string) string { return "/image.php?id=" + path[1:] + "&size=small" }, true},
}

// inTwoSizes is a comic each page of which leads to its picture as it is.
func inTwoSizes(n int) func(string) []string {
	links := comic(n)
	return func(path string) []string {
		if strings.HasPrefix(path, "/image") {
			return nil
		}
		return append(links(path), "/image.php?id="+path[1:])
	}
}

// word is one of letters for each text.
func word(text string) string {
	h := sha1.Sum([]byte(text))
	return strings.Map(func(r rune) rune { return 'a' + r%16 }, hex.EncodeToString(h[:]))[:8]
}

// Ensure that pages which say what they say by a picture are not taken for one text.
func TestDetector_Pictures(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	for _, tt := range pictured {
		t.Run(tt.name, func(t *testing.T) {
			const n = 1000
			links := tt.links(n)
			for order := range 4 + furtherOrders() {
				r := (&replay{most: 2 * n}).inOrder(order)
				r.answers = func(path string) answered {
					to := links(path)
					return answered{ok: to != nil, to: to, text: ofNumbers(path), made: tt.made, pictures: []string{"/logo.png", tt.picture(path)}}
				}
				r.run("/1")
				for f := range r.found {
					t.Errorf("order %d: %s, after %d pages", order, f, r.visited)
				}
			}
		})
	}
}

// variations are parameters that say how one came to a page.
var variations = []string{"", "&from=map", "&from=list", "&back=1"}

// inVariations is a gallery of n photos in four lists: a page leads to the next and the previous one of its list, to its variations
// and to those of the list's first page, all with the same words.
func inVariations(n int) func(path string) []string {
	return func(path string) (to []string) {
		var list, i int
		scan(path, "/show?list=%d&at=%d", &list, &i)
		for _, v := range variations {
			for _, j := range []int{i - 1, i, i + 1, 0} {
				if 0 <= j && j < n {
					to = append(to, fmt.Sprintf("/show?list=%d&at=%d%s", list, j, v))
				}
			}
			to = append(to, fmt.Sprintf("/show?list=%d&at=0%s", (list+1)%4, v))
		}
		return to
	}
}

// Ensure that no photo of a gallery is missed that shows each of its pages three times more, and each photo in several lists.
func TestDetector_Variations(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	const n = 100
	for order := range 12 + furtherOrders() {
		links, shown := inVariations(n), map[int]bool{}
		r := (&replay{most: 20 * n}).inOrder(order)
		r.answers = func(path string) answered {
			if path == "/" {
				return answered{ok: true, to: []string{"/a", "/b", "/show?list=0&at=0"}, text: sameFor(all("/"))(path)}
			}
			var list, i int
			if !scan(path, "/show?list=%d&at=%d", &list, &i) {
				return answered{ok: true, to: []string{"/"}, text: sameFor(all("/"))(path)}
			}
			photo := (i*(2*list+1) + 7*list) % n
			shown[photo] = true
			to := slices.DeleteFunc(links(path), func(l string) bool { return l == path })
			slices.Sort(to)
			return answered{ok: true, made: true, to: slices.Compact(to), text: sameFor(all("/s"))(path),
				pictures: []string{"/logo.png", fmt.Sprintf("/photo/%d.jpg", photo)}}
		}
		r.run("/")
		t.Logf("order %d: %d requests, %d photos", order, r.asked, len(shown))
		if len(shown) != n {
			t.Errorf("order %d: %d of %d photos after %d requests; found %v", order, len(shown), n, r.asked, r.found)
		}
	}
}

// empty are pictures that programs show on each of their pages.
var empty = []struct {
	name string
	of   func(path string) string
}{
	{"pixel", func(path string) string { return fmt.Sprintf("/t.gif?r=0.%d", rand.Uint32()) }},
	{"pixel of a program", func(path string) string { return fmt.Sprintf("/t?r=%d", rand.Uint32()) }},
	{"address in a query", func(path string) string { return "/qr.png?data=" + url.QueryEscape("http://a.example"+path) }},
	{"address", func(path string) string { return "/qr?size=4&data=" + url.QueryEscape(path) }},
	{"address in a path", func(path string) string { return "/qr" + path + ".png" }},
	{"captcha", func(path string) string { return "/captcha.php?sid=" + word(path) }},
	{"captcha in a path", func(path string) string {
		h := sha1.Sum([]byte(path))
		return "/captcha/" + hex.EncodeToString(h[:]) + ".png"
	}},
	{"avatars", func(path string) string { return fmt.Sprintf("/avatars/%d.jpg", xxhash.Sum64String(path)%10) }},
	{"chart", func(path string) string { _, query, _ := strings.Cut(path, "?"); return "/chart.php?" + query }},
}

// Ensure that endless places end as early with pictures that programs make for each page.
func TestDetector_EmptyPictures(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	orders := 4
	if testing.Short() {
		orders = 1
	}
	for order := range orders + furtherOrders() {
		for i, e := range webtest.EndlessKinds() {
			if !e.Within("", "/place/") {
				continue
			}
			of := empty[(i+order)%len(empty)]
			within, missed, found := visitEndless(e, order, func(path string) []string { return []string{of.of(path)} })
			if within > e.Most || len(found) == 0 || len(missed) > 0 {
				t.Errorf("%s with %s, order %d: %d pages of the place, want at most %d; missed %q; found %v",
					e.Name, of.name, order, within, e.Most, missed, found)
			}
		}
	}
}

func TestPage_PictureName(t *testing.T) {
	for _, tt := range []struct {
		page, picture string
		made          bool
		want          string
	}{
		{"/17", "/img/17.jpg", true, "/img/17.jpg"},
		{"/17", "/img/17.jpg?w=800", true, "/img/17.jpg"},
		{"/17", "/img/17.png", false, "/img/17.png"}, // both are files
		{"/17", "/img/0017.png", true, ""},
		{"/17", "/img/18-sunset.png", true, "/img/18-sunset.png"},
		{"/wiki/sunset", "/chart/sunset-week.svg", true, ""},
		{"/17", "/img/3fa9bc81d0e2.png", true, ""},
		{"/17", "/img/1732713245.gif", true, ""},
		{"/17", "/i.php?/upload/sunset-me.jpg", true, "/i.php?/upload/sunset-me.jpg"},
		{"/17", "/page.php?zip=b.zip&file=b_0017.jp2&scale=4", true, "/page.php?b_0017.jp2"},
		{"/17", "/_next/image?url=%2Fphotos%2Fsunset.jpg&w=640", true, "/_next/image?/photos/sunset.jpg"},
		{"/photo/a.jpg", "/qr?data=http%3A%2F%2Fa.example%2Fphoto%2Fa.jpg", true, ""},
		{"/?id=17", "/image.php?no=64&size=small", true, "/image.php?no=64&size=small"},
		{"/?no=64", "/image.php?no=64&size=small", true, ""},
		{"/?id=17", "/image.php?no=65&size=small", true, ""}, // no link to it
		{"/?id=17", "/count.php", true, ""},
	} {
		p := Page{URL: at(tt.page), Made: tt.made, Links: []URL{at("/"), at("/image.php?no=64")}}
		if got := p.pictureName(at(tt.picture)); got != tt.want {
			t.Errorf("%s shows %s, by a program %v: %q, want %q", tt.page, tt.picture, tt.made, got, tt.want)
		}
	}
}
