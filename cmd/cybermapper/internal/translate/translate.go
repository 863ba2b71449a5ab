package translate

import (
	"cmp"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Names are the languages that there are.
func Names() []string { return []string{"en", "es", "ru", "th"} }

// A Language is one that messages are in. The zero value is English. It is safe for concurrent use.
type Language struct{ printer *message.Printer }

// In returns the language of a name: a tag such as ru, or a locale such as ru_RU.UTF-8. Known is false for one that there is none
// of, which is English then.
func In(name string) (l Language, known bool) {
	name, _, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	switch strings.ToLower(name) {
	case "en":
		return Language{}, true
	case "es":
		return newLanguage(language.Spanish, spanish, spanishPlurals), true
	case "ru":
		return newLanguage(language.Russian, russian, russianPlurals), true
	case "th":
		return newLanguage(language.Thai, thai, thaiPlurals), true
	}
	return Language{}, false
}

// FromEnvironment returns the name of the language that the environment asks for messages in, as POSIX has it; "" when it does not.
func FromEnvironment(getenv func(string) string) string {
	return cmp.Or(getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
}

// Say returns a message, with args in the place of its verbs.
func (l Language) Say(text string, args ...any) string {
	printer := l.printer
	if printer == nil {
		printer = message.NewPrinter(language.English, message.Catalog(english()))
	}
	return printer.Sprintf(text, args...)
}

// plurals are the forms of messages that count something, which is their first argument, by the form and then the text, as
// plural.Selectf reads them.
type plurals map[string][]any

func newLanguage(tag language.Tag, texts map[string]string, counts plurals) Language {
	return Language{message.NewPrinter(tag, message.Catalog(newCatalog(tag, texts, counts)))}
}

func newCatalog(tag language.Tag, texts map[string]string, counts plurals) catalog.Catalog {
	b := catalog.NewBuilder(catalog.Fallback(tag))
	for text, translated := range texts {
		if err := b.SetString(tag, text, translated); err != nil {
			panic(err) // the tables are ours
		}
	}
	for text, forms := range counts {
		if err := b.Set(tag, text, plural.Selectf(1, "%d", forms...)); err != nil {
			panic(err)
		}
	}
	return b
}

func english() catalog.Catalog { return newCatalog(language.English, nil, englishPlurals) }

// englishPlurals are the messages that count something.
var englishPlurals = plurals{
	"%d sites": {plural.One, "%d site", plural.Other, "%d sites"},
}
