package extract

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"
	"unicode/utf8"

	icu "github.com/gogs/chardet"
	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

const (
	guessLen       = 64 << 10 // how much of a page its charset is guessed from
	wordsLen       = 8 << 10  // how much of its words
	minGuessed     = 12       // bytes beyond ASCII without which the bytes alone tell nothing
	sureOfTheBytes = 0.7      // confidence from which the bytes alone decide
	sureOfTheWords = 30       // of 100; French, German, or Danish is never taken for another language with so much
	sureOfLetters  = 80       // of 100; nothing in other letters is taken for Chinese, Japanese or Korean with so much
)

// legacy are the charsets that pages of a language were written in before UTF-8: HTML standard section 13.2.3.2, the table of
// defaults by locale. windows-1250 stands for iso-8859-2 too.
var legacy = map[string]string{
	"ar": "windows-1256", "az": "windows-1254", "ba": "windows-1251", "be": "windows-1251", "bg": "windows-1251",
	"cs": "windows-1250", "el": "iso-8859-7", "et": "windows-1257", "fa": "windows-1256", "he": "windows-1255",
	"hr": "windows-1250", "hu": "windows-1250", "ja": "shift_jis", "kk": "windows-1251", "ko": "euc-kr", "ku": "windows-1254",
	"ky": "windows-1251", "lt": "windows-1257", "lv": "windows-1257", "mk": "windows-1251", "mn": "windows-1251",
	"pl": "windows-1250", "ro": "windows-1250", "ru": "windows-1251", "sah": "windows-1251", "sk": "windows-1250",
	"sl": "windows-1250", "sq": "windows-1250", "sr": "windows-1251", "tg": "windows-1251", "th": "windows-874",
	"tr": "windows-1254", "tt": "windows-1251", "uk": "windows-1251", "ur": "windows-1256", "vi": "windows-1258",
	"zh": "gb18030", "zh-hant": "big5", "zh-hk": "big5", "zh-mo": "big5", "zh-tw": "big5",
}

// spoken are the languages of countries, by top-level domain, where legacy has something for them.
var spoken = map[string]string{
	"ae": "ar", "al": "sq", "ba": "hr", "bg": "bg", "by": "be", "cn": "zh", "cz": "cs", "eg": "ar", "ee": "et", "gr": "el",
	"hk": "zh-hk", "hr": "hr", "hu": "hu", "il": "he", "iq": "ar", "ir": "fa", "jo": "ar", "jp": "ja", "kr": "ko", "kw": "ar",
	"kz": "kk", "lt": "lt", "lv": "lv", "ma": "ar", "mk": "mk", "mn": "mn", "mo": "zh-mo", "pl": "pl", "ro": "ro", "rs": "sr",
	"ru": "ru", "sa": "ar", "si": "sl", "sk": "sk", "su": "ru", "sy": "ar", "th": "th", "tj": "tg", "tr": "tr", "tw": "zh-tw",
	"ua": "uk", "vn": "vi", "xn--p1ai": "ru",
}

// ofBytes are the charsets that the bytes of a page give away: those of several bytes a letter, and those of other alphabets.
// Each is taken for what the web has: gb18030 knows all of gbk, what looks like a Macintosh's Cyrillic is windows-1251, and the
// extensions of shift_jis and euc-kr that Windows has, which the web knows by no name of their own, belong to these.
var ofBytes = map[string]string{
	"big5": "big5", "cp932": "shift_jis", "cp949": "euc-kr", "euc-jp": "euc-jp", "euc-kr": "euc-kr", "gb18030": "gb18030",
	"gbk": "gb18030", "shift_jis": "shift_jis", "ibm866": "ibm866", "iso-8859-5": "iso-8859-5", "koi8-r": "koi8-r",
	"koi8-u": "koi8-u", "windows-1251": "windows-1251", "x-mac-cyrillic": "windows-1251", "iso-8859-7": "iso-8859-7",
	"windows-1253": "windows-1253", "windows-1255": "windows-1255", "windows-874": "windows-874",
}

// ofWords are the charsets that differ from windows-1252 in some letters only, which the frequent groups of letters of a language
// give away: of Polish, Czech, Hungarian, Romanian and of Turkish, and of Arabic. windows-1250 stands for iso-8859-2 as in legacy.
var ofWords = map[string]string{
	"iso-8859-2": "windows-1250", "iso-8859-6": "iso-8859-6", "windows-1250": "windows-1250", "windows-1254": "windows-1254",
	"windows-1256": "windows-1256",
}

// ofLetters are the charsets of several bytes a letter. Their frequent letters tell them where the bytes alone do not, as of a page
// that has a letter which was cut in two, or one that no standard knows.
var ofLetters = map[string]bool{"big5": true, "euc-jp": true, "euc-kr": true, "gb18030": true, "shift_jis": true}

// guessed returns the charset of a page that declares none and is not UTF-8, as browsers guess it: from its bytes, its
// language, the country of its host, and its words.
func guessed(in Input, body []byte) (declaration, bool) {
	body = body[:min(len(body), guessLen)]
	high, control := beyondASCII(body)
	var told string
	var confidence int
	if high >= minGuessed {
		r := chardet.Detect(body)
		_, name := charset.Lookup(r.Charset)
		if d, ok := lookup(ofBytes[cmp.Or(name, strings.ToLower(r.Charset))], SourceGuess); ok && r.Confidence >= sureOfTheBytes {
			return greek(d, body), true
		}
		told, confidence = wordsOf(body)
		if ofLetters[told] && confidence >= sureOfLetters {
			return lookup(told, SourceGuess)
		}
	}
	label := legacyOf(languageOf(in, body))
	if label == "" && confidence >= sureOfTheWords {
		label = ofWords[told]
	}
	if label == "windows-1250" && control == 0 {
		label = "iso-8859-2" // which has no letters there
	}
	d, ok := lookup(label, SourceGuess)
	d = greek(d, body)
	return d, ok && readable(d, body)
}

// isJIS reports whether a text of seven bits switches to Japanese letters as iso-2022-jp does and nothing else: all its escape
// sequences are of that charset, and behind those for two bytes a letter come such letters and no white space. It may be cut short.
func isJIS(text []byte) bool {
	letters, double := false, false
	for {
		part, rest, escaped := bytes.Cut(text, []byte{0x1b})
		if double && (escaped && len(part)%2 > 0 || bytes.ContainsFunc(part, func(c rune) bool { return c < 0x21 || c > 0x7e })) {
			return false
		}
		letters = letters || double && len(part) > 1
		if !escaped || len(rest) < 2 {
			return letters
		}
		switch string(rest[:2]) {
		case "$@", "$B":
			double = true
		case "(B", "(J", "(I":
			double = false
		default:
			return false
		}
		text = rest[2:]
	}
}

// wordsOf returns the charset that the words of a body tell of, and how sure that is, of 100. Texts that are all ASCII are left
// out: they are in English, or names. So is what is in tags, scripts and the like, where names of the code stand between the words.
func wordsOf(body []byte) (name string, confidence int) {
	var words []byte
	s := scanner{buf: body}
	for t := other; t != eof && len(words) < wordsLen; {
		isCode := s.raw != 0 && s.raw != atom.Title
		t = s.next()
		if high, _ := beyondASCII(s.text); high > 0 && !isCode {
			words = append(append(words, s.text...), ' ')
		}
	}
	r, err := icu.NewTextDetector().DetectBest(words)
	if err != nil {
		return "", 0
	}
	_, name = charset.Lookup(r.Charset)
	return name, r.Confidence
}

// greek tells the two Greek charsets from each other by a capital alpha with accent, which is all that differs between them
// in a text.
func greek(d declaration, body []byte) declaration {
	if d.charset != "iso-8859-7" && d.charset != "windows-1253" {
		return d
	}
	label := "windows-1253"
	if bytes.Count(body, []byte{0xb6}) > bytes.Count(body, []byte{0xa2}) {
		label = "iso-8859-7"
	}
	d, _ = lookup(label, SourceGuess)
	return d
}

// readable reports whether all of a body, but a letter that was cut at its end, means something in a charset.
func readable(d declaration, body []byte) bool {
	if d.enc == nil {
		return false
	}
	text, err := d.enc.NewDecoder().Bytes(body)
	i := bytes.IndexRune(text, utf8.RuneError)
	return err == nil && (i < 0 || i >= len(text)-4)
}

// beyondASCII counts the bytes beyond ASCII, and of these the ones that are controls in the ISO 8859 charsets.
func beyondASCII(body []byte) (high, control int) {
	for _, b := range body {
		if b >= 0x80 {
			high++
		}
		if b >= 0x80 && b < 0xa0 {
			control++
		}
	}
	return high, control
}

// legacyOf returns the charset of a language tag, "" if it is windows-1252 as for all others.
func legacyOf(language string) string {
	language = strings.ToLower(language)
	for {
		if label, ok := legacy[language]; ok {
			return label
		}
		i := strings.LastIndexByte(language, '-')
		if i < 0 {
			return ""
		}
		language = language[:i]
	}
}

// languageOf returns the language tag of a page: from its html element, the Content-Language field, or the country of its host.
func languageOf(in Input, body []byte) string {
	s := scanner{buf: body[:min(len(body), prescanLen)]}
	for t := s.next(); t != eof; t = s.next() {
		if t == startTag && s.tag == atom.Html {
			if lang, _ := s.attr("lang"); lang != "" {
				return lang
			}
			if lang, _ := s.attr("xml:lang"); lang != "" {
				return lang
			}
		}
	}
	if lang, _, _ := strings.Cut(in.Header.Get("Content-Language"), ","); lang != "" {
		return strings.Trim(lang, space)
	}
	u, err := url.Parse(in.URL)
	if err != nil {
		return ""
	}
	host := strings.TrimSuffix(u.Hostname(), ".")
	return spoken[strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])]
}
