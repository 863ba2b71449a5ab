package demosite

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// port is where the sites listen if it is free everywhere: 8000 and the year of the standard.
const port = 8094

// A Web is a set of sites that are being served. It is safe for concurrent use.
type Web struct {
	Sites []*Site

	servers []*http.Server
	serving sync.WaitGroup

	note func(Hit) // is told of each request; nil when they are kept

	mu   sync.Mutex // guards hits, and calls of note
	hits []Hit
}

// A Site is one host.
type Site struct {
	Name    string // a short name, unique in the Web
	About   string // what it shows, in a sentence
	URL     string // of its root, with the final slash
	Robots  string // its robots.txt; empty when that answers with an error
	Lessons []Lesson

	endless string // below this path there is always another page
	later   string // its robots.txt from the second time on, if not the same
	cache   string // Cache-Control of its robots.txt

	mu    sync.Mutex // guards pages
	pages map[string]page
}

// A Lesson is one path of a site, and what a polite crawler does about it.
type Lesson struct {
	Path  string // with query; a final * stands for everything below
	Asked bool   // whether it is asked for
	Why   string // in a few words
	Kept  Keep   // whether it is stored then
	Says  string // what is stored with it: uses, mirror, state; empty is no lesson
}

// A Keep says whether a page is stored.
type Keep uint8

// What may become of a page that was fetched.
const (
	KeepEither Keep = iota // no lesson
	KeepPage               // it is stored
	KeepNot                // it is not
	KeepOnce               // it is noted, its bytes are stored with another page
)

// A Hit is one request as a server saw it.
type Hit struct {
	Site       *Site
	Path       string // with query
	Status     int
	Start, End time.Time // End is when the response was written
	Client     string    // its address
	Method     string
	Agent      string
	Bytes      int64 // of the body
	Referrer   string
	Robots     []byte // the body, of a robots.txt
}

// Start serves all sites until Close. Each has an address 127.x.y.z of its own where the system has those.
func Start() (*Web, error) { return StartNoting(nil) }

// StartNoting serves all sites until Close, and tells note of each request when it is answered, one after the other.
// [Web.Hits] then has none.
func StartNoting(note func(Hit)) (*Web, error) {
	w := &Web{note: note}
	for i, s := range sites() {
		listener, err := listen(i)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("serve site %s: %w", s.Name, err), w.Close())
		}
		s.URL = "http://" + listener.Addr().String() + "/"
		w.Sites = append(w.Sites, s)
		server := &http.Server{
			Handler:           w.logged(s),
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          log.New(io.Discard, "", 0),
		}
		w.servers = append(w.servers, server)
		w.serving.Go(func() { server.Serve(listener) })
	}
	for _, s := range w.Sites {
		w.link(s)
	}
	return w, nil
}

// listen opens the i-th address: with the usual port if that is free, on 127.0.0.1 if there is no other.
func listen(i int) (net.Listener, error) {
	own := fmt.Sprintf("127.19.94.%d", i+1)
	for _, address := range []string{fmt.Sprintf("%s:%d", own, port), own + ":0", fmt.Sprintf("127.0.0.1:%d", port+i)} {
		if l, err := net.Listen("tcp4", address); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// link replaces {name} by the URL of the site with that name, without the final slash, in everything s serves.
func (w *Web) link(s *Site) {
	var pairs []string
	for _, other := range w.Sites {
		pairs = append(pairs, "{"+other.Name+"}", strings.TrimSuffix(other.URL, "/"))
	}
	r := strings.NewReplacer(pairs...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Robots = r.Replace(s.Robots)
	for path, p := range s.pages {
		p.body, p.location = r.Replace(p.body), r.Replace(p.location)
		s.pages[path] = p
	}
	for i := range s.Lessons {
		s.Lessons[i].Says = r.Replace(s.Lessons[i].Says)
	}
}

// Close stops serving and waits for requests under way. Closing twice does nothing.
func (w *Web) Close() error {
	var errs []error
	for _, s := range w.servers {
		errs = append(errs, s.Close())
	}
	w.serving.Wait()
	return errors.Join(errs...)
}

// Hits returns the requests that all sites have seen so far, in order of their start.
func (w *Web) Hits() []Hit {
	w.mu.Lock()
	defer w.mu.Unlock()
	hits := slices.Clone(w.hits)
	slices.SortStableFunc(hits, func(a, b Hit) int { return a.Start.Compare(b.Start) })
	return hits
}

// logged answers for s and notes each request when it is answered.
func (w *Web) logged(s *Site) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counted := &countingWriter{ResponseWriter: rw, keeps: r.URL.Path == "/robots.txt"}
		status := s.answer(counted, r)
		client, _, _ := net.SplitHostPort(r.RemoteAddr)
		w.mu.Lock()
		defer w.mu.Unlock()
		hit := Hit{
			Site: s, Path: r.URL.RequestURI(), Status: status, Start: start, End: time.Now(),
			Client: client, Method: r.Method, Agent: r.UserAgent(), Bytes: counted.bytes, Referrer: r.Referer(),
			Robots: counted.body,
		}
		if w.note != nil {
			w.note(hit)
		} else {
			w.hits = append(w.hits, hit)
		}
	})
}

// A countingWriter counts the bytes of a body.
type countingWriter struct {
	http.ResponseWriter
	bytes int64
	keeps bool
	body  []byte // if it is to be kept
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	if w.keeps {
		w.body = append(w.body, p[:n]...)
	}
	return n, err
}

// AccessLog returns what the sites have seen so far as a server with virtual hosts would log it: the combined format with the
// host in front.
func (w *Web) AccessLog() []byte {
	var b []byte
	for _, h := range w.Hits() {
		b = append(b, h.LogLine()...)
	}
	return b
}

// LogLine returns the request as a line of such a log.
func (h Hit) LogLine() string {
	return fmt.Sprintf("%s %s - - [%s] %q %d %d %q %q\n", h.Site.Host(), h.Client, h.Start.Format("02/Jan/2006:15:04:05 -0700"),
		h.Method+" "+h.Path+" HTTP/1.1", h.Status, h.Bytes, cmp.Or(h.Referrer, "-"), cmp.Or(h.Agent, "-"))
}

// Host returns the host of a site with its port, as in a log.
func (s *Site) Host() string { return strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/") }

// IsDown reports whether a robots.txt cannot be had from a site, so that it is closed (RFC 9309 section 2.3.1.4).
func (s *Site) IsDown() bool { return s.pages["/robots.txt"].status >= 500 }
