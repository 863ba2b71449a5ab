package exportcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// maxBody bounds a page that is read.
const maxBody = 64 << 20

// A source is a job that is read.
type source struct {
	dir       string
	product   string // of the robot that the job is of, which terms of pages may name
	extractor *extract.Extractor
	warnings  io.Writer
}

func openSource(dir string, warnings io.Writer) (*source, error) {
	if _, err := job.KindOf(dir); err != nil {
		return nil, cli.JobError(err)
	}
	c, err := config.Read(filepath.Join(dir, job.ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	cli.WarnNoPages(dir, warnings)
	return &source{dir: dir, product: c.Agent.Product, extractor: extract.New(extract.Options{}), warnings: warnings}, nil
}

func (s *source) path(name string) string { return filepath.Join(s.dir, name) }

// lines iterates over the pages of the job, and what they need. A line that cannot be read is told and passed over.
func (s *source) lines(ctx context.Context) iter.Seq2[pages.Line, error] {
	return func(yield func(pages.Line, error) bool) {
		for l, err := range pages.Read(s.path(job.PagesDir)) {
			if ctx.Err() != nil {
				yield(l, ctx.Err())
				return
			}
			if err != nil {
				fmt.Fprintf(s.warnings, "cybermapper: warning: passed over: %v\n", err)
				continue
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// pages is lines without what pages need.
func (s *source) pages(ctx context.Context) iter.Seq2[pages.Line, error] {
	return func(yield func(pages.Line, error) bool) {
		for l, err := range s.lines(ctx) {
			if (err != nil || l.IsPage()) && !yield(l, err) {
				return
			}
		}
	}
}

// versions tells the latest version of a page from earlier ones, in 16 bytes for each page.
type versions map[uint64]int64 // by page, where the line of its latest version starts

func (s *source) versions(ctx context.Context) (versions, error) {
	v := versions{}
	for l, err := range s.lines(ctx) {
		if err != nil {
			return nil, err
		}
		v[xxhash.Sum64String(l.FinalURL)] = l.Start
	}
	return v, nil
}

func (v versions) isLatest(l pages.Line) bool { return v[xxhash.Sum64String(l.FinalURL)] == l.Start }

// open opens the file of a page; nil, and a warning, when it is not there.
func (s *source) open(l pages.Line) (*os.File, error) {
	name := filepath.FromSlash(l.File)
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("page %s: its file %q is outside of the job", l.FinalURL, l.File)
	}
	f, err := job.OpenFile(filepath.Join(s.path(job.PagesDir), name))
	if errors.Is(err, job.ErrNotRegular) {
		fmt.Fprintf(s.warnings, "cybermapper: warning: the file of %s was not read: %v\n", l.FinalURL, err)
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(s.warnings, "cybermapper: warning: the file of %s is missing: %s\n", l.FinalURL, l.File)
		return nil, nil
	}
	return f, err
}

// body reads the file of a page; nil, and a warning, when it is not there.
func (s *source) body(l pages.Line) ([]byte, error) {
	f, err := s.open(l)
	if err != nil || f == nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBody))
}

// read reads a page as the engine does.
func (s *source) read(ctx context.Context, l pages.Line, body []byte) (*crawler.Reading, error) {
	u, err := frontier.ParseURL(l.FinalURL)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", l.FinalURL, err)
	}
	return crawler.Read(ctx, s.extractor, s.product, u, l.Answer(), body)
}

// text returns the visible text of a page.
func (s *source) text(ctx context.Context, l pages.Line, body []byte) (string, error) {
	return s.extractor.Text(ctx, extract.Input{URL: l.FinalURL, Header: l.Answer(), Body: body})
}

func isHTML(l pages.Line) bool { return l.Type == "text/html" || l.Type == typeXHTML }

// inUTF8 returns what is in a charset as UTF-8.
func inUTF8(name string, body []byte) []byte {
	if name == "" || strings.EqualFold(name, "utf-8") {
		return body
	}
	e, _ := charset.Lookup(name)
	if e == nil {
		return body
	}
	out, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return out
}

// A link is one reference of a page.
type link struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Kind   string `json:"kind"`
	Rel    string `json:"rel,omitempty"`
	Follow bool   `json:"follow"` // the page lets robots follow it
	Text   string `json:"text,omitempty"`
	Place  int    `json:"place"` // among the links of the page, from 1

	bad string // why To, which is as written then, is no URL
}

// links returns the links of a page.
func (s *source) links(ctx context.Context, l pages.Line, body []byte) ([]link, error) {
	all, err := s.allLinks(ctx, l, body)
	return slices.DeleteFunc(all, func(x link) bool { return x.bad != "" }), err
}

// isMeantForWeb reports whether a reference that is no URL was to be one of http or https.
func isMeantForWeb(href string) bool {
	lower := strings.ToLower(strings.TrimSpace(href[:min(len(href), 20)]))
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "//")
}

// allLinks returns the links of a page, and what was to be one.
func (s *source) allLinks(ctx context.Context, l pages.Line, body []byte) ([]link, error) {
	r, err := s.read(ctx, l, body)
	if err != nil {
		return nil, err
	}
	var texts map[string][]string
	if isHTML(l) {
		texts = anchorTexts(inUTF8(l.Charset, body), l.Charset)
	}
	var all []link
	for i, o := range r.Outlinks {
		if o.URL.IsZero() && (o.Err == nil || !isMeantForWeb(o.Href)) {
			continue // a script, a mail address, or nothing that can be asked for
		}
		x := link{
			From: l.FinalURL, To: o.URL.String(), Kind: o.Kind.String(), Follow: o.Rel.MayFollow() && r.Directives.MayFollow(),
			Place: i + 1,
		}
		if i < len(r.Page.Links) { // what a feed leads to comes after these
			x.Rel = r.Page.Links[i].Rel
		}
		if o.URL.IsZero() {
			x.To, x.bad = o.Href, o.Err.Error()
		}
		if queue := texts[o.Href]; o.Kind == extract.KindA && len(queue) > 0 {
			x.Text, texts[o.Href] = queue[0], queue[1:]
		}
		all = append(all, x)
	}
	return all, nil
}

// maxAnchor bounds the text of a link.
const maxAnchor = 500

// anchorTexts returns the texts of the a elements of a page by their href, as extract has it of a page in a charset, in order.
func anchorTexts(page []byte, from string) map[string][]string {
	texts := map[string][]string{}
	z := html.NewTokenizer(strings.NewReader(string(page)))
	href, in, text := "", false, []byte(nil)
	within := ""     // the element whose text is met next
	instead := false // what is met is shown only by who runs no scripts, in a link that everybody sees
	add := func(more string) {
		if in && !instead && len(text) < 4*maxAnchor {
			text = append(text, more...)
		}
	}
	end := func() {
		if in {
			words := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\x00", "")), " ") // as browsers leave it out
			texts[href] = append(texts[href], strings.ToValidUTF8(words[:min(len(words), maxAnchor)], ""))
		}
		in = false
	}
	for {
		switch z.Next() {
		case html.ErrorToken:
			end()
			return texts
		case html.TextToken:
			if within != "script" && within != "style" {
				add(string(z.Text()))
			}
		case html.EndTagToken:
			within = ""
			name, _ := z.TagName()
			switch tag := atom.Lookup(name); {
			case tag == atom.A:
				end()
			case tag == atom.Noscript:
				instead = false
			case extract.BreaksLine(tag):
				add(" ")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if within = t.Data; within == "noscript" {
				z.NextIsNotRawText() // extract looks into it
				instead = in
			}
			if extract.BreaksLine(t.DataAtom) {
				add(" ")
			}
			for _, a := range t.Attr {
				switch {
				case t.Data == "a" && a.Key == "href":
					end()
					href, text = extract.EncodeQuery(strings.Trim(a.Val, blanks), from), text[:0]
					in, instead = true, false
				case t.Data == "img" && a.Key == "alt":
					add(" " + a.Val)
				}
			}
		}
	}
}
