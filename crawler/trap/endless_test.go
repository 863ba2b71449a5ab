package trap_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/simhash"
	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
)

// Ensure that each kind of endless place is left soon, and that no page beside it is.
func TestDetector_EndlessPlaces(t *testing.T) {
	for _, e := range webtest.EndlessKinds() {
		t.Run(e.Name, func(t *testing.T) {
			w := newWalk(e)
			w.run(t, 1000)
			if w.within > e.Most {
				t.Errorf("asked for %d pages of the endless place, want at most %d", w.within, e.Most)
			}
			for _, path := range e.Honest {
				if !w.honest[path] {
					t.Errorf("%s was not asked for: %v", path, w.parked[path])
				}
			}
			t.Logf("%d pages of the endless place; %d URLs parked", w.within, len(w.parked))
		})
	}
}

// A walk visits an endless site breadth first, but for what the detector suspects.
type walk struct {
	*webtest.Endless
	detector *trap.Detector
	via      map[frontier.URL]frontier.URL
	queue    []frontier.URL

	within int
	honest map[string]bool
	parked map[string]trap.Finding
}

func newWalk(e *webtest.Endless) *walk {
	return &walk{
		Endless: e, detector: trap.New(trap.Options{}), via: map[frontier.URL]frontier.URL{},
		honest: map[string]bool{}, parked: map[string]trap.Finding{},
	}
}

func (w *walk) run(t *testing.T, most int) {
	t.Helper()
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	home, err := frontier.ParseURL("http://www." + webtest.EndlessDomain + "/")
	if err != nil {
		t.Fatal(err)
	}
	w.add(home, frontier.URL{})
	for asked := 0; len(w.queue) > 0 && asked < most; {
		u := w.queue[0]
		w.queue = w.queue[1:]
		if f, suspect := w.detector.Suspect(parts(u), parts(w.via[u]), now); suspect {
			w.parked[u.PathQuery()] = f
			continue
		}
		asked++
		w.visit(u)
	}
}

func (w *walk) add(u, via frontier.URL) (fresh bool) {
	if _, known := w.via[u]; known {
		return false
	}
	w.via[u] = via
	w.queue = append(w.queue, u)
	return true
}

var href = regexp.MustCompile(`href="?([^">]*)`)

func (w *walk) visit(u frontier.URL) {
	if w.Within(u.Hostname(), u.PathQuery()) {
		w.within++
	} else {
		w.honest[u.PathQuery()] = true
	}
	r := httptest.NewRequest("GET", u.String(), nil)
	r.RequestURI = u.PathQuery()
	answer := httptest.NewRecorder()
	w.Site.ServeHTTP(answer, r)
	if answer.Code != 200 {
		return
	}
	text := simhash.Of(answer.Body.Bytes())
	p := trap.Page{URL: parts(u), Via: parts(w.via[u]), Text: trap.Text{Hash: text.Hash, Words: text.Words}}
	seen := map[frontier.URL]bool{u: true}
	for _, m := range href.FindAllStringSubmatch(answer.Body.String(), -1) {
		l, err := u.Resolve(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err != nil || seen[l] {
			continue
		}
		seen[l] = true
		if w.add(l, u) {
			p.New++
		}
		p.Links = append(p.Links, parts(l))
	}
	w.detector.Visit(p)
}

func parts(u frontier.URL) trap.URL {
	if u.IsZero() {
		return trap.URL{}
	}
	domain := u.Hostname()
	if strings.HasSuffix(domain, "."+webtest.EndlessDomain) {
		domain = webtest.EndlessDomain
	}
	return trap.URL{Domain: domain, Origin: u.Origin(), PathQuery: u.PathQuery()}
}
