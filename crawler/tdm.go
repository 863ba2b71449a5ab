package crawler

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// The TDM Reservation Protocol wants an agent to read /.well-known/tdmrep.json before the pages. It is asked for when
// Config.TDMFiles says so: under the rules of robots.txt, as politely as a page, and once in tdmLife whatever comes of
// it. Redirects are not followed.

const tdmLife = 24 * time.Hour // of such a file, or of its absence

// tdmState is what is remembered of the TDM file of one origin.
type tdmState struct {
	Expires time.Time `json:"expires"`
	Digest  string    `json:"digest,omitempty"`  // in Config.TDMFiles
	Unknown bool      `json:"unknown,omitempty"` // there may be one, but it could not be had
}

// tdmFiles are the TDM files of a leased site. It is safe for concurrent use.
type tdmFiles struct {
	requests *requester

	mu sync.Mutex // held while a file is found out; no grant is held then
}

// of returns the TDM file that a page comes under, nil when there is none or it is not wanted.
func (f *tdmFiles) of(ctx, work context.Context, l frontier.Link, rules *robots.Rules) (*preference.TDMFile, error) {
	q := f.requests
	if q.config.TDMFiles == nil || l.Kind != kindPage {
		return nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	origin := l.URL.Origin()
	state := q.standing.tdm(origin)
	if left := time.Until(state.Expires); left > 0 && left <= tdmLife {
		return q.config.readTDM(state)
	}
	state, rest, err := f.fetch(ctx, work, l.URL, rules)
	if err != nil {
		return nil, err
	}
	err = q.standing.learnTDM(work, origin, state)
	if err == nil && rest != nil {
		_, err = q.standing.asked(work, rest)
	}
	if err != nil {
		return nil, err
	}
	return q.config.readTDM(state)
}

// readTDM returns the file that a state names. One that is lost, or never came, says unknown of every page.
func (c *Config) readTDM(s tdmState) (*preference.TDMFile, error) {
	if s.Digest == "" && !s.Unknown {
		return nil, nil
	}
	var body []byte
	if s.Digest != "" {
		var err error
		if body, err = c.TDMFiles.Get(s.Digest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	file, _ := preference.ParseTDMFile(body) // whatever is wrong with it is among what it says
	return file, nil
}

// fetch asks for the file of an origin. rest is an answer that asks for a rest.
func (f *tdmFiles) fetch(ctx, work context.Context, u frontier.URL,
	rules *robots.Rules) (s tdmState, rest *fetch.Response, err error) {
	q := f.requests
	s.Expires = time.Now().Add(tdmLife)
	at, err := u.Resolve(preference.TDMPath)
	if err != nil {
		return s, nil, err
	}
	verdict := rules.Test(at.PathQuery())
	if !verdict.Allowed {
		q.crawl.tellRefusal(Refusal{URL: at.String(), Via: u, Gate: GateRobots, Reason: ReasonDisallowed, Rule: verdict.Rule,
			Verdict: verdict})
		return s, nil, nil
	}
	x, err := q.ask(ctx, work, Request{Purpose: ForTDM, URL: at, Site: q.site, Verdict: verdict},
		fetch.Request{URL: at.String(), Accept: "application/json", MaxBody: preference.MaxTDMBytes + 1}, rules)
	x.finish(rules, nothing)
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
		s.Digest, err = q.config.TDMFiles.Put(r.Body)
	case asksForRest(r):
		s.Unknown, rest = true, r
	default:
		s.Unknown = r.Status < 400 || r.Status >= 500 || r.Challenge() != ""
	}
	return s, rest, err
}
