package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Ensure that any text is a query, that what it is understood as is understood the same way, and that FTS5 gets nothing but terms
// in quotes, operators and names of columns.
func FuzzParse(f *testing.F) {
	for _, q := range []string{`"a b" -c d OR e*`, "site:example.org/x -lang:de before:2026", `intitle:"x`, "C++ 検索 ภาษา",
		"a\x00b\xff| |", "inurl:%E3%83%9A%00%ff%22"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := parse(text)
		once := p.String()
		if !utf8.ValidString(once) || strings.ContainsAny(once, "\x00\x1b\n") {
			t.Fatalf("%q is understood as %q", text, once)
		}
		if len(p.clauses) > MaxTerms {
			t.Fatalf("%d clauses", len(p.clauses))
		}
		var a term.Analyzer
		m := newMatcher(p, &a, []string{"en", "de", "ja"}, []string{"es", "fr"}, true)
		outside := true
		for i, part := range strings.Split(m.expression(m.words, "AND"), `"`) {
			if outside = i%2 == 0; !outside {
				continue
			}
			for word := range strings.FieldsSeq(strings.NewReplacer("(", " ", ")", " ", ":", " ", "*", " ").Replace(part)) {
				switch word {
				case "AND", "OR", "NOT", "title", "address", "tags":
				default:
					t.Fatalf("%q outside of quotes in the expression for %q", word, text)
				}
			}
		}
		if !outside {
			t.Fatalf("a quote is open in the expression for %q", text)
		}
	})
}

// Ensure that a snippet is a part of the text, within its bound, without what must not be shown.
func FuzzSnippet(f *testing.F) {
	f.Add("The quick brown fox.\nA lazy dog \x0esecret\x0f sleeps.", "lazy fox", 20)
	f.Add("日本語の全文検索", "検索", -1)
	f.Add("0", "\x850\xdf0\xc2\u0735*", -94) // a beginning that ends in a mark without a letter
	f.Fuzz(func(t *testing.T, body, query string, most int) {
		body = strings.ToValidUTF8(body, "")
		var a term.Analyzer
		m := newMatcher(parse(query), &a, []string{"en"}, nil, false)
		fi := newFinder(m, &a, "en")
		shown := withoutHidden(body)
		spans, _ := fi.spans(shown)
		e := snippet(shown, spans, &Text{Body: body}, fi, most)
		s := e.String()
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x0e\x0f\x1b\n\u202e") {
			t.Fatalf("snippet %q", s)
		}
		if n := utf8.RuneCountInString(s); most >= 0 && n > most {
			t.Fatalf("%d characters, at most %d", n, most)
		}
		if len(s) > 3*snippetLen+len(query)+16 {
			t.Fatalf("%d bytes", len(s))
		}
	})
}
