//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A soakSite is a host that is there for some seconds and away for some, has more pages than anybody can ask for, makes mistakes at
// random, and watches who asks.
type soakSite struct {
	url, neighbour string
	phase          time.Duration // of its coming and going

	mu       sync.Mutex // guards all below
	rand     *rand.Rand
	client   int // the how manieth process asks
	inFlight int
	closed   int       // the rules say Disallow: /N/ with this N, and did so when they were last fetched
	fetched  bool      // robots.txt was, and the one who fetched it lives
	last     time.Time // when the last answer ended
	owed     time.Duration
	whole    map[string]bool // pages that were answered in full
	sums     soakSums
	wrong    []string
}

// soakSums are what sites have counted.
type soakSums struct{ requests, pages, again, links, faults int }

const (
	soakPages  = 1_000_000 // of a host
	soakFolder = 200       // pages in a directory
	soakLinks  = 40        // on a page
)

func newSoakSite(i int, seed uint64) *soakSite {
	return &soakSite{
		phase: time.Duration(i) * 997 * time.Millisecond, rand: rand.New(rand.NewPCG(seed, uint64(i))), closed: 7, whole: map[string]bool{},
	}
}

// killed is told, with the lock held, when the process that asks is killed: it may not know what it was told last.
func (s *soakSite) killed() {
	s.client, s.inFlight, s.fetched = s.client+1, 0, false
	if time.Since(s.last) < 100*time.Millisecond {
		s.owed = 0
	}
}

func (s *soakSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := s.enter(r.URL.Path)
	select {
	case <-time.After(answer.after):
	case <-r.Context().Done():
	}
	s.leave(r.URL.Path, answer)
	answer.handler.ServeHTTP(w, r)
}

// A soakAnswer is what a request gets.
type soakAnswer struct {
	handler http.Handler
	after   time.Duration
	owed    time.Duration // before the next request
	whole   bool
	rules   int // of robots.txt
	client  int
}

// enter judges a request and decides what it gets.
func (s *soakSite) enter(path string) soakAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums.requests++
	if s.inFlight++; s.inFlight > 1 {
		s.complain("%d requests at once", s.inFlight)
	}
	if kept := time.Since(s.last); kept < s.owed {
		s.complain("%s was asked for after %v; %v was owed", path, kept, s.owed)
	}
	if strings.HasPrefix(path, "/private/") || s.fetched && strings.HasPrefix(path, fmt.Sprintf("/%d/", s.closed)) {
		s.complain("%s is disallowed", path)
	}
	if s.whole[path] {
		s.sums.again++
	}
	a := s.answer(path)
	a.client = s.client
	return a
}

func (s *soakSite) answer(path string) soakAnswer {
	cycle := (time.Duration(time.Now().UnixNano()) + s.phase) % time.Minute
	fault := s.rand.IntN(200)
	switch {
	case cycle < 4*time.Second: // away
		return soakAnswer{handler: webtest.Drop()}
	case path == "/robots.txt" && fault < 20:
		return soakAnswer{handler: webtest.Page{Status: http.StatusServiceUnavailable}}
	case path == "/robots.txt":
		rules := 5 + s.rand.IntN(5)
		body := fmt.Sprintf("User-agent: *\nDisallow: /private/\nDisallow: /%d/\n", rules)
		return soakAnswer{handler: webtest.Page{Body: body}, whole: true, rules: rules}
	case fault == 0:
		header := map[string]string{"Retry-After": "2"}
		return soakAnswer{handler: webtest.Page{Status: http.StatusServiceUnavailable, Header: header}, owed: 2 * time.Second}
	case fault == 1:
		header := map[string]string{"Retry-After": "1"}
		return soakAnswer{handler: webtest.Page{Status: http.StatusTooManyRequests, Header: header}, owed: time.Second}
	case fault == 2:
		return soakAnswer{handler: webtest.Drop()}
	case fault == 3:
		return soakAnswer{handler: webtest.Cut("<p>half of")}
	case fault == 4:
		return soakAnswer{handler: webtest.Garbage()}
	}
	page, ok := s.page(path)
	if !ok {
		return soakAnswer{handler: http.NotFoundHandler()}
	}
	a := soakAnswer{handler: webtest.Page{Body: page}, whole: true}
	if fault < 10 {
		a.after = 300 * time.Millisecond
	}
	return a
}

// leave notes an answer, before it is sent: the client cannot have all of it sooner.
func (s *soakSite) leave(path string, a soakAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.client != s.client {
		return // nobody is left to hear it
	}
	s.inFlight--
	s.last, s.owed = time.Now(), max(a.owed, soakDelay)
	switch {
	case !a.whole:
		s.sums.faults++
	case path == "/robots.txt":
		s.closed, s.fetched = a.rules, true
	default:
		s.whole[path] = true
		s.sums.pages++
		s.sums.links += soakLinks
	}
}

// page returns a page, and whether there is one. Page n leads to 2n+1, 2n+2, others of this host, and one of the neighbour.
func (s *soakSite) page(path string) (body string, ok bool) {
	folder, name, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	n, err := strconv.Atoi(strings.TrimSuffix(name, ".html"))
	if err != nil || n >= soakPages || soakPath(n) != path || folder == "" {
		return "", false
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<title>%d of %s</title><p>", n, s.url)
	r := rand.New(rand.NewPCG(uint64(n), 0))
	for range 60 {
		fmt.Fprintf(&b, "%x ", r.Uint32())
	}
	fmt.Fprintf(&b, "<a href=/private/%d.html>closed</a> <a href=%s%s>next door</a>", n, s.neighbour, soakPath(r.IntN(soakPages)))
	for i := range soakLinks - 2 {
		to := 2*n + 1 + i
		if i > 1 {
			to = r.IntN(soakPages)
		}
		if to < soakPages {
			fmt.Fprintf(&b, "<a href=%s>%d</a>\n", soakPath(to), to)
		}
	}
	return b.String(), true
}

func soakPath(n int) string { return fmt.Sprintf("/%d/%d.html", n/soakFolder%50, n) }

// complain notes what is wrong, with the lock held.
func (s *soakSite) complain(format string, args ...any) {
	if len(s.wrong) < 5 {
		s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
	}
}

func (s *soakSite) report(t *testing.T, sum *soakSums) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.wrong {
		t.Errorf("%s: %s", s.url, w)
	}
	sum.requests, sum.pages, sum.again = sum.requests+s.sums.requests, sum.pages+s.sums.pages, sum.again+s.sums.again
	sum.links, sum.faults = sum.links+s.sums.links, sum.faults+s.sums.faults
	if s.sums.pages < 20 {
		t.Errorf("%s has been asked for %d pages only", s.url, s.sums.pages)
	}
}
