package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// A question finds the page that answers it, though it has words that the page lacks: also where words are not written apart,
// beside words that are, where it joins what the page does not, and in a language that is not one of the three of most pages.
func TestSearch_Questions(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 40 {
		for _, lang := range []string{"en", "es", "it", "pt"} {
			text := fmt.Sprintf("Page %d of 2015 says nothing of it.", i)
			c.Documents = append(c.Documents, document(fmt.Sprintf("/%s%d", lang, i), lang, "Notes", text))
		}
	}
	answers := []index.Document{
		document("/zh", "zh", "", "2015赛季结束时，丹佛野马队在第50届超级碗比赛中胜出。"),
		document("/ja", "ja", "", "第50回スーパーボウルは、デンバー・ブロンコスが優勝した2015シーズンのNFL選手権である。"),
		document("/th", "th", "", "ซูเปอร์โบวล์ครั้งที่ 50 เดนเวอร์ บรองโกส์ เป็นทีมชนะเลิศ"),
		document("/de", "de", "", "Im Regenwald am Amazonas stehen Baumarten, die niemand kennt."),
		document("/model", "de", "", "Seit dem Ende der Apartheid heissen Schulen anders; keine ist mehr ein Model C."),
		document("/park", "de", "", "Im Park."),
		document("/fr", "fr", "", "Comment installer une imprimante et un scanner."),
	}
	apply(t, x, c)
	apply(t, x, index.Change{Documents: answers})
	for _, tt := range []struct{ query, want string }{
		{"谁赢得了2015年NFL的超级碗?", "/zh"},
		{"哪一支球队在超级碗中胜出？", "/zh"},
		{"2015年のNFLで優勝したチームはどこですか？", "/ja"},
		{"ทีมใดชนะซูเปอร์โบวล์ครั้งที่50", "/th"},
		{"Wer lebt in Regenwäldern?", "/de"},
		{"Im Amazonas-Regenwald", "/de"},
		{"„Model C“-Schulen", "/model"},
		{"l'imprimante", "/fr"},
		{"installation de l’imprimante", "/fr"},
	} {
		if got := paths(t, x, index.Query{Text: tt.query}); got != tt.want && !strings.HasPrefix(got, tt.want+" ") {
			t.Errorf("%s: %.80s, want %s first", tt.query, got, tt.want)
		}
	}
	if got := paths(t, x, index.Query{Text: `"l'imprimante"`}); got != "" {
		t.Errorf("a phrase lost its beginning: %s", got)
	}
	if got := paths(t, x, index.Query{Text: "Im-Park"}); got != "/park" { // a name that is on a page, and none of its parts
		t.Errorf("pages with parts of a name that is on one: %s", got)
	}
	c = index.Change{Documents: []index.Document{document("/list", "en", "", "Of all: mmap.resize and std::vector."),
		document("/mmap", "en", "mmap", "Class mmap. It has resize."), document("/std", "en", "std", "The vector.")}}
	apply(t, x, c)
	for query, want := range map[string]string{"mmap.resize": "/list /mmap", "std::vector": "/list /std"} {
		if got := paths(t, x, index.Query{Text: query}); got != want {
			t.Errorf("%s: %s, want %s: what it belongs to may stand apart", query, got, want)
		}
	}
	r := search(t, x, index.Query{Text: "谁在Amazonas-Regenwald赢得了超级碗 lang:zh"})
	if h := r.Hits[0]; len(h.Snippet) < 2 || !strings.Contains(fmt.Sprint(h.Snippet), "超级碗") || strings.Join(h.Missing, " ") !=
		"谁在 Amazonas Regenwald 赢得了超" {
		t.Errorf("snippet %v, missing %q", h.Snippet, h.Missing)
	}
}
