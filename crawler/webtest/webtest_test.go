package webtest_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client returns a client that reaches the web and follows no redirects.
func client(t testing.TB, w *webtest.Web) *http.Client {
	tr := &http.Transport{DialContext: w.Dial}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{
		Transport:     tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func get(t testing.TB, c *http.Client, url string) (status int, body string, err error) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestWeb_EachSiteHasItsOwnAddress(t *testing.T) {
	w := webtest.New(t)
	a, b := w.Site(webtest.Pages{}), w.Site(webtest.Pages{})
	if a.Addr == b.Addr || !a.Addr.Addr().IsLoopback() {
		t.Errorf("sites at %v and %v, want two loopback addresses", a.Addr, b.Addr)
	}
}

func TestWeb_LogsWhatTheServerSaw(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/a": {Body: "hello"}, "/b": {Handler: webtest.Drop()}})
	other := w.Site(webtest.Pages{})
	c := client(t, w)
	get(t, c, s.URL+"/a?x=1")
	get(t, c, other.URL+"/nothing")
	if _, _, err := get(t, c, s.URL+"/b"); err == nil {
		t.Error("a dropped connection gave an answer")
	}
	// A GET whose idle connection dies is sent again by net/http, so /b may be there twice.
	got := slices.Compact(w.Log().Paths())
	if want := []string{"/a?x=1", "/nothing", "/b"}; !slices.Equal(got, want) {
		t.Errorf("log has %q, want %q", got, want)
	}
	if h := s.Hits()[0]; h.Status != 200 || h.Header.Get("User-Agent") == "" || h.End.Before(h.Start) {
		t.Errorf("first hit is %+v", h)
	}
}

func TestInMemory_TellsTheTimeOfItsBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := webtest.InMemory(t)
		s := w.Site(webtest.Pages{"/": {Handler: webtest.Delay(time.Minute, webtest.Page{Body: "late"})}}, "slow.test")
		c := client(t, w)
		for range 2 {
			if _, body, err := get(t, c, "http://slow.test/"); body != "late" || err != nil {
				t.Fatalf("got %q, %v", body, err)
			}
			time.Sleep(3 * time.Second)
		}
		hits := s.Hits()
		if got := hits[0].End.Sub(hits[0].Start); got != time.Minute {
			t.Errorf("a delayed answer took %v", got)
		}
		if got := webtest.MinGap(hits); got != 3*time.Second {
			t.Errorf("MinGap = %v, want 3s", got)
		}
		if got := webtest.MaxInFlight(hits); got != 1 {
			t.Errorf("MaxInFlight = %d, want 1", got)
		}
		c.CloseIdleConnections()
		w.Close()
	})
}

func TestHits_Judge(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	hits := webtest.Hits{
		{Site: "a", Path: "/1", Start: at(0), End: at(10)},
		{Site: "a", Path: "/2", Start: at(10), End: at(12)},
		{Site: "b", Path: "/1", Start: at(11), End: at(30)},
		{Site: "a", Path: "/1", Start: at(20)},
		{Site: "a", Path: "/1", Start: at(40)},
	}
	if got := webtest.MaxInFlight(hits); got != 2 {
		t.Errorf("MaxInFlight = %d, want 2", got)
	}
	if got := webtest.MaxInFlight(hits[:2]); got != 1 {
		t.Errorf("MaxInFlight of touching hits = %d, want 1", got)
	}
	if got := webtest.MinGap(hits[:4]); got != 0 {
		t.Errorf("MinGap = %v, want 0", got)
	}
	if got := webtest.MinGap(hits); got >= 0 {
		t.Errorf("MinGap after a hit that never ended = %v, want negative", got)
	}
	if got, want := webtest.Repeated(hits), []string{"a/1"}; !slices.Equal(got, want) {
		t.Errorf("Repeated = %q, want %q", got, want)
	}
}

func TestTLSSite_SpeaksBothVersions(t *testing.T) {
	w := webtest.New(t)
	s := w.TLSSite(webtest.Pages{"/": {Body: "secret"}}, "safe.test")
	for _, h2 := range []bool{false, true} {
		c := client(t, w)
		tr := c.Transport.(*http.Transport)
		tr.ForceAttemptHTTP2 = h2
		tr.TLSClientConfig = &tls.Config{RootCAs: w.RootCAs()}
		if _, body, err := get(t, c, s.URL+"/"); body != "secret" || err != nil {
			t.Fatalf("HTTP/2 %v: got %q, %v", h2, body, err)
		}
	}
	var protos []string
	for _, h := range s.Hits() {
		protos = append(protos, h.Proto)
	}
	if want := []string{"HTTP/1.1", "HTTP/2.0"}; !slices.Equal(protos, want) {
		t.Errorf("protocols %q, want %q", protos, want)
	}
}

// Each misbehaviour must really misbehave, seen by a plain client.
func TestMisbehaviours(t *testing.T) {
	w := webtest.New(t)
	tests := []struct {
		name    string
		handler http.Handler
		fails   string // part of the client's error; "" means none
		body    string
	}{
		{"Drop", webtest.Drop(), "EOF", ""},
		{"Garbage", webtest.Garbage(), "malformed HTTP", ""},
		{"Reset", webtest.Reset(-1), "", ""}, // EOF or reset, by luck
		{"Reset body", webtest.Reset(100), "", ""},
		{"Cut", webtest.Cut("part"), "unexpected EOF", "part"},
		{"CutChunked", webtest.CutChunked("part"), "unexpected EOF", "part"},
		{"BadChunk", webtest.BadChunk("part"), "invalid byte in chunk length", "part"},
		{"Abort", webtest.Abort("part"), "unexpected EOF", "part"},
		{"WrongLength", webtest.WrongLength(4, "part and more"), "", "part"},
		{"NoLength", webtest.NoLength("part"), "", "part"},
		{"NoBody", webtest.NoBody(), "", ""},
		{"Hints", webtest.Hints(3, webtest.Page{Body: "final"}), "", "final"},
		{"EndlessHeader", webtest.EndlessHeader(), "exceeded", ""},
		{"BigHeader", webtest.BigHeader(20 << 20), "exceeded", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := w.Site(test.handler)
			_, body, err := get(t, client(t, w), s.URL+"/")
			if test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			if !strings.HasPrefix(test.name, "Reset") && body != test.body {
				t.Errorf("body %q, want %q", body, test.body)
			}
			if strings.HasPrefix(test.name, "Reset") && err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestStalls_EndWithTheWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := webtest.InMemory(t)
		var clients sync.WaitGroup
		for _, h := range []http.Handler{webtest.Stall(), webtest.SlowHeader(time.Hour), webtest.WrongLength(9, "short")} {
			s := w.Site(h)
			clients.Go(func() {
				if _, _, err := get(t, client(t, w), s.URL); err == nil {
					t.Error("a stalled request gave an answer")
				}
			})
		}
		synctest.Wait()
		if n := webtest.MaxInFlight(w.Log()); n != 3 {
			t.Errorf("%d requests stalled, want 3", n)
		}
		w.Close()
		clients.Wait()
	})
}

func TestRedirects(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{"/loop": {Handler: webtest.RedirectLoop(2)}, "/old": webtest.Redirect(301, "/new")})
	for path, want := range map[string]string{"/loop": "/loop?hop=1", "/loop?hop=1": "/loop?hop=0", "/old": "/new"} {
		resp, err := client(t, w).Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %q", path, got, want)
		}
	}
}

func TestBusy_RelentsAfterN(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Busy(2, 503, "7", webtest.Page{Body: "ok"}))
	var got []int
	for range 3 {
		status, _, _ := get(t, client(t, w), s.URL+"/")
		got = append(got, status)
	}
	if want := []int{503, 503, 200}; !slices.Equal(got, want) {
		t.Errorf("statuses %v, want %v", got, want)
	}
}

var href = regexp.MustCompile(`href="([^"]+)"`)

func TestBench_EveryPageCanBeReachedFromOneSeed(t *testing.T) {
	w := webtest.New(t)
	b := w.Bench(webtest.BenchShape{Hosts: 9, Pages: 120, PageBytes: 3000})
	c := client(t, w)
	bodies := make(map[string]bool)
	seen := map[string]bool{b.Seeds()[0]: true}
	for queue := b.Seeds()[:1]; len(queue) > 0; queue = queue[1:] {
		resp, err := c.Get(queue[0])
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 200 || len(body) != 3000 {
			t.Fatalf("%s: %d, %d bytes", queue[0], resp.StatusCode, len(body))
		}
		bodies[string(body)] = true
		links := href.FindAllSubmatch(body, -1)
		if len(links) != 40 {
			t.Fatalf("%s has %d links, want 40", queue[0], len(links))
		}
		for _, l := range links {
			u, err := resp.Request.URL.Parse(string(l[1]))
			if err != nil {
				t.Fatal(err)
			}
			if !seen[u.String()] {
				seen[u.String()] = true
				queue = append(queue, u.String())
			}
		}
	}
	if len(seen) != b.Total() || b.Served() != b.Total() || len(bodies) != b.Total() {
		t.Errorf("saw %d URLs and %d bodies, served %d, want %d", len(seen), len(bodies), b.Served(), b.Total())
	}
	for u := range b.URLs() {
		if !seen[u] {
			t.Fatalf("URLs has %s, which no page links to", u)
		}
	}
	if len(w.Log()) != 0 {
		t.Errorf("%d hits logged, want none", len(w.Log()))
	}
}

func TestEncode_ConcatenatesCodings(t *testing.T) {
	once := webtest.Encode("gzip", bytes.Repeat([]byte("x"), 1<<20))
	twice := webtest.Encode("gzip, gzip", bytes.Repeat([]byte("x"), 1<<20))
	if len(twice) >= len(once) {
		t.Errorf("encoded twice: %d bytes, once: %d", len(twice), len(once))
	}
}
