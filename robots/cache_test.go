package robots_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
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

// A cache without a product would obey the groups for "*" and be silent about it.
func TestNewCache_RefusesWhatNoFileCouldName(t *testing.T) {
	for _, product := range []string{"", " ", "*", "/1.0", "bot2", "bot.example", "kr\u00e4bbe"} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "CacheOptions.Product") {
					t.Errorf("NewCache with the product %q: panic %v, want one that names the field", product, p)
				}
			}()
			robots.NewCache(robots.CacheOptions{Product: product})
		}()
	}
}

func TestCache_ObeysItsProduct(t *testing.T) {
	for _, product := range []string{"titlebot", "titlebot/1.0", " Titlebot "} {
		c := robots.NewCache(robots.CacheOptions{Product: product})
		if !strings.EqualFold(c.Product(), "titlebot") {
			t.Errorf("%q: Product is %q", product, c.Product())
		}
		a := rules(t, c, robots.State{}, always(status(200, "User-agent: titlebot\nDisallow: /\n\nUser-agent: *\nDisallow:\n")))
		if a.Rules.Test("/").Allowed {
			t.Errorf("%q: may fetch what the file forbids it by name", product)
		}
	}
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
		{"403 for now", status(403, "", "Retry-After", "60"), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"403 with a time nobody can read", status(403, "", "Retry-After", "soon"), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"401 for now", status(401, "", "Retry-After", "60"), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"404 with Retry-After", status(404, "", "Retry-After", "60"), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"404", status(404, closed), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"410", status(410, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"451", status(451, ""), robots.Unavailable, true, true, robots.ReasonUnavailable},
		{"429", status(429, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"408", status(408, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
		{"425", status(425, ""), robots.Unreachable, false, false, robots.ReasonUnreachable},
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

// Ensure that what is remembered of origins that cannot be reached, which may be millions, does not have rules for each.
func TestCache_UnreachableShareRules(t *testing.T) {
	c := newCache(robots.CacheOptions{})
	first := rules(t, c, robots.State{}, always(status(503, "")))
	other, err := c.Rules(t.Context(), "https://other.example", robots.State{}, always(status(500, "")).fetch)
	if err != nil {
		t.Fatal(err)
	}
	if first.Rules != other.Rules || first.Rules.Test("/").Reason != robots.ReasonUnreachable {
		t.Errorf("rules %p and %p", first.Rules, other.Rules)
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
				time.Sleep(time.Nanosecond)
				if again := rules(t, c, first.State, s); !again.Fetched {
					t.Errorf("%s: not asked again in time", tt.name)
				}
				s.want(t, site+"/robots.txt", site+"/robots.txt")
			})
		}
	}
}

// TestCache_LifetimeOfTheOperator: it is shorter if the operator wants so, and never longer than a day (RFC 9309 section 2.4).
func TestCache_LifetimeOfTheOperator(t *testing.T) {
	for life, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, 48 * time.Hour: robots.MaxLife} {
		got := rules(t, newCache(robots.CacheOptions{MinLife: life, MaxLife: life}), robots.State{}, always(status(200, closed)))
		if got := got.State.Expires.Sub(got.State.FetchedAt); got != want {
			t.Errorf("%v: lives %v, want %v", life, got, want)
		}
	}
}

// An answer is used for as long as the cache of today says, not the one that asked: neither longer nor shorter.
func TestCache_LifetimeIsShorterNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed))
		bodies := robots.DirBodies(t.TempDir())
		old := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), robots.State{}, s).State
		for _, tt := range []struct {
			age  time.Duration
			want bool
		}{{119 * time.Minute, false}, {2 * time.Hour, true}, {23 * time.Hour, true}} {
			time.Sleep(tt.age - time.Since(old.FetchedAt))
			c := newCache(robots.CacheOptions{Bodies: bodies, MaxLife: 2 * time.Hour})
			if got := rules(t, c, old, s).Fetched; got != tt.want {
				t.Errorf("asked again when it was %v old: %v, want %v", tt.age, got, tt.want)
			}
		}
	})
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
		if back.State.ETag != `"v1"` || back.State.Outcome != robots.Found || back.State.Failures != 0 || !back.State.NextTry.IsZero() || !back.Rules.Test("/").Allowed {
			t.Errorf("after the failure: %+v", back.State)
		}
		s.want(t, site+"/robots.txt", site+`/robots.txt if "v1"`, site+`/robots.txt if "v1"`)
	})
}

// A network that wants a login first answers every request with its own page: where there were rules nothing may be asked for, and
// the honest file is asked for again soon. Who replaces robots.txt by a page for good is believed after a day.
func TestCache_APageInPlaceOfRules(t *testing.T) {
	rule := status(200, "User-agent: *\nDisallow: /no\n", "ETag", `"1"`)
	login := status(200, "\n<!DOCTYPE html><title>Sign in</title>", "Cache-Control", "max-age=86400")
	synctest.Test(t, func(t *testing.T) {
		c, s := newCache(robots.CacheOptions{}), always(rule)
		a := rules(t, c, robots.State{}, s)
		s.reply = func(string, string, string) robots.Response { return login }
		time.Sleep(24 * time.Hour)
		a = rules(t, c, a.State, s)
		if again := time.Until(a.State.NextTry); a.Rules.Test("/yes").Allowed || again != 5*time.Minute {
			t.Errorf("with a page in place of rules /yes is allowed, or robots.txt is asked for after %v, want 5m: %+v", again, a.State)
		}
		s.reply = func(string, string, string) robots.Response { return rule }
		time.Sleep(5 * time.Minute)
		if a = rules(t, c, a.State, s); !a.Rules.Test("/yes").Allowed || a.Rules.Test("/no").Allowed {
			t.Errorf("after that the rules do not hold: %+v", a.State)
		}
		s.reply = func(string, string, string) robots.Response { return login }
		start := time.Now().Add(24 * time.Hour)
		time.Sleep(24 * time.Hour)
		for a = rules(t, c, a.State, s); !a.Rules.Test("/yes").Allowed; a = rules(t, c, a.State, s) {
			time.Sleep(time.Until(a.State.NextTry))
		}
		if took := time.Since(start); took < 24*time.Hour || took > 30*time.Hour {
			t.Errorf("the page is believed after %v, want a day", took)
		}
	})
}

// A line may be away for longer than a page takes to be believed, before a network wants a login: that does not count.
func TestCache_APageAfterAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := newCache(robots.CacheOptions{}), always(status(200, "User-agent: *\nDisallow: /no\n"))
		a := rules(t, c, robots.State{}, s)
		s.reply = func(string, string, string) robots.Response { return robots.Response{Err: errors.New("no such host")} }
		time.Sleep(24 * time.Hour)
		for start := time.Now(); time.Since(start) < 26*time.Hour; time.Sleep(time.Until(a.State.NextTry)) {
			a = rules(t, c, a.State, s)
		}
		s.reply = func(string, string, string) robots.Response { return status(200, "<html>Sign in</html>") }
		if a = rules(t, c, a.State, s); a.Rules.Test("/no").Allowed {
			t.Errorf("the first page after an outage is believed: %+v", a.State)
		}
	})
}

// Of an origin that is met first, a page is a file without rules, for no longer than any answer is good for at least.
func TestCache_APageAtFirst(t *testing.T) {
	for _, body := range []string{"<html>Sign in</html>", " \n<!doctype html>"} {
		a := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(200, body, "Cache-Control", "max-age=86400")))
		if life := a.State.Expires.Sub(a.State.FetchedAt); !a.Rules.Test("/").Allowed || life != time.Hour {
			t.Errorf("%q: used for %v, want 1h: %+v", body, life, a.State)
		}
	}
	a := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(200, "<pre>User-agent: *\nDisallow: /no</pre>")))
	if life := a.State.Expires.Sub(a.State.FetchedAt); life != 24*time.Hour {
		t.Errorf("rules between tags are used for %v, want 24h", life)
	}
}

// What is no other file than a page in place of one, an empty file or a page, closes nothing when a page comes.
func TestCache_APageInPlaceOfNothing(t *testing.T) {
	for _, before := range []string{"", " \n", "<html>Welcome</html>"} {
		synctest.Test(t, func(t *testing.T) {
			c := newCache(robots.CacheOptions{})
			a := rules(t, c, robots.State{}, always(status(200, before)))
			time.Sleep(24 * time.Hour)
			if a = rules(t, c, a.State, always(status(200, "<html>Sign in</html>"))); !a.Rules.Test("/").Allowed {
				t.Errorf("after %q a page closes the site: %+v", before, a.State)
			}
		})
	}
}

// Whoever lost the file asks for it, not whether it is another one: the answer 304 would leave the site without rules.
func TestCache_TheFileIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, days := range []int{0, 1} {
			bodies, s := memoryBodies{}, always(status(200, closed, "ETag", `"v1"`))
			state := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), robots.State{}, s).State
			clear(bodies)
			time.Sleep(time.Duration(days) * 24 * time.Hour)
			a := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), state, s)
			if a.Rules.Test("/private").Allowed || len(bodies) != 1 {
				t.Errorf("after %d days: /private is allowed, or the file is not kept: %+v", days, a.State)
			}
			s.want(t, site+"/robots.txt", site+"/robots.txt")

			clear(bodies)
			time.Sleep(24 * time.Hour)
			s = always(status(304, "", "ETag", `"v1"`))
			if a = rules(t, newCache(robots.CacheOptions{Bodies: bodies}), a.State, s); a.Rules.Test("/").Allowed {
				t.Errorf("304 without a file that it could mean opens the site: %+v", a.State)
			}
			s.want(t, site+"/robots.txt")
		}
	})
}

// TestCache_ClockSetBack: what was had in the future of a clock that was set back is asked for again, and keeps no site closed.
func TestCache_ClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies, s := memoryBodies{}, always(status(200, closed))
		state := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), robots.State{}, s).State
		state.Outcome, state.NextTry, state.FirstPage = robots.Unreachable, time.Now(), time.Now().AddDate(10, 0, 0)
		s.reply = always(status(200, "<html>moved</html>")).reply
		if state = rules(t, newCache(robots.CacheOptions{Bodies: bodies}), state, s).State; state.FirstPage.After(time.Now()) {
			t.Errorf("a page has come since %v", state.FirstPage)
		}
		for _, status500 := range []bool{false, true} {
			s := always(status(200, closed))
			if status500 {
				s = always(status(500, ""))
			}
			state := rules(t, newCache(robots.CacheOptions{}), robots.State{}, s).State
			for _, at := range []*time.Time{&state.FetchedAt, &state.Expires, &state.NextTry} {
				if !at.IsZero() {
					*at = at.Add(time.Hour)
				}
			}
			s.reply = always(status(200, "")).reply
			if back := rules(t, newCache(robots.CacheOptions{}), state, s); !back.Rules.Test("/private").Allowed || !back.Fetched {
				t.Errorf("status 500 %v: %+v", status500, back.State)
			}
		}
	})
}

// Ensure that what another process had by a clock that is ahead is asked for once, and not whenever the site comes back from it.
func TestCache_ClockOfAnotherIsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(200, closed))
		c := newCache(robots.CacheOptions{})
		others := rules(t, newCache(robots.CacheOptions{}), robots.State{}, s).State
		others.FetchedAt, others.Expires = others.FetchedAt.Add(time.Hour), others.Expires.Add(time.Hour)
		s.asked = nil
		for range 3 {
			rules(t, c, others, s)
			time.Sleep(time.Minute)
		}
		s.want(t, site+"/robots.txt")
	})
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

// TestOutcomeOf: each status, as RFC 9309 section 2.3.1 and what OutcomeOf says beyond that have it.
func TestOutcomeOf(t *testing.T) {
	for status := -1; status < 1100; status++ {
		want := robots.Unreachable
		switch {
		case status == 202, status == 408, status == 425, status == 429:
		case status == 304:
			want = robots.NotModified
		case status/100 == 2:
			want = robots.Found
		case status/100 == 3:
			want = robots.Redirected
		case status/100 == 4:
			want = robots.Unavailable
		}
		if got := robots.OutcomeOf(status, nil); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
		if got := robots.OutcomeOf(status, errors.New("unexpected EOF")); got != robots.Unreachable {
			t.Errorf("%d with a body that is cut off: %v", status, got)
		}
	}
}
