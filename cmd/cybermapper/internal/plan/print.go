package plan

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
)

// shownHosts is how many hosts are printed.
const shownHosts = 25

// Print writes the plan as text: the hosts, slowest first, and the totals.
func (p *Plan) Print(w io.Writer) {
	out := printer{w}
	for _, h := range p.Hosts[:min(len(p.Hosts), shownHosts)] {
		h.print(out, p.Budget)
		fmt.Fprintln(w)
	}
	if more := len(p.Hosts) - shownHosts; more > 0 {
		fmt.Fprintf(w, "%s more are not shown; --json lists all\n\n", say.Plural(more, "host"))
	}
	p.Total.print(out, p.Budget)
	for _, n := range p.Notes {
		out.row("note", "%s", n)
	}
}

// A printer writes rows with a label.
type printer struct{ w io.Writer }

func (o printer) row(label, format string, args ...any) {
	fmt.Fprintf(o.w, "%-9s %s\n", label, say.Printable(fmt.Sprintf(format, args...)))
}

func (h *Host) print(out printer, b Budget) {
	out.row("host", "%s", h.Site)
	if h.Priority != 0 {
		out.row("priority", "%+d, set by hosts in the configuration", h.Priority)
	}
	for _, o := range h.Origins {
		out.row("robots", "%s", o)
		for _, line := range o.VisitTimes {
			out.row("visits", "%s: at other times pages wait", line)
		}
		o.printSeeds(out)
		o.printListed(out)
	}
	if len(h.Origins) == 0 {
		out.row("robots", "not known yet: which origin of the site is meant shows with its first page")
	}
	if h.Waiting > 0 {
		out.row("queue", "%s waiting, %s fetched so far", say.Plural(h.Waiting, "URL"), say.Plural(h.Done, "page"))
	}
	if !h.RestsUntil.IsZero() {
		out.row("rests", "until %s: %s", h.RestsUntil.Local().Format(time.DateTime), h.RestReason)
	}
	if h.Refuses != "" {
		out.row("refuses", "%s", h.Refuses)
		return
	}
	out.row("pace", "%s", h.Pace)
	out.row("", "%s pages an hour at most", say.Count(int64(h.PagesPerHour)))
	h.printBudget(out, b)
}

func (h *Host) printBudget(out printer, b Budget) {
	if h.Pages > 0 {
		out.row("time", "%s for %s", long(h.Seconds), say.Plural(h.Pages, "page"))
	}
	switch {
	case b.MaxTime > 0 && h.Slow:
		out.row("", "slower than the budget: %s of them fit into %s", say.Count(h.Fit), b.MaxTime)
	case b.MaxTime > 0 && h.Pages == Unlimited:
		out.row("", "%s fit into %s", say.Plural(h.Fit, "page"), b.MaxTime)
	}
}

// String says what became of the robots.txt of the origin.
func (o *Origin) String() string {
	text := o.Origin + "/robots.txt: "
	switch o.Outcome {
	case "":
		return text + "not asked: " + o.Detail
	case robots.Found:
		text += fmt.Sprintf("%d, %s, %.19s...", o.Status, say.Plural(o.Lines, "line"), o.Digest)
	case robots.Unavailable:
		text += fmt.Sprintf("there is none (%s): everything is allowed",
			cmp.Or(o.Detail, fmt.Sprintf("%d %s", o.Status, http.StatusText(o.Status))))
	default:
		text += "it cannot be fetched: " + o.Detail
	}
	if o.FinalURL != "" {
		text += ", by way of " + o.FinalURL
	}
	if o.Known {
		text += ", as of " + o.FetchedAt.Local().Format(time.DateTime)
	}
	return text
}

func (o *Origin) printSeeds(out printer) {
	if n := o.Allowed + o.Disallowed; n > 0 {
		out.row("seeds", "%d allowed, %d not", o.Allowed, o.Disallowed)
	}
	for _, s := range o.Seeds {
		out.row("", "%s: %s (%s)", s.URL, say.Allowed(s.Allowed), s.Why)
	}
	if more := o.Allowed + o.Disallowed - len(o.Seeds); more > 0 {
		out.row("", "and %d more", more)
	}
}

// printListed says what the sitemaps bring.
func (o *Origin) printListed(out printer) {
	l := o.Listed
	if l == (crawler.SitemapCount{}) {
		return
	}
	text := fmt.Sprintf("%s in %s", say.Plural(l.URLs, "URL"), say.Plural(l.Files, "file"))
	if l.Unread > 0 {
		text += fmt.Sprintf("; %s could not be read", say.Plural(l.Unread, "file"))
	}
	out.row("sitemaps", "%s", text)
}

// String says what the pace is and why.
func (p Pace) String() string {
	gap := say.Span(time.Duration(p.Gap))
	if p.Why == "override" {
		return fmt.Sprintf("%s between two requests: set by hosts in the configuration", gap)
	}
	text := fmt.Sprintf("%s between two requests, by %s: the largest of floor %s", gap, p.Why, p.Floor)
	if p.Response > 0 {
		text += fmt.Sprintf(", %s after an answer within %s", say.Span(time.Duration(p.Factored)),
			say.Span(time.Duration(p.Response)))
	}
	if p.DelayLine > 0 {
		text += fmt.Sprintf(", %s (line %d: %s)", p.CrawlDelay, p.DelayLine, p.DelayText)
	}
	return text
}

func (t Total) print(out printer, b Budget) {
	text := say.Plural(t.Hosts, "host")
	if t.Refusing > 0 {
		text += fmt.Sprintf(", %d of them cannot be visited", t.Refusing)
	}
	if t.Unknown > 0 {
		text += fmt.Sprintf(", the rules of %d are not known yet", t.Unknown)
	}
	out.row("plan", "%s; %s pages an hour at most", text, say.Count(int64(t.PagesPerHour)))
	switch {
	case t.Refusing == t.Hosts:
		out.row("time", "none: nothing can be fetched now")
	case t.Pages == Unlimited:
		out.row("time", "not known: nothing bounds the number of pages (--max-pages, --max-pages-per-host)")
	case t.Pages == 0 && b.MaxPages > 0 && b.Done >= b.MaxPages:
		out.row("time", "none: the job has its %s (--max-pages)", say.Plural(b.MaxPages, "page"))
	case t.Pages == 0:
		out.row("time", "none: nothing is left to fetch")
	default:
		most := "at most "
		if t.AtLeast {
			most = "at least "
		}
		out.row("time", "%s%s for %s; %s", most, long(t.Seconds), say.Plural(t.Pages, "page"), t.Why)
	}
	if b.MaxTime > 0 {
		out.row("budget", "%s", t.budget(b))
	}
}

// budget says what fits into the time.
func (t Total) budget(b Budget) string {
	text := fmt.Sprintf("%s fit into %s", say.Plural(t.Fit, "page"), b.MaxTime)
	if t.Left > 0 {
		text += fmt.Sprintf(", %s do not", say.Count(t.Left))
	}
	if t.Slow > 0 {
		text += fmt.Sprintf("; %s slower than that", say.Plural(t.Slow, "host"))
	}
	return text
}
