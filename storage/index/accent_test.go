package index_test

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// A word is found without its accents, also where they decide which ending is cut from it; on pages in its own language only, for
// what is left of it may be another word elsewhere.
func TestSearch_WithoutAccents(t *testing.T) {
	words := []struct{ lang, word, without string }{
		{"es", "investigación", "investigacion"}, {"es", "podrían", "PODRIAN"}, {"pt", "organizações", "organizacoes"},
		{"fr", "moralité", "moralite"}, {"it", "vulnerabilità", "vulnerabilita"}, {"ro", "acceptând", "acceptand"},
		{"hu", "vitákat", "vitakat"}, {"tr", "toplarının", "toplarinin"}, {"tr", "yasaklanması", "YASAKLANMASI"},
		{"sv", "dokumentären", "dokumentaren"}, {"da", "populære", "populaere"}, {"no", "kommissær", "kommissaer"},
		{"ar", "الصيانة", "الصيانه"}, {"ar", "مستشفى", "مستشفي"},
	}
	for _, few := range []bool{false, true} {
		x := open(t, index.Options{})
		var c index.Change
		for i, w := range words {
			c.Documents = append(c.Documents, document(fmt.Sprint("/", i), w.lang, "A page", "x1 "+w.word+" x2"))
		}
		c.Documents = append(c.Documents, document("/med", "sv", "Utan", "det var med oss"))
		for i := range 300 {
			if few { // pages in those languages
				c.Documents = append(c.Documents, document(fmt.Sprint("/en/", i), "en", "A page", fmt.Sprint("in English ", i)))
			}
		}
		apply(t, x, c)
		for i, w := range words {
			r := search(t, x, index.Query{Text: w.without})
			if len(r.Hits) != 1 || r.Hits[0].URL != fmt.Sprint("https://example.org/", i) {
				t.Errorf("%s: %d hits, want the page with %s", w.without, len(r.Hits), w.word)
				continue
			}
			if got := r.Hits[0].Snippet.String(); !marks(r.Hits[0].Snippet, w.word) {
				t.Errorf("%s is not marked in %q", w.word, got)
			}
		}
		for i, w := range words {
			phrase := "x1 " + w.without + " x2"
			r := search(t, x, index.Query{Text: `"` + phrase + `"`})
			if len(r.Hits) != 1 || r.Hits[0].URL != fmt.Sprint("https://example.org/", i) || !marks(r.Hits[0].Snippet, "x1 "+w.word+" x2") {
				t.Errorf("%s: %d hits, want the page with %s, marked", phrase, len(r.Hits), w.word)
			}
		}
		// Spanish medía is of medir, and its stem med.
		if r, err := x.Search(t.Context(), index.Query{Text: "media"}); err != nil || len(r.Hits) > 0 {
			t.Errorf("media: %v, %v, want nothing", r.Hits, err)
		}
	}
}

// Likewise where all pages are in one language, and no other one has the word without its accents as it is.
func TestSearch_WithoutAccents_OneLanguage(t *testing.T) {
	for _, w := range []struct{ lang, word, without string }{
		{"en", "Cliché", "cliche"}, {"en", "Beyoncé", "Beyonce"}, {"de", "Cafés", "Cafes"}, {"sv", "paté", "pate"},
		{"nb", "folkekomité", "folkekomite"}, {"da", "eksposé", "ekspose"}, {"nn", "landsbynivå", "landsbyniva"},
		{"nn", "sekretær", "sekretaer"}, {"nl", "sleutelscène", "sleutelscene"}, {"ga", "láithreáin", "laithreain"},
	} {
		x := open(t, index.Options{})
		apply(t, x, index.Change{Documents: []index.Document{document("/", w.lang, "A page", "x1 "+w.word+" x2")}})
		if r := search(t, x, index.Query{Text: w.without}); len(r.Hits) != 1 || !marks(r.Hits[0].Snippet, w.word) {
			t.Errorf("%s: %+v, want the page with %s, marked", w.without, r.Hits, w.word)
		}
	}
}

func marks(e index.Excerpt, word string) bool {
	for _, f := range e {
		if f.Match && f.Text == word {
			return true
		}
	}
	return false
}
