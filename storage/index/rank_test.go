package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// A page in a language that few pages are in is found in any form of its words, also where others answer the query by chance.
func TestSearch_FindsFormsOfALanguageOfFewPages(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for n := range 100 {
		text := fmt.Sprintf("Note %d says navegadores in passing.", n)
		if n >= 12 {
			text = fmt.Sprintf("Note %d says nothing of it.", n)
		}
		c.Documents = append(c.Documents, document(fmt.Sprint("/en", n), "en", "Notes", text))
	}
	text := "Un navegador es un programa. " + strings.Repeat("Navegar. ", 5)
	c.Documents = append(c.Documents, document("/es", "es", "13.4. El navegador", text))
	apply(t, x, c)
	if got := paths(t, x, index.Query{Text: "navegadores"}); !strings.HasPrefix(got, "/es ") {
		t.Errorf("%q, want the page in Spanish first", got)
	}
}

// The number of a chapter is no part of its title: one that says what was asked for comes first.
func TestSearch_TitlesWithoutTheirNumbers(t *testing.T) {
	x := open(t, index.Options{})
	text := "Walrus habits are told here, and the habits of the walrus are many."
	apply(t, x, index.Change{Documents: []index.Document{
		document("/long", "en", "Walrus habits walrus overview", text), document("/numbered", "en", "13.4.2. Walrus habits", text),
		document("/2048", "en", "2048", "A game."),
	}})
	if got := paths(t, x, index.Query{Text: "walrus habits"}); got != "/numbered /long" {
		t.Errorf("%q, want the numbered one first", got)
	}
	if got := paths(t, x, index.Query{Text: "2048"}); got != "/2048" {
		t.Errorf("a title that is a number: %q", got)
	}
}

// The name of the site, which stands behind a bar in most titles, is no part of them: also where a word is on nearly all pages, and
// rare in its form of another language.
func TestSearch_TitlesWithoutTheNameOfTheirSite(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for n := range 60 {
		c.Documents = append(c.Documents, document(fmt.Sprint("/", n), "en", fmt.Sprintf("Page %d | npm handbook", n), "All of the folders."))
	}
	for n := range 8 {
		c.Documents = append(c.Documents, document(fmt.Sprint("/de/", n), "de", fmt.Sprintf("Seite %d | npm handbook", n), "All of the folders."))
	}
	c.Documents = append(c.Documents, document("/folders", "en", "Folders | npm handbook", "What is where: folders."),
		document("/name", "en", "npm handbook", "Folders and more."))
	apply(t, x, c)
	for query, want := range map[string]string{"folders": "/folders ", "npm handbook": "/name "} {
		if got := paths(t, x, index.Query{Text: query, Ungrouped: true}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %s first", query, got, want)
		}
	}
}

// Of very many matches the first ones are ranked, and all are counted.
func TestSearch_MaxRanked(t *testing.T) {
	x := open(t, index.Options{MaxRanked: 400})
	var c index.Change
	for n := range 450 {
		c.Documents = append(c.Documents, document(fmt.Sprint("/", n), "en", "Many foxes on a page", fmt.Sprint("fox of number ", n)))
	}
	best := document("/best", "en", "Fox", "fox")
	apply(t, x, c)
	apply(t, x, index.Change{Documents: []index.Document{best}})
	for query, want := range map[string]int{"fox": 1, "number fox": 1, "fox -nothing": 1, "449": 0} {
		r, err := x.Search(t.Context(), index.Query{Text: query, Ungrouped: true})
		if err != nil || len(r.Notices) != want || len(r.Hits) == 0 || want == 1 && r.Total < 450 {
			t.Fatalf("%s: %d hits of %d, %q, %v", query, len(r.Hits), r.Total, r.Notices, err)
		}
		for _, h := range r.Hits {
			if h.URL == best.URL {
				t.Errorf("%s: the last page was ranked", query)
			}
		}
	}
}

// A page whose title is what was asked for comes first: also with the number of its chapter, among very many that have the words
// more often, and in a language that few pages are in.
func TestSearch_TitleAskedForComesFirst(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 150 {
		body := fmt.Sprintf("the master plan of the house %d, a plan", i)
		c.Documents = append(c.Documents, document(fmt.Sprintf("/%d", i), "en", fmt.Sprintf("Chapter %d", i), body))
	}
	long := strings.Repeat("many other words of a long page that says nothing of it\n", 300)
	c.Documents = append(c.Documents, document("/plan", "en", "2.2. Master Plan", long),
		document("/haus", "de", "Häuser: the master plan", long+"house"),
		document("/more", "en", "More of the master plan and of its house", "master plan master plan"))
	apply(t, x, c)
	for query, want := range map[string]string{
		"master plan": "/plan", "2.2. master plan": "/plan", "2.2 Master Plan": "/plan", "the master plan Häuser": "/haus",
		"plan -absent master": "/plan", `"master plan"`: "/plan",
	} {
		var urls []string
		for offset := range 3 {
			r := search(t, x, index.Query{Text: query, Limit: 1, Offset: offset})
			if len(r.Hits) > 0 {
				urls = append(urls, strings.TrimPrefix(r.Hits[0].URL, "https://example.org"))
			}
		}
		if len(urls) == 0 || urls[0] != want || slices.Index(urls[1:], want) >= 0 {
			t.Errorf("%s: %q, want %s first, once", query, urls, want)
		}
	}
}

// A section of a long page on many things is found by its heading, which many pages have the words of here and there.
func TestSearch_HeadingAskedFor(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for n := range 20 {
		text := "Mistakes of memory need fixing. " + strings.Repeat("Something else is told here. ", 40+n)
		c.Documents = append(c.Documents, document(fmt.Sprint("/", n), "en", fmt.Sprint("Note ", n), text),
			document(fmt.Sprint("/other/", n), "en", fmt.Sprint("Other ", n), "Nothing of that."))
	}
	manual := document("/manual", "en", "The manual", strings.Repeat("There is much to be told of many other things. ", 50))
	manual.Text.Headings = []index.Heading{{Text: "Two parents"}, {Text: "On fixing mistakes"}, {Text: "Finding a change"}}
	apart := document("/apart", "en", "Another manual", manual.Text.Body)
	apart.Text.Headings = []index.Heading{{Text: "Mistakes"}, {Text: "Fixing"}}
	apply(t, x, index.Change{Documents: append(c.Documents, apart, manual)})
	for _, query := range []string{"fixing mistakes", "Fixing mistake", "fixing mistakes -walrus"} {
		got := strings.Fields(paths(t, x, index.Query{Text: query, Ungrouped: true, Limit: 30}))
		if first := strings.Contains(query, "-"); len(got) != 22 || (got[0] == "/manual") == first || got[0] == "/apart" {
			t.Errorf("%s: %q", query, got)
		}
	}
}

// So it is where words are not written apart.
func TestSearch_HeadingAskedFor_Pairs(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for n := range 20 {
		text := "正規表現の一覧です。" + strings.Repeat("他のことも書いてあります。", 20+n)
		c.Documents = append(c.Documents, document(fmt.Sprint("/", n), "ja", fmt.Sprint("頁 ", n), text),
			document(fmt.Sprint("/other/", n), "ja", fmt.Sprint("別 ", n), "何もありません。"))
	}
	manual := document("/manual", "ja", "手引き", strings.Repeat("いろいろなことが書いてあります。", 25))
	manual.Text.Headings = []index.Heading{{Text: "目的"}, {Text: "正規表現"}}
	apply(t, x, index.Change{Documents: append(c.Documents, manual)})
	if got := paths(t, x, index.Query{Text: "正規表現", Ungrouped: true, Limit: 30}); !strings.HasPrefix(got, "/manual ") {
		t.Errorf("%s, want the page with the heading first", got)
	}
}
