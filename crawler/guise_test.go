package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

const guisedTopics = 60

// guisedForum serves topics, of which each has a second page that names the first as its canonical one, wrongly. It shows each once
// more at its post and at a comment, which name the topic as canonical, to print, and as a page that is not to be kept. Its items
// are feeds, too, and of what is said about each, and who wants to write about one is asked to sign in.
func guisedForum(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		for i := range guisedTopics {
			fmt.Fprintf(w, `<a href="/topic?f=1&t=%d">%[1]d</a> <a href="/item/%[1]d">%[1]d</a> <a href="/review?n=%[1]d">%[1]d</a>`, i)
		}
		return
	}
	switch r.URL.Path {
	case "/review":
		http.Redirect(w, r, "/login", http.StatusFound)
		return
	case "/login":
		fmt.Fprint(w, "Sign in")
		return
	}
	q, n := r.URL.Query(), 0
	if name, found := strings.CutPrefix(r.URL.Path, "/talk/"); found {
		w.Header().Set("Content-Type", "application/atom+xml")
		fmt.Fprintf(w, `<feed><entry><link href="/item/%s#c1"/>%s</entry></feed>`, name, ramble(9, uint64(len(name))))
		return
	}
	if name, found := strings.CutPrefix(r.URL.Path, "/item/"); found {
		if q.Get("output") == "" {
			fmt.Fprintf(w, `<a href="?output=atom">a</a> <a href="/talk/%s">b</a> %s`, name, ramble(7, uint64(len(name))))
			return
		}
		w.Header().Set("Content-Type", "application/atom+xml")
		fmt.Fprintf(w, `<feed><entry><link href="/item/%s"/>%s</entry></feed>`, name, ramble(8, uint64(len(name))))
		return
	}
	comment, _ := strings.CutPrefix(r.URL.Path, "/comment/")
	if _, err := fmt.Sscan(q.Get("t")+q.Get("p")+comment, &n); err != nil {
		http.NotFound(w, r)
		return
	}
	head, page := fmt.Sprintf(`<link rel="canonical" href="/topic?f=1&t=%d">`, n), uint64(0)
	switch {
	case q.Get("page") != "":
		page = 1
	case q.Get("view") == "print":
		head = ""
	case q.Get("view") == "raw":
		head = `<meta name="robots" content="noindex">`
	}
	links := strings.ReplaceAll(`<a href="/topic?f=1&p=N">#</a> <a href="/topic?f=1&t=N">a</a>
		<a href="/topic?f=1&t=N&view=print">b</a> <a href="/topic?f=1&t=N&view=raw">c</a>
		<a href="/topic?f=1&t=N&page=2">d</a> <a href="/comment/N">e</a>`, "N", fmt.Sprint(n))
	fmt.Fprintf(w, "<html><head>%s</head><body>%s %s</body></html>", head, links, ramble(uint64(n), page))
}

// ramble returns some text, of which each has its own.
func ramble(a, b uint64) string {
	r, text := rand.New(rand.NewPCG(a, b)), []string(nil)
	for range 80 {
		text = append(text, fmt.Sprintf("w%d", r.IntN(100_000)))
	}
	return strings.Join(text, " ")
}

// Ensure that known pages are not asked for in ever new guises, and that all pages that say something are.
func TestTraps_Guises(t *testing.T) {
	for _, on := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			web := webtest.InMemory(t)
			site := web.Site(http.HandlerFunc(guisedForum), "forum.example")
			j := newJob(t, web)
			j.lookup = web.Lookup
			j.run(t, t.Context(), func(c *crawler.Config) {
				c.Politeness.Delay = time.Millisecond
				if !on {
					c.Traps.Guises = -1
				}
			}, site.URL+"/")
			asked := map[string]int{}
			for _, h := range web.Log() {
				for _, kind := range []string{
					"view=print", "view=raw", "page=2", "output=", "/review", "/item/", "/talk/", "/comment/", "p=", "t=", "robots",
				} {
					if strings.Contains(h.Path, kind) {
						asked[kind]++
						break
					}
				}
			}
			for _, kind := range []string{"t=", "page=2", "/item/"} {
				if asked[kind] != guisedTopics {
					t.Errorf("guises parked %v: %d of %d pages with %s are asked for", on, asked[kind], guisedTopics, kind)
				}
			}
			for _, kind := range []string{"p=", "view=print", "view=raw", "output=", "/review", "/talk/", "/comment/"} {
				if on && asked[kind] > guisedTopics/2+5 || !on && asked[kind] != guisedTopics {
					t.Errorf("guises parked %v: %d of %d pages with %s are asked for", on, asked[kind], guisedTopics, kind)
				}
			}
		})
	}
}

// Ensure that the items of a shop are not asked for in ever new guises which name as canonical what no link leads to, and that each
// item is.
func TestTraps_GuisesOfWhatIsNotLinked(t *testing.T) {
	const items, shelves = 60, 3
	shop := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if id := q.Get("id"); id != "" {
			n, _ := strconv.Atoi(id)
			fmt.Fprintf(w, `<html><link rel="canonical" href="/shop?id=%d"><body>%s`, n, ramble(5, uint64(n)))
			return
		}
		shelf := q.Get("shelf")
		for i := range items {
			fmt.Fprintf(w, `<a href="/shop?shelf=%s&id=%d">%[2]d</a> `, "0"+shelf, i)
		}
		for s := range shelves {
			fmt.Fprintf(w, `<a href="/shop?shelf=%d">%[1]d</a> `, s)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		web := webtest.InMemory(t)
		site := web.Site(http.HandlerFunc(shop), "shop.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }, site.URL+"/")
		seen, asked := map[string]bool{}, 0
		for _, h := range web.Log() {
			if _, id, ok := strings.Cut(h.Path, "&id="); ok {
				seen[id], asked = true, asked+1
			}
		}
		if len(seen) != items || asked > 2*items {
			t.Errorf("%d of %d items are asked for, %d times", len(seen), items, asked)
		}
	})
}

// Ensure that the pictures of a gallery are asked for whose pages all name as canonical, wrongly, what no link leads to.
func TestTraps_PicturesOfOneCanonical(t *testing.T) {
	const pictures = 200
	for _, canonical := range []string{"/picture", "/gone", "/picture?size=large"} {
		gallery := func(w http.ResponseWriter, r *http.Request) {
			if id := r.URL.Query().Get("id"); id != "" {
				fmt.Fprintf(w, `<html><link rel="canonical" href="%s"><body>%s<img src="/%s.jpg">`, canonical, ramble(5, 1), id)
				return
			}
			for i := range pictures {
				fmt.Fprintf(w, `<a href="/picture?id=%d">%[1]d</a> `, i)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			web := webtest.InMemory(t)
			site := web.Site(http.HandlerFunc(gallery), "pictures.example")
			j := newJob(t, web)
			j.lookup = web.Lookup
			j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }, site.URL+"/")
			asked := 0
			for _, h := range web.Log() {
				if strings.Contains(h.Path, "?id=") {
					asked++
				}
			}
			if asked != pictures {
				t.Errorf("%s: %d of %d pictures are asked for", canonical, asked, pictures)
			}
		})
	}
}

// Ensure that tables of numbers are asked for that say the same words, as tides do for each port and month.
func TestTraps_GuisesOfNumbers(t *testing.T) {
	const ports, months = 40, 6
	tides := func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch port, month := q.Get("port"), q.Get("month"); {
		case month != "":
			for day := range 28 {
				fmt.Fprintf(w, "%d %d:%02d %d.%d ", day+1, day%12, len(port+month), day%5, day%7)
			}
			fmt.Fprintf(w, `<h1>Tides of port %s in month %s</h1> High water and low water`, port, month)
		case port != "":
			for m := range months {
				fmt.Fprintf(w, `<a href="?port=%s&month=%d">Tides of port %[1]s in month %[2]d</a>`, port, m+1)
			}
		default:
			for i := range ports {
				fmt.Fprintf(w, `<a href="?port=%d">Tides of port %[1]d</a>`, i)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		web := webtest.InMemory(t)
		site := web.Site(http.HandlerFunc(tides), "tides.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }, site.URL+"/")
		tables := 0
		for _, h := range web.Log() {
			if strings.Contains(h.Path, "month=") {
				tables++
			}
		}
		if tables != ports*months {
			t.Errorf("%d of %d tables are asked for", tables, ports*months)
		}
	})
}
