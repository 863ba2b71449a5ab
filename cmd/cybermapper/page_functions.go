package main

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// render writes a page for owners of sites in a language, with functions besides those of all such pages.
func render(page string, in translate.Language, more template.FuncMap, data any) ([]byte, error) {
	t, err := template.New("page").Funcs(pageFunctions(in)).Funcs(more).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("read template of the page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return b.Bytes(), nil
}

// pageFunctions are what the pages for owners of sites call: t says a text in a language, with marked-up names and numbers in it,
// text one that was said in English before.
func pageFunctions(in translate.Language) template.FuncMap {
	escaped := func(text string) template.HTML { return template.HTML(template.HTMLEscapeString(text)) }
	code := func(text string) template.HTML { return "<code>" + escaped(text) + "</code>" }
	return template.FuncMap{
		"t": func(text string, args ...any) template.HTML {
			for i, arg := range args {
				switch arg.(type) {
				case template.HTML, int, int64:
				default:
					args[i] = template.HTML(template.HTMLEscaper(arg))
				}
			}
			return template.HTML(in.Say(text, args...))
		},
		"text": in.Text,
		"code": code,
		"codes": func(texts []string) template.HTML {
			var all []string
			for _, text := range texts {
				all = append(all, string(code(text)))
			}
			return template.HTML(strings.Join(all, ", "))
		},
		"strong": func(text string) template.HTML { return "<strong>" + escaped(text) + "</strong>" },
		"link": func(url string) template.HTML {
			return `<a href="` + escaped(url) + `">` + escaped(url) + "</a>"
		},
	}
}
