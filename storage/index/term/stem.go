package term

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// A stemmer cuts the ending of a word.
type stemmer struct {
	script Script
	stem   func(*snowballstem.Env) bool
}

// stemmers are those of the Snowball project, by language.
var stemmers = map[string]stemmer{
	"ar": {Arabic, arabic.Stem}, "da": {Latin, danish.Stem}, "nl": {Latin, dutch.Stem}, "en": {Latin, english.Stem},
	"fi": {Latin, finnish.Stem}, "fr": {Latin, french.Stem}, "de": {Latin, german.Stem}, "hu": {Latin, hungarian.Stem},
	"ga": {Latin, irish.Stem}, "it": {Latin, italian.Stem}, "no": {Latin, norwegian.Stem}, "nb": {Latin, norwegian.Stem},
	"nn": {Latin, norwegian.Stem}, "pt": {Latin, portuguese.Stem}, "ro": {Latin, romanian.Stem}, "ru": {Cyrillic, russian.Stem},
	"es": {Latin, spanish.Stem}, "sv": {Latin, swedish.Stem}, "ta": {Tamil, tamil.Stem}, "tr": {Latin, turkish.Stem},
}

// stemIDs are short for the languages in stemmers. 0 is none.
var stemIDs = func() map[string]uint8 {
	ids := map[string]uint8{}
	for lang := range stemmers {
		ids[lang] = uint8(len(ids) + 1)
	}
	return ids
}()

// scriptsOf are the languages without a stemmer that are written in a script which has one: their words keep their endings.
var scriptsOf = map[string]Script{
	"uk": Cyrillic, "bg": Cyrillic, "be": Cyrillic, "sr": Cyrillic, "mk": Cyrillic, "kk": Cyrillic, "mn": Cyrillic, "ky": Cyrillic,
	"tg": Cyrillic, "fa": Arabic, "ur": Arabic, "ps": Arabic, "ckb": Arabic,
	"pl": Latin, "cs": Latin, "sk": Latin, "sl": Latin, "hr": Latin, "bs": Latin, "lt": Latin, "lv": Latin, "et": Latin,
	"vi": Latin,
	"id": Latin, "ms": Latin, "ca": Latin, "eu": Latin, "gl": Latin, "is": Latin, "sq": Latin, "af": Latin, "cy": Latin,
	"eo": Latin,
	"la": Latin, "sw": Latin, "az": Latin, "uz": Latin, "tl": Latin, "mt": Latin, "lb": Latin,
}

// usual is the language that a word in a script is taken for in a text in another script.
var usual = map[Script]string{Latin: "en", Cyrillic: "ru", Arabic: "ar", Tamil: "ta"}

// Language returns the primary subtag of a language tag, in lower case: "de" of "de-AT". It is empty for what is no tag.
func Language(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	if len(tag) < 2 || len(tag) > 3 {
		return ""
	}
	for i := range len(tag) {
		if tag[i] < 'a' || tag[i] > 'z' {
			return ""
		}
	}
	return tag
}

// stemLanguage returns the language by whose rules a word in a script loses its ending in a text in language lang; empty for none.
func stemLanguage(lang string, s Script) string {
	if st, ok := stemmers[lang]; ok && st.script == s {
		return lang
	}
	if own, ok := scriptsOf[lang]; ok && own == s {
		return ""
	}
	return usual[s]
}
