package robots_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

const product = "cybermapper"

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// TestMetaDirectives: the terms of the 1996 agreement and those that came later, in META tags.
func TestMetaDirectives(t *testing.T) {
	robotsTag := func(content ...string) (metas []robots.Meta) {
		for _, c := range content {
			metas = append(metas, robots.Meta{Name: "robots", Content: c})
		}
		return metas
	}
	for _, tt := range []struct {
		name  string
		metas []robots.Meta
		want  string // Strings, between blanks
	}{
		{"nothing", nil, ""},
		{"empty", robotsTag(""), ""},
		{"no restriction", robotsTag("ALL", "index, follow"), ""},
		{"letter case and blanks", robotsTag("  NoIndex ,\n\tNOFOLLOW,"), "nofollow noindex"},
		{"none", robotsTag("none"), "nofollow noindex"},
		{"restrictions add up", robotsTag("nofollow", "noindex"), "nofollow noindex"},
		{"the most restrictive wins", robotsTag("noindex, index, all, follow"), "noindex"},
		{"terms are not substrings", robotsTag("max-image-preview:none", "reindex", "nonesuch", "no-index", "noindexing"), "max-image-preview:none"},
		{"blanks for commas", robotsTag("noindex nofollow"), "nofollow noindex"},
		{"semicolons for commas", robotsTag("NOINDEX;NOFOLLOW", "noarchive ; max-snippet:5;"), "max-snippet:5 noarchive nofollow noindex"},
		{"blanks around values", robotsTag("noindex max-snippet: 5 max-image-preview:none noarchive"),
			"max-image-preview:none max-snippet:5 noarchive noindex"},
		{"a date and a blank", robotsTag("unavailable_after: 25 Jun 2010 15:00:00 EST nofollow"), "nofollow unavailable_after:2010-06-25T20:00:00Z"},
		{"slashes, bars and stops", robotsTag("noindex/nofollow", "noarchive|nosnippet", "NOAI.NOIMAGEAI", "notranslate."),
			"noai noarchive nofollow noimageai noindex nosnippet notranslate"},
		{"a value may be missing", robotsTag("max-image-preview none", "noindex max-snippet"), "noindex"},
		{"robots among names", []robots.Meta{{Name: "ROBOTS, otherbot", Content: "noindex"}, {Name: "robot", Content: "nofollow"}}, "nofollow noindex"},
		{"we among names", []robots.Meta{{Name: "otherbot,cybermapper", Content: "noindex"}, {Name: "thirdbot,otherbot", Content: "none"}}, "noindex"},
		{"the header in a tag", []robots.Meta{{Name: "x-robots-tag", Content: "noindex, otherbot: nofollow"}}, "noindex"},
		{"a sentence is no list", robotsTag("none of your business"), ""},
		{"another robot", []robots.Meta{{Name: "otherbot", Content: "none"}}, ""},
		{"general and own add up", []robots.Meta{{Name: "Robots", Content: "nofollow"}, {Name: " CyberMapper ", Content: "noindex"}}, "nofollow noindex"},
		{"no name", []robots.Meta{{Content: "none"}}, ""},
		{"no agents in content", robotsTag("cybermapper: noindex"), ""},
		{"archive and the like", robotsTag("nocache, nosnippet, noimageindex, notranslate, noai, noimageai, indexifembedded"),
			"indexifembedded noai noarchive noimageai noimageindex nosnippet notranslate"},
		{"obsolete", robotsTag("noodp, noydir, nositelinkssearchbox"), ""},
		{"limits", robotsTag("max-snippet:50, max-snippet: 20 ,MAX-SNIPPET:30", "max-video-preview:0"), "max-snippet:20 max-video-preview:0"},
		{"no limits", robotsTag("max-snippet:-1, max-video-preview:-1, max-snippet:many, max-snippet, max-snippet:-2"), ""},
		{"snippet of nothing", robotsTag("max-snippet:0"), "max-snippet:0 nosnippet"},
		{"the smallest preview", robotsTag("max-image-preview:large, max-image-preview:standard, max-image-preview:huge"), "max-image-preview:standard"},
		{"dates", robotsTag("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, noarchive"), "noarchive unavailable_after:2010-06-25T15:00:00Z"},
		{"the earliest date", robotsTag("unavailable_after: 2020-01-31, unavailable_after: 2019-01-31"), "unavailable_after:2019-01-31T00:00:00Z"},
		{"an unreadable date", robotsTag("unavailable_after: next, week, noindex"), "noindex"},
	} {
		d := robots.MetaDirectives(tt.metas, product)
		if got := strings.Join(d.Strings(), " "); got != tt.want {
			t.Errorf("%s: %q, want %q: %+v", tt.name, got, tt.want, d.Terms)
		}
	}
}

// TestHeaderDirectives: X-Robots-Tag, whom it speaks to.
func TestHeaderDirectives(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []string
		want   string
	}{
		{"for all", []string{"noindex, nofollow"}, "nofollow noindex"},
		{"several", []string{"noindex", "nofollow"}, "nofollow noindex"},
		{"for us", []string{"CyberMapper: noindex, nofollow"}, "nofollow noindex"},
		{"for us and our version", []string{"cybermapper/1.0: noindex"}, "noindex"},
		{"for another", []string{"otherbot: noindex, nofollow"}, ""},
		{"for a longer name", []string{"cybermapper-news: noindex"}, ""},
		{"for everybody", []string{"*: noindex"}, "noindex"},
		{"a name lasts to the end of its line only", []string{"otherbot: noindex", "nofollow"}, "nofollow"},
		{"names change within a line", []string{"otherbot: noindex, noarchive, cybermapper: nofollow, nosnippet, thirdbot: none"}, "nofollow nosnippet"},
		{"before the first name", []string{"noindex, otherbot: nofollow"}, "noindex"},
		{"a term with a value is no name", []string{"max-snippet: 20, unavailable_after: 25 Jun 2010 15:00:00 PST"}, "max-snippet:20 unavailable_after:2010-06-25T23:00:00Z"},
		{"a name and a term with a value", []string{"cybermapper: max-snippet: 20"}, "max-snippet:20"},
		{"another's term with a value", []string{"otherbot: max-snippet: 20"}, ""},
		{"a date with a comma", []string{"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"}, "noindex unavailable_after:2010-06-25T15:00:00Z"},
		{"a date with a comma for another", []string{"otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, cybermapper: noindex"}, "noindex"},
		{"a time of the day is no name", []string{"unavailable_after: Jun 25, 2010, 3:00 PM, noindex"}, "noindex unavailable_after:2010-06-25T15:00:00Z"},
		{"a term is no zone", []string{"unavailable_after: 2010-06-25 15:00, none, all"}, "nofollow noindex unavailable_after:2010-06-25T15:00:00Z"},
		{"numbers only", []string{"unavailable_after: 01/02/2010, noindex"}, "noindex"},
		{"quotation marks", []string{"\"noindex, nofollow\"", "'cybermapper: nosnippet'"}, "nofollow noindex nosnippet"},
		{"quotation marks around what follows a name", []string{"cybermapper: \"noindex\"", "\"cybermapper\": nofollow"}, "nofollow noindex"},
		{"quotation marks around a date", []string{"unavailable_after: \"Fri, 25 Jun 2010 15:00:00 GMT\""}, "unavailable_after:2010-06-25T15:00:00Z"},
		{"no such zone", []string{"unavailable_after: 25 Jun 2010 15:00:00 +9999", "unavailable_after: 25 Jun 2010 15:00 +2400"}, ""},
		{"the name of the header twice", []string{"X-Robots-Tag: noindex", "robots: nofollow"}, "nofollow noindex"},
		{"blanks around values", []string{"cybermapper: noindex max-snippet:5, otherbot: nofollow max-snippet:0"}, "max-snippet:5 noindex"},
		{"a slash behind a name", []string{"otherbot/nofollow: noindex", "cybermapper/1.0: noindex/nofollow"}, "nofollow noindex"},
		{"a bad date eats nothing", []string{"unavailable_after: Fri, noindex"}, "noindex"},
		{"a term is never a name", []string{"all: noindex"}, "noindex"},
		{"rubbish", []string{",:,::a b: c, noindex"}, "noindex"},
		{"nothing", []string{""}, ""},
	} {
		d := robots.HeaderDirectives(tt.values, product)
		if got := strings.Join(d.Strings(), " "); got != tt.want {
			t.Errorf("%s: %q, want %q: %+v", tt.name, got, tt.want, d.Terms)
		}
	}
}

// TestTerms: every term is kept with its source and what it does.
func TestTerms(t *testing.T) {
	d := robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: "INDEX, max-snippet:x"}, {Name: "cybermapper", Content: "all"}}, product)
	d = d.Merge(robots.HeaderDirectives([]string{"noindex, noodp, otherbot: none, shiny"}, product))
	want := []robots.Term{
		{Name: "index", Source: robots.SourceMeta, Effect: robots.EffectOverruled},
		{Name: "max-snippet", Value: "x", Source: robots.SourceMeta, Effect: robots.EffectInvalid},
		{Name: "all", Source: robots.SourceMeta, Agent: "cybermapper", Effect: robots.EffectOverruled},
		{Name: "noindex", Source: robots.SourceHeader, Effect: robots.EffectApplied},
		{Name: "noodp", Source: robots.SourceHeader, Effect: robots.EffectNone},
		{Name: "none", Source: robots.SourceHeader, Agent: "otherbot", Effect: robots.EffectOther},
		{Name: "shiny", Source: robots.SourceHeader, Agent: "otherbot", Effect: robots.EffectOther},
	}
	if !slices.Equal(d.Terms, want) {
		t.Errorf("got\n%+v\nwant\n%+v", d.Terms, want)
	}
	many := robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: strings.Repeat("a,", 2000) + "noindex"}}, product)
	if len(many.Terms) != robots.MaxTerms || !many.NoIndex {
		t.Errorf("%d terms, noindex %v", len(many.Terms), many.NoIndex)
	}
}

// Of two that ask for limits the lower one holds, whichever comes first.
func TestMerge_Limits(t *testing.T) {
	for _, c := range [][3]string{
		{"max-snippet:9", "max-snippet:7", "max-snippet:7"},
		{"max-snippet:9", "", "max-snippet:9"},
		{"max-snippet:-1", "max-snippet:9", "max-snippet:9"},
		{"max-video-preview:5", "max-video-preview:0", "max-video-preview:0"},
		{"max-video-preview:5", "noindex", "max-video-preview:5 noindex"},
		{"max-image-preview:large", "max-image-preview:none", "max-image-preview:none"},
		{"max-image-preview:standard", "", "max-image-preview:standard"},
		{"unavailable_after: 2026-06-02", "unavailable_after: 2026-06-01", "unavailable_after:2026-06-01T00:00:00Z"},
		{"unavailable_after: 2026-06-02", "", "unavailable_after:2026-06-02T00:00:00Z"},
	} {
		page := robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: c[0]}}, product)
		header := robots.HeaderDirectives([]string{c[1]}, product)
		for _, d := range []robots.Directives{page.Merge(header), header.Merge(page)} {
			if got := strings.Join(d.Strings(), " "); got != c[2] {
				t.Errorf("%q and %q: %q, want %q", c[0], c[1], got, c[2])
			}
		}
	}
}

// A term that permits is overruled by what forbids that, in one tag as well as in two places, and by nothing else.
func TestTerms_Overruled(t *testing.T) {
	for content, overruled := range map[string]bool{
		"index, noindex": true, "index, nofollow": false, "index": false,
		"follow, nofollow": true, "follow, noindex": false, "follow": false,
		"all, noindex": true, "all, nofollow": true, "all, noarchive": false, "all": false, "all, none": true,
	} {
		for from, d := range map[string]robots.Directives{
			"tag":    robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: content}}, product),
			"header": robots.HeaderDirectives([]string{content}, product),
		} {
			if got := d.Terms[0].Effect == robots.EffectOverruled; got != overruled {
				t.Errorf("%s %q: overruled %v, want %v", from, content, got, overruled)
			}
		}
	}
}

func TestMayIndex(t *testing.T) {
	for content, want := range map[string]bool{
		"":                              true,
		"noindex":                       false,
		"nofollow":                      true,
		"unavailable_after: 2026-06-02": true,
		"unavailable_after: 2026-06-01": false, // begins at midnight
		"unavailable_after: 2026-06-01T12:00:00Z":        false,
		"unavailable_after: 2026-06-01T12:00:01Z":        true,
		"unavailable_after: 2099-01-01, noindex":         false,
		"unavailable_after: 1 Jun 2026 07:00:00 EST":     false,
		"unavailable_after: 1 Jun 2026 07:00:01 EST":     true,
		"unavailable_after: June 2, 2026":                true,
		"unavailable_after: Mon, 01 Jun 26 11:00:00 GMT": false,
	} {
		d := robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: content}}, product)
		if got := d.MayIndex(noon); got != want {
			t.Errorf("%q: MayIndex() = %v, want %v", content, got, want)
		}
	}
}

// TestUnavailableAfter: the same instant in the forms of RFC 822, 850, 1123, ISO 8601 and asctime.
func TestUnavailableAfter(t *testing.T) {
	want := time.Date(2010, 6, 25, 15, 0, 0, 0, time.UTC)
	for _, s := range []string{
		"25 Jun 2010 15:00:00 GMT", "25 Jun 10 15:00 UT", "Fri, 25 Jun 2010 15:00:00 +0000", "Friday, 25-Jun-10 15:00:00 GMT", "25-Jun-2010 15:00:00 GMT",
		"2010-06-25T15:00:00Z", "2010-06-25t17:00:00+02:00", "2010-06-25T15:00", "2010-06-25 15:00:00", "20100625T150000Z",
		"Fri Jun 25 15:00:00 2010", "25 Jun 2010 08:00:00 PDT", "25 june 2010 15:00:00", "25 Jun 2010 17:00:00 CEST", "25 Jun 2010 10:00:00 EST",
		"25 Jun 2010 15:00:00 MSK", "Fri Jun 25 15:00:00 UTC 2010",
		"25 June 2010 15:00", "June 25, 2010 15:00:00 UTC", "Jun 25, 2010, 3:00 PM", "Friday, June 25, 2010, 03:00:00PM", "25 Jun 2010, 15:00",
		"2010-06-25 17:00:00+02", "2010-06-25 16:00 +0100", "2010-06-25T15:00:00 UTC", "2010-06-25T15:00:00.000+0000", "2010/06/25 15:00",
		"25 Jun 2010 10:30:00 -04:30", "Fri Jun 25 2010 17:00:00 GMT+0200 (Central European Summer Time)", "20100625T1500Z",
		"25 Jun 2010 15:00 PM", "25 Jun 2010 15:00:00 pm UTC",
	} {
		d := robots.HeaderDirectives([]string{"unavailable_after: " + s + ", nofollow"}, product)
		if !d.UnavailableAfter.Equal(want) || !d.NoFollow {
			t.Errorf("%q is %v, want %v", s, d.UnavailableAfter, want)
		}
	}
}

func TestLinkRel(t *testing.T) {
	for rel, want := range map[string]robots.Rel{
		"":                          {},
		"noopener alternate":        {},
		"nofollow":                  {NoFollow: true},
		"NoFollow,UGC":              {NoFollow: true, UGC: true},
		"\tsponsored \n noreferrer": {Sponsored: true, NoReferrer: true},
		"nofollows":                 {},
		"ugc":                       {UGC: true},
	} {
		got := robots.LinkRel(rel)
		if got != want || got.MayFollow() != (!want.NoFollow && !want.UGC && !want.Sponsored) {
			t.Errorf("LinkRel(%q) = %+v, want %+v", rel, got, want)
		}
	}
}

// TestPageCases runs testdata/pages.jsonl as far as directives go, with META tags read by an expression that these pages
// do not outwit.
func TestPageCases(t *testing.T) {
	type page struct {
		ID, HTML, Agent, Why string
		Headers              map[string][]string
		Index, Follow        bool
		Now                  time.Time
	}
	comment := regexp.MustCompile(`(?s)<!--.*?-->`)
	tag := regexp.MustCompile(`<meta name="([^"]*)" content="([^"]*)">`)
	for _, p := range readLines[page](t, "testdata/pages.jsonl") {
		var metas []robots.Meta
		for _, m := range tag.FindAllStringSubmatch(comment.ReplaceAllString(p.HTML, ""), -1) {
			metas = append(metas, robots.Meta{Name: m[1], Content: m[2]})
		}
		d := robots.MetaDirectives(metas, p.Agent).Merge(robots.HeaderDirectives(p.Headers["X-Robots-Tag"], p.Agent))
		if d.MayIndex(p.Now) != p.Index || d.MayFollow() != p.Follow {
			t.Errorf("%s: index %v, follow %v, want %v, %v: %s", p.ID, d.MayIndex(p.Now), d.MayFollow(), p.Index, p.Follow, p.Why)
		}
	}
}
