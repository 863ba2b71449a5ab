package changescmd

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// atom is a feed (RFC 4287), without its entries.
type atom struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
}

type feedOne struct {
	XMLName  xml.Name     `xml:"entry"`
	Title    string       `xml:"title"`
	ID       string       `xml:"id"`
	Updated  string       `xml:"updated"`
	Link     feedLink     `xml:"link"`
	Category feedCategory `xml:"category"`
	Content  feedContent  `xml:"content"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type feedCategory struct {
	Term string `xml:"term,attr"`
}

type feedContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// feed writes the report as a feed, latest first. What happened to a page at a time has the same id in every feed.
func (o *options) feed(w io.Writer, r *Report) error {
	name := filepath.Base(r.Job)
	feed := &atom{
		Title: "Changes of " + name, ID: "urn:cybermapper:changes:" + url.PathEscape(name), Author: "cybermapper",
		Updated: r.From.UTC().Format(time.RFC3339),
	}
	begun := false
	for c, err := range r.All() {
		if err != nil {
			return err
		}
		at := c.Time.UTC().Format(time.RFC3339)
		if !begun {
			feed.Updated = at
			if err := feed.begin(w); err != nil {
				return err
			}
		}
		begun = true
		entry, err := xml.MarshalIndent(c.entry(at, o.diff), " ", " ")
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s", entry)
	}
	if !begun {
		if err := feed.begin(w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, feedEnd+"\n")
	return err
}

// feedEnd is the end of a feed.
const feedEnd = "\n</feed>"

// begin writes what stands before the entries.
func (a *atom) begin(w io.Writer) error {
	text, err := xml.MarshalIndent(a, "", " ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s", xml.Header, strings.TrimSuffix(string(text), feedEnd))
	return err
}

// entry returns a change, of a time, as a feed has it.
func (c *Change) entry(at string, lines int) feedOne {
	return feedOne{
		Title:   string(c.Kind) + ": " + cmp.Or(say.Printable(c.Title()), c.URL),
		ID:      "urn:cybermapper:change:" + at + ":" + url.PathEscape(c.URL),
		Updated: at, Link: feedLink{"alternate", c.URL}, Category: feedCategory{string(c.Kind)},
		Content: feedContent{"text", c.story(lines)},
	}
}

// story tells a change in words, with so many lines of the difference.
func (c *Change) story(lines int) string {
	text := c.URL + "\n"
	if t := c.titles(); t != "" {
		text += t + "\n"
	}
	switch c.Kind {
	case Gone:
		text += fmt.Sprintf("status %d\n", c.Status)
	case Moved:
		text += "to " + say.Printable(c.To) + "\n"
	case Forbidden:
		text += say.Printable(c.Why) + "\n"
	}
	if c.SameText {
		text += sameText + "\n"
	}
	for _, line := range c.lines(lines) {
		text += line + "\n"
	}
	return text
}

// content is the page of a report.
const content = `<p>Job <code>{{.Job}}</code>, from {{moment .From}} to {{moment .To}} (UTC).</p>
<dl class="tiles">{{range kinds}}<div><dt>{{.}}</dt><dd>{{index $.Counts .}}</dd></div>{{end}}</dl>
{{with .SameText}}<p>Of the changed pages, {{.}} are as they were to the eye; they are the last.</p>{{end}}
{{if not .Counts}}<p>Nothing has changed.</p>{{end}}
{{range .Changes}}<h3>{{.Kind}}: <a href="{{.URL}}" rel="noreferrer">{{.URL}}</a></h3>
<p>{{with .Titles}}{{.}}<br>{{end}}
{{if eq .Kind "gone"}}Status {{.Status}} at {{moment .Time}}{{end}}
{{if eq .Kind "moved"}}To <a href="{{.To}}" rel="noreferrer">{{safe .To}}</a>{{end}}
{{if eq .Kind "forbidden"}}{{safe .Why}}{{end}}
{{if .SameText}}{{sameText}}{{end}}</p>
{{with .Lines}}<pre class="scroll">{{range .}}{{.}}
{{end}}</pre>{{end}}{{end}}`

// A shownChange is a change as the page has it, with so many lines of the difference.
type shownChange struct {
	*Change
	most int
}

// Titles and Lines are what the page shows of a change.
func (c shownChange) Titles() string  { return c.titles() }
func (c shownChange) Lines() []string { return c.lines(c.most) }

// page writes the report as a page that needs nothing but itself.
func (o *options) page(w io.Writer, r *Report) error {
	t, err := htmlreport.New(content, map[string]any{
		"kinds": func() []Kind { return kinds }, "sameText": func() string { return sameText },
		"safe": say.Printable,
	})
	if err != nil {
		return err
	}
	var failed error
	shown := func(yield func(shownChange) bool) {
		for c, err := range r.All() {
			if failed = err; err != nil || !yield(shownChange{c, o.diff}) {
				return
			}
		}
	}
	return errors.Join(t.Execute(w, "Changes of "+filepath.Base(r.Job), struct {
		*Report
		Changes iter.Seq[shownChange]
	}{r, shown}), failed)
}
