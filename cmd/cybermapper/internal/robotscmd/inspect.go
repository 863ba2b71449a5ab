package robotscmd

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// A pageView is what inspect prints: what the crawler sees in one page.
type pageView struct {
	URL           string      `json:"url"`
	Status        int         `json:"status,omitempty"` // when it was fetched
	Location      string      `json:"location,omitempty"`
	Challenge     string      `json:"challenge,omitempty"` // whose test whether there is a browser came in place of the page
	Robots        string      `json:"robots,omitempty"`    // the decision under which it was fetched
	Type          string      `json:"type"`
	Charset       string      `json:"charset"`
	CharsetSource string      `json:"charset_source,omitempty"`
	Lang          string      `json:"lang"`
	Title         string      `json:"title"`
	Canonical     string      `json:"canonical"`
	Base          string      `json:"base,omitempty"`
	Description   string      `json:"description,omitempty"`
	Keywords      []string    `json:"keywords,omitempty"`
	DocumentState string      `json:"document_state,omitempty"`
	MetaURL       string      `json:"meta_url,omitempty"`
	MirrorOf      string      `json:"mirror_of,omitempty"`
	MirrorBy      string      `json:"mirror_by,omitempty"`
	Index         bool        `json:"index"`
	Follow        bool        `json:"follow"`
	Directives    []string    `json:"directives"` // in force for us
	Terms         []termView  `json:"terms"`      // every one that was met
	Links         []string    `json:"links"`      // of a, area, frame, iframe, without nofollow
	Queue         []string    `json:"queue"`      // of these, what may be followed
	Others        []otherView `json:"others"`     // every other reference, and why it is not among links
	Truncated     string      `json:"truncated,omitempty"`
	Notes         []string    `json:"notes,omitempty"`
	useView

	rules *robots.Rules // of its robots.txt; nil when that is not known
	tdm   *preference.TDMFile
}

// A termView is one term of META or X-Robots-Tag.
type termView struct {
	Term   string `json:"term"`
	Source string `json:"source"`
	Agent  string `json:"agent,omitempty"`
	Effect string `json:"effect"`
}

// An otherView is a reference that is no link to follow.
type otherView struct {
	Href string `json:"href"`
	Kind string `json:"kind"`
	Why  string `json:"why"`
}

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	url          string
	headers      []string
	robots       string
	tdmrep       string
	product      string
	now          string
	contact      string
	allowPrivate bool
	asJSON       bool
}

// NewInspectCommand returns the command inspect.
func NewInspectCommand() *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect FILE|URL",
		Short: "Show what the crawler sees in one page",
		Long: `Shows what the crawler sees in one page: whether it may be indexed and its links
followed, which terms of META ROBOTS and X-Robots-Tag say so, its links, title,
canonical address, language and charset, how it describes itself, and what it may
be used for, by which source. A URL is fetched, once, if its robots.txt allows it
to cybermapper, whoever --product is; redirects are shown, not followed.

Exit codes:
  0    the page was read
  1    error, or robots.txt does not allow the page
  2    wrong usage
`,
		Example: `  cybermapper inspect https://example.org/
  cybermapper inspect --url https://example.org/a.html --header 'X-Robots-Tag: noindex' a.html
  curl -s https://example.org/ | cybermapper inspect --json -`,
		Args: cli.Exactly(1, "FILE or URL"),
		RunE: func(cmd *cobra.Command, args []string) error { return inspect(cmd, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.url, "url", "", "address of the page in FILE, which its links are relative to")
	f.StringArrayVar(&o.headers, "header", nil, "response header of the page in FILE, as 'Key: value'; repeatable")
	f.StringVar(&o.robots, "robots", "", "robots.txt of the page in FILE, for what it says about the use of pages")
	f.StringVar(&o.tdmrep, "tdmrep", "", "file with the /.well-known/tdmrep.json of the site, likewise")
	f.StringVar(&o.product, "product", "cybermapper", "product token, for terms that name a robot")
	f.StringVar(&o.now, "now", "", "time to judge unavailable_after by, as 2006-01-02T15:04:05Z; default: now")
	f.StringVar(&o.contact, "contact", "", "URL or mail address for User-Agent, when fetching")
	allowPrivateFlag(f, &o.allowPrivate)
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

func inspect(cmd *cobra.Command, o inspectOptions, target string) error {
	now, err := parseNow(o.now)
	if err != nil {
		return err
	}
	if !robots.IsProductToken(o.product) {
		return cli.UsageError("", "--product: %q is not a product token: only letters, - and _ may occur in it", o.product)
	}
	view := pageView{}
	var u frontier.URL
	var header http.Header
	var body []byte
	if strings.Contains(target, "://") {
		u, header, body, err = inspectFetch(cmd, o, target, &view)
	} else {
		u, header, body, err = inspectFile(cmd, o, target, &view)
	}
	if err != nil {
		return err
	}
	reading, err := crawler.Read(cmd.Context(), extract.New(extract.Options{}), o.product, u, header, body)
	if err != nil {
		return err
	}
	view.fill(reading, now)
	return cli.Tell(cmd.OutOrStdout(), o.asJSON, view, view.print)
}

func parseNow(text string) (time.Time, error) {
	if text == "" {
		return time.Now(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, cli.UsageError("write it as 2006-01-02T15:04:05Z", "--now: %q is not a time", text)
	}
	return t, nil
}

// inspectFile reads a page from a file or stdin.
func inspectFile(cmd *cobra.Command, o inspectOptions, name string,
	view *pageView) (u frontier.URL, h http.Header, body []byte, err error) {
	if u, err = cli.ParseURL(cmp.Or(o.url, "http://site.invalid/")); err != nil {
		return u, nil, nil, cli.UsageError("", "--url: %w", err)
	}
	h = http.Header{}
	for _, line := range o.headers {
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(key) == "" {
			return u, nil, nil, cli.UsageError("write --header 'X-Robots-Tag: noindex'", "--header: %q has no colon", line)
		}
		h.Add(strings.TrimSpace(key), strings.TrimSpace(value))
	}
	if err := view.readRules(cmd, o); err != nil {
		return u, nil, nil, err
	}
	body, err = cli.ReadInput(cmd, name, int64(config.Default().Fetch.MaxBody))
	return u, h, body, cli.OrURL(err, name, "")
}

// inspectFetch gets the page that inspect is to show.
func inspectFetch(cmd *cobra.Command, o inspectOptions, raw string,
	view *pageView) (u frontier.URL, h http.Header, body []byte, err error) {
	if o.url != "" || len(o.headers) > 0 || o.robots != "" || o.tdmrep != "" {
		return u, nil, nil, cli.UsageError("", "--url, --header, --robots and --tdmrep describe a FILE; a URL is fetched")
	}
	if u, err = cli.ParseURL(raw); err != nil {
		return u, nil, nil, cli.UsageError("", "%w", err)
	}
	if o.contact != "" && !config.IsContact(o.contact) {
		return u, nil, nil, cli.UsageError("", "--contact: %q is neither a mail address nor an http(s) URL", o.contact)
	}
	v := newVisitor(visitorOptions{contact: o.contact, dialect: robots.Cautious, allowPrivate: o.allowPrivate})
	defer v.Close()
	r, verdict, answer, err := v.get(cmd.Context(), u)
	if err != nil {
		return u, nil, nil, err
	}
	view.rules = rulesFor(answer, u.Origin(), o.product)
	view.Status, view.Location, view.Truncated, view.Robots = r.Status, r.Location(), r.Truncated, say.Verdict(verdict)
	view.Challenge = r.Challenge()
	return u, r.Header, r.Body, nil
}

// fill adds what was read to the view.
func (v *pageView) fill(r *crawler.Reading, now time.Time) {
	p := r.Page
	v.URL, v.Type, v.Charset, v.CharsetSource = r.URL.String(), p.Type, p.Charset, p.CharsetSource
	v.Lang, v.Title, v.Base, v.Notes = p.Lang, p.Title, p.Base, p.Notes
	v.Canonical = r.Canonical.String()
	v.Description, v.Keywords, v.DocumentState, v.MetaURL = p.Description, p.Keywords, p.DocumentState, p.MetaURL
	mirror, by := r.Mirror()
	v.MirrorOf, v.MirrorBy = mirror.String(), by
	v.Index, v.Follow = r.MayIndex(now), r.Directives.MayFollow()
	v.Directives = orEmpty(r.Directives.Strings())
	v.Terms = []termView{}
	for _, t := range r.Directives.Terms {
		v.Terms = append(v.Terms, viewTerm(t))
	}
	v.Links, v.Queue = urlStrings(r.Links()), urlStrings(r.Queue())
	v.Others = otherLinks(r)
	v.useView = viewUses(r.Preferences(v.rules, v.tdm))
}

func viewTerm(t robots.Term) termView {
	text := t.Name
	if t.Value != "" {
		text += ":" + t.Value
	}
	return termView{Term: text, Source: string(t.Source), Agent: t.Agent, Effect: string(t.Effect)}
}

func urlStrings(urls []frontier.URL) []string {
	s := make([]string, len(urls))
	for i, u := range urls {
		s[i] = u.String()
	}
	return s
}

// orEmpty returns a list that is [] in JSON when it is empty.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// otherLinks lists the references of a page that are not among its links, each with the reason.
func otherLinks(r *crawler.Reading) []otherView {
	others := []otherView{}
	for _, o := range r.Outlinks {
		why := ""
		switch {
		case o.Err != nil:
			why = o.Err.Error()
		case o.URL == r.URL:
			why = "this page"
		case !o.Rel.MayFollow():
			why = "rel=nofollow"
		case o.Kind > extract.KindIframe:
			why = "no link in the text"
		default:
			continue
		}
		others = append(others, otherView{Href: o.Href, Kind: o.Kind.String(), Why: why})
	}
	return others
}

// print writes the view as text.
func (v *pageView) print(w io.Writer) {
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-10s %s\n", label, say.Printable(text))
		}
	}
	row("url", v.URL)
	if v.Status != 0 {
		row("status", fmt.Sprintf("%d %s", v.Status, http.StatusText(v.Status)))
	}
	row("location", v.Location)
	if v.Challenge != "" {
		row("challenge", "of "+v.Challenge+": this is no page of the site, but a test whether there is a browser, or a human")
	}
	row("robots.txt", v.Robots)
	row("type", v.Type)
	if v.Charset != "" {
		row("charset", v.Charset+" ("+v.CharsetSource+")")
	}
	row("lang", v.Lang)
	row("title", v.Title)
	row("canonical", v.Canonical)
	row("base", v.Base)
	row("describes", v.Description)
	row("keywords", strings.Join(v.Keywords, ", "))
	row("state", v.DocumentState)
	row("meta url", v.MetaURL)
	if v.MirrorOf != "" {
		row("mirror of", v.MirrorOf+" ("+v.MirrorBy+")")
	}
	row("index", cli.YesNo(v.Index))
	row("follow", cli.YesNo(v.Follow))
	for _, t := range v.Terms {
		who := ""
		if t.Agent != "" {
			who = " for " + t.Agent
		}
		effect := t.Effect
		if effect == string(robots.EffectNone) {
			effect = "forbids nothing" // none is a term, too
		}
		row("term", fmt.Sprintf("%s (%s%s: %s)", t.Term, t.Source, who, effect))
	}
	v.useView.print(row)
	row("truncated", v.Truncated)
	row("notes", strings.Join(v.Notes, ", "))
	for _, l := range v.Links {
		row("link", l)
	}
	if len(v.Queue) < len(v.Links) {
		row("queue", fmt.Sprintf("%d of %d links may be followed", len(v.Queue), len(v.Links)))
	}
	for _, o := range v.Others {
		row("not a link", fmt.Sprintf("%s (%s): %s", o.Href, o.Kind, o.Why))
	}
}
