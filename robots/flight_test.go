package robots_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

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
		future.FetchedAt, future.Expires = future.FetchedAt.Add(48*time.Hour), future.Expires.Add(48*time.Hour)
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
		if !errors.Is(err, full) || a.Rules.Test("/").Allowed || a != (robots.Answer{}) {
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

// Promise 5: what does not fit into memory is read again from Bodies, and not fetched.
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
	c := robots.NewCache(robots.CacheOptions{Product: "cybermapper", MaxMemory: 1}) // no Bodies, no memory
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

// A file that was compressed and is not said to be is read all the same; what cannot be unpacked permits nothing.
func TestCache_Packed(t *testing.T) {
	pack := func(text string) string {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		fmt.Fprint(w, text)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return packed.String()
	}
	long := closed + strings.Repeat("x", 2*robots.MaxBytes)
	for what, body := range map[string]string{"packed": pack(closed), "long": pack(long), "cut": pack(closed)[:20], "marked": "\x1f\x8b" + closed} {
		bodies := memoryBodies{}
		a := rules(t, newCache(robots.CacheOptions{Bodies: bodies}), robots.State{}, always(status(200, body)))
		isRead := what == "packed" || what == "long"
		if a.Rules.Test("/private").Allowed || a.Rules.Test("/").Allowed != isRead {
			t.Errorf("%s: / is allowed: %t, want %t; /private never", what, a.Rules.Test("/").Allowed, isRead)
		}
		if kept := string(bodies[a.State.Digest]); isRead && kept != long[:min(len(kept), robots.MaxBytes+1)] {
			t.Errorf("%s: kept %.40q", what, kept)
		}
	}
}
