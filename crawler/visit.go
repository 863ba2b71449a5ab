package crawler

import (
	"context"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// visit is what happens to one URL, from top to bottom: it may be asked for, it is asked for, the answer is looked at, and the
// entry is settled. It returns when the answer is there; reading and storing it goes on while the site's gap passes, and room,
// which was reserved for the page, is handed on to that. A nil error with the entry unsettled means that it goes back to the queue.
func (h *host) visit(ctx, work context.Context, e frontier.Entry, room *reservation) error {
	h.config.forgetRemoved(&e)
	if r, refused := h.crawl.admitTurn(e); refused {
		h.concludeRead(work, room.handOn(), e, turnedAway(r))
		return nil
	}
	leave, r, refused, err := h.budget.reserve(ctx, isNewPage(e))
	if refused {
		h.concludeRead(work, room.handOn(), e, turnedAway(r))
		return nil
	}
	if err != nil {
		return err
	}
	defer leave()
	b, end, ready := h.mayAsk(ctx, work, &e)
	refused = !ready && end.settled.Status == frontier.Refused
	h.turns(refused)
	switch {
	case refused:
		h.concludeRead(work, room.handOn(), e, end)
		return nil
	case !ready:
		return h.end(work, e, end)
	case h.hadAnswer(work, e, room):
		return nil
	}
	x, end := h.answerTo(ctx, work, e, b, room)
	if x == nil {
		return h.end(work, e, end)
	}
	h.concludeAnswer(ctx, work, e, x, b, room)
	return nil
}

// isNewPage reports whether a visit may bring a page that the crawl has not counted.
func isNewPage(e frontier.Entry) bool {
	past, _ := ReadPast(e.State)
	return e.Kind == kindPage && !past.Page
}

// hadAnswer concludes a visit for which an earlier one had its answer, and could not settle it: it is in memory, or on disk.
func (h *host) hadAnswer(work context.Context, e frontier.Entry, room *reservation) bool {
	if how, ok := h.crawl.unsettled.take(e); ok {
		h.budget.answered(how.settled.Page, how.settled.Bytes)
		h.concludeRead(work, room.handOn(), e, how)
		return true
	}
	resp := h.kept(e)
	if resp == nil {
		return false
	}
	room.page, room.bytes = true, resp.WireBytes
	h.budget.answered(isNewPage(e), resp.WireBytes)
	h.conclude(work, room.handOn(), e, func() ending { return h.processKept(work, e, resp) })
	return true
}

// answerTo makes the request for an entry, and does what its answer asks of the site as a whole. Without an exchange there is
// nothing to read, and the entry has this ending.
func (h *host) answerTo(ctx, work context.Context, e frontier.Entry, b basis, room *reservation) (*exchange, ending) {
	x, err := h.askFor(ctx, work, e, b)
	end, trouble := later, false
	x.finish(b.rules, func() {
		if err != nil {
			end = h.failed(work, e, err)
		} else {
			end, trouble = h.troubled(work, e, x.response)
		}
	})
	if err != nil {
		return nil, h.unlessOutage(ctx, work, e, end)
	}
	h.crawl.closed.answered(h.site)
	room.bytes = x.response.WireBytes
	if err := x.archiveAnswer(work, e); err != nil {
		end, trouble = ending{err: err}, true
	}
	if end.err == nil && end.denied == ofMany {
		if err := h.unlessWelcome(ctx, work, e.URL); err != nil {
			end, trouble = ending{err: err}, true
		}
	}
	if !trouble {
		end, trouble = h.unlessAway(ctx, work, e, x.response)
	}
	if trouble {
		x.response.Release()
		return nil, h.unlessOutage(ctx, work, e, end)
	}
	return x, end
}

// concludeAnswer concludes a visit whose answer may be read.
func (h *host) concludeAnswer(ctx, work context.Context, e frontier.Entry, x *exchange, b basis, room *reservation) {
	resp := x.response
	if h.isSeedSitemap(e, resp) {
		e.Kind = kindSitemap // as one that robots.txt names, it is no page
	}
	past, _ := ReadPast(e.State)
	room.page = e.Kind == kindPage && (IsPage(resp.Status) || past.isOfVisit())
	h.budget.answered(isNewPage(e) && IsPage(resp.Status), resp.WireBytes)
	if isUnchanged(resp, past) && !saysOfRobots(resp) { // there is nothing to read
		h.concludeRead(work, room.handOn(), e, h.unchanged(e, resp))
		h.release(resp)
		return
	}
	h.conclude(work, room.handOn(), e, func() ending {
		defer h.release(resp)
		return h.process(ctx, work, e, x, b)
	})
}

// release gives the memory of a page back whose sink has it.
func (h *host) release(resp *fetch.Response) {
	if h.config.Reuse {
		resp.Recycle()
		return
	}
	resp.Release()
}

// A basis is what was known of the origin when a page was asked for.
type basis struct {
	verdict robots.Verdict
	rules   *robots.Rules
	tdm     *preference.TDMFile
}

// mayAsk passes an entry through the gates that depend on what its site says, and finds out what they need to know. An entry
// that is not ready ends here, or waits because a request was made just now.
func (h *host) mayAsk(ctx, work context.Context, e *frontier.Entry) (b basis, end ending, ready bool) {
	answer, err := h.rules.forVisit(ctx, work, e.URL.Origin())
	if err != nil {
		return b, h.unlessOutage(ctx, work, *e, h.failed(work, *e, err)), false
	}
	b.rules, b.verdict = answer.Rules, answer.Rules.Test(e.URL.PathQuery())
	if !b.verdict.Allowed {
		return b, turnedAway(Refusal{Gate: GateRobots, Reason: ReasonDisallowed, Rule: b.verdict.Rule, Verdict: b.verdict}), false
	}
	if h.over() {
		return b, later, false // robots.txt was fetched just now
	}
	if err := closed(b.rules); err != nil {
		return b, ending{err: err}, false
	}
	if h.rules.isSitemap(answer, e.Link) {
		e.Kind = kindSitemap // a link led there before robots.txt was known
	}
	if b.tdm, err = h.tdm.of(ctx, work, e.Link, b.rules); err != nil {
		return b, h.unlessOutage(ctx, work, *e, h.failed(work, *e, err)), false
	}
	if h.over() {
		return b, later, false // the TDM file was fetched just now
	}
	r, refused := h.crawl.tooSlow(h.site, e.Link, b.rules)
	if !refused && len(e.State) == 0 { // another visit has been counted, and is nothing new
		r, refused = h.admitVisit(ctx, work, *e, b.rules)
	}
	if r.Verdict.Line > 0 {
		r.Verdict.Digest = b.verdict.Digest
	}
	return b, turnedAway(r), !refused
}

// askFor makes the request for an entry, under the condition that what is remembered of it has changed.
func (h *host) askFor(ctx, work context.Context, e frontier.Entry, b basis) (*exchange, error) {
	past, _ := ReadPast(e.State)
	etag, modified := h.crawl.condition(e, past)
	return h.requests.ask(ctx, work, Request{
		Purpose: PurposeOf(e.Kind), URL: e.URL, Via: e.Via, Site: h.site, Depth: e.Depth,
		Attempt: e.Attempt + 1, Verdict: b.verdict,
	}, fetch.Request{
		URL: e.URL.String(), Accept: acceptFor(e), Referer: e.Via.String(), ETag: etag, LastModified: modified,
		HeadOnly: isCheck(e.Kind), Unwanted: h.config.MediaTypes.unwantedBy(e), Spool: PurposeOf(e.Kind) == ForSitemap,
	}, b.rules)
}

// accept is what a page request asks for: pages first, but a link to anything else is honoured too.
const accept = "text/html,application/xhtml+xml,*/*;q=0.5"

func acceptFor(e frontier.Entry) string {
	switch PurposeOf(e.Kind) {
	case ForPage:
		return accept
	case ForRequisite:
		return "*/*"
	}
	return "application/xml,text/xml,application/rss+xml,application/atom+xml,text/plain;q=0.9,*/*;q=0.5"
}

// conclude processes an answer beside the next visits and settles its entry, a bounded number at once, and gives room back then.
func (h *host) conclude(work context.Context, room *reservation, e frontier.Entry, process func() ending) {
	h.beginConclusion()
	h.crawl.readers.Go(func() { h.settleBeside(work, e, process(), room) })
}

// concludeRead is conclude for an answer in which there was nothing to read.
func (h *host) concludeRead(work context.Context, room *reservation, e frontier.Entry, how ending) {
	h.beginConclusion()
	h.settleBeside(work, e, how, room)
}

// beginConclusion waits until there is room for another one, and notes it.
func (h *host) beginConclusion() {
	h.settleSlots <- struct{}{}
	h.readSlots <- struct{}{}
	h.crawl.answers <- struct{}{}
	h.mu.Lock()
	h.concluding++
	h.mu.Unlock()
	h.conclusions.Add(1)
}

// settleBeside settles an entry beside the next visits.
func (h *host) settleBeside(work context.Context, e frontier.Entry, how ending, room *reservation) {
	h.crawl.settlers.Go(func() {
		defer h.conclusions.Done()
		h.settle(work, e, how, room)
		h.hasConcluded()
	})
}

// hasConcluded notes the end of a conclusion.
func (h *host) hasConcluded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.concluding--
	h.tellLocked()
}

// settle ends an entry whose answer was processed, and gives back what it held.
func (h *host) settle(work context.Context, e frontier.Entry, how ending, room *reservation) {
	many := len(how.settled.Links) > fewLinks
	if !many {
		<-h.readSlots
	}
	if err := h.end(work, e, how); err != nil {
		h.crawl.unsettled.keep(e, how)
		if work.Err() == nil {
			h.fail(err)
		}
	} else if err := h.standing.remember(work, h.crawl.witnesses.distinct(h.site)); err != nil && work.Err() == nil {
		h.fail(err) // this waits for the disk here, where no request waits for it
	}
	room.giveBack()
	if many {
		<-h.readSlots
	}
	<-h.crawl.answers
	<-h.settleSlots
}

// An ending is what becomes of an entry that was visited.
type ending struct {
	settled  frontier.Outcome // all but the Entry; without Status the entry stays in the queue
	told     Outcome          // what listeners hear beyond that
	text     pageText         // of a page
	shows    []frontier.URL   // of a page that says little: its pictures
	unkept   bool             // of a page: its author asks that it be not kept, or it is the feed of another
	mirrors  bool             // of a page: it names another that was visited as its canonical one
	extras   []string         // of a page: parameters without one of which it was visited
	vain     bool             // of a redirect: it leads to an action
	seen     sighting         // what the answer says about changes
	repeats  []repeat         // what is asked for again, too
	refusal  Refusal          // what they hear instead when a gate turned the entry away
	err      error            // of a store, or a *restError: nothing is settled
	denied   denial           // what an answer 401 or 403, or a challenge, says of the site
	doubtful bool             // the entry failed, or its site did
	rests    bool             // the site is to rest even if it was the entry
	detail   string           // how it failed
}

// later is the ending of an entry that waits in the queue for another visit.
var later = ending{}

// turnedAway is the ending of an entry that a gate refused.
func turnedAway(r Refusal) ending {
	return ending{settled: frontier.Outcome{Status: frontier.Refused, Reason: string(r.Reason)}, refusal: r}
}

// end settles an entry, durably, and tells what became of it.
func (h *host) end(work context.Context, e frontier.Entry, how ending) error {
	o, t := how.settled, how.told
	if how.err != nil || o.Status == frontier.Unknown {
		return how.err
	}
	if o.Status == frontier.Refused {
		h.crawl.tellRefusal(how.refusal.of(e.Link))
	}
	o.Entry = e
	h.crawl.remember(e, &o, how.seen)
	for _, r := range how.repeats { // told first: it is queued only if it is on record why
		o.Links = append(o.Links, r.Link)
		h.crawl.tellOutcome(Outcome{Purpose: PurposeOf(r.Kind), URL: r.URL, Via: r.Via, Depth: r.Depth, Status: o.Status,
			Reason: Reason(o.Reason), Code: r.code, NotBefore: r.due})
	}
	added, err := h.lease.Settle(work, o)
	if err == nil && o.Status == frontier.Refused && Reason(o.Reason).Parks() {
		h.crawl.parking.parked.Add(1)
	}
	if err != nil || o.Status == frontier.Refused || o.Unasked { // nothing was asked for, so there is no outcome to tell
		return err
	}
	switch {
	case o.Page && e.Kind == kindPage:
		t.Opens = h.crawl.parking.visited(e, added.New, how)
	case !t.Target.IsZero():
		h.crawl.parking.moved(e, t.Target, how.vain || len(o.Links) > 0 && added.New == 0)
	}
	t.Purpose, t.URL, t.Via, t.Depth = PurposeOf(e.Kind), e.URL, e.Via, e.Depth
	t.Status, t.Reason, t.Code, t.NotBefore, t.Page, t.Bytes = o.Status, Reason(o.Reason), o.Code, o.NotBefore, o.Page, o.Bytes
	t.Queued += len(o.Links) - len(how.repeats)
	t.New += max(added.New-len(how.repeats), 0)
	h.crawl.tellOutcome(t)
	h.crawl.witnesses.told(h.site, e.URL)
	return nil
}
