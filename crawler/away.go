package crawler

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
)

// A site is away when page after page leads to one place, as to that for members, or in an outage to a notice, or to where somebody
// is to show that he is no robot; and when page after page has one body, as such a notice has that is sent in the place of each. A
// witness tells that from pages that are so by nature.

// showsWell reports whether an answer shows that its site is well. While it rests time and again, a redirect does not, nor what
// redirects lead to, nor the body that page after page had: see unlessAway. Nor does an answer that there is nothing, where it was
// away, for that may be of the place to which it leads.
func (h *host) showsWell(e frontier.Entry, r *fetch.Response) bool {
	h.crawl.witnesses.recall(h.site, h.standing.witness(), h.standing.notice())
	if isAnswer(r) {
		isHTML := e.Kind == kindPage && hasHTML(r)
		isNew := h.crawl.witnesses.answered(h.site, e.URL, isHTML, hashOf(r.Body))
		return isNew || isHTML && h.standing.failures() == 0
	}
	_, leads := temporaryTarget(e.URL, r)
	isMissing := r.Status >= http.StatusBadRequest && h.standing.isAway()
	return !leads && !isMissing || h.standing.failures() == 0
}

// A likeness is what an answer has in common with those before it.
type likeness struct {
	witness answered                                        // a page that was answered otherwise before; zero when none is known
	isTurn  bool                                            // it is time to ask that
	of      func(page frontier.URL, r *fetch.Response) bool // reports whether another answer has it too
	isBody  bool
	what    string
}

// likenessOf returns what an answer has in common with those before it, if that may be because the site is away.
func (h *host) likenessOf(e frontier.Entry, r *fetch.Response) (l likeness, ok bool) {
	if to, leads := temporaryTarget(e.URL, r); leads {
		alike, page := h.crawl.witnesses.redirected(h.site, e.URL, to)
		isSame := func(from frontier.URL, other *fetch.Response) bool {
			at, leads := temporaryTarget(from, other)
			return leads && targetOf(at) == targetOf(to)
		}
		return likeness{page, isTurn(alike), isSame, false, e.URL.String() + " redirects to " + to.String()}, true
	}
	page, isTurn, ok := h.crawl.witnesses.repeated(h.site)
	if !ok || !isAnswer(r) || e.Kind != kindPage || !isTurn && h.standing.failures() == 0 {
		return l, false
	}
	body := hashOf(r.Body)
	isSame := func(_ frontier.URL, other *fetch.Response) bool {
		return isAnswer(other) && body != 0 && hashOf(other.Body) == body
	}
	return likeness{page, isTurn, isSame, true, e.URL.String() + " has the body of other pages"}, true
}

// unlessAway returns what becomes of an entry whose site gives whoever asks for a page one answer, leads to one place or has one
// body, for a page that was answered otherwise before, too: it is asked for again after a rest, unless there were very many. away
// is false when that is not so.
func (h *host) unlessAway(ctx, work context.Context, e frontier.Entry, r *fetch.Response) (end ending, away bool) {
	if isCheck(e.Kind) || h.config.Politeness.FailuresInRow == 0 {
		return later, false
	}
	alike, ok := h.likenessOf(e, r)
	before, last := alike.witness, h.standing.witness()
	if before.page.IsZero() && (!alike.isBody || last.body != 0 && last.body != hashOf(r.Body)) {
		before = last // of the run before
	}
	page := before.page
	if !ok || page.IsZero() || page == e.URL || !alike.isTurn && h.standing.failures() == 0 {
		return later, false
	}
	_, err := h.askWitness(ctx, work, e, page, !alike.isBody, func(other *fetch.Response, none error) {
		switch {
		case none == nil && asksForRest(other):
			_, end.err = h.standing.asked(work, other)
			return
		case none != nil:
			b, rests := errors.AsType[*frontier.BlockedError](none)
			if away = rests && b.Reason == string(ReasonAway) && h.standing.failures() <= mostOutage; away {
				end.settled = h.awayUntil(b.Until, r.Status) // another connection has found it out
			} else if ctx.Err() != nil { // there was no time to find out
				end.err = none
			}
			return
		case saysOfServer(other.Status):
			return
		}
		if !alike.of(page, other) {
			h.crawl.witnesses.clear(h.site, alike.isBody)
			if away = IsPage(other.Status) && h.standing.isAway(); away { // no longer: this was answered before
				end.settled = h.awayUntil(time.Now(), r.Status)
			}
			end.err = h.standing.answered(work)
			return
		}
		if alike.isBody && h.standing.failures() >= mostOutage { // it is so for good
			h.crawl.witnesses.precede(h.site, answered{})
			_, _, end.err = h.standing.failed(work, answered{page: page})
			end.err = errors.Join(end.err, h.standing.answered(work))
			return
		}
		var notice uint64
		if alike.isBody {
			notice = hashOf(r.Body)
			h.crawl.witnesses.precede(h.site, before)
		}
		rest, err := h.standing.away(work, before, notice, alike.what)
		if away = err == nil && rest.Failures <= mostOutage; away {
			end.settled = h.awayUntil(rest.Until, r.Status)
			end.repeats, err = h.repeats(work, alike.isBody, rest.Until)
		}
		end.err = err
	})
	end.err = errors.Join(end.err, err)
	return end, away || end.err != nil
}

// A repeat is a link that is asked for again, as its answer was that of a site that is away.
type repeat struct {
	frontier.Link
	code int       // status of that answer
	due  time.Time // when the site has rested
}

// repeats returns what had the answer before the one that turned out to be that of a site which is away. It is forgotten that these
// were visited. What is not settled yet is left for the next time that the site turns out to be away.
func (h *host) repeats(work context.Context, isBody bool, due time.Time) (all []repeat, err error) {
	for _, before := range h.crawl.witnesses.takeRun(h.site) {
		info, err := h.config.Frontier.Lookup(work, before.url)
		if err != nil {
			return nil, err
		}
		if info.Status != frontier.Done || info.Return == nil {
			continue
		}
		past, _ := ReadPast(info.Return.State)
		if past.Visits = max(past.Visits-1, 0); isBody || !past.Page {
			past.forget()
		}
		again := info.Return.Link
		again.State, again.Force = past.state(), true
		all = append(all, repeat{again, info.Code, due})
	}
	return all, nil
}

// awayUntil returns the outcome of an entry, answered with a status, whose site is away until then.
func (h *host) awayUntil(then time.Time, status int) frontier.Outcome {
	return frontier.Outcome{Status: frontier.Retrying, Reason: string(ReasonAway), Code: status,
		NotBefore: then.Add(h.config.RetryDelay), Excused: true}
}

// temporaryTarget returns where a redirect leads for now.
func temporaryTarget(from frontier.URL, r *fetch.Response) (to frontier.URL, ok bool) {
	switch r.Status {
	case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
		to, err := from.Resolve(r.Location())
		return to, err == nil && r.Location() != ""
	}
	return to, false
}
