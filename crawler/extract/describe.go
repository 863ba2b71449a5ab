package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// The values of Page.DocumentState.
const (
	StateStatic  = "static"
	StateDynamic = "dynamic"
)

// describe reads what the META elements of a page say of it in words: DESCRIPTION and KEYWORDS, and the DOCUMENT-STATE and URL
// that the authors of 1996 proposed.
func (g *gatherer) describe() {
	for _, m := range g.page.Metas {
		switch strings.ToLower(m.Name) {
		case "description":
			if g.page.Description == "" {
				g.page.Description = collapse(strings.FieldsSeq(unmarked(m.Content)), g.opt.MaxDescription)
			}
		case "keywords":
			g.keywords(m.Content)
		case "document-state":
			state := strings.ToLower(trim(m.Content)) // of two the volatile one counts
			if state == StateDynamic || state == StateStatic && g.page.DocumentState == "" {
				g.page.DocumentState = state
			}
		case "url":
			if ref, ok := g.reference(m.Content); ok && g.page.MetaURL == "" {
				g.page.MetaURL = ref
			}
		}
	}
}

// keywords adds phrases between commas, each once, letter case aside.
func (g *gatherer) keywords(list string) {
	for phrase := range strings.SplitSeq(list, ",") {
		phrase = collapse(strings.FieldsSeq(strings.ToLower(phrase)), g.opt.MaxKeyword)
		switch {
		case phrase == "" || slices.Contains(g.page.Keywords, phrase):
		case len(g.page.Keywords) >= g.opt.MaxKeywords:
			g.note(NoteKeywords)
			return
		default:
			g.page.Keywords = append(g.page.Keywords, phrase)
		}
	}
}

// unmarked takes out the markup that some authors put into a description.
func unmarked(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var text strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for z.Next() != html.ErrorToken {
		if t := z.Token(); t.Type == html.TextToken {
			text.WriteString(t.Data)
			continue
		}
		text.WriteByte(' ')
	}
	return text.String()
}
