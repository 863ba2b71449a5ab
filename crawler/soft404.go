package crawler

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
)

// A soft 404 is a page that says with status 200 that it does not exist. It takes two signals to be taken for one: its
// title says so, and a path that surely does not exist is answered with 200 and the same title. The second is asked for at
// most once per origin and run, and only after the first was seen.

// probes remembers how origins answer for pages that do not exist.
type probes struct {
	mu     sync.Mutex // guards titles
	titles bounded.Map[*probe]
}

// probe is the title of an origin's soft 404 page, empty when it has none.
type probe struct {
	once  sync.Once
	title string
	err   error
}

func (p *probes) of(origin string) *probe {
	key := xxhash.Sum64String(origin)
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.titles.Get(key)
	if !ok {
		x = &probe{}
		p.titles.Put(key, x)
	}
	return x
}

// isSoft404 reports whether a page answered with 200 is one that does not exist.
func (h *host) isSoft404(ctx, work context.Context, u frontier.URL, r *Reading) (bool, error) {
	if h.config.Traps.KeepSoft404 || !soundsMissing(r.Page.Title) {
		return false, nil
	}
	p := h.crawl.probes.of(u.Origin())
	<-h.crawl.answers // other sites do not wait while this one is asked
	defer func() { h.crawl.answers <- struct{}{} }()
	p.once.Do(func() { p.title, p.err = h.missingTitle(ctx, work, u) })
	return p.err == nil && p.title != "" && p.title == r.Page.Title, p.err
}

// missingTitle asks for a page beside u that does not exist and returns its title if the answer is 200. Whatever hinders the
// request means that the page is given the benefit of the doubt.
func (h *host) missingTitle(ctx, work context.Context, u frontier.URL) (string, error) {
	resp, missing, err := h.askMissing(ctx, work, u, "./")
	if resp == nil {
		return "", err
	}
	defer resp.Release()
	if err != nil || resp.Status != http.StatusOK { // the archive failed, or the site asks for a rest that cannot be noted
		return "", err
	}
	r, err := Read(work, h.config.Extract, h.config.Robots.Product(), missing, resp.Header, resp.Body)
	if err != nil {
		return "", err
	}
	return r.Page.Title, nil
}

// askMissing asks for a page that does not exist, in a place that is named as a link of u would. The response, which the caller
// releases, is nil when none came, or the page may not be asked for.
func (h *host) askMissing(ctx, work context.Context, u frontier.URL, place string) (*fetch.Response, frontier.URL, error) {
	missing := missingBeside(u, place)
	if missing.IsZero() { // too long
		return nil, missing, nil
	}
	answer, err := h.rules.of(ctx, work, u.Origin())
	if isKind(err, fetch.KindOptedOut) {
		return nil, missing, nil
	}
	if err != nil {
		return nil, missing, err
	}
	verdict := answer.Rules.Test(missing.PathQuery())
	if !verdict.Allowed {
		return nil, missing, nil
	}
	x, err := h.requests.ask(ctx, work, Request{Purpose: ForProbe, URL: missing, Via: u, Site: h.site, Verdict: verdict},
		fetch.Request{URL: missing.String(), Accept: accept}, answer.Rules)
	answered := x != nil && x.response != nil
	x.finish(answer.Rules, func() {
		if answered && asksForRest(x.response) {
			_, unnoted := h.standing.asked(work, x.response)
			err = errors.Join(err, unnoted)
		}
	})
	if !answered {
		return nil, missing, nil
	}
	return x.response, missing, err
}

// missingBeside returns the address of a page that does not exist, in a place that is named as a link of u would.
func missingBeside(u frontier.URL, place string) frontier.URL {
	missing, _ := u.Resolve(place + "cybermapper-asks-for-a-page-that-does-not-exist-" + strings.ToLower(rand.Text()))
	return missing
}

// soundsMissing reports whether a title says that there is no page.
func soundsMissing(title string) bool {
	t := strings.ToLower(title)
	signs := []string{"404", "not found", "does not exist", "doesn't exist", "no longer exists", "no longer available"}
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(t, s) })
}
