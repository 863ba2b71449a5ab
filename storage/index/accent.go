package index

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// accents are letters as they are typed without their marks, and as they are, by language. Where an accent decides which ending is
// cut from a word, the word without it has another stem: in Spanish, investigación has investig, and investigacion itself.
var accents = map[string][]string{
	"ar": {"ه", "ة", "ة", "ه", "ي", "ى", "ى", "ي"}, // two dots that many leave out, or add
	"da": {"a", "å", "e", "é", "o", "ø", "ae", "æ"},
	"de": {"e", "é"}, // as in café: the e that a word ends in is cut, the é is not
	"en": {"e", "é"},
	"es": {"a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú"},
	"fr": {"a", "à", "a", "â", "e", "é", "e", "è", "i", "î"},
	"ga": {"a", "á", "e", "é", "i", "í", "o", "ó", "u", "ú"},
	"hu": {"a", "á", "e", "é", "i", "í", "o", "ó", "o", "ö", "o", "ő", "u", "ú", "u", "ü", "u", "ű"},
	"it": {"a", "à", "e", "è", "i", "ì", "o", "ò", "u", "ù"},
	"nb": {"a", "å", "e", "é", "o", "ø", "ae", "æ"},
	"nl": {"e", "è"},
	"nn": {"a", "å", "e", "é", "o", "ø", "ae", "æ"},
	"no": {"a", "å", "e", "é", "o", "ø", "ae", "æ"},
	"pt": {"a", "á", "a", "â", "a", "ã", "ao", "ão", "cao", "ção", "coes", "ções", "aes", "ães", "e", "é", "e", "ê", "i", "í",
		"o", "ó", "o", "ô", "oes", "ões", "u", "ú"},
	"ro": {"a", "ă", "a", "â", "i", "î", "s", "ș", "t", "ț"},
	"sv": {"a", "å", "a", "ä", "e", "é", "o", "ö"},
	"tr": {"i", "ı", "s", "ş", "c", "ç", "g", "ğ", "o", "ö", "u", "ü"},
}

// ending is how many bytes at the end of a word accents are tried in: those before have no part in what is cut.
const ending = 5

// accented returns how a word that was typed without accents may be written in a language, as far as that may have another stem.
func accented(word, lang string) (ways []string) {
	pairs := accents[lang]
	word = strings.ToLower(word)
	if pairs == nil || len(word) < 3 || !isPlain(word) && lang != "ar" && lang != "tr" { // Turkish capitals have I for ı
		return nil
	}
	if all := strings.ReplaceAll(word, "i", "ı"); lang == "tr" && all != word { // vowels of a word go together
		ways = append(ways, all)
	}
	for at := max(0, len(word)-ending); at < len(word); at++ {
		for i := 0; i < len(pairs); i += 2 {
			if rest, ok := strings.CutPrefix(word[at:], pairs[i]); ok {
				ways = append(ways, word[:at]+pairs[i+1]+rest)
			}
		}
	}
	return ways
}

// maxAccented bounds the ways in which a phrase may be written.
const maxAccented = 32

// accentedTerms returns the terms of a text in the other ways in which its words may be written.
func accentedTerms(text string, a *term.Analyzer, lang string) [][]string {
	list := [][]string{nil}
	s := term.NewScanner(text)
	for tok, ok := s.Next(); ok; tok, ok = s.Next() {
		word := text[tok.Start:tok.End]
		made := a.Term(word, tok.Script, lang)
		if tok.Script == term.Pairs || made == "" {
			return nil
		}
		ways := []string{made}
		for _, way := range accented(word, lang) {
			if other := a.Term(way, tok.Script, lang); other != "" && !slices.Contains(ways, other) {
				ways = append(ways, other)
			}
		}
		ways = ways[:min(len(ways), max(1, maxAccented/len(list)))]
		var longer [][]string
		for _, way := range ways {
			for _, terms := range list {
				longer = append(longer, append(slices.Clip(terms), way))
			}
		}
		list = longer
	}
	return list[1:]
}

// isPlain reports whether a word has letters of ASCII only.
func isPlain(word string) bool {
	for _, r := range word {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return true
}
