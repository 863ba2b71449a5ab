package changescmd

import (
	"bytes"
	"strings"
	"testing"
)

// Ensure that what a page says is shown so that it cannot pass for what the report says: no controls, no other direction, and no
// line break but ours.
func TestOptions_ShowNoControls(t *testing.T) {
	const foul = "\u0001\u000b\u2028\u2029\u202e\u2066\u200f\u0085"
	j := newJob(t)
	j.run()
	j.finds("/changed", "as it was")
	j.run()
	j.finds("/changed", "changed"+foul+"after<p>a\tb"+foul+"c")
	j.finds("/new", "new"+foul+"title")
	r := j.expect(Span{First: 2, Last: 2, Compare: true}, "new /new 02:03, changed /changed 02:02")
	o := options{diff: -1}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return o.print(b, r) },
		"html": func(b *bytes.Buffer) error { return o.page(b, r) },
		"atom": func(b *bytes.Buffer) error { return o.feed(b, r) },
	} {
		b := &bytes.Buffer{}
		if err := write(b); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexAny(b.String(), foul); i >= 0 {
			t.Errorf("%s has a control: %q", name, b.String()[max(i-40, 0):min(i+40, b.Len())])
		}
		if !strings.Contains(b.String(), "new\ufffd") || !strings.Contains(b.String(), "title") {
			t.Errorf("%s has not the title", name)
		}
	}
}
