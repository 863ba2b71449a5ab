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
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A narrator tells the story of the demo while it happens, a line for each URL that was asked for or not. It is safe for
// concurrent use.
type narrator struct {
	in    translate.Language
	names map[string]string // of the sites, by site key

	mu      sync.Mutex // guards the writing to w, and following
	w       io.Writer
	pending map[frontier.URL]crawler.Request // asked for, not yet settled
	noindex map[frontier.URL]bool
}

func newNarrator(w io.Writer, web *demosite.Web, in translate.Language) *narrator {
	n := &narrator{
		in: in, names: map[string]string{}, w: w,
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
func (n *narrator) sayLocked(site, path, what, why string) {
	fmt.Fprintf(n.w, "%-10s  %s  %s  %s\n", site, say.Pad(say.Shorten(path, 32), 32), say.Pad(what, 9), say.Printable(why))
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
		n.sayLocked(site, path, n.in.Say("failed"), r.Detail)
	case r.Purpose == crawler.ForProbe:
		n.sayLocked(site, path, fmt.Sprint(r.Status),
			n.in.Say("a page that cannot exist, to learn how the site says so; %s", n.next(r)))
	case r.Purpose == crawler.ForWitness:
		n.sayLocked(site, path, fmt.Sprint(r.Status), n.in.Say("whether the whole site fails; %s", n.next(r)))
	case r.Purpose == crawler.ForTDM:
		n.sayLocked(site, path, fmt.Sprint(r.Status), n.in.Say("what its pages may be used for (TDMRep); %s", n.next(r)))
	default:
		n.sayLocked(site, path, fmt.Sprint(r.Status), n.in.Say("the rules come first; %s", n.next(r)))
	}
}

// next says when the next request to the site may leave, and what asked for more than the usual pause.
func (n *narrator) next(r crawler.Request) string {
	text := n.in.Say("next request in %s", say.Span(r.Gap))
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
		if name, ours := n.names[u.Site()]; ours {
			site, path = name, u.PathQuery()
		}
		if r.Reason == crawler.ReasonNoindex {
			n.noindex[u] = true // told with its outcome
			return
		}
	}
	why := n.in.Text(say.Reason(r.Reason))
	switch {
	case r.Gate == crawler.GateRobots:
		why = n.robots(r.Verdict)
	case r.Gate == crawler.GateURL:
		why = r.Rule
	case r.Rule != "" && r.Gate != crawler.GateMeta:
		why += ": " + r.Rule
	}
	n.sayLocked(site, path, n.in.Say("not asked"), why)
}

// robots names robots.txt and the line that decided, or why none had to.
func (n *narrator) robots(v robots.Verdict) string {
	if v.Line > 0 {
		return n.in.Say("robots.txt line %d: %s", v.Line, v.Rule)
	}
	return "robots.txt: " + n.in.Text(say.Because(v))
}

// outcome tells what came of a page, and under which rule it was asked for.
func (n *narrator) outcome(o crawler.Outcome) {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.pending[o.URL]
	delete(n.pending, o.URL)
	n.sayLocked(n.names[o.URL.Site()], o.URL.PathQuery(), fmt.Sprint(o.Code),
		n.came(o, n.noindex[o.URL])+"; "+n.robots(r.Verdict)+"; "+n.next(r))
}

// came says what came of a page.
func (n *narrator) came(o crawler.Outcome, noindex bool) string {
	in := n.in
	switch {
	case o.Status == frontier.Retrying:
		return in.Say("%s, tried again in %s", in.Text(say.Reason(o.Reason)), say.Span(time.Until(o.NotBefore)))
	case o.Status == frontier.Failed:
		return in.Say("%s, given up", in.Text(say.Reason(o.Reason)))
	case !o.Target.IsZero():
		return in.Say("a redirect is a link, to %s", o.Target.String())
	case o.Reason != "":
		return in.Text(say.Reason(o.Reason))
	case o.Purpose == crawler.ForSitemap && o.Code == http.StatusOK:
		return in.Say("a sitemap, not stored: %s, %d of them to be visited", in.Say("%d URLs", o.Links), o.Queued)
	case !o.Page:
		return in.Say("%s, and that is an answer", strings.ToLower(http.StatusText(o.Code)))
	}
	text := in.Say("stored")
	if noindex {
		text = in.Say("not stored: the page asks not to be (noindex)")
	}
	if o.Links > 0 {
		text += ", " + in.Say("%d links", o.Links) + in.Say(", %d of them followed", o.Queued)
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
		n.sayLocked(n.names[u.Site()], u.PathQuery(), r.Result, n.in.Say("submitted while the crawl runs%s", r.Text(n.in)))
	}
}

// rest tells that a whole site is left alone.
func (n *narrator) rest(r crawler.Rest) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.in.Text(say.Reason(r.Reason))
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	n.sayLocked(n.names[r.Site], n.in.Say("(everything)"), n.in.Say("rests"),
		n.in.Say("%s; left alone until %s", text, r.Until.Local().Format(time.TimeOnly)))
}
