package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/unicode/norm"
)

// Version names what terms are made of a text. An index with terms of another version must be made again.
//
// 1 parted runs where a line may be broken; 2 had parts of characters, and two of some letters; 3 only one i; 4 had apostrophes
// within words, and signs of transliteration; 5 parted formulas at their digits.
const Version = 6

// An Analyzer makes terms. The zero value is ready; it is not safe for concurrent use.
type Analyzer struct {
	memory memory
	env    *snowballstem.Env

	lang  string // that Term was asked for last
	by    byScript
	asked bool
}

// Append appends the terms of a text in a language to dst, each followed by a blank, and returns it.
func (a *Analyzer) Append(dst []byte, text, lang string) []byte {
	s := NewScanner(text)
	by := newByScript(lang)
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		before := len(dst)
		if dst = a.appendTerm(dst, text[t.Start:t.End], t.Script, by[t.Script]); len(dst) > before {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// rules are those of a language by which words lose their endings.
type rules struct {
	lang string // empty for none
	id   uint8  // 0 for none
}

// byScript are the rules for words in each script.
type byScript [Pairs + 1]rules

func newByScript(lang string) (b byScript) {
	for s := range Pairs {
		stems := stemLanguage(lang, s)
		b[s] = rules{stems, stemIDs[stems]}
	}
	return b
}

// Term returns the term of a token that stands in a text in language lang; it is empty when nothing is left of it.
func (a *Analyzer) Term(word string, s Script, lang string) string {
	if lang != a.lang || !a.asked {
		a.lang, a.by, a.asked = lang, newByScript(lang), true
	}
	var room [MaxTerm]byte
	return string(a.appendTerm(room[:0], word, s, a.by[s]))
}

// Initial returns the first byte of a token's term, where that can be told without making it: most words keep their first letter.
func Initial(word string, s Script, lang string) (c byte, ok bool) {
	if s != Latin || word[0] >= utf8.RuneSelf || lang == "ga" || lang == "nl" {
		return 0, false
	}
	c = word[0]
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c, true
}

// shortTurkish is up to how many bytes a word with a capital I is more likely API or IP than Turkish with an ending.
const shortTurkish = 4

// make works out a term.
func (a *Analyzer) make(word, stemLang string) string {
	if stemLang == "tr" && len(word) > shortTurkish {
		word = strings.ToLowerSpecial(unicode.TurkishCase, word) // for its endings tell ı from i
	}
	lower := lowered(word)
	if stemLang == "ar" {
		lower = withoutAnd(lower)
	}
	if st, ok := stemmers[stemLang]; ok && !hasDigit(lower) {
		if a.env == nil {
			a.env = snowballstem.NewEnv("")
		}
		a.env.SetCurrent(lower)
		st.stem(a.env)
		if stem := a.env.Current(); stem != "" {
			lower = stem
		}
	}
	return folded(lower)
}

// withoutAnd returns an Arabic word without the "and" that is written onto its article, which the algorithm leaves: it cuts "and"
// only where no alef follows.
func withoutAnd(word string) string {
	const and, article, rest = "و", "ال", 4 // with fewer letters behind it may be a word for parents
	if after, ok := strings.CutPrefix(word, and+article); ok && utf8.RuneCountInString(after) >= rest && !isParent(after) {
		return article + after
	}
	return word
}

// isParent reports whether what follows "wal" in an Arabic word makes it a parent or two: of somebody, whom no word with an article
// names behind it, or two mothers.
func isParent(rest string) bool {
	rest, ok := strings.CutPrefix(rest, "د")
	if _, size := utf8.DecodeRuneInString(rest); strings.Contains("تيا", rest[:size]) {
		rest = rest[size:]
	}
	switch rest {
	case "ها", "هما", "هم", "هن", "كما", "كم", "كن", "نا", "ان", "ين":
		return ok
	}
	return false
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// lowered returns a word in lower case, composed, without what only tells where it may be broken.
func lowered(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	word = strings.Map(func(r rune) rune {
		if r == softHyphen || r == '\u200c' || r == '\u200d' || isTransliteral(r) {
			return -1
		}
		switch r = unicode.ToLower(r); r { // before the ending goes, for the algorithms do not know these
		case 'ё':
			return 'е'
		case 'ی', 'ى': // which Persian, Arabic and their keyboards write otherwise
			return 'ي'
		case 'ک':
			return 'ك'
		}
		return r
	}, word)
	return unparted(norm.NFKC.String(word))
}

// isTransliteral reports whether a character is a prime or half ring, as scholars write for the soft sign, hamza and ayn: Gogolʹ,
// Qurʾān. Hardly anybody types them.
func isTransliteral(r rune) bool {
	return r == '\u02B9' || r == '\u02BA' || r == '\u02BE' || r == '\u02BF'
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// letters are those that are written otherwise by whoever lacks them, and do not decompose.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"ς", "σ", "ħ", "h", "ŧ", "t", "ŋ", "n", "ŀ", "l", "ĸ", "k", "ſ", "s")

// Fold returns a word in lower case, and without accents where one may be left out: on Latin, Greek, Hebrew and Arabic letters, but
// not on Cyrillic ones (ё excepted) and those of India, where they make another letter. The Persian yeh and keheh are Arabic ones.
// In Devanagari a nasal before a consonant of its own place is a dot, as it may be written, and letters of Arabic words lose
// theirs.
func Fold(word string) string {
	return folded(lowered(word))
}

// folded is Fold for a word that is lowered.
func folded(word string) string {
	if isASCII(word) {
		return word
	}
	word = letters.Replace(word)
	if isASCII(word) {
		return clip(word)
	}
	var b strings.Builder
	keep := false // marks on the letter before
	for _, r := range devanagari(norm.NFD.String(word)) {
		if unicode.IsMark(r) {
			if keep {
				b.WriteRune(r)
			}
			continue
		}
		keep = r >= 0x0400 && r < 0x0530 || r >= 0x0900 && r < 0x1E00
		if r != 'ـ' { // tatweel, which stretches a word
			b.WriteRune(r)
		}
	}
	return clip(norm.NFC.String(b.String()))
}

// nasals has what is written in Devanagari for a nasal, and the letters of Arabic words, whose dot below is left out at will.
var nasals = strings.NewReplacer(
	"ङ्क", "ंक", "ङ्ख", "ंख", "ङ्ग", "ंग", "ङ्घ", "ंघ", "ञ्च", "ंच", "ञ्छ", "ंछ", "ञ्ज", "ंज", "ञ्झ", "ंझ",
	"ण्ट", "ंट", "ण्ठ", "ंठ", "ण्ड", "ंड", "ण्ढ", "ंढ", "न्त", "ंत", "न्थ", "ंथ", "न्द", "ंद", "न्ध", "ंध",
	"म्प", "ंप", "म्फ", "ंफ", "म्ब", "ंब", "म्भ", "ंभ", "\u0901", "\u0902",
	"क\u093c", "क", "ख\u093c", "ख", "ग\u093c", "ग", "ज\u093c", "ज", "फ\u093c", "फ")

// devanagari returns a decomposed word in one of the spellings that it may have in Devanagari.
func devanagari(word string) string {
	if strings.ContainsAny(word, "\u0901\u093c\u094d") { // candrabindu, nukta, virama
		return nasals.Replace(word)
	}
	return word
}

// foldPair returns the term of a pair of characters.
func foldPair(pair string) string {
	for _, r := range pair {
		if !isPlain(r) {
			return clip(unparted(strings.ToLower(norm.NFKC.String(pair))))
		}
	}
	return pair
}

// isPlain reports whether a character of a pair is no other way to write another, as nearly all are.
func isPlain(r rune) bool {
	return r >= 0x3041 && r < 0x3100 || r >= 0x3400 && r < 0xA4D0 || r >= 0xAC00 && r < 0xD7A4 ||
		r >= 0x0E00 && r < 0x1800 && r != '\u0E33' && r != '\u0EB3'
}

// unparted returns a term without what would part it: some characters are another way to write a blank and something.
func unparted(term string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || isJoint(r) {
			return -1
		}
		return r
	}, term)
}

// clip keeps a term within MaxTerm: few characters decompose into several.
func clip(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	end := MaxTerm
	for end > 0 && !utf8.RuneStart(term[end]) {
		end--
	}
	return term[:end]
}
