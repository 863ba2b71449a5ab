package indexer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// An Answer says whether a search can find a URL, and why not.
type Answer struct {
	URL     string    `json:"url"`
	Found   bool      `json:"found"`            // a search can find it
	Reason  string    `json:"reason"`           // one word: indexed, robots, noindex, queued, redirect, ...
	Text    string    `json:"text"`             // the same in a sentence
	Rule    string    `json:"rule,omitempty"`   // as written
	File    string    `json:"file,omitempty"`   // where the rule stands
	Line    int       `json:"line,omitempty"`   // in File
	Target  string    `json:"target,omitempty"` // of a redirect
	NextAt  time.Time `json:"next_at,omitzero"`
	Since   time.Time `json:"since,omitzero"`
	Advice  string    `json:"advice,omitempty"` // what would change it
	Known   bool      `json:"known"`            // the job has heard of the URL
	Nearest string    `json:"nearest,omitempty"`

	Index *index.Standing      `json:"index,omitempty"`
	Crawl *explain.Explanation `json:"crawl,omitempty"`

	dir string // of the job
}

// Why says whether a search of the job that v looks at can find u, and why not: by the index, by what the rules of today say, and
// by what the crawl knows.
func Why(ctx context.Context, v *job.View, u frontier.URL) (*Answer, error) {
	a := &Answer{URL: u.String(), Known: true, dir: v.Dir}
	x, err := index.Open(File(v.Dir), index.Options{ReadOnly: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.Advice = "cybermapper index --job " + say.Argument(v.Dir) + " makes an index"
	case err != nil:
		return nil, err
	default:
		defer x.Close()
		if a.Index, err = x.Why(ctx, u.String()); err != nil {
			return nil, err
		}
	}
	if a.Crawl, err = explain.URL(ctx, v, u); err != nil {
		return nil, err
	}
	back := a.Index != nil && a.Index.Page != nil && a.Index.Page.URL != a.URL && isThere(a.Crawl.Code)
	switch {
	case a.Index != nil && a.Index.State == index.Indexed && !back:
		return a, a.indexed(ctx, v, x)
	case a.Index != nil && (a.Index.State == index.Refused || back && a.Index.Refusal != nil) &&
		stillSo(a.Index.Refusal.Reason, a.Crawl.Code):
		a.refused(a.Index.Refusal)
		return a, nil
	case a.Crawl.Page != nil:
		return a, a.stored(v, u)
	}
	return a, a.notStored(ctx, v, u)
}

// isThere reports whether an answer says what is at an address itself, or that nothing is: it leads nowhere else then.
func isThere(code int) bool {
	return code >= 200 && code < 300 || code == http.StatusNotModified || isGone(code)
}

func isGone(code int) bool { return code == http.StatusNotFound || code == http.StatusGone }

// isMoved reports whether an answer says that a page is at another address for good. For a while it may be anywhere.
func isMoved(code int) bool {
	return code == http.StatusMovedPermanently || code == http.StatusPermanentRedirect
}

// stillSo reports whether a page is still refused for the answer for which the index refused it, if an answer is why: what came
// later has not brought the page nor said otherwise, as 403 does not.
func stillSo(why index.Reason, code int) bool {
	switch {
	case why != index.Gone && why != index.Moved:
		return true
	case isGone(code):
		return why == index.Gone
	case isMoved(code):
		return why == index.Moved
	}
	return !crawler.IsPage(code) && code != http.StatusNotModified
}

// indexed tells of a page that is in the index, unless it would not be if the index were made now.
func (a *Answer) indexed(ctx context.Context, v *job.View, x *index.Index) error {
	p := a.Index.Page
	if f, refused, err := judgeNow(ctx, v, x, p.Source, p.URL); err != nil {
		return err
	} else if refused {
		a.refused(&f)
		a.Text = "it is in the index, but not for long: " + a.Text
		a.Advice = "cybermapper index --job " + say.Argument(v.Dir) + " takes it out"
		return nil
	}
	a.Found, a.Reason, a.Text, a.Since = true, "indexed", "it is in the index: a search for its words finds it", p.Fetched
	if p.URL != a.URL {
		a.Target = p.URL
		a.Text = "it redirects to a page that is in the index"
	}
	if same := a.Index.Same; len(same) > 0 {
		a.Text += fmt.Sprintf("; it has the same text as %s, so they are one hit, under the address that fits best", some(same))
	}
	if similar := a.Index.Similar; len(similar) > 0 {
		a.Text += fmt.Sprintf("; it says nearly the same as %s, so they are one hit (search --all shows each)", some(similar))
	}
	if isCut(ctx, v, p) {
		a.Text += "; but of its text only the first MiB is in it"
	}
	if p.MaxSnippet == 0 {
		a.Text += "; it asks that nothing of it be shown but its title (nosnippet)"
	}
	if !p.Expires.IsZero() {
		a.Text += "; until " + say.Clock(p.Expires)
	}
	return nil
}

// isCut reports whether a page says more than an index takes of one.
func isCut(ctx context.Context, v *job.View, p *index.Page) bool {
	dir := filepath.Join(v.Dir, job.PagesDir)
	l, err := pages.LineAt(dir, p.Source)
	if err != nil || l.FinalURL != p.URL || !hasText(l.Type) {
		return false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	d := &Indexer{root: root, extract: extract.New(extract.Options{})}
	c, err := d.content(ctx, &l)
	return err == nil && c.Cut
}

func some(list []index.Relative) string {
	const enough = 2
	var urls []string
	for _, r := range list[:min(len(list), enough)] {
		urls = append(urls, r.URL)
	}
	text := strings.Join(urls, " and ")
	if more := len(list) - enough; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// judgeNow asks the rules of today about a page.
func judgeNow(ctx context.Context, v *job.View, x *index.Index, source int64, url string) (f index.Refusal, refused bool,
	err error) {
	d := &Indexer{dir: v.Dir, x: x}
	if err := d.load(ctx); err != nil {
		return f, false, err
	}
	if err := d.peekRobots(); err != nil {
		return f, false, err
	}
	if l, err := pages.LineAt(filepath.Join(v.Dir, job.PagesDir), source); err == nil && l.FinalURL == url {
		f, refused = d.judge.Refuse(&l, time.Now())
	}
	return f, refused, nil
}

// refused tells of a page that must not be in the index.
func (a *Answer) refused(f *index.Refusal) {
	a.Reason, a.Rule, a.File, a.Line, a.Since = string(f.Reason), f.Rule, f.File, f.Line, f.Time
	switch f.Reason {
	case index.NoIndex:
		a.Text = "the page asks not to be indexed: " + f.Rule
		a.Advice = "its owner would have to take that away; the next visit would tell"
	case index.Disallowed:
		a.Text = "the robots.txt of today forbids it"
		if f.Line == 0 {
			a.Text += " as far as is known: the file cannot be read, so everything counts as forbidden"
		}
	case index.OptedOut:
		a.Text = "its owner asked to be left alone: " + f.Rule
	case index.Preference:
		a.Text = "its owner asks that it not be used for searching"
	case index.Expired:
		a.Text = "its time is up: " + f.Rule
	case index.Gone:
		a.Text = "the server says that it is gone: " + f.Rule
	case index.Moved:
		a.Text = "the server says that it has moved: " + f.Rule
		a.Target = a.Crawl.Target
	case index.Unreadable:
		a.Text = "its file cannot be read: " + f.Rule
		a.Advice = "when it can be, cybermapper index --recheck takes it in"
	case index.Excluded:
		a.Text = "it is for machines, not a page: " + f.Rule
	default:
		a.Text = string(f.Reason)
	}
}

// stored tells of a page that is stored, and that the index has not heard of.
func (a *Answer) stored(v *job.View, u frontier.URL) error {
	a.Reason, a.Text = "not-indexed-yet", "it is stored, but not in the index yet"
	a.Advice = "cybermapper index --job " + say.Argument(v.Dir) + " brings the index up to date"
	if a.Index == nil {
		a.Reason, a.Text = "no-index", "it is stored, but the job has no index yet"
		a.Advice = "cybermapper index --job " + say.Argument(v.Dir) + " makes one"
	}
	j, err := newJudge(v.Dir)
	if err != nil {
		return err
	}
	d := &Indexer{dir: v.Dir, judge: j, marks: map[string]string{}}
	j.origins = map[string]originState{}
	if err := d.peekRobots(); err != nil {
		return err
	}
	for l, err := range pages.ReadURL(filepath.Join(v.Dir, job.PagesDir), u.String()) {
		if err != nil || l.FinalURL != u.String() {
			continue
		}
		if !l.IsPage() {
			a.Reason, a.Text, a.Advice = "requisite", "it is kept because a page needs it, and is no page itself", ""
			continue
		}
		if f, refused := j.Refuse(&l, time.Now()); refused {
			a.refused(&f)
		}
	}
	return nil
}

// notStored tells why there is no page.
func (a *Answer) notStored(ctx context.Context, v *job.View, u frontier.URL) (err error) {
	e := a.Crawl
	a.Reason = e.State
	switch e.State {
	case frontier.Unknown.String():
		a.Known, a.Text = false, "the job has never heard of it: no page that was visited links to it"
		a.Advice = "cybermapper submit --job " + say.Argument(v.Dir) + " URL asks for it"
		a.Nearest, err = explain.NearURL(ctx, v, u)
		return err
	case frontier.Queued.String(), frontier.Retrying.String():
		a.queued(e)
	case frontier.Refused.String():
		a.Text = "it was not asked for: " + say.Reason(crawler.Reason(e.Reason))
		for _, g := range e.Gates {
			if g.Verdict == "refused" {
				a.Reason, a.Rule, a.File, a.Line, a.Since = g.Reason, g.Rule, g.File, g.Line, g.Time
			}
		}
		if a.Reason == string(crawler.ReasonDisallowed) {
			a.Reason, a.Text = string(index.Disallowed), "it was not asked for: robots.txt does not allow it"
		}
	case frontier.Failed.String():
		a.Text = "it could not be fetched: " + say.Reason(crawler.Reason(e.Reason))
	case frontier.Done.String():
		a.visited(e)
	}
	return nil
}

// queued tells of a URL that waits.
func (a *Answer) queued(e *explain.Explanation) {
	a.Text = "it waits in the queue: " + e.Next
	a.NextAt = e.NextAt
	if s := e.Site; s != nil && s.BlockedUntil.After(time.Now()) {
		a.Text = fmt.Sprintf("it waits in the queue: %s rests (%s)", s.Site, say.Reason(crawler.Reason(s.BlockReason)))
		if s.BlockedUntil.After(a.NextAt) {
			a.NextAt = s.BlockedUntil
		}
	}
}

// visited tells of a URL that was asked for, and gave no page.
func (a *Answer) visited(e *explain.Explanation) {
	switch {
	case e.NoIndex:
		a.Reason, a.Text = string(index.NoIndex), "the page asks not to be indexed, so it is not stored either"
	case e.Unwanted != "":
		a.Reason, a.Rule = string(crawler.ReasonMediaType), e.Unwanted
		a.Text = "it was not stored: " + say.Reason(crawler.ReasonMediaType)
	case e.Target != "":
		a.Reason, a.Target, a.Text = "redirect", e.Target, "it redirects: ask about the target"
	case e.Reason != "":
		a.Reason, a.Text = e.Reason, say.Reason(crawler.Reason(e.Reason))
	case e.Sitemap != nil:
		a.Reason, a.Text = "sitemap", "it was read as a sitemap, which is no page"
	case e.Code != 0:
		a.Reason, a.Text = fmt.Sprint("status-", e.Code), fmt.Sprintf("it is no page: the server answered %d", e.Code)
	default:
		a.Text = "it was visited, and gave no page"
	}
}

// Print writes the answer for people.
func (a *Answer) Print(w io.Writer) {
	row := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-9s %s\n", label, say.Printable(text))
		}
	}
	row("url", a.URL)
	verdict := "no"
	if a.Found {
		verdict = "yes"
	}
	row("found", verdict+": "+a.Text)
	if a.Line > 0 {
		row("rule", fmt.Sprintf("line %d of %s: %s", a.Line, a.File, a.Rule))
	} else if a.File != "" {
		row("rule", fmt.Sprintf("%s, in %s", a.Rule, a.File))
	} else if a.Rule != "" && !strings.Contains(a.Text, a.Rule) {
		row("rule", a.Rule)
	}
	row("target", a.Target)
	if !a.Since.IsZero() {
		row("since", say.Clock(a.Since))
	}
	if !a.NextAt.IsZero() {
		row("not before", say.Clock(a.NextAt))
	}
	if a.Index != nil && a.Index.Page != nil {
		row("file", "pages/"+a.Index.Page.File)
		row("title", a.Index.Page.Title)
	}
	row("advice", a.Advice)
	if a.Nearest != "" {
		row("near", a.Nearest)
	}
	if a.Crawl != nil && a.Known {
		row("more", "cybermapper explain --job "+say.Argument(a.dir)+" "+say.Argument(a.URL))
	}
}
