package crawler

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

func TestScope(t *testing.T) {
	seeds := []frontier.URL{frontiertest.URL(t, "http://www.one.co.uk/docs/index.html"), frontiertest.URL(t, "http://127.0.0.1:8080/")}
	for _, tt := range []struct {
		mode ScopeMode
		url  string
		want Reason
	}{
		{"", "http://www.one.co.uk/other", ""},
		{ScopeHost, "https://www.one.co.uk/other", ""},
		{ScopeHost, "http://one.co.uk/", ReasonOutOfScope},
		{ScopeHost, "http://127.0.0.1:8081/", ReasonOutOfScope},
		{ScopeDomain, "http://shop.one.co.uk/", ""},
		{ScopeDomain, "http://two.co.uk/", ReasonOutOfScope},
		{ScopeDomain, "http://127.0.0.1:9999/", ""},
		{ScopeDomain, "http://127.0.0.2/", ReasonOutOfScope},
		{ScopePrefix, "http://www.one.co.uk/docs/a/b", ""},
		{ScopePrefix, "http://www.one.co.uk/docs", ReasonOutOfScope},
		{ScopePrefix, "http://www.one.co.uk/doc/", ReasonOutOfScope},
		{ScopeAny, "http://elsewhere.example/", ""},
	} {
		s, err := newScope(Scope{Mode: tt.mode, Seeds: seeds})
		if err != nil {
			t.Fatal(err)
		}
		if r, refused := s.judge(frontier.Link{URL: frontiertest.URL(t, tt.url)}); r.Reason != tt.want || refused != (tt.want != "") {
			t.Errorf("scope %q: judge(%s) = %q, want %q", tt.mode, tt.url, r.Reason, tt.want)
		}
	}
	if _, err := newScope(Scope{Mode: "galaxy"}); err == nil {
		t.Error("newScope with mode galaxy: no error")
	}
}

func TestScope_Patterns(t *testing.T) {
	s, err := newScope(Scope{
		Seeds:   []frontier.URL{frontiertest.URL(t, "http://a.example/start")},
		Include: []*regexp.Regexp{regexp.MustCompile(`/news/`), regexp.MustCompile(`\.html$`)},
		Exclude: []*regexp.Regexp{regexp.MustCompile(`print`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url  string
		want Reason
		rule string
	}{
		{"http://a.example/start", "", ""}, // a seed needs no include pattern
		{"http://a.example/news/1", "", ""},
		{"http://a.example/x.html", "", ""},
		{"http://a.example/news/print/1", ReasonExcluded, "print"},
		{"http://a.example/about", ReasonNotIncluded, "no include pattern matches"},
	} {
		if r, _ := s.judge(frontier.Link{URL: frontiertest.URL(t, tt.url)}); r.Reason != tt.want || r.Rule != tt.rule {
			t.Errorf("judge(%s) = %q, %q; want %q, %q", tt.url, r.Reason, r.Rule, tt.want, tt.rule)
		}
	}
}

// What a scope remembers grows with the places that are wanted and not with the seeds.
func TestScope_StaysSmall(t *testing.T) {
	var seeds []frontier.URL
	for i := range 10_000 {
		u := frontiertest.URL(t, fmt.Sprintf("https://h%d.example/dir%d/p%d", i%10, i%2, i))
		seeds = append(seeds, u)
	}
	for _, tt := range []struct {
		scope Scope
		most  int
	}{
		{Scope{Mode: ScopeHost}, 10}, {Scope{Mode: ScopeDomain}, 10}, {Scope{Mode: ScopePrefix}, 10 + 10}, {Scope{Mode: ScopeAny}, 0},
		{Scope{Include: []*regexp.Regexp{regexp.MustCompile("never")}}, 10 + len(seeds)},
	} {
		s, err := newScope(tt.scope)
		if err != nil {
			t.Fatal(err)
		}
		s.extend(seeds)
		if n := s.wanted.Len() + s.directories.Len() + s.seeds.Len(); n > tt.most || s.Seeds != nil {
			t.Errorf("scope %q remembers %d places for %d seeds, want %d at most", tt.scope.Mode, n, len(seeds), tt.most)
		}
		for _, u := range seeds {
			if r, refused := s.judge(frontier.Link{URL: u}); refused {
				t.Fatalf("scope %q refuses the seed %s: %+v", tt.scope.Mode, u, r)
			}
		}
	}
}
