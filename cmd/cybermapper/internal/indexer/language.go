package indexer

import (
	"cmp"
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
	guessed    = 600      // bytes looked at: with more, hardly more is guessed right, and it takes a third of all indexing
	leastGuess = 60       // bytes below which nothing is guessed
	skimmed    = 8 << 10  // bytes looked at for small words
	weighed    = 64 << 10 // bytes looked at for letters
)

// templates is the language that pages are said to be in which nobody has asked: that of most templates of pages.
const templates = "en"

// language returns the language of a page: as it says, unless its letters are those of another one, or a template says it and its
// small words tell of another one; else by guess.
func language(declared, body string) string {
	lang := term.Language(declared)
	sample := excerpt(body, guessed)
	if foreign := withoutLatin(body); foreign != "" {
		sample = foreign
	}
	if len(sample) < leastGuess {
		return lang
	}
	script := scriptOf(sample)
	if lang == templates && script == unicode.Latin {
		return cmp.Or(bySmallWords(excerpt(body, skimmed)), lang)
	}
	if lang != "" && (script == nil || fits(lang, whatlanggo.Scripts[script])) {
		return lang
	}
	if script == unicode.Latin {
		if by := bySmallWords(excerpt(body, skimmed)); by != "" {
			return by
		}
	}
	if script == unicode.Cyrillic {
		if by := byOwnLetters(sample); by != "" {
			return by
		}
	}
	switch script {
	case unicode.Hiragana:
		return "ja"
	case unicode.Han:
		return "zh"
	}
	info := whatlanggo.DetectWithOptions(sample, guesses)
	code := codeOf(info.Lang)
	if code == "" || info.Confidence <= 0.3 && lang == "" || byChance(code, excerpt(body, skimmed)) {
		return lang
	}
	return code
}

// guesses leave out languages with few pages for which every third one in Hindi is taken.
var guesses = whatlanggo.Options{Blacklist: map[whatlanggo.Lang]bool{whatlanggo.Bho: true, whatlanggo.Mai: true}}

// codeOf returns the code of a language, as pages give it; empty if none has two letters.
func codeOf(l whatlanggo.Lang) string {
	switch l {
	case whatlanggo.Pes:
		return "fa"
	case whatlanggo.Ydd:
		return "yi"
	}
	return l.Iso6391()
}

// scriptOf returns the script of a text, Hiragana for Japanese; nil when it has no letters. Most texts are for the greater part
// letters of ASCII: to count them as whatlanggo does takes as long as all else about their language.
func scriptOf(text string) *unicode.RangeTable {
	letters := 0
	for i := range len(text) {
		if c := text[i] | 0x20; c >= 'a' && c <= 'z' {
			letters++
		}
	}
	if letters > len(text)/2 || letters > 0 && isASCII(text) {
		return unicode.Latin
	}
	script := whatlanggo.DetectScript(text)
	if script == unicode.Han || script != nil && whatlanggo.Scripts[script] == "" { // it has no name for that of Japanese
		return kanaOrHan(text)
	}
	return script
}

// kanaOrHan returns Hiragana for a text in Japanese, and Han for one in Chinese, where kana stand here and there, in a name or an
// advertisement.
func kanaOrHan(text string) *unicode.RangeTable {
	kana, han := 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		}
	}
	if kana*20 < han {
		return unicode.Han
	}
	return unicode.Hiragana
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
	for i, r := range body[:min(len(body), weighed)] {
		switch {
		case r < utf8.RuneSelf:
			if c := body[i] | 0x20; c >= 'a' && c <= 'z' {
				latin++
			} else {
				blank = true
			}
			continue
		case r < 0x0370 || r >= 0x1E00 && r < 0x1F00:
			latin++
			continue
		case r >= 0x2E80 && isLetter(r):
			other += 3
		case isLetter(r):
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
	if other*2 < latin {
		return ""
	}
	return b.String()
}

// isLetter is unicode.IsLetter, fast for most letters: Cyrillic, Chinese and Korean ones, kana.
func isLetter(r rune) bool {
	return r >= 0x0400 && r < 0x0482 || r >= 0x4E00 && r < 0xA000 || r >= 0xAC00 && r < 0xD7A4 || r >= 0x3041 && r < 0x3097 ||
		unicode.IsLetter(r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// smallWords are the words that a text in a language has most of, so that it can be told by them, also where another language is
// quoted at length. To measure a text against all languages takes a tenth of all indexing.
var smallWords = func() map[string]smallWord {
	words := map[string]smallWord{}
	for i, l := range tellable {
		for text := range strings.FieldsSeq(l.words) {
			word, known := words[text]
			if !known {
				word.number = len(words)
			}
			word.languages |= 1 << i
			words[text] = word
		}
	}
	return words
}()

// A smallWord says which of the tellable languages have a word, a bit for each.
type smallWord struct {
	languages uint32
	number    int
}

// Bounds of smallWords.
const (
	longestSmall = 8 // bytes of one
	manySmall    = 512
)

var tellable = [...]struct{ lang, words string }{
	{"en", "the of and to is that for with this are be not from which you can or it"},
	{"de", "der die und das ist nicht mit den von dem ein eine für auf auch werden sich wird zu im"},
	{"fr", "le la les des est une dans pour que qui pas sur avec ce vous par sont cette du et"},
	{"es", "el la los las una para que con por del se es como puede más este esta en y no"},
	{"pt", "não uma para com os um do da em dos das são ao você pode mais como que se e"},
	{"it", "il di che per non una della sono con gli del anche più questo nel la le e si un"},
	{"nl", "de het een en van is dat niet voor zijn met op te aan deze wordt die of"},
	{"sv", "och att det som är på för inte med av den ett till kan om en du"},
	{"da", "og at det er ikke på for af med den til en som kan der du et"},
	{"no", "og å det er ikke på for av med den til en som kan du et"},
	{"pl", "nie się jest na do że to w z jak oraz dla lub przez które"},
	{"cs", "je na že se to pro není jako nebo by které tak může pokud"},
	{"ca", "els per amb una del que és no les com pot aquest la el de i en més"},
	{"ro", "și nu este pentru care să în un mai din sau cu pe de la o"},
	{"id", "yang dan dengan untuk tidak ini dari pada dalam adalah di anda"},
	{"tr", "bir ve bu için ile olarak daha da de gibi olan"},
	{"hu", "az és hogy nem egy is van vagy ez meg csak"},
	{"fi", "ja on ei että se ovat tai myös kun voi"},
	{"vi", "và của là các một có được cho không này trong với"},
}

// bySmallWords returns the language that a text in Latin letters is in beyond doubt; empty if its small words do not tell: those of
// the language must be a twelfth of all, four of them different, and half as many again as those of any other.
func bySmallWords(sample string) string {
	words := 0
	var counts, kinds [len(tellable)]int
	var met [manySmall]bool
	for text := range strings.FieldsSeq(sample) {
		words++
		if len(text) > longestSmall {
			continue
		}
		word, ok := smallWords[text]
		if !ok {
			continue
		}
		first := !met[word.number]
		met[word.number] = true
		for mask := word.languages; mask != 0; mask &= mask - 1 {
			i := bits.TrailingZeros32(mask)
			counts[i]++
			if first {
				kinds[i]++
			}
		}
	}
	best, second := 0, 0
	for i := 1; i < len(counts); i++ {
		if counts[i] > counts[best] {
			best, second = i, counts[best]
		} else {
			second = max(second, counts[i])
		}
	}
	if kinds[best] < 4 || counts[best]*12 < words || counts[best]*2 < second*3 {
		return ""
	}
	return tellable[best].lang
}

// byChance reports whether nothing but the counts of letters speaks for a language that was guessed: no small word of it stands in
// the text, and no Latin letter that English lacks. So it is of lists of names and commands, which are seldom in another language
// than English. It is false of languages whose small words are not known.
func byChance(lang, sample string) bool {
	at := slices.IndexFunc(tellable[:], func(l struct{ lang, words string }) bool { return l.lang == lang })
	if at < 0 || lang == templates {
		return false
	}
	for text := range strings.FieldsSeq(sample) {
		if smallWords[text].languages&(1<<at) != 0 {
			return false
		}
	}
	return !strings.ContainsFunc(sample, func(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r) })
}

// ownLetters tell some languages in Cyrillic from all others: a text in one has some of own, and none of never.
var ownLetters = [...]struct{ lang, own, never string }{
	{"ru", "ыэё", "іїєґў" + otherCyrillic},
	{"uk", "їєґ", "ыэёъў" + otherCyrillic},
	{"be", "ў", "иїєґщъ" + otherCyrillic},
}

const otherCyrillic = "јљњџђћѓќѕәғқңөұүһҳҷӣӯҗӑӗӳӧӱҫӝӟӥӵҥӏӂ"

// byOwnLetters returns the language of a text in Cyrillic that its letters give away; empty if they do not. How often letters are,
// as whatlanggo asks, takes Russian for Bulgarian or Macedonian, which have neither ы, э nor ё.
func byOwnLetters(sample string) string {
	sample = strings.ToLower(sample)
	for _, l := range ownLetters {
		if strings.ContainsAny(sample, l.own) && !strings.ContainsAny(sample, l.never) {
			return l.lang
		}
	}
	return ""
}

// fits reports whether a language is written in a script, as far as that can be told: the languages of the scripts that are told
// apart.
func fits(lang, script string) bool {
	others := map[string][]string{
		"Cyrillic": {"ru", "uk", "bg", "be", "sr", "mk", "kk", "mn", "ky", "tg", "uz", "bs", "az"}, "Greek": {"el"},
		"Arabic": {"ar", "fa", "ur", "ps", "ug", "ckb", "ku", "sd"},
		"Hebrew": {"he", "iw", "yi"}, "Thai": {"th"}, "Han": {"zh", "ja", "yue", "ko"},
		"Hiragana":   {"ja", "zh", "yue"}, // Chinese may quote Japanese at length
		"Hangul":     {"ko"},
		"Devanagari": {"hi", "mr", "ne", "sa", "bh", "bho", "mai"}, "Tamil": {"ta"}, "Georgian": {"ka"}, "Armenian": {"hy"},
		"Bengali": {"bn", "as"}, "Gujarati": {"gu"}, "Gurmukhi": {"pa"}, "Kannada": {"kn"}, "Malayalam": {"ml"},
		"Telugu": {"te"}, "Oriya": {"or"}, "Sinhala": {"si"}, "Khmer": {"km"}, "Myanmar": {"my"}, "Ethiopic": {"am", "ti"},
	}
	if list, ok := others[script]; ok {
		return slices.Contains(list, lang)
	}
	return true
}
