package index_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/index"
)

// open returns an empty index.
func open(tb testing.TB, o index.Options) *index.Index {
	tb.Helper()
	x, err := index.Open(filepath.Join(tb.TempDir(), "index.db"), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := x.Close(); err != nil {
			tb.Error(err)
		}
	})
	return x
}

// document returns a page of example.org.
func document(path, lang, title, body string) index.Document {
	return index.Document{
		URL: "https://example.org" + path, Lang: lang, Type: "text/html", MaxSnippet: -1, Fetched: day("2026-11-22"),
		Text: index.Text{Title: title, Body: body},
	}
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

func search(tb testing.TB, x *index.Index, q index.Query) *index.Result {
	tb.Helper()
	r, err := x.Search(context.Background(), q)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func apply(tb testing.TB, x *index.Index, c index.Change) {
	tb.Helper()
	if err := x.Apply(context.Background(), c); err != nil {
		tb.Fatal(err)
	}
}

// paths returns the paths of what a query finds, best first.
func paths(tb testing.TB, x *index.Index, q index.Query) string {
	tb.Helper()
	r, err := x.Search(context.Background(), q)
	if err != nil {
		if errors.Is(err, index.ErrNothing) {
			return "nothing"
		}
		tb.Fatalf("search for %q: %v", q.Text, err)
	}
	var found []string
	for _, h := range r.Hits {
		found = append(found, strings.TrimPrefix(h.URL, "https://example.org"))
	}
	return strings.Join(found, " ")
}

// library fills an index with pages in several languages.
func library(tb testing.TB) *index.Index {
	tb.Helper()
	x := open(tb, index.Options{})
	old := document("/old.txt", "en", "Minutes", "We talked about directories and foxes that night.")
	old.Type, old.Modified = "text/plain", day("1996-06-30")
	other := document("/x", "en", "Elsewhere", "Foxes live elsewhere too.")
	other.URL = "https://docs.example.net:8443/a/b"
	apply(tb, x, index.Change{Documents: []index.Document{
		document("/fox", "en", "Foxes", "The quick brown fox jumps over the lazy dog."),
		document("/dog", "en", "Dogs", "The lazy dog sleeps. A fox and a quick cat pass."),
		document("/c++", "en", "Languages", "C++ is not C, and C# is neither. Use UTF-8 and pg_stat_activity."),
		document("/es", "es", "Búsqueda de índices", "Las canciones del niño se encuentran con la búsqueda en los índices."),
		document("/ru", "ru", "Каталоги", "Поиск файлов в каталогах. Ёлка стоит."),
		document("/ja", "ja", "全文検索", "日本語の全文検索エンジンです。"),
		document("/zh", "zh", "防火墙", "配置防火墙规则。"),
		document("/th", "th", "ค้นหา", "การค้นหาข้อความภาษาไทย"),
		document("/ko", "ko", "검색", "한국어 전문검색 엔진"),
		old, other,
	}})
	return x
}

func TestSearch(t *testing.T) {
	x := library(t)
	for _, tt := range []struct{ query, want string }{
		{"fox", "/fox https://docs.example.net:8443/a/b /old.txt /dog"},
		{"jumping foxes", "/fox https://docs.example.net:8443/a/b /old.txt /dog"}, // with those that lack a word behind
		{`"quick brown"`, "/fox"},
		{`"brown quick"`, ""},
		{"lazy -sleeping", "/fox"},
		{"-fox", "nothing"},
		{"sleeps OR jumped", "/fox /dog"},
		{"sle*", "/dog"},
		{"intitle:dog", "/dog"},
		{"inurl:fox", "/fox"},
		{"inurl:%66%6Fx", "/fox"}, // as copied from where the address is shown
		{"inurl:fo%zz", ""},
		{"fox site:example.net", "https://docs.example.net:8443/a/b"},
		{"fox site:docs.example.net:8443", "https://docs.example.net:8443/a/b"},
		{"fox site:https://docs.example.net:8443/a", "https://docs.example.net:8443/a/b"},
		{"fox site:docs.example.net:8443/c", ""},
		{"fox site:docs.example.net/a", "https://docs.example.net:8443/a/b"}, // at whatever port, as without a path
		{"fox site:docs.example.net/c", ""},
		{"fox site:docs.example.net/b", ""},
		{"fox -site:docs.example.net/a", "/fox /old.txt /dog"},
		{"fox -site:example.org", "https://docs.example.net:8443/a/b"},
		{"fox filetype:txt", "/old.txt"},
		{"fox filetype:text/plain", "/old.txt"},
		{"fox before:1997", "/old.txt"},
		{"fox after:1996-06-29 before:1996-07", "/old.txt"},
		{"fox after:1996-06-30 before:1996-07", ""},
		{"fox site:example.net site:example.org", ""},
		{"site:example.net OR site:example.org fox", "/fox https://docs.example.net:8443/a/b /old.txt /dog"},
		{"fox site:example.net OR site:example.org/d", "https://docs.example.net:8443/a/b /dog"},
		{"fox site:docs.example.net:8443/a OR site:example.org/f", "/fox https://docs.example.net:8443/a/b"},
		{"fox -site:example.org/d", "/fox https://docs.example.net:8443/a/b /old.txt"},
		{"fox filetype:txt OR filetype:pdf", "/old.txt"},
		{"lang:ko OR lang:th", "/th /ko"},
		{"lang:ru", "/ru"},
		{"C++", "/c++"},
		{"c#", "/c++"},
		{"utf-8", "/c++"},
		{"--utf", "/c++"}, // an option of a command
		{"neither -C", "/c++"},
		{"stat_activity", "/c++"},
		{"busqueda", "/es"},
		{"índices", "/es"},
		{"nino", "/es"},
		{"canción", "/es"},
		{"каталогов", "/ru"},
		{"елка", "/ru"},
		{"ёлки", "/ru"},
		{"検索", "/ja"},
		{"検索エンジン", "/ja"},
		{"検", "/ja"},
		{"火墙", "/zh"},
		{"墙", "/zh"},
		{"ภาษาไทย", "/th"},
		{"ข้อความ", "/th"},
		{"검색", "/ko"},
		{"nothing-like-it", ""},
		{"", "nothing"},
		{`"" - * ( : "`, "nothing"},
	} {
		if got := paths(t, x, index.Query{Text: tt.query}); got != tt.want {
			t.Errorf("%s: found %q, want %q", tt.query, got, tt.want)
		}
	}
}

// Ensure that a word is said to be on no page only if it is on none, wherever else the query narrows the search to.
func TestSearch_Unmatched(t *testing.T) {
	x := library(t)
	for _, tt := range []struct{ query, want string }{
		{"fox zebra", "zebra"},
		{"fox zebra site:example.net", "zebra"},
		{"fox site:nowhere.example", ""},
		{"fox filetype:pdf", ""},
		{"fox before:1990", ""},
		{"fox site:docs.example.net:8443/c", ""},
		{"fox -foxes", ""},
	} {
		r := search(t, x, index.Query{Text: tt.query})
		if got := strings.Join(r.Unmatched, " "); got != tt.want {
			t.Errorf("%s: no page has %q, want %q", tt.query, got, tt.want)
		}
	}
}

// Ensure that what means something to SQLite means nothing in a query.
func TestSearch_HostileQueries(t *testing.T) {
	x := library(t)
	for _, q := range []string{
		"title:", "NEAR(", "NEAR(a b, 3)", `"`, `""`, `fox"`, `"fox`, "fox AND", "AND", "OR", "OR fox", "fox OR", "NOT fox",
		"fox NOT dog", "^fox", "fox*", "*fox", "**",
		"{title} : fox", "- tags : fox", "tags:h", "h:example.org", "(fox", "fox)", "fox' OR 1=1 --", "fox; DROP TABLE pages",
		"\x00fox\xff", "fox\u202e", "%s%n",
		strings.Repeat("fox ", 500), strings.Repeat("(", 1000), strings.Repeat(`"a `, 300), strings.Repeat("日",
			900), "site:", "site:://", "site:[::1", "lang:", "before:never",
		"filetype:/", "-site:a/b", "intitle:-fox", "+fox", "+", "-", "--fox", "fox | dog", "foo:bar", "http://example.org/fox",
		"site:пример.рф fox",
	} {
		if _, err := x.Search(t.Context(), index.Query{Text: q}); err != nil && !errors.Is(err, index.ErrNothing) {
			t.Errorf("%q: %v", q, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		query, understood string
		notices           []string
	}{
		{"quick fox", "quick fox", nil},
		{`"a b" -cat d OR e fo*`, `"a b" -cat d OR e fo*`, nil},
		{"Plugin API | VuePress", "Plugin API VuePress", nil}, // the title of a page
		{`"a b`, `"a b"`, []string{"a quotation mark is missing at the end"}},
		{"foo:bar", "foo:bar", []string{"foo: is no operator, so it is looked for as words"}},
		{"std::vector 10:30", "std::vector 10:30", nil},
		{"cats AND  dogs", "cats dogs", []string{`AND is left out, as all words must be there; "AND" looks for it`}},
		{`AND x "AND" b OR AND c ANDROID AND`, `AND x "AND" b OR AND c ANDROID AND`, nil},
		{"not NULL NOT cats NOT", "not NULL NOT cats NOT", []string{"NOT is looked for as a word; -word leaves out pages with it"}},
		{"git log --oneline -x", "git log --oneline -x", []string{`-x is looked for, as options and numbers are; -"x" leaves it out`}},
		{`returns -1, else c -"c" -c++`, `returns -1, else c -"c" -c++`,
			[]string{`-1 is looked for, as options and numbers are; -"1" leaves it out`}},
		{"Benutzer und -gruppen -rechte", "Benutzer und -gruppen -rechte",
			[]string{`-gruppen is looked for: behind "und" it is the end of a word; -"gruppen" leaves it out`}},
		{`a und -"b" en -site:c.example "og" -dog`, `a und -"b" en "og" -dog -site:c.example`, nil},
		{"a*", "a", []string{"* stands behind at least two letters"}},
		{"site:HTTPS://Bücher.Example/x", "site:xn--bcher-kva.example/x", nil},
		{"https://A.example/x/ fox", "fox site:a.example/x/", nil},
		{"-http://a.example", "-site:a.example", nil},
		{"ftp://a.example", "ftp://a.example", nil},
		{"site:a.example OR site:b.example/x fox", "fox site:a.example OR site:b.example/x", nil},
		{"fox OR site:a.example", "fox site:a.example", []string{"OR does not stand before site: here"}},
		{"site:a.example OR fox", "fox site:a.example", []string{"OR does not stand between site: and a word"}},
		{"lang:de OR lang:FR-ca", "lang:de OR lang:fr", nil},
		{"lang:de OR site:a.example", "lang:de site:a.example", []string{"OR does not stand before site: here"}},
		{"before:soon x", "x", []string{`before: needs a date such as 2026-01-31, 2026-01 or 2026, not "soon"`}},
		{"after:2026-01", "after:2026-01-31", nil},
		{"after:2026-01-31T12:00:00+07:00 before:2026-02-03T00:00:00Z", "after:2026-01-31T05:00:00Z before:2026-02-03", nil},
	} {
		got, notices := index.Parse(tt.query)
		if got != tt.understood || !cmp.Equal(notices, tt.notices) {
			t.Errorf("%q: %q %q, want %q %q", tt.query, got, notices, tt.understood, tt.notices)
		}
	}
}

func TestChange(t *testing.T) {
	x := library(t)
	apply(t, x, index.Change{
		Documents: []index.Document{document("/fox", "en", "Wolves", "No more of that.")},
		Refusals: []index.Refusal{
			{URL: "https://example.org/dog", Reason: index.Disallowed, Rule: "Disallow: /dog", Line: 3},
			{URL: "https://example.org/old.txt", Reason: index.NoIndex},
		},
		Marks: map[string]string{"done": "1"},
	})
	if got := paths(t, x, index.Query{Text: "fox"}); got != "https://docs.example.net:8443/a/b /fox" &&
		got != "/fox https://docs.example.net:8443/a/b" {
		t.Errorf("found %q", got)
	}
	if got := paths(t, x, index.Query{Text: "quick"}); got != "" {
		t.Errorf("what was replaced or refused is still found: %q", got)
	}
	s, err := x.Why(t.Context(), "https://example.org/dog")
	if err != nil || s.State != index.Refused || s.Refusal.Line != 3 {
		t.Errorf("Why = %+v, %v", s, err)
	}
	if err := x.Check(t.Context()); err != nil {
		t.Error(err)
	}
	err = x.Apply(t.Context(), index.Change{
		Was: map[string]string{"done": "0"}, Refusals: []index.Refusal{{URL: "https://example.org/c++", Reason: index.NoIndex}},
	})
	if !errors.Is(err, index.ErrConflict) {
		t.Errorf("a change that expects another state: %v", err)
	}
	if got := paths(t, x, index.Query{Text: "c++"}); got != "/c++" {
		t.Errorf("a refused change took something out: %q", got)
	}
}

// What a long page has far from its beginning is shown, also where it stands across a part that is looked through at once.
func TestSearch_ShownFromFarBehind(t *testing.T) {
	x := open(t, index.Options{})
	filler := strings.Repeat("many other words\n", 20000)
	for i, at := range []int{64<<10 - 3, 64<<10 - 8, 128<<10 - 3, 200_000} {
		at = strings.LastIndexByte(filler[:at], ' ')
		d := document(fmt.Sprint("/", i), "en", "Manual", filler[:at]+" lazy walrus"+filler[at:])
		apply(t, x, index.Change{Documents: []index.Document{d}})
	}
	for _, query := range []string{"walrus", `"lazy walrus"`, "lazy walrus"} {
		for _, h := range search(t, x, index.Query{Text: query, Ungrouped: true}).Hits {
			if !strings.Contains(h.Snippet.String(), "lazy walrus") {
				t.Errorf("%s: %s: %q", query, h.URL, h.Snippet)
			}
		}
	}
}

func TestSearch_Shown(t *testing.T) {
	x := open(t, index.Options{})
	secret := string(index.NoSnippetOn) + "hidden secret words" + string(index.NoSnippetOff)
	for path, most := range map[string]int{"/all": -1, "/none": 0, "/short": 12} {
		d := document(path, "en", "T\x1b[2J\u202eitle", "Before the fox. "+secret+" After the fox.")
		d.MaxSnippet, d.Text.Headings = most, []index.Heading{{Level: 2, ID: "a", Text: "Of the fox"}}
		apply(t, x, index.Change{Documents: []index.Document{d}})
	}
	for _, query := range []string{"fox", "secret"} {
		r, err := x.Search(t.Context(), index.Query{Text: query, Ungrouped: true})
		if err != nil || len(r.Hits) != 3 {
			t.Fatalf("%s: %d hits, %v", query, len(r.Hits), err)
		}
		for _, h := range r.Hits {
			s := h.Snippet.String()
			if strings.Contains(s, "secret") || strings.ContainsAny(s+h.Title.String(), "\x1b\x0e\u202e") {
				t.Errorf("%s: shown: %q %q", query, h.Title, s)
			}
			for _, section := range h.Sections {
				s += section.Heading.String()
			}
			switch n := len([]rune(s)); {
			case strings.HasSuffix(h.URL, "/none") && n != 0, strings.HasSuffix(h.URL, "/short") &&
				n > 12, strings.HasSuffix(h.URL, "/all") && n == 0:
				t.Errorf("%s: a snippet of %d characters", h.URL, n)
			}
		}
	}
}

// A title that nobody could see gives way to the address.
func TestSearch_TitleThatIsNotSeen(t *testing.T) {
	x := open(t, index.Options{})
	titles := []string{"\u200b", "\u3164\u3164", "\u2800", "\u00ad", "\u202e", "\u0301", "\U000e0041", "\u2028", "\ue000", ""}
	var c index.Change
	for i, title := range titles {
		c.Documents = append(c.Documents, document(fmt.Sprint("/", i), "en", title, "fox"))
	}
	c.Documents = append(c.Documents, document("/seen", "en", "\u200b🦊", "fox"))
	apply(t, x, c)
	r := search(t, x, index.Query{Text: "fox", Limit: 20})
	if len(r.Hits) != len(titles)+1 {
		t.Fatalf("%d hits", len(r.Hits))
	}
	for _, h := range r.Hits {
		if got := h.Title.String(); (got == h.URL) == (h.URL == "https://example.org/seen") {
			t.Errorf("%s: %+q", h.URL, got)
		}
	}
}

func TestSearch_Groups(t *testing.T) {
	x := open(t, index.Options{})
	text := "a page of fourteen words that says the same as many others do today"
	var docs []index.Document
	for _, path := range []string{"/a", "/b", "/c"} {
		d := document(path, "en", "Same", text)
		d.Digest = "sha256:1"
		docs = append(docs, d)
	}
	near := document("/d", "en", "Near", text+" and more")
	near.Near, near.Words, near.Exact = 0xff00ff00ff00ff01, 30, 2
	first := document("/e", "en", "Near", text+" or less")
	first.Near, first.Words, first.Exact = 0xff00ff00ff00ff00, 30, 3
	apply(t, x, index.Change{Documents: append(docs, first, near)})
	r := search(t, x, index.Query{Text: "fourteen words"})
	if len(r.Hits) != 2 || len(r.Hits[0].Same)+len(r.Hits[1].Same) != 2 || len(r.Hits[0].Similar)+len(r.Hits[1].Similar) != 1 {
		t.Errorf("hits: %+v", r.Hits)
	}
	if got := paths(t, x, index.Query{Text: "fourteen words", Ungrouped: true}); len(strings.Fields(got)) != 5 {
		t.Errorf("ungrouped: %s", got)
	}
	s, err := x.Why(t.Context(), "https://example.org/b")
	if err != nil || len(s.Same) != 2 {
		t.Errorf("Why = %+v, %v", s, err)
	}
}

// Ensure that a language that few pages are in is found too.
func TestSearch_RareLanguage(t *testing.T) {
	x := open(t, index.Options{})
	c := index.Change{Documents: []index.Document{document("/es", "es", "Virtualización", "Las copias de seguridad.")}}
	for i := range 60 {
		c.Documents = append(c.Documents, document(fmt.Sprint("/", i), "en", "Page", fmt.Sprint("an English page, number ", i)))
	}
	apply(t, x, c)
	for _, query := range []string{"virtualización", "copia de seguridad"} {
		if got := paths(t, x, index.Query{Text: query}); got != "/es" {
			t.Errorf("%s: found %q", query, got)
		}
	}
}

// Who goes through the entries of an origin comes to an end, also of one that has nothing but its front page.
func TestEntries_OfAnOriginEnd(t *testing.T) {
	x, err := index.Open(filepath.Join(t.TempDir(), "index.db"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var c index.Change
	for _, u := range []string{"http://a.example/", "http://a.example.org/", "http://b.example/", "http://b.example/x", "http://a.example-x/"} {
		c.Documents = append(c.Documents, index.Document{URL: u, MaxSnippet: -1, Text: index.Text{Title: "T", Body: "text"}})
	}
	apply(t, x, c)
	for origin, want := range map[string]int{"http://a.example": 1, "http://b.example": 2, "http://c.example": 0, "": 5} {
		n, after := 0, ""
		for {
			list, err := x.Entries(t.Context(), origin, after, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 0 || n > want {
				break
			}
			n, after = n+1, list[0].URL
		}
		if n != want {
			t.Errorf("%q has %d entries, want %d", origin, n, want)
		}
	}
}

// TestPaging_AllHits pages through what a query finds, as whoever asks for the next hits does: pages of which there are many copies
// are no end, and no hit comes twice or never, wherever the words stand and whether all are there.
func TestPaging_AllHits(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	number := func(n int) string { // in letters: a word
		return strings.Map(func(r rune) rune { return r - '0' + 'b' }, fmt.Sprintf("%03d", n))
	}
	for n := range 40 {
		body := "common "
		if n%2 == 0 {
			body += "rare "
		}
		for i := range 30 {
			body += number(n) + number(i) + " "
		}
		title := "Notes " + number(n)
		if n%3 == 0 {
			title = strings.TrimSpace("Common " + strings.Repeat("rare ", n%2) + strings.Repeat(number(n)+" ", n%5))
		}
		for i := range 12 {
			d := document(fmt.Sprintf("/%d/%d", n, i), "en", title, body)
			d.Words, d.Exact, d.Near = 30, uint64(n+1), uint64(n+1)*0x9E3779B97F4A7C15
			c.Documents = append(c.Documents, d)
		}
	}
	apply(t, x, c)
	for _, query := range []string{"common", "rare common", "rare nowhere common"} {
		whole := strings.Fields(paths(t, x, index.Query{Text: query, Limit: index.MaxHits}))
		if len(whole) < 20 {
			t.Fatalf("%q finds %d hits", query, len(whole))
		}
		for _, facets := range []bool{false, true} {
			var paged []string
			for more := true; more; {
				r := search(t, x, index.Query{Text: query, Limit: 7, Offset: len(paged), Facets: facets})
				for _, h := range r.Hits {
					paged = append(paged, strings.TrimPrefix(h.URL, "https://example.org"))
				}
				if more = r.More; more && len(r.Hits) < 7 {
					t.Fatalf("%q: more hits behind %d, which are too few", query, len(r.Hits))
				}
			}
			if diff := cmp.Diff(whole, paged); diff != "" {
				t.Errorf("%q, facets %v, page by page (-all at once):\n%s", query, facets, diff)
			}
		}
	}
}

// TestSearch_ForeignPagesComeLast holds that a term is found on pages in all languages, whichever endings they cut of it, also
// where many pages have it that are in the usual language; these come first.
func TestSearch_ForeignPagesComeLast(t *testing.T) {
	x := open(t, index.Options{})
	c := index.Change{Documents: []index.Document{
		document("/tr", "tr", "Apache mod_rewrite", "Bu belge mod_rewrite modülünü anlatır."),
	}}
	for n := range 60 {
		c.Documents = append(c.Documents, document(fmt.Sprintf("/en/%d", n), "en", fmt.Sprint("Rules ", n), "The module mod_rewrite."))
	}
	apply(t, x, c)
	for _, facets := range []bool{false, true} {
		r := search(t, x, index.Query{Text: "mod_rewrite module OR modülü", Limit: 100, Facets: facets})
		if r.Total != 61 || len(r.Hits) != 61 {
			t.Fatalf("%d hits of %d, want 61", len(r.Hits), r.Total)
		}
		if last := r.Hits[60]; last.URL != "https://example.org/tr" || len(last.Missing) > 0 {
			t.Errorf("last comes %s without %q", last.URL, last.Missing)
		}
	}
}

// TestSearch_DatesNarrow holds that a month is looked for within what the query says of dates.
func TestSearch_DatesNarrow(t *testing.T) {
	x := library(t)
	since, until := day("1996-06-01"), day("1996-07-01")
	for _, tt := range []struct{ query, want string }{
		{"fox", "/old.txt"}, {"fox after:1996-06-29", "/old.txt"}, {"fox after:1996-06-30", ""}, {"fox before:1996-06-30", ""},
		{"fox before:2000 before:1990", ""}, {"fox before:1990 before:2000", ""}, {"fox after:1999 after:1990", ""},
	} {
		if got := paths(t, x, index.Query{Text: tt.query, Since: since, Until: until}); got != tt.want {
			t.Errorf("%s in a month: found %q, want %q", tt.query, got, tt.want)
		}
	}
}

// TestSearch_LanguageNarrows holds that a query finds with a language what it finds in that language without: words that are
// written as in another language are no other words.
func TestSearch_LanguageNarrows(t *testing.T) {
	x := open(t, index.Options{})
	c := index.Change{Documents: []index.Document{document("/pt", "pt", "Servidor", "O configure configura o servidor.")}}
	for n := range 30 {
		c.Documents = append(c.Documents, document(fmt.Sprintf("/en/%d", n), "en", "Server", "The configuration of a server."))
	}
	apply(t, x, c)
	for _, q := range []index.Query{{Text: "configuration", Lang: "pt"}, {Text: "configuration lang:pt"}} {
		if got := paths(t, x, q); got != "/pt" {
			t.Errorf("%v: found %q; without the language it finds /pt", q, got)
		}
	}
}

// Ensure that a page is found whichever way its characters are written, there or in the query: in parts as the names of files on
// some machines are, half as wide, or with the letters of the Arabic keyboard in Persian.
func TestSearch_WrittenOtherwise(t *testing.T) {
	spellings := map[string][]string{
		"/ja": {"データ", "\u30c6\u3099\u30fc\u30bf", "ﾃﾞｰﾀ"},
		"/ko": {"그래픽", "\u1100\u1173\u1105\u1162\u1111\u1175\u11a8"},
		"/fa": {"پیکربندی", "پيكربندي"},
		"/ar": {"مستوى", "مستوي"},
	}
	for path, words := range spellings {
		for _, written := range words {
			x := open(t, index.Options{})
			d := document(path, path[1:], written, "x "+written+" y")
			d.Text.Headings = []index.Heading{{Level: 1, Text: written}}
			apply(t, x, index.Change{Documents: []index.Document{d}})
			for _, typed := range words {
				for _, q := range []string{typed, `"` + typed + `"`, "intitle:" + typed} {
					if got := paths(t, x, index.Query{Text: q}); got != path {
						t.Errorf("%q finds %q, want %s, which has %q", q, got, path, written)
					}
				}
			}
		}
	}
}

// Who asks for one of the codes of a language finds pages that name another.
func TestSearch_OtherCodesOfALanguage(t *testing.T) {
	x := open(t, index.Options{})
	apply(t, x, index.Change{Documents: []index.Document{
		document("/no", "no", "Fjell", "om fjell"), document("/nb", "nb", "Fjell", "mer om fjell"), document("/nn", "nn", "Fjell", "meir om fjell"),
	}})
	for query, want := range map[string]int{"lang:no": 3, "lang:nb": 2, "lang:nn": 2, "fjell -lang:no": 0, "fjell -lang:nn": 1} {
		r, err := x.Search(t.Context(), index.Query{Text: query, Ungrouped: true})
		if err != nil || r.Total != want {
			t.Errorf("%s: %d pages, %v, want %d", query, r.Total, err, want)
		}
	}
}

// What is not to be on a page is on none, in no form and in no language: neither where words are looked for in the usual ones.
func TestSearch_ExcludedInAnyLanguage(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 60 {
		c.Documents = append(c.Documents, document(fmt.Sprintf("/%d", i), "en", "Packages", fmt.Sprintf("about apt and number %d", i)))
	}
	c.Documents = append(c.Documents, document("/de", "de", "Pakete", "apt hat viele Häuser"))
	apply(t, x, c)
	for query, want := range map[string]int{"apt": 61, "apt -Häuser": 60, "apt -Haus": 60, `apt -"viele Häuser"`: 60, "lang:de -Häuser": 0} {
		r := search(t, x, index.Query{Text: query, Ungrouped: true})
		if r.Total != want {
			t.Errorf("%s: %d pages, want %d", query, r.Total, want)
		}
	}
}

// A word that is to be in one part of a page is missing on a page that has it elsewhere.
func TestSearch_MissingInItsPart(t *testing.T) {
	x := open(t, index.Options{})
	if err := x.Apply(t.Context(), index.Change{Documents: []index.Document{
		document("/a", "en", "Samba", "what debian is"), document("/b", "en", "Debian", "what samba is"),
	}}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		"samba intitle:debian": {"/b", "/a intitle:debian"},
		"samba inurl:b":        {"/b", "/a inurl:b"},
		"samba what":           {"/a", "/b"},
	} {
		r := search(t, x, index.Query{Text: query})
		var got []string
		for _, h := range r.Hits {
			got = append(got, strings.TrimSpace(strings.TrimPrefix(h.URL, "https://example.org")+" "+strings.Join(h.Missing, ", ")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// What is understood of an age is the time it means: the day before would find more.
func TestSearch_UnderstoodSince(t *testing.T) {
	since := time.Date(2026, 1, 31, 5, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		since time.Time
		want  string
	}{
		{since, "fox after:2026-01-31T05:00:00Z"},
		{since.In(time.FixedZone("", 7*3600)), "fox after:2026-01-31T05:00:00Z"},
		{since.Truncate(24 * time.Hour), "fox after:2026-01-30"},
	} {
		r, err := library(t).Search(t.Context(), index.Query{Text: "fox", Since: tt.since})
		if err != nil || r.Understood != tt.want {
			t.Errorf("since %v: %q, %v, want %q", tt.since, r.Understood, err, tt.want)
		}
	}
}
