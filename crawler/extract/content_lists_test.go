package extract_test

import (
	"slices"
	"strings"
	"testing"
)

// Lists of links that nothing else tells from the main text come behind it, if they stand before it; other links stay where they
// are.
func TestExtractor_Content_ListsOfLinks(t *testing.T) {
	const (
		text  = "<p>A paragraph of the main text that is long enough to count as one."
		plain = "A paragraph of the main text that is long enough to count as one."
		links = "<a href=a>Data types</a> <a href=b>Control flow</a> <a href=c>Macros</a>"
	)
	for _, tt := range []struct{ name, page, body string }{
		{"contents with numbers", "<h1>Strings</h1><div class=toc><p><b>Contents</b></p><ol><li>1 <a href=a>Data types</a>" +
			"<li>2 <a href=b>Control flow</a><li>3 <a href=c>Macros</a></ol></div>" + text,
			"Strings\n" + plain + "\nContents\n1 Data types\n2 Control flow\n3 Macros"},
		{"menu in a layout table", "<table><tr><td><ul>" + links + "</ul></td><td>" + text + "</table>",
			plain + "\nData types Control flow Macros"},
		{"cell", "<table><tr><td>See also</td><td>" + links + "</td><tr><td>Use</td><td>" + text + "</table>",
			"See also Data types Control flow Macros\nUse\n" + plain},
		{"menu around short text", "<div><div>" + links + "</div><div>Short.</div>" + text + "</div>",
			"Short.\n" + plain + "\nData types Control flow Macros"},
		{"main", "<main><div>" + links + "</div>" + text + "</main>", plain + "\nData types Control flow Macros"},
		{"two lists", "<div>" + links + "</div><div>" + links + "</div>" + text,
			plain + "\nData types Control flow Macros\nData types Control flow Macros"},
		{"behind the text", text + "<h2>See also</h2><div>" + links + "</div><p>End.",
			plain + "\nSee also\nData types Control flow Macros\nEnd."},
		{"nothing else", "<div>" + links + "</div><p>Short.", "Data types Control flow Macros\nShort."},
		{"text with links", "<div>Some paragraphs of a page have almost as many " + links + "</div>" + text,
			"Some paragraphs of a page have almost as many Data types Control flow Macros\n" + plain},
		{"paragraph of links", "<p>" + links + text, "Data types Control flow Macros\n" + plain},
		{"two links", "<div><a href=a>Data types</a> <a href=b>Control flow</a></div>" + text, "Data types Control flow\n" + plain},
		{"title of the page", "<div><h1>Strings</h1>" + links + links + "</div>" + text,
			"Strings\nData types Control flow Macros Data types Control flow Macros\n" + plain},
		{"descriptions", "<ul><li><a href=a>Types</a> of data that there are<li><a href=b>Flow</a> of control, and how to bend it" +
			"<li><a href=c>Macros</a> for those who know</ul>" + text, "Types of data that there are\n" +
			"Flow of control, and how to bend it\nMacros for those who know\n" + plain},
	} {
		c := contentOf(t, "text/html; charset=utf-8", tt.page)
		if c.Body != tt.body {
			t.Errorf("%s: %q, want %q", tt.name, c.Body, tt.body)
		}
		for _, h := range c.Headings {
			if !strings.HasPrefix(c.Body[h.At:], h.Text) {
				t.Errorf("%s: heading %q at %q", tt.name, h.Text, c.Body[h.At:])
			}
		}
	}
}

// What must not be shown moves with the list that it stands in, and so do headings.
func TestExtractor_Content_ListsOfLinks_Places(t *testing.T) {
	c := contentOf(t, "text/html; charset=utf-8", `<h1>Strings</h1><div><h2>Menu</h2><a href=a>One chapter</a>
<b data-nosnippet><a href=b>Another chapter</a></b> <a href=c>The last chapter</a></div><h2>Use</h2>
<p>A paragraph of the main text that is long enough to count as one.</p>`)
	if !strings.HasPrefix(c.Body[c.Lists:], "\nMenu") {
		t.Errorf("lists at %d of %q", c.Lists, c.Body)
	}
	var headings []string
	for _, h := range c.Headings {
		headings = append(headings, h.Text)
		if !strings.HasPrefix(c.Body[h.At:], h.Text) {
			t.Errorf("heading %q at %q", h.Text, c.Body[h.At:])
		}
	}
	if want := []string{"Strings", "Use", "Menu"}; !slices.Equal(headings, want) {
		t.Errorf("headings %q, want %q", headings, want)
	}
	if len(c.Hidden) != 1 || strings.TrimSpace(c.Body[c.Hidden[0].Start:c.Hidden[0].End]) != "Another chapter" {
		t.Errorf("hidden %v of %q", c.Hidden, c.Body)
	}
}

// The body says in which language the text is, as Texinfo writes it.
func TestExtractor_Content_Lang(t *testing.T) {
	for page, want := range map[string]string{
		"<html><body lang='en'><p lang=fr>Text": "en", "<html lang=de><p>Text": "", "<p>Text<body lang=es>": "es",
		"<body lang=''><p>Text": "", "<body lang=" + strings.Repeat("x", 200) + "><p>Text": "",
	} {
		if c := contentOf(t, "text/html; charset=utf-8", page); c.Lang != want {
			t.Errorf("%.50s: %q, want %q", page, c.Lang, want)
		}
	}
}
