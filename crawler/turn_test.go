package crawler_test

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// What waits in the queue is judged by the settings of the run in which its turn comes, told with its gate, and taken up again when
// they let it pass.
func TestTurn_IsJudgedByTheSettingsOfNow(t *testing.T) {
	for _, tt := range []struct {
		name    string
		narrow  func(*crawler.Config)
		refused string
		reason  crawler.Reason
		gate    crawler.Gate
	}{
		{"exclude", func(c *crawler.Config) { c.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile(`/b$`)} }, "/b", crawler.ReasonExcluded, crawler.GateScope},
		{"include", func(c *crawler.Config) { c.Scope.Include = []*regexp.Regexp{regexp.MustCompile(`/a$`)} }, "/b", crawler.ReasonNotIncluded, crawler.GateScope},
		{"depth", func(c *crawler.Config) { c.Limits.SeedsOnly = true }, "/b", crawler.ReasonDepth, crawler.GateLimit},
		{"scope", func(c *crawler.Config) {
			c.Scope.Mode, c.Scope.Seeds = crawler.ScopePrefix, c.Scope.Seeds[1:]
		}, "/b", crawler.ReasonOutOfScope, crawler.GateScope},
		{"action", func(c *crawler.Config) { c.Actions = []string{"b"} }, "/b", crawler.ReasonAction, crawler.GateAction},
		{"trap", func(c *crawler.Config) { c.Traps.URLLength = 10 }, "/b", crawler.ReasonURLLength, crawler.GateTrap},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{"/": page("/a", "/b", "/moved"), "/a": page(), "/b": page(), "/moved": webtest.Redirect(301, "/b2"), "/b2": page()})
				j := newJob(t, web)
				if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Limits.Pages = 1 }, site.URL+"/"); end != crawler.EndPages {
					t.Fatalf("the first run ended with %q", end)
				}
				j.run(t, t.Context(), func(c *crawler.Config) {
					c.Scope.Seeds = []frontier.URL{frontiertest.URL(t, site.URL+"/"), frontiertest.URL(t, site.URL+"/moved/")}
					tt.narrow(c)
				})
				if n := slices.Index(site.Hits().Paths(), tt.refused); n >= 0 {
					t.Errorf("%s was asked for", tt.refused)
				}
				i := slices.IndexFunc(j.refusals, func(r crawler.Refusal) bool { return r.URL == site.URL+tt.refused })
				if i < 0 || j.refusals[i].Reason != tt.reason || j.refusals[i].Gate != tt.gate || j.refusals[i].Rule == "" {
					t.Fatalf("refusals %+v, want %s for %s", j.refusals, tt.refused, tt.reason)
				}
				info, err := j.frontier.Lookup(t.Context(), frontiertest.URL(t, site.URL+tt.refused))
				if err != nil || info.Status != frontier.Refused {
					t.Errorf("the frontier has it %v, %v; want refused", info.Status, err)
				}

				j.run(t, t.Context(), func(c *crawler.Config) { // makes j.last one that may go further
					c.Scope.Seeds = []frontier.URL{frontiertest.URL(t, site.URL+"/")}
				})
				link := frontier.Link{URL: frontiertest.URL(t, site.URL+tt.refused), Via: frontiertest.URL(t, site.URL+"/"), Depth: 1}
				if n, err := j.last.Reconsider(t.Context(), []frontier.Link{link}); n != 1 || err != nil {
					t.Fatalf("Reconsider queued %d, %v; want 1", n, err)
				}
				j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Seeds = []frontier.URL{frontiertest.URL(t, site.URL+"/")} })
				if !slices.Contains(j.stored(), site.URL+tt.refused) {
					t.Errorf("stored %q, want %s too", j.stored(), tt.refused)
				}
			})
		})
	}
}

// A retry meets the settings of its turn, too.
func TestTurn_RetriesAreJudged(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page("/b"), "/b": {Status: 500}})
		j := newJob(t, web)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		j.run(t, ctx, func(c *crawler.Config) { c.RetryDelay = time.Minute }, site.URL+"/")
		if o := j.outcome(site.URL + "/b"); o.Status != frontier.Retrying {
			t.Fatalf("outcome %+v, want a retry", o)
		}
		j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile(`/b$`)} }, site.URL+"/")
		if got := site.Hits().Paths(); !slices.Equal(got, []string{"/robots.txt", "/", "/b"}) {
			t.Errorf("asked for %q, want /b once", got)
		}
	})
}

// Ports of other services are refused at the gate, and an address that may not be asked is a refusal and no request.
func TestAddress_WhatMayNotBeAskedIsNoRequest(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page("http://mail.example:25/"), "/robots.txt": webtest.Redirect(301, "http://mail.example:110/")}, "www.site.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.public = true
		j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Mode = crawler.ScopeAny }, site.URL+"/", "http://127.0.0.1/", "http://127.0.0.1:25/")
		if len(j.requests) > 0 {
			t.Errorf("requests are told: %+v", j.requests)
		}
		for url, want := range map[string]crawler.Reason{
			"http://127.0.0.1/": crawler.ReasonPrivate, "http://127.0.0.1:25/": crawler.ReasonBadPort,
		} {
			if got := j.refused(url); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%s refused for %q, want %s", url, got, want)
			}
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonPrivate { // of the name, which may lead elsewhere later
			t.Errorf("rests: %+v, want one for private-address", j.rests)
		}
		j.public = false
		time.Sleep(10 * time.Minute)
		j.run(t, t.Context(), nil, site.URL+"/x")
		if got := j.refused(site.URL + "/x"); !slices.Equal(got, []crawler.Reason{crawler.ReasonBadPort}) {
			t.Errorf("a robots.txt at a mail server makes %q, want bad-port", got)
		}
	})
}

// User names and passwords that a site writes into its redirects are neither told nor sent.
func TestVisit_UserInfoIsNotTold(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		web.Site(webtest.Pages{
			"/": {Body: `<a href="http://me:secret@ho st/">x</a>`, Status: 200}, "/moved": webtest.Redirect(302, "http://me:secret@site.example/a?b"),
			"/bad": webtest.Redirect(302, "http://me:secret@ho st/"), "/a": page(),
		}, "site.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.run(t, t.Context(), nil, "http://site.example/", "http://site.example/moved", "http://site.example/bad")
		for _, r := range j.requests {
			if regexp.MustCompile("secret").MatchString(r.Location + r.URL.String() + r.Detail) {
				t.Errorf("a request tells %+v", r)
			}
		}
		for _, r := range j.refusals {
			if regexp.MustCompile("secret").MatchString(r.URL + r.Rule) {
				t.Errorf("a refusal tells %+v", r)
			}
		}
		if o := j.outcome("http://site.example/moved"); o.Target.String() != "http://site.example/a?b" {
			t.Errorf("redirected to %s", o.Target)
		}
		if len(j.refusals) < 2 {
			t.Errorf("refusals %+v, want those of a bad link and a bad redirect", j.refusals)
		}
	})
}
