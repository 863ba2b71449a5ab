package robots_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

const site = "http://site.example"

// A server is what answers a Cache in tests, and a diary of what it was asked.
type server struct {
	mu    sync.Mutex // guards following
	asked []string   // "URL", with " if " and the validators when conditional
	reply func(url, etag, modified string) robots.Response
}

func (s *server) fetch(_ context.Context, url, etag, modified string) robots.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := url
	if etag != "" || modified != "" {
		entry += " if " + etag + modified
	}
	s.asked = append(s.asked, entry)
	return s.reply(url, etag, modified)
}

// want checks what was asked since the last call.
func (s *server) want(t *testing.T, asked ...string) {
	t.Helper()
	if got := strings.Join(s.asked, ", "); got != strings.Join(asked, ", ") {
		t.Errorf("asked for [%s], want %q", got, asked)
	}
	s.asked = nil
}

// status answers everything with a status, a body and headers.
func status(code int, body string, header ...string) robots.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return robots.Response{Status: code, Body: []byte(body), Header: h}
}

func always(r robots.Response) *server {
	return &server{reply: func(string, string, string) robots.Response { return r }}
}

// memoryBodies is Bodies in a map.
type memoryBodies map[string][]byte

func (m memoryBodies) Put(body []byte) (string, error) {
	digest := robots.Parse(body, robots.Cautious).Digest()
	m[digest] = bytes.Clone(body)
	return digest, nil
}

func (m memoryBodies) Get(digest string) ([]byte, error) {
	if body, ok := m[digest]; ok {
		return body, nil
	}
	return nil, fs.ErrNotExist
}

func newCache(o robots.CacheOptions) *robots.Cache {
	if o.Bodies == nil {
		o.Bodies = memoryBodies{}
	}
	o.Product = "cybermapper"
	return robots.NewCache(o)
}

// rules asks c and fails the test when there is an error.
func rules(t *testing.T, c *robots.Cache, prior robots.State, s *server) robots.Answer {
	t.Helper()
	a, err := c.Rules(t.Context(), site, prior, s.fetch)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const closed = "User-agent: *\nDisallow: /private\n"

// TestCache_Outcomes is the table of RFC 9309 section 2.3.1, one exchange each.
func TestCache_Outcomes(t *testing.T) {
	cut := status(200, closed)
	cut.Err = errors.New("unexpected EOF")
	for _, tt := range []struct {
		name    string
		reply   robots.Response
		outcome robots.Outcome
		private bool // allowed
		public  bool
		reason  robots.Reason // for /public
	}{
		{"200", status(200, closed), robots.Found, false, true, robots.ReasonNoRule},
		{"200 empty", status(200, ""), robots.Found, true, true, robots.ReasonNoGroup},
		{"204", status(204, ""), robots.Found, true, true, robots.ReasonNoGroup},
		{"200 with a page", status(200, "<html>not found</html>"), robots.Found, true, true, robots.ReasonNoGroup},
		{"304 unasked", status(304, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"302 without location", status(302, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"302 to nowhere", status(302, "", "Location", "http://[x"), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"302 to ftp", status(302, "", "Location", "ftp://site.example/robots.txt"), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"302 to itself", status(302, "", "Location", "/robots.txt"), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"401", status(401, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"403", status(403, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"404", status(404, closed), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"410", status(410, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"451", status(451, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"429", status(429, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"500", status(500, closed), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"503", status(503, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"cut off", cut, robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"no answer", robots.Response{Err: errors.New("connection refused")}, robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"no status", robots.Response{}, robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"unknown status", status(999, closed), robots.Unreachable, false, false, robots.ReasonUnreachable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(tt.reply))
			if a.State.Outcome != tt.outcome || a.State.Status != tt.reply.Status || a.State.Origin != site || !a.Fetched {
				t.Errorf("state %+v, want %s", a.State, tt.outcome)
			}
			if v := a.Rules.Test("/private"); v.Allowed != tt.private {
				t.Errorf("/private: %+v", v)
			}
			if v := a.Rules.Test("/public"); v.Allowed != tt.public || v.Reason != tt.reason {
				t.Errorf("/public: %+v, want %s", v, tt.reason)
			}
			if (a.File != nil) != (tt.outcome == robots.Found) {
				t.Errorf("file: %v", a.File)
			}
		})
	}
}

// TestCache_Lifetime: RFC 9309 section 2.4, within bounds.
func TestCache_Lifetime(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"nothing said", nil, 24 * time.Hour},
		{"max-age", []string{"Cache-Control", "public, MAX-AGE=7200"}, 2 * time.Hour},
		{"max-age is old already", []string{"Cache-Control", "max-age=36000", "Age", "7200"}, 8 * time.Hour},
		{"short", []string{"Cache-Control", "max-age=5"}, time.Hour},
		{"long", []string{"Cache-Control", "max-age=99999999999999999999"}, 24 * time.Hour},
		{"no-cache", []string{"Cache-Control", "max-age=7200", "Cache-Control", "no-cache"}, time.Hour},
		{"unreadable max-age", []string{"Cache-Control", "max-age=soon"}, 24 * time.Hour},
		{"Expires", []string{"Expires", "Sat, 01 Jan 2000 03:00:00 GMT"}, 3 * time.Hour},
		{"Expires by the server's clock", []string{"Expires", "Sat, 01 Jan 2005 03:00:00 GMT", "Date", "Sat, 01 Jan 2005 00:00:00 GMT"}, 3 * time.Hour},
		{"Expires in the past", []string{"Expires", "0"}, time.Hour},
		{"max-age before Expires", []string{"Expires", "0", "Cache-Control", "max-age=7200"}, 2 * time.Hour},
	} {
		for _, code := range []int{200, 404} {
			synctest.Test(t, func(t *testing.T) { // begins at midnight UTC 2000-01-01
				s := always(status(code, closed, tt.header...))
				c := newCache(robots.CacheOptions{})
				first := rules(t, c, robots.State{}, s)
				if got := first.State.Expires.Sub(first.State.FetchedAt); got != tt.want {
					t.Errorf("%s: status %d lives %v, want %v", tt.name, code, got, tt.want)
				}
				time.Sleep(tt.want - 1)
				if again := rules(t, c, first.State, s); again.Fetched || again.State != first.State {
					t.Errorf("%s: asked again before the time", tt.name)
				}
				time.Sleep(1)
				if again := rules(t, c, first.State, s); !again.Fetched {
					t.Errorf("%s: not asked again in time", tt.name)
				}
				s.want(t, site+"/robots.txt", site+"/robots.txt")
			})
		}
	}
}

// TestCache_Revalidates: RFC 9110 section 13.1, RFC 9111 section 4.3.4.
func TestCache_Revalidates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed, "ETag", `"v1"`, "Last-Modified", "yesterday"))
		c := newCache(robots.CacheOptions{})
		first := rules(t, c, robots.State{}, s)

		time.Sleep(24 * time.Hour)
		s.reply = always(status(304, "", "ETag", `"v2"`, "Cache-Control", "max-age=7200")).reply
		second := rules(t, c, first.State, s)
		if v := second.Rules.Test("/private"); v.Allowed || v.Digest != first.State.Digest || !second.Fetched {
			t.Errorf("after 304: %+v", v)
		}
		if got := second.State; got.Outcome != robots.Found || got.ETag != `"v2"` || got.LastModified != "yesterday" || time.Until(got.Expires) != 2*time.Hour {
			t.Errorf("after 304: %+v", got)
		}

		time.Sleep(2 * time.Hour)
		s.reply = always(status(200, "")).reply
		if third := rules(t, c, second.State, s); !third.Rules.Test("/private").Allowed || third.State.ETag != "" {
			t.Errorf("after the change: %+v", third.State)
		}
		time.Sleep(24 * time.Hour)
		rules(t, c, second.State, s)
		s.want(t, site+"/robots.txt", site+`/robots.txt if "v1"yesterday`, site+`/robots.txt if "v2"yesterday`, site+"/robots.txt")
	})
}

// TestCache_RevalidatesAfterFailure: a failure does not make us forget what we have.
func TestCache_RevalidatesAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed, "ETag", `"v1"`))
		c := newCache(robots.CacheOptions{})
		rules(t, c, robots.State{}, s)
		time.Sleep(24 * time.Hour)
		s.reply = always(status(500, "")).reply
		failed := rules(t, c, robots.State{}, s)
		time.Sleep(time.Until(failed.State.NextTry))
		s.reply = always(status(304, "")).reply
		back := rules(t, c, robots.State{}, s)
		if back.State.Outcome != robots.Found || back.State.Failures != 0 || !back.State.NextTry.IsZero() || !back.Rules.Test("/").Allowed {
			t.Errorf("after the failure: %+v", back.State)
		}
		s.want(t, site+"/robots.txt", site+`/robots.txt if "v1"`, site+`/robots.txt if "v1"`)
	})
}

// TestCache_BackOff: RFC 9309 section 2.3.1.4; the next try is in State, and nothing is asked before.
func TestCache_BackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(500, ""))
		c := newCache(robots.CacheOptions{})
		var state robots.State
		start := time.Now()
		for i, minutes := range []int{5, 10, 20, 40, 80, 160, 320, 360, 360} {
			a := rules(t, c, state, s)
			state = a.State
			if got := time.Until(state.NextTry); got != time.Duration(minutes)*time.Minute || state.Failures != i+1 || !state.FirstFailure.Equal(start) {
				t.Fatalf("failure %d: next try in %v, want %d minutes: %+v", i+1, got, minutes, state)
			}
			time.Sleep(time.Until(state.NextTry) - 1)
			if a := rules(t, c, state, s); a.Fetched || a.Rules.Test("/").Reason != robots.ReasonUnreachable {
				t.Fatalf("failure %d: asked before the time", i+1)
			}
			time.Sleep(1)
		}
		s.reply = always(status(200, closed)).reply
		if a := rules(t, c, state, s); a.State.Failures != 0 || !a.State.FirstFailure.IsZero() || !a.Rules.Test("/").Allowed {
			t.Errorf("back again: %+v", a.State)
		}
	})
}

// TestCache_RetryAfter: RFC 9110 section 10.2.3, when it is longer than our own back-off, up to a day.
func TestCache_RetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"3600":                          time.Hour,
		"10":                            5 * time.Minute,
		"999999999":                     24 * time.Hour,
		"-5":                            5 * time.Minute,
		"Sat, 01 Jan 2000 02:00:00 GMT": 2 * time.Hour,
		"Fri, 31 Dec 1999 02:00:00 GMT": 5 * time.Minute,
		"later":                         5 * time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, code := range []int{429, 503} {
				a := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(code, "", "Retry-After", value)))
				if got := time.Until(a.State.NextTry); got != want {
					t.Errorf("%d with Retry-After %q: next try in %v, want %v", code, value, got, want)
				}
			}
		})
	}
}

// TestCache_LastGood: by option the last good file stays in force, and no more than it allows.
func TestCache_LastGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := memoryBodies{}
		s := always(status(200, closed))
		strict, lax := newCache(robots.CacheOptions{Bodies: bodies}), newCache(robots.CacheOptions{Bodies: bodies, UseLastGood: true})
		good := rules(t, strict, robots.State{}, s).State
		time.Sleep(24 * time.Hour)
		s.reply = always(status(500, "")).reply
		if v := rules(t, strict, good, s).Rules.Test("/"); v.Allowed {
			t.Errorf("default: %+v, want forbidden", v)
		}
		a := rules(t, lax, good, s)
		if v := a.Rules.Test("/"); !v.Allowed || v.Digest != good.Digest || a.File == nil || a.State.Outcome != robots.Unreachable {
			t.Errorf("last good: %+v, %+v", v, a.State)
		}
		if v := a.Rules.Test("/private"); v.Allowed {
			t.Errorf("last good: %+v, want forbidden", v)
		}
		// Without the body, or when the last answer was that there is no file, there is nothing to go by.
		for digest := range bodies {
			delete(bodies, digest)
		}
		if v := rules(t, newCache(robots.CacheOptions{Bodies: bodies, UseLastGood: true}), a.State, s).Rules.Test("/"); v.Allowed {
			t.Errorf("body lost: %+v", v)
		}
		s.reply = always(status(404, "")).reply
		fresh := newCache(robots.CacheOptions{UseLastGood: true})
		gone := rules(t, fresh, robots.State{}, s).State
		time.Sleep(24 * time.Hour)
		s.reply = always(status(500, "")).reply
		if v := rules(t, fresh, gone, s).Rules.Test("/"); v.Allowed {
			t.Errorf("after 404 and 500: %+v", v)
		}
	})
}

// TestCache_ThirtyDays: RFC 9309 section 2.3.1.4 would let us in; we stay out unless the operator says otherwise.
func TestCache_ThirtyDays(t *testing.T) {
	for _, tt := range []struct {
		name    string
		presume func(string) time.Duration
		allowed bool
	}{
		{"default", nil, false},
		{"not for this origin", func(origin string) time.Duration { return 0 }, false},
		{"after 30 days", func(origin string) time.Duration { return time.Hour }, true},
		{"after 60 days", func(origin string) time.Duration { return 60 * 24 * time.Hour }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := always(status(500, ""))
			c := newCache(robots.CacheOptions{PresumeAbsent: tt.presume})
			var a robots.Answer
			for start := time.Now(); time.Since(start) <= 31*24*time.Hour; time.Sleep(time.Until(a.State.NextTry)) {
				a = rules(t, c, a.State, s)
				if early := time.Since(start) < 30*24*time.Hour; early && a.Rules.Test("/").Allowed {
					t.Fatalf("%s: allowed after %v", tt.name, time.Since(start))
				}
			}
			if v := a.Rules.Test("/"); v.Allowed != tt.allowed || v.Allowed && v.Reason != robots.ReasonPresumedAbsent {
				t.Errorf("%s: after 31 days %+v, want allowed %v", tt.name, v, tt.allowed)
			}
		})
	}
}

// TestCache_Redirects: RFC 9309 section 2.3.1.2; the rules are those of the origin that was asked first.
func TestCache_Redirects(t *testing.T) {
	hop := func(n int) string { return fmt.Sprintf("https://hop%d.example/r", n) }
	chain := func(hops int) *server {
		return &server{reply: func(url, etag, _ string) robots.Response {
			for i := range hops {
				if url == hop(i) || i == 0 && url == site+"/robots.txt" {
					return status(301, "", "Location", hop(i+1)+"#fragment")
				}
			}
			return status(200, closed, "ETag", `"x"`)
		}}
	}
	synctest.Test(t, func(t *testing.T) {
		s := chain(5)
		c := newCache(robots.CacheOptions{})
		a := rules(t, c, robots.State{}, s)
		if a.State.Outcome != robots.Found || a.State.Hops != 5 || a.State.FinalURL != hop(5) || a.State.Origin != site {
			t.Errorf("five hops: %+v", a.State)
		}
		s.want(t, site+"/robots.txt", hop(1), hop(2), hop(3), hop(4), hop(5))
		time.Sleep(24 * time.Hour)
		rules(t, c, robots.State{}, s) // the validator belongs to the last URL only
		s.want(t, site+"/robots.txt", hop(1), hop(2), hop(3), hop(4), hop(5)+` if "x"`)

		s = chain(6)
		a = rules(t, newCache(robots.CacheOptions{}), robots.State{}, s)
		if a.State.Outcome != robots.Unavailable || a.State.Err != "more than 5 redirects" {
			t.Errorf("six hops: %+v", a.State)
		}
		s.want(t, site+"/robots.txt", hop(1), hop(2), hop(3), hop(4), hop(5))

		s = &server{reply: func(url, _, _ string) robots.Response {
			return status(302, "", "Location", map[bool]string{true: "/b", false: "/robots.txt"}[url == site+"/robots.txt"])
		}}
		a = rules(t, newCache(robots.CacheOptions{}), robots.State{}, s)
		if a.State.Outcome != robots.Unavailable || a.State.Err != "redirect loop" {
			t.Errorf("loop: %+v", a.State)
		}
		s.want(t, site+"/robots.txt", site+"/b")

		s = &server{reply: func(url, _, _ string) robots.Response {
			if url == hop(1) {
				return robots.Response{Err: errors.New("forbidden address")}
			}
			return status(302, "", "Location", hop(1))
		}}
		if a = rules(t, newCache(robots.CacheOptions{}), robots.State{}, s); a.State.Outcome != robots.Unreachable {
			t.Errorf("refused hop: %+v", a.State)
		}
	})
}

// TestCache_SingleFlight: however many ask at once, one fetches.
func TestCache_SingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed))
		c := newCache(robots.CacheOptions{})
		slow := func(ctx context.Context, url, etag, modified string) robots.Response {
			time.Sleep(time.Minute)
			return s.fetch(ctx, url, etag, modified)
		}
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				a, err := c.Rules(t.Context(), site, robots.State{}, slow)
				if err != nil || a.Rules.Test("/private").Allowed || !a.Fetched {
					t.Errorf("%+v, %v", a, err)
				}
			})
		}
		wg.Wait()
		s.want(t, site+"/robots.txt")
	})
}

// TestCache_LeaderLeaves: when the caller that fetches gives up, another one fetches; a waiting caller may give up too.
func TestCache_LeaderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed))
		c := newCache(robots.CacheOptions{})
		slow := func(ctx context.Context, url, etag, modified string) robots.Response {
			select {
			case <-ctx.Done():
				return robots.Response{Err: ctx.Err()}
			case <-time.After(time.Minute):
				return s.fetch(ctx, url, etag, modified)
			}
		}
		var wg sync.WaitGroup
		for i, patience := range []time.Duration{time.Second, time.Hour, 2 * time.Second} {
			wg.Go(func() {
				time.Sleep(time.Duration(i)) // one after the other
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				a, err := c.Rules(ctx, site, robots.State{}, slow)
				if stays := patience == time.Hour; stays != (err == nil) {
					t.Errorf("caller %d: %+v, %v", i, a.State, err)
				} else if !stays && (!errors.Is(err, context.DeadlineExceeded) || a.Rules.Test("/").Allowed) {
					t.Errorf("caller %d: %v, want a deadline and no permission", i, err)
				}
			})
		}
		wg.Wait()
		s.want(t, site+"/robots.txt")
	})
}

// TestCache_Restart: what a State says is not asked again by another process.
func TestCache_Restart(t *testing.T) {
	for _, code := range []int{200, 404, 500} {
		synctest.Test(t, func(t *testing.T) {
			dir := robots.DirBodies(filepath.Join(t.TempDir(), "robots"))
			s := always(status(code, closed))
			before := rules(t, newCache(robots.CacheOptions{Bodies: dir}), robots.State{}, s)
			kept, err := json.Marshal(before.State)
			if err != nil {
				t.Fatal(err)
			}
			var state robots.State
			if err := json.Unmarshal(kept, &state); err != nil || state != before.State {
				t.Fatalf("state %+v became %+v: %v", before.State, state, err)
			}
			time.Sleep(time.Minute)
			after := rules(t, newCache(robots.CacheOptions{Bodies: dir}), state, s)
			if after.Fetched || after.Rules.Test("/private") != before.Rules.Test("/private") {
				t.Errorf("%d: %+v after the restart", code, after)
			}
			s.want(t, site+"/robots.txt")
		})
	}
}

// TestCache_Disbelief: states of other origins, from the future, or without their body are not believed.
func TestCache_Disbelief(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(404, ""))).State
		other, future, lost := good, good, good
		other.Origin = "http://other.example"
		future.Expires = future.Expires.Add(48 * time.Hour)
		lost.Outcome, lost.Digest, lost.LastGood = robots.Found, "sha256:"+strings.Repeat("0", 64), "sha256:"+strings.Repeat("0", 64)
		failed := robots.State{Origin: site, Outcome: robots.Unreachable, FetchedAt: good.FetchedAt, NextTry: good.FetchedAt.Add(100 * time.Hour)}
		for name, state := range map[string]robots.State{"other": other, "future": future, "lost": lost, "failed": failed, "nonsense": {Origin: site, Outcome: "x"}} {
			s := always(status(200, closed))
			if a := rules(t, newCache(robots.CacheOptions{}), state, s); a.Rules.Test("/private").Allowed {
				t.Errorf("%s: believed %+v", name, state)
			}
			s.want(t, site+"/robots.txt")
		}
	})
}

// failingBodies cannot write, or cannot read.
type failingBodies struct {
	memoryBodies
	put, get error
}

func (b failingBodies) Put(body []byte) (string, error) {
	if b.put != nil {
		return "", b.put
	}
	return b.memoryBodies.Put(body)
}

func (b failingBodies) Get(digest string) ([]byte, error) {
	if b.get != nil {
		return nil, b.get
	}
	return b.memoryBodies.Get(digest)
}

// TestCache_Errors: our own troubles are errors, change nothing and allow nothing.
func TestCache_Errors(t *testing.T) {
	full := errors.New("disk full")
	known := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(200, closed))).State
	expired := known
	expired.Expires = time.Now()
	aborted := robots.Response{Abort: full}
	for _, tt := range []struct {
		name   string
		bodies failingBodies
		prior  robots.State
		reply  robots.Response
	}{
		{"cannot keep", failingBodies{memoryBodies{}, full, nil}, robots.State{}, status(200, closed)},
		{"cannot read a fresh one", failingBodies{memoryBodies{}, nil, full}, known, status(200, closed)},
		{"cannot read an old one", failingBodies{memoryBodies{}, nil, full}, expired, status(200, closed)},
		{"no exchange", failingBodies{memoryBodies{}, nil, nil}, robots.State{}, aborted},
	} {
		a, err := newCache(robots.CacheOptions{Bodies: tt.bodies}).Rules(t.Context(), site, tt.prior, always(tt.reply).fetch)
		if !errors.Is(err, full) || a.Rules.Test("/").Allowed || a.State != (robots.State{}) {
			t.Errorf("%s: %+v, %v", tt.name, a, err)
		}
	}
	for _, origin := range []string{"", "site.example", "ftp://site.example", "http://", "http://site.example/", "http://u@site.example", "http://[x"} {
		if _, err := newCache(robots.CacheOptions{}).Rules(t.Context(), origin, robots.State{}, nil); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := always(status(200, closed))
	if a, err := newCache(robots.CacheOptions{}).Rules(ctx, site, robots.State{}, s.fetch); !errors.Is(err, context.Canceled) || a.Rules != nil {
		t.Errorf("cancelled: %+v, %v", a, err)
	}
	s.want(t)
}

// TestCache_Panic: a fetch that panics leaves nobody waiting.
func TestCache_Panic(t *testing.T) {
	c := newCache(robots.CacheOptions{})
	func() {
		defer func() { recover() }()
		c.Rules(t.Context(), site, robots.State{}, func(context.Context, string, string, string) robots.Response { panic("fetch") })
	}()
	if a := rules(t, c, robots.State{}, always(status(404, ""))); !a.Rules.Test("/").Allowed {
		t.Errorf("%+v", a)
	}
}

// TestCache_Bounds: what does not fit into memory is read again from Bodies, and not fetched.
func TestCache_Bounds(t *testing.T) {
	for name, o := range map[string]robots.CacheOptions{"files": {MaxFiles: 2}, "bytes": {MaxMemory: 5000}} {
		c := newCache(o)
		s := always(status(200, closed))
		states := map[string]robots.State{}
		for range 3 {
			for i := range 10 {
				origin := fmt.Sprintf("http://h%d.example", i)
				a, err := c.Rules(t.Context(), origin, states[origin], s.fetch)
				if err != nil || a.Rules.Test("/private").Allowed {
					t.Fatalf("%s: %+v, %v", name, a, err)
				}
				states[origin] = a.State
			}
		}
		if len(s.asked) != 10 {
			t.Errorf("%s: %d fetches, want 10", name, len(s.asked))
		}
	}
	s := always(status(200, closed))
	c := robots.NewCache(robots.CacheOptions{MaxMemory: 1}) // no Bodies, no memory
	a := rules(t, c, robots.State{}, s)
	rules(t, c, a.State, s)
	s.want(t, site+"/robots.txt", site+"/robots.txt")
}

// TestCache_MaxBytes: a longer body is kept up to the byte that shows that it is longer.
func TestCache_MaxBytes(t *testing.T) {
	bodies := memoryBodies{}
	body := closed + strings.Repeat("x", 2*robots.MaxBytes)
	a := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), robots.State{}, always(status(200, body)))
	if n := len(bodies[a.State.Digest]); n != robots.MaxBytes+1 || a.File.Digest() != a.State.Digest || a.Rules.Test("/private").Allowed {
		t.Errorf("kept %d bytes, want %d", n, robots.MaxBytes+1)
	}
}

func TestDirBodies(t *testing.T) {
	dir := robots.DirBodies(filepath.Join(t.TempDir(), "a", "b"))
	digest, err := dir.Put([]byte(closed))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := dir.Put([]byte(closed)); again != digest || err != nil {
		t.Errorf("twice: %s, %v", again, err)
	}
	if got, err := dir.Get(digest); string(got) != closed || err != nil {
		t.Errorf("Get = %q, %v", got, err)
	}
	files, err := os.ReadDir(string(dir))
	if err != nil || len(files) != 1 || "sha256:"+files[0].Name() != digest {
		t.Errorf("in the directory: %v, %v", files, err)
	}
	for _, missing := range []string{"", "sha256:", "sha256:" + strings.Repeat("0", 64), "sha256:../" + strings.Repeat("0", 61), "md5:0"} {
		if _, err := dir.Get(missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q): %v, want not exist", missing, err)
		}
	}
	// After power loss a file may be there and not whole: it counts as missing and is written again.
	if err := os.WriteFile(filepath.Join(string(dir), files[0].Name()), []byte("User"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Get(digest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of a damaged file: %v", err)
	}
	if _, err := dir.Put([]byte(closed)); err != nil {
		t.Fatal(err)
	}
	if got, err := dir.Get(digest); string(got) != closed || err != nil {
		t.Errorf("mended: %q, %v", got, err)
	}
}
