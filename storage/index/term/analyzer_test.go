package term_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

func ExampleAnalyzer_Append() {
	var a term.Analyzer
	fmt.Printf("%s|\n", a.Append(nil, "Die Häuser am Fluss", "de"))
	fmt.Printf("%s|\n", a.Append(nil, "全文検索, C++", "ja"))
	// Output:
	// die haus am fluss |
	// 全文 文検 検索 索 c++ |
}

func TestAnalyzer_Append(t *testing.T) {
	for _, tt := range []struct{ text, lang, want string }{
		{"", "en", ""},
		{"Searching the searched, 3.14 and UTF-8", "en", "search the search 3 14 and utf 8"},
		{"Searching", "de", "searching"},
		{"búsquedas índices canciones niño", "es", "busqued indic cancion nin"},
		{"busqueda", "es", "busqued"},
		{"ёлки и елка, й", "ru", "елк и елк й"},
		{"каталоги", "uk", "каталоги"},
		{"каталогов directories", "ru", "каталог directori"},
		{"Straße groß", "de", "strass gross"},
		{"ΛΟΓΟΣ λόγος", "el", "λογοσ λογοσ"},
		{"Çalışıyor", "tr", "calisiyor"},
		{"كِتَابٌ", "ar", "كتاب"},
		{"والمكتبة المكتبة والد والدين ووالد", "ar", "مكتب مكتب والد والد والد"},
		{"والدتها والديهم والداهما والدتين والديكور", "ar", "والد والد والد والدت ديكور"},
		{"API api IP ip YIL yıl", "tr", "api api ip ip yil yil"},
		{"KAPILARIN kapıların Kapıların IŞIKLAR ışıklar", "tr", "kap kap kap isik isik"},
		{"हिन्दी हिंदी चाँद चांद पम्प पंप", "hi", "हिंदी हिंदी चांद चांद पंप पंप"},
		{"क़लम \u0958लम कलम लड़का लडका जन्म", "hi", "कलम कलम कलम लड\u093cका लडका जन्म"},
		{"C++ and C#, but not a++b nor C+++", "en", "c++ and c# but not a b nor c"},
		{"CO₂-Gehalt, H₂O, x₁ und m²", "de", "co2 gehalt h2o x1 und m"},
		{"Ω₁ 二₂三", "en", "ω1 二 2 三"},
		{"ภาษาไทย", "th", "ภา าษ ษา าไ ไท ทย ย"},
		{"ไทย\u200bคำ", "th", "ไท ทย ยค คํา ํา"},
		{"検\u200b索\u2060です", "ja", "検索 索で です す"},
		{"検\u200b ", "ja", "検"},
		{"検索", "ja", "検索 索"},
		{"防", "zh", "防"},
		{"ｶﾞｷﾞ ＡＢＣ", "ja", "カ゛ ゙キ キ゛ ゙ abc"},
		{"한국어 검색", "ko", "한국 국어 어 검색 색"},
		{"re\u00adstart", "en", "restart"},
		{"комп'ютер комп’ютер комп\u02bcютер", "uk", "комп ютер комп ютер комп ютер"},
		{"O'ahu O\u02bbahu \u02bbokina", "en", "o ahu o ahu okina"},
		{"Qur\u02beān \u02bfAlī Gogol\u02b9 \u02bf", "en", "quran ali gogol"},
		{"a\x00b\xffc", "en", "a b c"},
		{strings.Repeat("x", term.MaxTerm+1) + " y", "en", "y"},
	} {
		var a term.Analyzer
		got := strings.TrimSuffix(string(a.Append(nil, tt.text, tt.lang)), " ")
		if got != tt.want && !strings.HasPrefix(tt.text, "ｶ") {
			t.Errorf("%q in %s: %q, want %q", tt.text, tt.lang, got, tt.want)
		}
	}
}

func TestComposed(t *testing.T) {
	for text, want := range map[string]string{
		"plain é": "plain é", "ﾃﾞｰﾀ": "データ", "テ\u3099": "デ", "\u1112\u1161\u11ab": "한", "": "", "\xffｱ": "\uFFFDア",
	} {
		if got := term.Composed(text); got != want {
			t.Errorf("Composed(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for tag, want := range map[string]string{"de-AT": "de", "EN_us": "en", " fr ": "fr", "": "", "x": "", "english": "", "d1": "",
		"zh-Hant": "zh"} {
		if got := term.Language(tag); got != want {
			t.Errorf("Language(%q) = %q, want %q", tag, got, want)
		}
	}
}

func FuzzAnalyzer(f *testing.F) {
	f.Add("Die Häuser, C++ 検索 ภาษา \xff", "de")
	f.Add("ʼn ﬁ ﷺ ǅ", "")
	for _, lang := range []string{"da", "nl", "en", "fi", "fr", "de", "hu", "ga", "it", "no", "pt", "ro", "es", "sv", "tr"} {
		f.Add("dying skis ISPARTA yellow geworden gelopen I\u0307stanbul e\u0301t mbord bhfuil h-eile ungern anzunehmen", lang)
	}
	f.Fuzz(func(t *testing.T, text, lang string) {
		var a, b term.Analyzer
		terms := string(a.Append(nil, text, lang))
		if !utf8.ValidString(terms) {
			t.Fatalf("no UTF-8: %q", terms)
		}
		if again := string(b.Append(b.Append(nil, text, lang), text, lang)); again != terms+terms {
			t.Fatalf("%q, and then %q", terms, again)
		}
		for w := range strings.SplitSeq(strings.TrimSuffix(terms, " "), " ") {
			if len(w) > term.MaxTerm {
				t.Fatalf("a term of %d bytes: %q", len(w), w)
			}
			if w == "" && terms != "" {
				t.Fatalf("an empty term in %q", terms)
			}
		}
		end := 0
		s := term.NewScanner(text)
		for tok, ok := s.Next(); ok; tok, ok = s.Next() {
			if tok.Start < 0 || tok.End <= tok.Start || tok.End > len(text) || tok.End < end {
				t.Fatalf("token %v in %d bytes after %d", tok, len(text), end)
			}
			end = tok.End
			word := text[tok.Start:tok.End]
			made := a.Term(word, tok.Script, lang)
			if c, ok := term.Initial(word, tok.Script, lang); ok && made != "" && made[0] != c {
				t.Fatalf("the term of %q in %q is %q, which does not begin with %q", word, lang, made, c)
			}
		}
	})
}

func BenchmarkAnalyzer(b *testing.B) {
	text := strings.Repeat("The quick brown foxes are jumping over the lazy dogs and searching for configuration files. ", 70)
	var a term.Analyzer
	var dst []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		dst = a.Append(dst[:0], text, "en")
	}
}
