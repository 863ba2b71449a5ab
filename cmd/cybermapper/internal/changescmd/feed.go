package changescmd

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
)

// atom is a feed (RFC 4287).
type atom struct {
	XMLName xml.Name  `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string    `xml:"title"`
	ID      string    `xml:"id"`
	Updated string    `xml:"updated"`
	Author  string    `xml:"author>name"`
	Entries []feedOne `xml:"entry"`
}

type feedOne struct {
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
	feed := atom{
		Title: "Changes of " + name, ID: "urn:cybermapper:changes:" + url.PathEscape(name), Author: "cybermapper",
		Updated: r.From.UTC().Format(time.RFC3339),
	}
	latest := slices.SortedStableFunc(slices.Values(r.Changes), func(a, b Change) int { return b.Time.Compare(a.Time) })
	for i := range latest {
		c := &latest[i]
		at := c.Time.UTC().Format(time.RFC3339)
		if i == 0 {
			feed.Updated = at
		}
		title := cmp.Or(c.Title(), c.URL)
		feed.Entries = append(feed.Entries, feedOne{
			Title: string(c.Kind) + ": " + title, ID: "urn:cybermapper:change:" + at + ":" + url.PathEscape(c.URL),
			Updated: at, Link: feedLink{"alternate", c.URL}, Category: feedCategory{string(c.Kind)},
			Content: feedContent{"text", c.story(o.diff)},
		})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(feed); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
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
		text += "to " + c.To + "\n"
	case Forbidden:
		text += c.Why + "\n"
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
{{if not .Changes}}<p>Nothing has changed.</p>{{end}}
{{range .Changes}}<h3>{{.Kind}}: <a href="{{.URL}}" rel="noreferrer">{{.URL}}</a></h3>
<p>{{with .Titles}}{{.}}<br>{{end}}
{{if eq .Kind "gone"}}Status {{.Status}} at {{moment .Time}}{{end}}
{{if eq .Kind "moved"}}To <a href="{{.To}}" rel="noreferrer">{{.To}}</a>{{end}}
{{if eq .Kind "forbidden"}}{{.Why}}{{end}}
{{if .SameText}}{{sameText}}{{end}}</p>
{{with .Lines}}<pre class="scroll">{{range .}}{{.}}
{{end}}</pre>{{end}}{{end}}`

// A shownChange is a change as the page has it, with so many lines of the difference.
type shownChange struct {
	Change
	most int
}

// Titles and Lines are what the page shows of a change.
func (c shownChange) Titles() string  { return c.titles() }
func (c shownChange) Lines() []string { return c.lines(c.most) }

// page writes the report as a page that needs nothing but itself.
func (o *options) page(w io.Writer, r *Report) error {
	t, err := htmlreport.New(content, map[string]any{
		"kinds": func() []Kind { return kinds }, "sameText": func() string { return sameText },
	})
	if err != nil {
		return err
	}
	shown := make([]shownChange, len(r.Changes))
	for i, c := range r.Changes {
		shown[i] = shownChange{c, o.diff}
	}
	return t.Execute(w, "Changes of "+filepath.Base(r.Job), struct {
		*Report
		Changes []shownChange
	}{r, shown})
}
