package report

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// minTimed is the least number of requests that a site must have had to be called slow.
const minTimed = 3

// A site is a Host with what its figures are made of.
type site struct {
	Host
	times  histogram // of all its requests
	robots outcome   // of the latest request for robots.txt
}

// hosts tells at most max sites apart: those that are met first.
type hosts struct {
	max    int
	bySite map[string]*site
	others Host
}

// host returns where to count what concerns a site.
func (h *hosts) host(name string) *Host {
	if s := h.site(name); s != nil {
		return &s.Host
	}
	return &h.others
}

// site returns the site of that name, or nil if it is not told apart from others.
func (h *hosts) site(name string) *site {
	s := h.bySite[name]
	if s == nil && name != "" && len(h.bySite) < h.max {
		s = &site{Host: Host{Site: clip(name)}}
		h.bySite[s.Site] = s
	}
	return s
}

func (h *hosts) request(r *ledger.Record, took time.Duration) {
	host := h.host(r.Site)
	host.Requests++
	host.Bytes += r.Bytes
	if r.Error != "" {
		host.Failed++
	}
	if s := h.site(r.Site); s != nil {
		s.times.add(took)
	}
	h.learn(r)
}

func (h *hosts) page(site string)    { h.host(site).Pages++ }
func (h *hosts) refusal(site string) { h.host(site).Refused++ }

// list names the sites with most requests and the slowest ones, at most max of each, and none that was never asked.
func (h *hosts) list(max int) Hosts {
	out := Hosts{Known: len(h.bySite), Others: h.others, Full: h.others.Requests > 0, Busy: []Host{}, Slow: []Host{}}
	all := make([]*site, 0, len(h.bySite))
	for _, s := range h.bySite {
		s.Response = s.times.spread()
		s.Outcome, s.Answer = string(s.robots.what), s.robots.answer
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *site) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Site, b.Site))
	})
	for i, s := range all {
		if i < max && s.Requests > 0 {
			out.Busy = append(out.Busy, s.Host)
			continue
		}
		o := &out.Others
		o.Requests, o.Pages, o.Bytes = o.Requests+s.Requests, o.Pages+s.Pages, o.Bytes+s.Bytes
		o.Failed, o.Refused = o.Failed+s.Failed, o.Refused+s.Refused
	}
	all = slices.DeleteFunc(all, func(s *site) bool { return s.Response.Count < minTimed })
	slices.SortStableFunc(all, func(a, b *site) int { return cmp.Compare(b.Response.P90, a.Response.P90) })
	for _, s := range all[:min(max, len(all))] {
		out.Slow = append(out.Slow, s.Host)
	}
	return out
}

// An outcome is what the latest answer to robots.txt means for a site.
type outcome struct {
	what   robots.Outcome
	answer string
	empty  bool
}

// outcomeOf says what a request for robots.txt came to. A file that is longer than anybody has to read counts as whole (RFC 9309
// section 2.5). The outcome is empty when the request tells nothing: it was broken off by us.
func outcomeOf(r *ledger.Record) outcome {
	o := outcome{what: robots.Outcome(r.Outcome), answer: fmt.Sprint(r.Status), empty: r.Bytes == 0}
	var failure error
	if r.Error != "" {
		o.answer, failure = r.Error, errors.New(r.Error)
	} else if r.Truncated != "" && r.Truncated != fetch.CutLength && o.what != robots.Unavailable {
		o.answer, failure = "cut: "+r.Truncated, errors.New(r.Truncated)
	}
	if r.Status == http.StatusNotModified || o.what == "" && r.Origin == "" { // early ledgers name no outcomes
		o.what = robots.OutcomeOf(r.Status, failure)
	}
	return o
}

// learn notes what a request tells of the robots.txt of sites.
func (h *hosts) learn(r *ledger.Record) {
	if r.Purpose != string(crawler.ForRobots) {
		h.permitted(r)
		return
	}
	o, name := outcomeOf(r), r.Site
	if origin := frontier.SiteOf(r.Origin); origin != "" && origin != r.Site && o.what != robots.Redirected {
		name, o.answer = origin, o.answer+" by redirect"
	}
	s := h.site(name)
	if s == nil || o.what == "" || o.what == robots.NotModified {
		return
	}
	s.robots, s.Digest = o, cmp.Or(r.Digest, s.Digest)
}

// permitted notes under which file a request was permitted. In ledgers that name no outcomes, only this tells what a redirect
// led to.
func (h *hosts) permitted(r *ledger.Record) {
	s := h.site(r.Site)
	if s == nil {
		return
	}
	s.Digest = cmp.Or(r.RobotsDigest, s.Digest)
	switch {
	case s.robots.what != robots.Redirected:
	case r.RobotsDigest != "":
		s.robots = outcome{what: robots.Found, answer: "by redirect"}
	case r.RobotsReason == string(robots.ReasonUnavailable):
		s.robots = outcome{what: robots.Unavailable, answer: "by redirect"}
	}
}

// robots notes the answer to a request for robots.txt, or why another was permitted.
func (g *gatherer) robots(r *ledger.Record) {
	if r.Purpose != string(crawler.ForRobots) {
		g.verdicts.add(Row{Name: r.RobotsReason, Sample: r.URL})
		return
	}
	o := outcomeOf(r)
	g.answers.add(Row{Group: string(o.what), Name: o.answer, Bytes: r.Bytes, Sample: r.URL})
}

// robots says how many sites have which answer.
func (h *hosts) robots(r *Robots, o Options) {
	sites := newTally(o.Names)
	for _, s := range h.bySite {
		if s.robots.what == "" {
			continue
		}
		r.Asked++
		if s.robots.what == robots.Found {
			r.Usable++
			if s.robots.empty {
				r.Empty++
			}
		}
		sites.add(Row{Group: string(s.robots.what), Name: s.robots.answer})
	}
	r.Sites = sites.table(o.Rows)
}
