package htmlreport

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"maps"
)

//go:embed shell.html.tmpl style.css plots.js sort.js uplot/uPlot.iife.min.js uplot/uPlot.min.css uplot/LICENSE
var files embed.FS

// A Template is a kind of report.
type Template struct {
	tmpl          *template.Template
	style, script string
}

// New returns the Template with that content and the functions it needs besides those of the package. The content may use Page.Data
// as its dot.
func New(content string, funcs template.FuncMap) (*Template, error) {
	all := functions()
	maps.Copy(all, funcs)
	t := &Template{style: join("uplot/uPlot.min.css", "style.css")}
	t.script = "/*!\n" + join("uplot/LICENSE") + "*/\n" + join("uplot/uPlot.iife.min.js", "plots.js", "sort.js")
	var err error
	t.tmpl, err = template.New("shell.html.tmpl").Funcs(all).ParseFS(files, "shell.html.tmpl")
	if err == nil {
		_, err = t.tmpl.New("content").Parse(content)
	}
	if err != nil {
		return nil, fmt.Errorf("html report: %w", err)
	}
	return t, nil
}

// join returns embedded files, one after the other.
func join(names ...string) string {
	var text string
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err) // cannot happen: it is embedded
		}
		text += string(data) + "\n"
	}
	return text
}

// A page is what the shell is made of.
type page struct {
	Title  string
	Policy string
	Style  template.CSS
	Script template.JS
	Data   any
}

// Execute writes the report with that title; data is the dot of its content. After an error w may have got part of it.
func (t *Template) Execute(w io.Writer, title string, data any) error {
	err := t.tmpl.Execute(w, page{
		Title: title, Policy: policy(t.style, t.script), Style: template.CSS(t.style), Script: template.JS(t.script), Data: data,
	})
	if err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

// policy permits one style and one script, and nothing else.
func policy(style, script string) string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", source(style),
		source(script))
}

// source names a text in a policy (Content Security Policy Level 3 section 2.3.1, hash-source).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Style is the style that reports have, for pages that are to look alike.
func Style() string { return join("style.css") }
