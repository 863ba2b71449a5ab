package demo

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A narrator tells the story of the demo while it happens, a line for each URL that was asked for or not. It is safe for
// concurrent use.
type narrator struct {
	names map[string]string // of the sites, by site key

	mu      sync.Mutex // guards the writing to w, and following
	w       io.Writer
	pending map[frontier.URL]crawler.Request // asked for, not yet settled
	noindex map[frontier.URL]bool
}

func newNarrator(w io.Writer, web *demosite.Web) *narrator {
	n := &narrator{
		names: map[string]string{}, w: w,
		pending: map[frontier.URL]crawler.Request{}, noindex: map[frontier.URL]bool{},
	}
	for _, s := range web.Sites {
		if u, err := frontier.ParseURL(s.URL); err == nil {
			n.names[u.Site()] = s.Name
		}
	}
	return n
}

func (n *narrator) events() crawler.Events {
	return crawler.Events{Request: n.request, Refusal: n.refusal, Outcome: n.outcome, Rest: n.rest}
}

// sayLocked writes one line: site, path, what came of it, and why.
func (n *narrator) sayLocked(site, path, what, format string, args ...any) {
	fmt.Fprintf(n.w, "%-10s  %-32s  %-9s  %s\n", site, say.Shorten(path, 32), what, say.Printable(fmt.Sprintf(format, args...)))
}

// request tells of a request for robots.txt, and keeps that for a page until it is known what came of it.
func (n *narrator) request(r crawler.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	site, path := n.names[r.URL.Site()], r.URL.PathQuery()
	switch {
	case (r.Purpose == crawler.ForPage || r.Purpose == crawler.ForSitemap) && r.Status != 0:
		n.pending[r.URL] = r
	case r.Status == 0:
		n.sayLocked(site, path, "failed", "%s", r.Detail)
	case r.Purpose == crawler.ForProbe:
		n.sayLocked(site, path, fmt.Sprint(r.Status), "a page that cannot exist, to learn how the site says so; %s", nextText(r))
	case r.Purpose == crawler.ForTDM:
		n.sayLocked(site, path, fmt.Sprint(r.Status), "what its pages may be used for (TDMRep); %s", nextText(r))
	default:
		n.sayLocked(site, path, fmt.Sprint(r.Status), "the rules come first; %s", nextText(r))
	}
}

// nextText says when the next request to the site may leave, and what asked for more than the usual pause.
func nextText(r crawler.Request) string {
	text := fmt.Sprintf("next request in %s", say.Span(r.Gap))
	if r.GapWhy != "floor" {
		text += " (" + r.GapWhy + ")"
	}
	return text
}

// refusal tells of a link that is not asked for.
func (n *narrator) refusal(r crawler.Refusal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	site, path := n.names[r.Via.Site()], r.URL
	if u, err := frontier.ParseURL(r.URL); err == nil {
		site, path = n.names[u.Site()], u.PathQuery()
		if r.Reason == crawler.ReasonNoindex {
			n.noindex[u] = true // told with its outcome
			return
		}
	}
	switch {
	case r.Gate == crawler.GateRobots:
		n.sayLocked(site, path, "not asked", "%s", say.Robots(r.Verdict))
	case r.Gate == crawler.GateURL:
		n.sayLocked(site, path, "not asked", "%s", r.Rule)
	case r.Rule == "" || r.Gate == crawler.GateMeta:
		n.sayLocked(site, path, "not asked", "%s", say.Reason(r.Reason))
	default:
		n.sayLocked(site, path, "not asked", "%s: %s", say.Reason(r.Reason), r.Rule)
	}
}

// outcome tells what came of a page, and under which rule it was asked for.
func (n *narrator) outcome(o crawler.Outcome) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.pending[o.URL]
	delete(n.pending, o.URL)
	n.sayLocked(n.names[o.URL.Site()], o.URL.PathQuery(), fmt.Sprint(o.Code), "%s; %s; %s",
		outcomeText(o, n.noindex[o.URL]), say.Robots(r.Verdict), nextText(r))
}

func outcomeText(o crawler.Outcome, noindex bool) string {
	switch {
	case o.Status == frontier.Retrying:
		return fmt.Sprintf("%s, tried again in %s", say.Reason(o.Reason), say.Span(time.Until(o.NotBefore)))
	case o.Status == frontier.Failed:
		return say.Reason(o.Reason) + ", given up"
	case !o.Target.IsZero():
		return "a redirect is a link, to " + o.Target.String()
	case o.Reason != "":
		return say.Reason(o.Reason)
	case o.Purpose == crawler.ForSitemap && o.Code == http.StatusOK:
		return fmt.Sprintf("a sitemap, not stored: %s, %d of them to be visited", say.Plural(o.Links, "URL"), o.Queued)
	case !o.Page:
		return strings.ToLower(http.StatusText(o.Code)) + ", and that is an answer"
	}
	text := "stored"
	if noindex {
		text = "not stored: the page asks not to be (noindex)"
	}
	if o.Links > 0 {
		text += fmt.Sprintf(", %s, %d of them followed", say.Plural(o.Links, "link"), o.Queued)
	}
	return text
}

// submitted tells what became of URLs that were submitted.
func (n *narrator) submitted(results []spool.Result) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range results {
		u, err := frontier.ParseURL(r.URL)
		if err != nil {
			continue
		}
		n.sayLocked(n.names[u.Site()], u.PathQuery(), r.Result, "submitted while the crawl runs%s", r.Text())
	}
}

// rest tells that a whole site is left alone.
func (n *narrator) rest(r crawler.Rest) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := say.Reason(r.Reason)
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	n.sayLocked(n.names[r.Site], "(everything)", "rests", "%s; left alone until %s", text, r.Until.Local().Format(time.TimeOnly))
}
