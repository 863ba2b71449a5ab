package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/demosite"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A narrator tells the story of the demo while it happens, one line per event. It is safe for concurrent use.
type narrator struct {
	sites map[string]string // site key -> name

	mu sync.Mutex // guards w
	w  io.Writer
}

func newNarrator(w io.Writer, web *demosite.Web) *narrator {
	n := &narrator{w: w, sites: map[string]string{}}
	for _, s := range web.Sites {
		if u, err := frontier.ParseURL(s.URL); err == nil {
			n.sites[u.Site()] = s.Name
		}
	}
	return n
}

func (n *narrator) events() crawler.Events {
	return crawler.Events{Request: n.request, Refusal: n.refusal, Outcome: n.outcome, Rest: n.rest}
}

func (n *narrator) say(site, path, what, format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Fprintf(n.w, "%-11s %-34s %-10s %s\n", site, shorten(path, 34), what, fmt.Sprintf(format, args...))
}

// name returns the name of a site and the path of raw on it.
func (n *narrator) name(raw string) (site, path string) {
	u, err := frontier.ParseURL(raw)
	if err != nil {
		return "", raw
	}
	return n.sites[u.Site()], u.PathQuery()
}

func (n *narrator) request(r crawler.Request) {
	site, path := n.name(r.URL.String())
	switch {
	case r.Status == 0:
		n.say(site, path, "failed", "%s", r.Detail)
	case r.Purpose == crawler.ForRobots:
		n.say(site, path, fmt.Sprint("GET ", r.Status), "the rules of the site come first; %s", pauseText(r))
	case r.Purpose == crawler.ForProbe:
		n.say(site, path, fmt.Sprint("GET ", r.Status), "a page that cannot exist, to learn how the site says so; %s", pauseText(r))
	default:
		n.say(site, path, fmt.Sprint("GET ", r.Status), "robots.txt: %s; %s", becauseText(r.Verdict), pauseText(r))
	}
}

// pauseText says which pause was kept before a request, and by which rule the next one is owed.
func pauseText(r crawler.Request) string {
	next := fmt.Sprintf("next one in %s", roundDuration(r.Gap))
	if r.GapWhy != "floor" {
		next += " (" + r.GapWhy + ")"
	}
	return next
}

func (n *narrator) refusal(r crawler.Refusal) {
	site, path := n.name(r.URL)
	if site == "" {
		site, _ = n.name(r.Via.String())
	}
	switch r.Gate {
	case crawler.GateRobots:
		n.say(site, path, "not asked", "robots.txt: %s", becauseText(r.Verdict))
	case crawler.GateMeta:
		n.say(site, path, "obeyed", "%s: %s", reasonText(r.Reason), r.Rule)
	default:
		text := reasonText(r.Reason)
		if r.Rule != "" {
			text += ": " + r.Rule
		}
		n.say(site, path, "not asked", "%s", text)
	}
}

func (n *narrator) outcome(o crawler.Outcome) {
	site, path := n.name(o.URL.String())
	switch {
	case o.Status == frontier.Retrying:
		n.say(site, path, "later", "%s; tried again in %s", reasonText(o.Reason), roundDuration(time.Until(o.NotBefore)))
	case o.Status == frontier.Failed:
		n.say(site, path, "given up", "%s", reasonText(o.Reason))
	case !o.Target.IsZero():
		n.say(site, path, "redirect", "a link like any other, to %s", o.Target)
	case o.Reason != "":
		n.say(site, path, "done", "%s", reasonText(o.Reason))
	case o.Page:
		n.say(site, path, "done", "%s", pageText(o))
	default:
		n.say(site, path, "done", "%d %s is an answer", o.Code, http.StatusText(o.Code))
	}
}

func pageText(o crawler.Outcome) string {
	text := "not stored"
	if o.Stored {
		text = "stored"
	}
	if o.Links == 0 {
		return text + "; no links"
	}
	return fmt.Sprintf("%s; %d links, %d of them queued, %d new", text, o.Links, o.Queued, o.New)
}

func (n *narrator) rest(r crawler.Rest) {
	text := reasonText(r.Reason)
	if r.Detail != "" {
		text += ": " + strings.TrimSpace(r.Detail)
	}
	n.say(n.sites[r.Site], "the whole site", "rests", "%s; until %s", text, r.Until.Local().Format(time.TimeOnly))
}
