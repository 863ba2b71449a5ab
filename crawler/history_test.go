package crawler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A history is what befalls a site: outages one after the other, of which it is well again for as long as they took, and longer.
type history struct {
	start   time.Time
	outages []outage
	known   map[string]string   // the body that is known of each page
	last    map[string]struct{} // pages that were settled last in a run, in an outage perhaps that nothing could show
}

// historyPages is how many pages the site of a history has. Each has a body of its own, and links to two others.
const historyPages = 200

// failures are what a site has in the place of each page.
var failures = []http.Handler{
	webtest.Page{Body: "<title>Back soon</title> We are working on it."},
	http.RedirectHandler("/notice", http.StatusFound),
	http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/notice?for="+r.URL.Path, http.StatusSeeOther)
	}),
	webtest.Page{Status: http.StatusServiceUnavailable},
	webtest.Page{Status: http.StatusInternalServerError},
	webtest.Drop(),
}

// begin begins a history that lets several pages be answered before each outage.
func (h *history) begin(r *rand.Rand) {
	h.start, h.outages = time.Now(), nil
	at := 15 * time.Second
	for range 3 {
		at += time.Duration(r.Int64N(int64(30 * time.Second)))
		o := outage{failures[r.IntN(len(failures))], at, 10*time.Second + time.Duration(r.Int64N(int64(20*time.Minute)))}
		h.outages = append(h.outages, o)
		at += 2*o.length + 2*time.Minute
	}
}

func (h *history) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" || r.URL.Path == "/notice" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	since := time.Since(h.start)
	for _, o := range h.outages {
		if since > o.begin && since < o.begin+o.length {
			o.handler.ServeHTTP(w, r)
			return
		}
	}
	fmt.Fprint(w, historyBody(r.URL.Path))
}

func historyBody(path string) string {
	var n int
	fmt.Sscanf(path, "/%d", &n)
	var links strings.Builder
	for i := 2*n + 1; i <= min(2*n+2, historyPages-1); i++ {
		fmt.Fprintf(&links, "<a href=/%d>%d</a>", i, i)
	}
	return ownBody(path) + links.String()
}

// note notes what a run has brought.
func (h *history) note(j *job) {
	for _, p := range j.pages {
		h.known[p.URL[strings.LastIndex(p.URL, "/"):]] = string(p.Body)
	}
	const unnoticed = 2 // a third answer that is like these is one too many
	for _, o := range j.outcomes[max(0, len(j.outcomes)-unnoticed):] {
		h.last[o.URL.PathQuery()] = struct{}{}
	}
	*j.recorder = recorder{}
}

// judge compares what is known of each page in the end with its body. It may be another one only of the last pages of a run, and
// not known only of those to which these alone lead.
func (h *history) judge(t *testing.T) {
	t.Helper()
	isLost := make([]bool, historyPages)
	for n := range historyPages {
		path := fmt.Sprintf("/%d", n)
		isLost[n] = h.known[path] != historyBody(path)
		_, isLast := h.last[path]
		if isLost[n] && !isLast && (n == 0 || !isLost[(n-1)/2]) {
			t.Errorf("%s is known as %q, after %+v", path, h.known[path], h.outages)
		}
	}
}

// Whatever befalls a site, in the end each page is known by the body that it has, and by none that the site had for all; so it is
// after another visit.
func TestOutage_Histories(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				r := rand.New(rand.NewPCG(seed, 0))
				h := &history{known: map[string]string{}, last: map[string]struct{}{}}
				site := web.Site(h)
				j := newJob(t, web)
				patient := func(c *crawler.Config) { c.Patience = 24 * time.Hour }
				h.begin(r)
				for isStopped := seed%2 == 1; isStopped; {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(20*time.Minute))))
					isStopped = j.run(t, ctx, patient, site.URL+"/0") == crawler.EndInterrupted
					cancel()
					h.note(j)
				}
				j.run(t, t.Context(), patient, site.URL+"/0")
				h.note(j)
				h.judge(t)
				clear(h.last)
				h.begin(r)
				j.again(t, crawler.ReturnRequest{All: true}, patient, site.URL+"/0")
				h.note(j)
				h.judge(t)
			})
		})
	}
}
