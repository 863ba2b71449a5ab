package indexer

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Bounds of guessing a language.
const (
	guessed    = 600     // bytes looked at: with more, hardly more is guessed right, and it takes a third of all indexing
	leastGuess = 60      // bytes below which nothing is guessed
	skimmed    = 4 << 10 // bytes looked at for the small words of English
	weighed    = 64 << 10
)

// language returns the language of a page: as it says, unless its letters are those of another one; else by guess.
func language(declared, body string) string {
	lang := term.Language(declared)
	sample := excerpt(body, guessed)
	if foreign := withoutLatin(body); foreign != "" {
		sample = foreign
	}
	if len(sample) < leastGuess {
		return lang
	}
	script := whatlanggo.DetectScript(sample)
	if lang != "" && (script == nil || fits(lang, whatlanggo.Scripts[script])) {
		return lang
	}
	if script == unicode.Latin && (isEnglish(sample, 4, 6) || isEnglish(excerpt(body, skimmed), 6, 8)) {
		return "en"
	}
	info := whatlanggo.Detect(sample)
	if code := info.Lang.Iso6391(); code != "" && (info.Confidence > 0.3 || lang != "") {
		return code
	}
	return lang
}

// excerpt returns part of a text, not its beginning, which is often of another kind.
func excerpt(body string, most int) string {
	start := min(len(body)/4, 4000)
	return strings.ToValidUTF8(body[start:min(len(body), start+most)], "")
}

// withoutLatin returns what is not in Latin letters of a text that is in another script, however many commands, names and numbers
// stand in it; it is empty of one in Latin letters. A character that is a syllable or a word counts as three letters.
func withoutLatin(body string) string {
	if isASCII(body) {
		return ""
	}
	latin, other := 0, 0
	var b strings.Builder
	blank := false
	for _, r := range body[:min(len(body), weighed)] {
		switch {
		case r < utf8.RuneSelf && (r|0x20 < 'a' || r|0x20 > 'z'):
			blank = true
			continue
		case r < 0x0370 || r >= 0x1E00 && r < 0x1F00:
			latin++
			continue
		case r >= 0x2E80 && unicode.IsLetter(r):
			other += 3
		case unicode.IsLetter(r):
			other++
		case !unicode.IsMark(r):
			continue
		}
		if b.Len() >= guessed {
			continue
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(r)
	}
	if other < latin {
		return ""
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// english are words that hardly any other language has, or not several of.
var english = map[string]int{
	"the": 0, "of": 1, "and": 2, "to": 3, "is": 4, "that": 5, "for": 6, "with": 7, "this": 8, "are": 9, "be": 10, "not": 11,
	"from": 12, "which": 13, "you": 14, "can": 15,
}

// isEnglish reports whether a text in Latin letters is English beyond doubt, by its small words: at least so many different ones,
// and one word of so many. To measure a text against all languages takes a tenth of all indexing, and most pages that do not say
// their language are in English.
func isEnglish(sample string, different, oneOf int) bool {
	words, small, kinds := 0, 0, 0
	for word := range strings.FieldsSeq(sample) {
		words++
		if kind, ok := english[word]; ok {
			small++
			kinds |= 1 << kind
		}
	}
	return bits.OnesCount(uint(kinds)) >= different && small*oneOf >= words
}

// fits reports whether a language is written in a script, as far as that can be told: the languages of the scripts that are told
// apart.
func fits(lang, script string) bool {
	others := map[string][]string{
		"Cyrillic": {"ru", "uk", "bg", "be", "sr", "mk", "kk", "mn", "ky", "tg", "uz", "bs", "az"}, "Greek": {"el"},
		"Arabic": {"ar", "fa", "ur", "ps", "ug", "ckb", "ku", "sd"},
		"Hebrew": {"he", "iw", "yi"}, "Thai": {"th"}, "Han": {"zh", "ja", "yue", "ko"}, "Hiragana": {"ja"}, "Katakana": {"ja"},
		"Hangul":     {"ko"},
		"Devanagari": {"hi", "mr", "ne", "sa"}, "Tamil": {"ta"}, "Georgian": {"ka"}, "Armenian": {"hy"},
	}
	if list, ok := others[script]; ok {
		return slices.Contains(list, lang)
	}
	return true
}
