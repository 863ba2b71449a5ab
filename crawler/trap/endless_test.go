package trap

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/simhash"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// wildOrders names the environment variable with a number of further orders for the replays. Of a hundred of the endless kinds,
// each with all 32 kinds, ten visits asked for more pages of a place than they should (151 to 621), none without noticing it: six
// of the labyrinth of articles, and one each of four others. In none an honest page was put aside.
const wildOrders = "CYBERMAPPER_TRAP_ORDERS"

// Ensure that each endless place is noticed, and all honest pages beside it are visited, whatever the order in which pages come and
// are told: the order of answers changes with the load of a machine.
func TestDetector_EndlessInAnyOrder(t *testing.T) {
	if raceEnabled {
		t.Skip("one goroutine has no races, and is slow when they are looked for")
	}
	orders := 8
	if testing.Short() {
		orders = 2
	}
	for order := range orders + furtherOrders() {
		for _, e := range webtest.EndlessKinds() {
			if !e.Within("", "/place/") { // its hosts are no pages of a replay
				continue
			}
			within, missed, found := visitEndless(e, order, func(string) []string { return nil })
			if within > e.Most || len(found) == 0 {
				t.Errorf("%s, order %d: %d pages of the place, want at most %d; found %v", e.Name, order, within, e.Most, found)
			}
			if len(missed) > 0 {
				t.Errorf("%s, order %d: %d honest pages were not visited, as %s; found %v", e.Name, order, len(missed), missed[0], found)
			}
		}
	}
}

// Ensure that versions are told from their differences however many of them are met that lead to nothing new: in these orders up to
// a fifth of the pages are, which may hide that there is no end.
func TestDetector_DifferencesWithManyEnds(t *testing.T) {
	kinds := webtest.EndlessKinds()
	i := slices.IndexFunc(kinds, func(e *webtest.Endless) bool { return e.Name == "differences of versions" })
	for _, order := range []int{55, 93} {
		within, _, found := visitEndless(kinds[i], order, func(string) []string { return nil })
		if within > kinds[i].Most || len(found) == 0 {
			t.Errorf("order %d: %d pages of the place, want at most %d; found %v", order, within, kinds[i].Most, found)
		}
	}
}

// furtherOrders returns the number in wildOrders; zero when it is not set.
func furtherOrders() int {
	n, _ := strconv.Atoi(os.Getenv(wildOrders))
	return max(n, 0)
}

// visitEndless visits the site of an endless place in an order. Its pages there show pictures.
func visitEndless(e *webtest.Endless, order int, pictures func(path string) []string) (
	within int, missed []string, found map[Finding]bool) {
	r := (&replay{most: 5*e.Most + len(e.Honest)}).inOrder(order)
	r.perRun = 0 // each run asks for some pages before it notices
	visited := map[string]bool{}
	var reader simhash.Reader
	r.answers = func(path string) answered {
		path, body, ok := get(e.Site, path)
		visited[path] = ok
		if ok && e.Within("", path) {
			within++
		}
		text := reader.Of([]byte(body))
		a := answered{ok: ok, made: true, to: linksIn(body, path), text: Text{text.Hash, text.Words, reader.Sample()}}
		if e.Within("", path) {
			a.pictures = pictures(path)
		}
		return a
	}
	r.run("/")
	for _, path := range e.Honest {
		if !visited[path] {
			missed = append(missed, path)
		}
	}
	return within, missed, r.found
}

// get asks a site for a path, follows redirects, and returns where the page is.
func get(site http.Handler, path string) (at, body string, ok bool) {
	for {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusFound {
			return path, w.Body.String(), w.Code == http.StatusOK
		}
		path = w.Header().Get("Location")
	}
}

var href = regexp.MustCompile(`href="?([^">\s]*)`)

// linksIn returns the paths that a page of webtest leads to, each once.
func linksIn(body, path string) (to []string) {
	base, err := url.Parse("http://a.example" + path)
	if err != nil {
		return nil
	}
	known := map[string]bool{path: true}
	for _, m := range href.FindAllStringSubmatch(body, -1) {
		u, err := base.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err == nil && u.Host == base.Host && !known[u.RequestURI()] {
			known[u.RequestURI()] = true
			to = append(to, u.RequestURI())
		}
	}
	return to
}
