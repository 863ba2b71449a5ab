package extract

import (
	"fmt"
	"strings"
	"testing"
)

// numbered repeats a format n times with the numbers from 0.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestWeigh_Tricks: each of these pages hides from a simpler weigher that formatting elements stay active, so that the
// parser builds a hundred times what the tags name. They show what each rule of the weigher is for.
func TestWeigh_Tricks(t *testing.T) {
	if testing.Short() {
		t.Skip("reads one page after the other")
	}
	open := numbered(60, "<b id=%d>")
	closed := strings.Repeat("</b>", 60)
	rebuild := strings.Repeat("<p>x", 600)
	nest := func(n int, tag string) string { return strings.Repeat("<"+tag+">", n) }
	unnest := func(n int, tag string) string { return strings.Repeat("</"+tag+">", n) }
	inside := func(format string) string { return numbered(60, "<section>"+format+"</section>") + rebuild }
	const lost = "<svg><desc><div></svg></div></desc>" // still in SVG
	tests := []struct{ name, page string }{
		{"left open", "<p>" + open + "</p>" + rebuild},
		{"closed where a table hides them", "<p>" + open + "<table>" + closed + "</table></p>" + rebuild},
		{"closed where an object hides them", "<p>" + open + "<object>" + closed + "</object></p>" + rebuild},
		{"closed where a cell hides them", "<p>" + open + "<table><tr><td>" + closed + "</td></tr></table></p>" + rebuild},
		{"closed where a select hides them", "<p>" + open + "<select>" + closed + "</select></p>" + rebuild},
		{"closed where a template hides them", "<p>" + open + "<template>" + closed + "</template></p>" + rebuild},
		{"closed too far inside", inside("<b id=%d>" + nest(9, "div") + "</b>" + unnest(9, "div"))},
		{"closed inside forms that stay open", inside("<b id=%d>" + strings.Repeat("<form><table></form></table></form>", 9) + "</b>")},
		{"closed after end tags of others", inside("<b id=%d>" + nest(9, "div") + unnest(9, "ul") + "</b>" + unnest(9, "div"))},
		{"opened in what is no raw text", lost + "<title><p>" + open + "</p>" + rebuild + "</title>"},
		{"opened in what is no comment", lost + "<![CDATA[><!--]]><p>" + open + "</p>" + rebuild + "-->"},
		{"opened in what is no tag", `<!--<b a="--><p>` + open + "</p>" + rebuild + `">x</b>`},
		{"opened behind ignored SVG", "<template><col><svg><title><!--</title></svg></template><p>" + open + "</p>" + rebuild + "-->"},
		{"with attributes", "<p>" + numbered(8, "<b id=%d a b c d e f g h i j k l m n o p q r s t u v w x y z>") + "</p>" + rebuild},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := []byte(test.page)
			root, err := parse(page)
			if err != nil {
				t.Fatal(err)
			}
			if size, tags := treeSize(root), strings.Count(test.page, "<"); size < int64(tags)*500 {
				t.Errorf("the trick does not work: %d tags make %d bytes", tags, size)
			}
			checkWeight(t, page)
		})
	}
}
