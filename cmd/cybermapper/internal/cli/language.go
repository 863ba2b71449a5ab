package cli

import (
	"os"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// Language returns the language that the environment asks for messages in; English where there is none of it.
func Language() translate.Language {
	l, _ := translate.In(translate.FromEnvironment(os.Getenv))
	return l
}

// LanguageOf returns the language of that name, which a flag gave, or of the environment. It is an error to name one that there is
// none of.
func LanguageOf(name string) (translate.Language, error) {
	if name == "" {
		return Language(), nil
	}
	l, known := translate.In(name)
	if !known {
		return l, UsageError("", "--lang %s: there is no such language; choose from %s", name,
			strings.Join(translate.Names(), ", "))
	}
	return l, nil
}
