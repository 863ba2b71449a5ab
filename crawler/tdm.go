package crawler

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// The TDM Reservation Protocol wants an agent to read /.well-known/tdmrep.json before the pages. It is asked for when
// Config.TDMFiles says so: under the rules of robots.txt, as politely as a page, and once in Config.TDMLife whatever comes of
// it. Redirects are not followed.

// tdmState is what is remembered of the TDM file of one origin.
type tdmState struct {
	Expires time.Time `json:"expires"`
	Digest  string    `json:"digest,omitempty"`  // in Config.TDMFiles
	Unknown bool      `json:"unknown,omitempty"` // there may be one, but it could not be had
}

// tdmFile returns the TDM file that a page comes under, nil when there is none or it is not wanted.
func (h *host) tdmFile(ctx, work context.Context, l frontier.Link, rules *robots.Rules) (*preference.TDMFile, error) {
	if h.config.TDMFiles == nil || l.Kind != kindPage {
		return nil, nil
	}
	h.tdmMu.Lock()
	defer h.tdmMu.Unlock()
	origin := l.URL.Origin()
	state := h.standing.tdm(origin)
	if left := time.Until(state.Expires); left > 0 && left <= h.config.TDMLife {
		return h.readTDM(state)
	}
	state, rest, err := h.fetchTDM(ctx, work, l.URL, rules)
	if err != nil {
		return nil, err
	}
	err = h.standing.learnTDM(work, origin, state)
	if err == nil && rest != nil {
		_, err = h.signaled(work, rest)
	}
	if err != nil {
		return nil, err
	}
	return h.readTDM(state)
}

// readTDM returns the file that a state names. One that is lost, or never came, says unknown of every page.
func (h *host) readTDM(s tdmState) (*preference.TDMFile, error) {
	if s.Digest == "" && !s.Unknown {
		return nil, nil
	}
	var body []byte
	if s.Digest != "" {
		var err error
		if body, err = h.config.TDMFiles.Get(s.Digest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	file, _ := preference.ParseTDMFile(body) // whatever is wrong with it is among what it says
	return file, nil
}

// fetchTDM asks for the file of an origin. rest is an answer that asks for a rest.
func (h *host) fetchTDM(ctx, work context.Context, u frontier.URL, rules *robots.Rules) (s tdmState, rest *fetch.Response, err error) {
	s.Expires = time.Now().Add(h.config.TDMLife)
	at, err := u.Resolve(preference.TDMPath)
	if err != nil {
		return s, nil, err
	}
	verdict := rules.Test(at.PathQuery())
	if !verdict.Allowed {
		h.crawl.tellRefusal(Refusal{URL: at.String(), Via: u, Gate: GateRobots, Reason: ReasonDisallowed, Rule: verdict.Rule, Verdict: verdict})
		return s, nil, nil
	}
	x, err := h.ask(ctx, work, Request{Purpose: ForTDM, URL: at, Site: h.site, Verdict: verdict},
		fetch.Request{URL: at.String(), Accept: "application/json", MaxBody: preference.MaxTDMBytes + 1})
	x.finish(rules)
	switch {
	case x == nil || isKind(err, fetch.KindForbidden, fetch.KindOptedOut, fetch.KindCanceled, fetch.KindLocal):
		return s, nil, err // says nothing about the site
	case err != nil && x.response != nil: // it was answered, and the archive failed
		x.response.Release()
		return s, nil, err
	case err != nil:
		s.Unknown = true
		return s, nil, nil
	}
	r := x.response
	defer r.Release()
	switch {
	case r.Status == http.StatusOK:
		s.Digest, err = h.config.TDMFiles.Put(r.Body)
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable:
		s.Unknown, rest = true, r
	default:
		s.Unknown = r.Status < 400 || r.Status >= 500
	}
	return s, rest, err
}
