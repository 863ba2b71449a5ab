package webtest

import (
	"bytes"
	"cmp"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// BenchShape describes a synthetic site set. Zero fields mean the defaults.
type BenchShape struct {
	Hosts     int           // 200
	Pages     int           // per host: 100
	PageBytes int           // bytes of each page, links included: 20,000 (20 KB); never less than the links need
	Links     int           // per page: 40
	Robots    string        // robots.txt of every host; "" means one that disallows /private/
	Latency   time.Duration // before each answer
	Logged    bool          // keep every hit in the log; it costs about 1 KB each
}

func (s BenchShape) withDefaults() BenchShape {
	set := func(n *int, def int) {
		if *n <= 0 {
			*n = def
		}
	}
	set(&s.Hosts, 200)
	set(&s.Pages, 100)
	set(&s.PageBytes, 20_000)
	set(&s.Links, 40)
	s.Robots = cmp.Or(s.Robots, "User-agent: *\nDisallow: /private/\n")
	return s
}

// A Bench is a synthetic site set that is the same on every run but for its addresses.
//
// Page n of a host is /d{n/100}/p{n}.html, page 0 is also the host's seed. The links of a page are, in turns of twenty:
// nine relative (../d1/p123.html), five with an absolute path, four absolute to the same host, and two to other
// hosts. The first two lead to pages 2n+1 and 2n+2, and the first two to other hosts from a page 0 of host h to the
// pages 0 of hosts 2h+1 and 2h+2; so with at least 20 links all pages can be reached from one seed, about
// log2(Hosts)+log2(Pages) hops away. All other targets are drawn from a hash of host, page and position. Every body is
// different from every other, and so is its text, and no page is served under two URLs. A path that is no page is a 404.
type Bench struct {
	Shape BenchShape
	Sites []*Site

	pages atomic.Int64
	prose []byte
	bufs  sync.Pool
}

// Bench starts a synthetic site set.
func (w *Web) Bench(shape BenchShape) *Bench {
	w.tb.Helper()
	b := &Bench{Shape: shape.withDefaults()}
	b.bufs.New = func() any { return new(bytes.Buffer) }
	b.prose = prose(proseBytes + b.Shape.PageBytes)
	ready := make(chan struct{}) // handlers read Sites, which is complete when the first request can come
	for h := range b.Shape.Hosts {
		b.Sites = append(b.Sites, w.Site(b.host(h, ready)))
	}
	close(ready)
	return b
}

// Served returns how many pages have been served, robots.txt files not counted.
func (b *Bench) Served() int { return int(b.pages.Load()) }

// Total returns how many pages there are.
func (b *Bench) Total() int { return b.Shape.Hosts * b.Shape.Pages }

// Seeds returns the URL of page 0 of every host.
func (b *Bench) Seeds() []string {
	seeds := make([]string, len(b.Sites))
	for h := range b.Sites {
		seeds[h] = b.URL(h, 0)
	}
	return seeds
}

// URL returns the URL of a page.
func (b *Bench) URL(host, page int) string {
	return b.Sites[host].URL + string(appendPath(nil, page))
}

// URLs iterates over all pages: page 0 of every host, then page 1 of every host, and so on.
func (b *Bench) URLs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for page := range b.Shape.Pages {
			for host := range b.Sites {
				if !yield(b.URL(host, page)) {
					return
				}
			}
		}
	}
}

func appendPath(dst []byte, page int) []byte {
	dst = append(dst, "/d"...)
	dst = strconv.AppendInt(dst, int64(page/100), 10)
	dst = append(dst, "/p"...)
	dst = strconv.AppendInt(dst, int64(page), 10)
	return append(dst, ".html"...)
}

// host returns the handler of one host.
func (b *Bench) host(h int, ready <-chan struct{}) http.Handler {
	serve := func(w http.ResponseWriter, r *http.Request) {
		<-ready
		time.Sleep(b.Shape.Latency)
		if r.URL.Path == "/robots.txt" {
			Page{Body: b.Shape.Robots}.ServeHTTP(w, r)
			return
		}
		page, ok := b.pageOf(r.URL.Path)
		if !ok {
			http.NotFound(w, r)
			return
		}
		b.pages.Add(1)
		buf := b.bufs.Get().(*bytes.Buffer)
		defer b.bufs.Put(buf)
		buf.Reset()
		b.render(buf, h, page)
		w.Header()["Content-Type"] = htmlType
		w.Header()["Content-Length"] = []string{strconv.Itoa(buf.Len())}
		w.Write(buf.Bytes())
	}
	if b.Shape.Logged {
		return http.HandlerFunc(serve)
	}
	return Quiet(http.HandlerFunc(serve))
}

var htmlType = []string{"text/html; charset=utf-8"}

// pageOf reads a path as appendPath writes it.
func (b *Bench) pageOf(path string) (page int, ok bool) {
	name, ok := strings.CutSuffix(path, ".html")
	_, number, found := strings.Cut(name, "/p")
	page, err := strconv.Atoi(number)
	if !ok || !found || err != nil || page < 0 || page >= b.Shape.Pages {
		return 0, false
	}
	var buf [64]byte
	return page, string(appendPath(buf[:0], page)) == path
}

// render writes a page.
func (b *Bench) render(buf *bytes.Buffer, host, page int) {
	p := buf.AvailableBuffer()
	p = append(p, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Page "...)
	p = strconv.AppendInt(p, int64(page), 10)
	p = append(p, " of host "...)
	p = strconv.AppendInt(p, int64(host), 10)
	p = append(p, "</title></head><body>\n"...)
	for i := range b.Shape.Links {
		p = append(p, "<li><a href=\""...)
		p = b.appendLink(p, host, page, i)
		p = append(p, "\">link "...)
		p = strconv.AppendInt(p, int64(i), 10)
		p = append(p, "</a>\n"...)
	}
	const tail = "</body></html>\n"
	p = append(p, b.text(host, page)[:max(b.Shape.PageBytes-len(p)-len(tail), 0)]...)
	buf.Write(append(p, tail...))
}

// text returns where in the prose the text of a page begins: at a paragraph of its own, as far as there are enough.
func (b *Bench) text(host, page int) []byte {
	start := mix(uint64(host)<<32^uint64(page)) % proseBytes
	return b.prose[start+uint64(bytes.IndexByte(b.prose[start:], '\n'))+1:]
}

// proseBytes is how much text there is to begin at.
const proseBytes = 4 << 20

// prose returns at least n bytes of paragraphs of words, each of 60 bytes or some more, as those of other pages are.
func prose(n int) (p []byte) {
	for i := uint64(0); len(p) < n+100; {
		p = append(p, "<p>"...)
		for line := len(p) + 52; len(p) < line; i++ {
			x := mix(mix(i) % 5000) // the vocabulary
			for range 2 + x%7 {
				p = append(p, 'a'+byte(x>>8%26))
				x = mix(x)
			}
			p = append(p, ' ')
		}
		p = append(p, "</p>\n"...)
	}
	return p
}

// appendLink writes the href of link i of a page.
func (b *Bench) appendLink(p []byte, host, page, i int) []byte {
	x := mix(uint64(host)<<40 ^ uint64(page)<<16 ^ uint64(i))
	target := int(x % uint64(b.Shape.Pages))
	if i < 2 && 2*page+1+i < b.Shape.Pages {
		target = 2*page + 1 + i
	}
	switch turn := i % 20; {
	case turn < 9:
		return appendPath(append(p, ".."...), target)
	case turn < 14:
		return appendPath(p, target)
	case turn < 18:
		return appendPath(append(p, b.Sites[host].URL...), target)
	default:
		other := int(x >> 32 % uint64(b.Shape.Hosts))
		if child := 2*host + turn - 17; i < 20 && page == 0 && child < b.Shape.Hosts {
			other, target = child, 0
		}
		return appendPath(append(p, b.Sites[other].URL...), target)
	}
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
