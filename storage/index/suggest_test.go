package index_test

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// What was meant is told by how words are written, not by what is left of them without their endings; and a word that is on a page
// is hardly another one with several mistakes. Of words that are near in another form the one with fewer mistakes was meant.
func TestSearch_WhatWasMeant(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 40 {
		text := fmt.Sprintf("Page %d of the position, at an offset, and of its partial portions: a reputation that one causes.", i)
		c.Documents = append(c.Documents, document(fmt.Sprint("/", i), "en", "Notes", text))
	}
	for i := range 10 {
		c.Documents = append(c.Documents, document(fmt.Sprint("/offer", i), "en", "Notes", fmt.Sprintf("We offer %d.", i)))
	}
	c.Documents = append(c.Documents, document("/rare", "en", "Volcano", "It erupted, and its summit was cleft. The poistion was lost."))
	apply(t, x, c)
	for query, want := range map[string]string{
		"postion": "position", "partails": "partial", "reputatoin": "reputation", "uotside": "", "erupted": "", "cleft": "",
		"poistion": "position", "offfered": "offer",
	} {
		if r := search(t, x, index.Query{Text: query}); r.Suggestion != want {
			t.Errorf("%s: %q may have been meant, want %q", query, r.Suggestion, want)
		}
	}
}

// Ensure that who pastes an address under which there is no page learns of pages that name it.
func TestSearch_AddressOnPages(t *testing.T) {
	x := open(t, index.Options{})
	apply(t, x, index.Change{Documents: []index.Document{
		document("/a", "en", "Links", "More of it at https://docs.example.net/guide or nowhere."),
	}})
	for query, want := range map[string]string{
		"https://docs.example.net/guide":         `"https://docs.example.net/guide"`,
		"more at https://docs.example.net/guide": `more at "https://docs.example.net/guide"`,
		"https://docs.example.net/other":         "",
		"-https://docs.example.net/guide none":   "",
		"https://example.org/a":                  "",
	} {
		if r := search(t, x, index.Query{Text: query}); r.Suggestion != want {
			t.Errorf("%s: %q may have been meant, want %q", query, r.Suggestion, want)
		}
	}
}

// Ensure that a word is guessed that only pages in a language have which few pages are in.
func TestSearch_MeantInRareLanguage(t *testing.T) {
	x := open(t, index.Options{})
	var c index.Change
	for i := range 60 {
		for _, lang := range []string{"en", "de", "fr"} {
			c.Documents = append(c.Documents, document(fmt.Sprint("/", lang, i), lang, "Notes", fmt.Sprintf("Page %d.", i)))
		}
	}
	c.Documents = append(c.Documents, document("/es", "es", "Cambios", "Los cambios que realizaron."))
	apply(t, x, c)
	if r := search(t, x, index.Query{Text: "realizron"}); r.Suggestion != "realizaron" {
		t.Errorf("%q may have been meant", r.Suggestion)
	}
}
