package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fan is how many links to pages there are on a page.
const fan = 3

// A Web is sites of which each page is linked from exactly one other. Page c is a child of page (c-1)/fan: two of three on the same
// site, the third on another. Each page has a link too that robots.txt forbids.
type Web struct {
	hosts, pages int
	urls         []string // of the sites
	server       http.Server
	serving      sync.WaitGroup

	mu     sync.Mutex
	hits   []hit
	served int // pages
}

// A hit is one request as the server saw it.
type hit struct {
	host       int
	page       int // or one of the following
	remote     string
	start, end time.Time
}

const (
	robots    = -1
	forbidden = -2
	unknown   = -3
)

type hostKey struct{}

// NewWeb starts a web of so many hosts with so many pages each.
func NewWeb(hosts, pages int) (*Web, error) {
	w := &Web{hosts: hosts, pages: pages}
	var listeners []net.Listener
	number := map[string]int{}
	for h := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.%d.%d:0", 1+h/250, 1+h%250))
		if err != nil {
			for _, l := range listeners {
				l.Close()
			}
			return nil, err
		}
		listeners = append(listeners, l)
		number[l.Addr().String()] = h
		w.urls = append(w.urls, "http://"+l.Addr().String())
	}
	w.server.Handler = w
	w.server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, hostKey{}, number[c.LocalAddr().String()])
	}
	for _, l := range listeners {
		w.serving.Go(func() {
			if err := w.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				panic(err) // a web that is half there proves nothing
			}
		})
	}
	return w, nil
}

// Close ends all sites.
func (w *Web) Close() {
	w.server.Close()
	w.serving.Wait()
}

// Total returns how many pages there are.
func (w *Web) Total() int { return w.hosts * w.pages }

// Served returns how many pages were served, those that were asked for again among them.
func (w *Web) Served() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.served
}

// seeds returns the first page of each site.
func (w *Web) seeds() []string {
	seeds := make([]string, w.hosts)
	for h := range seeds {
		seeds[h] = w.url(h, 0)
	}
	return seeds
}

func (w *Web) url(host, page int) string { return w.urls[host] + "/p" + strconv.Itoa(page) + ".html" }

// ServeHTTP logs a request before it is answered. Its end is never later than the answer: what is written here leaves when this
// returns, for it is short.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h := hit{host: r.Context().Value(hostKey{}).(int), page: w.pageOf(r.URL.Path), start: time.Now()}
	h.remote, _, _ = net.SplitHostPort(r.RemoteAddr)
	w.mu.Lock()
	i := len(w.hits)
	w.hits = append(w.hits, h)
	if h.page >= 0 {
		w.served++
	}
	w.mu.Unlock()
	time.Sleep(2 * time.Millisecond) // two requests at once are to meet
	switch {
	case h.page >= 0:
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, w.render(h.host, h.page))
	case h.page == robots:
		rw.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(rw, "User-agent: *\nDisallow: /private/\n")
	default:
		http.NotFound(rw, r)
	}
	w.mu.Lock()
	w.hits[i].end = time.Now()
	w.mu.Unlock()
}

func (w *Web) pageOf(path string) int {
	if path == "/robots.txt" {
		return robots
	}
	if strings.HasPrefix(path, "/private/") {
		return forbidden
	}
	var page int
	if _, err := fmt.Sscanf(path, "/p%d.html", &page); err != nil || page < 0 || page >= w.pages {
		return unknown
	}
	return page
}

// render returns a page whose words no other has.
func (w *Web) render(host, page int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><title>Page %d of site %d</title>\n", page, host)
	for c := page*fan + 1; c <= page*fan+fan && c < w.pages; c++ {
		to := host
		if c%fan == 0 {
			to = (host + 7*c + 1) % w.hosts
		}
		fmt.Fprintf(&b, "<a href=%q>below</a>\n", w.url(to, c))
	}
	fmt.Fprintf(&b, "<a href=\"/private/%d\">private</a>\n<p>", page)
	x := uint64(host)<<32 | uint64(page)
	for range 60 {
		x += 0x9e3779b97f4a7c15 // splitmix64
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		b.WriteString(strconv.FormatUint(z>>24, 36) + " ")
	}
	return b.String()
}
