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

// Text returns a message without verbs, such as one that was said in English before; in English where it is not translated.
func (l Language) Text(text string) string {
	if l.printer == nil || strings.Contains(text, "%") {
		return text
	}
	return l.printer.Sprintf(text)
}

// Key marks a text that Text is given later: the test of the tables looks for it.
func Key(text string) string { return text }

// IsEnglish reports whether nothing is to be translated.
func (l Language) IsEnglish() bool { return l.printer == nil }

// Count writes a number as people of the language do.
func (l Language) Count(n int64) string {
	const number = "%d" // not a message
	return l.Say(number, n)
}

// Bytes writes a size roughly.
func (l Language) Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return l.Say("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return l.Say("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return l.Say("%.1f kB", float64(n)/1e3)
	}
	return l.Say("%d bytes", n)
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
	"%d requests": {plural.One, "%d request", plural.Other, "%d requests"},
	"%d times":    {plural.One, "%d time", plural.Other, "%d times"},
	"%d sites":    {plural.One, "%d site", plural.Other, "%d sites"},
	"of %d sites": {plural.One, "of %d site", plural.Other, "of %d sites"},
	"%d pages":    {plural.One, "%d page", plural.Other, "%d pages"},
	"%d links":    {plural.One, "%d link", plural.Other, "%d links"},
	"%d files":    {plural.One, "%d file", plural.Other, "%d files"},
	"%d opt-outs": {plural.One, "%d opt-out", plural.Other, "%d opt-outs"},
	"%d URLs":     {plural.One, "%d URL", plural.Other, "%d URLs"},
}
