package crawler

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file tells a page that fails from a site that does. Some pages fail for good, and are given up; a whole site fails for a
// while, when the program behind its web server is started anew or has lost its database, and then none of its pages may be. So
// before one is given up, a page that was answered before is asked for: the witness. So it is where page after page leads to one
// place, as to that for members, or in an outage to a notice, or to where somebody is to show that he is no robot; and where page
// after page has one and the same body, as such a notice has that is sent in the place of each.
// What the web server itself answers meanwhile, files and redirects, tells nothing.

// mostWitnesses is of how many sites a witness is remembered in memory; witnessesFor says what stands in for it.
const mostWitnesses = 8192

// mostOutage is for how many rests in a row a site that fails costs its pages no attempt. With the default rests that is 20 hours.
const mostOutage = 11

// leastAlike is after how many answers in a row that are alike, redirects to one place or pages with one body, a witness is asked
// for, and again after twice as many.
const leastAlike = 3

// mostRun is of how many answers in a row that are alike it is remembered whose they are, the last ones: of as many as there are
// before a witness is asked for once more, where a site with some pages of one body was found well.
const mostRun = leastAlike << 2

// witnesses are the pages that were answered last, by site. It is safe for concurrent use.
type witnesses struct {
	mu    sync.Mutex // guards sites
	sites bounded.Map[witness]
}

// answered is a page that was answered.
type answered struct {
	page frontier.URL
	body uint64 // hash of its body; 0 when it is not known
}

type witness struct {
	answered          // last; zero when none was
	isHTML   bool     // it is; else nothing else was answered
	told     bool     // what became of it
	before   answered // last with a body of its own that is another; zero when none was
	target   uint64   // to which redirects lead since
	alike    int      // how many do, or how many pages in a row had the body
	run      []joined // the last of these since the site was found well
	cleared  int      // how often pages had one body while the site was well
}

// joined is whose answer is like that before it.
type joined struct {
	url  frontier.URL
	told bool // what became of it
}

// isRun reports whether several pages in a row had the body.
func (w *witness) isRun() bool { return w.alike > 0 && w.target == 0 }

// join notes whose answer is like those before it.
func (w *witness) join(j joined) {
	if j.url.IsZero() {
		return
	}
	w.leave(j.url)
	w.run = append(w.run[max(0, len(w.run)-mostRun+1):], j)
}

// leave takes out whose answer is another now.
func (w *witness) leave(u frontier.URL) {
	w.run = slices.DeleteFunc(w.run, func(j joined) bool { return j.url == u })
}

// joined returns u in the run; nil if it is not there.
func (w *witness) joined(u frontier.URL) *joined {
	if i := slices.IndexFunc(w.run, func(j joined) bool { return j.url == u }); i >= 0 {
		return &w.run[i]
	}
	return nil
}

// answered notes a page that was answered, and reports whether that is nothing like what came before: no place where redirects
// lead, and not the body of the page before, while another one was known. A file is a witness only while no other page was;
// after one it neither ends what is alike nor shows that to be over. body is 0 when it is not known.
func (w *witnesses) answered(site string, u frontier.URL, isHTML bool, body uint64) bool {
	key := xxhash.Sum64String(site)
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(key)
	switch {
	case now.alike > 0 && now.target == targetOf(u):
		return false
	case isHTML && body != 0 && now.body == body && u != now.page:
		if now.target != 0 {
			now.target, now.alike, now.run = 0, 0, nil
		}
		if now.alike == 0 {
			now.join(joined{now.page, now.told})
		}
		now.alike = max(now.alike, 1) + 1
		now.join(joined{url: u})
	case isHTML || !now.isHTML:
		before := now.answered
		if now.isRun() { // as of a site that a script fills in: when it is renewed all of its pages have another one
			before = now.before
		} else if !now.isHTML {
			before = answered{}
		}
		now = witness{answered: answered{u, body}, isHTML: isHTML, before: before, cleared: now.cleared}
	default:
		if now.leave(u); len(now.run) > 0 { // or they would be remembered for ever where files are many
			now.run = now.run[1:]
		}
		w.sites.Put(key, now)
		return now.alike < leastAlike
	}
	w.sites.Put(key, now)
	return now.alike == 0 || now.before.page.IsZero()
}

// distinct returns the page before the one that was answered last, if the two have bodies of their own; else it is zero.
func (w *witnesses) distinct(site string) answered {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(xxhash.Sum64String(site))
	if now.alike > 0 || now.body == 0 || now.before.page == now.page {
		return answered{}
	}
	return now.before
}

// recall takes up what an earlier process found out of a site: a page that was answered, which no file stands in for, and of a site
// that rests the body that each page has instead, else 0.
func (w *witnesses) recall(site string, before answered, notice uint64) {
	key := xxhash.Sum64String(site)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch _, known := w.sites.Get(key); {
	case known:
	case notice != 0:
		w.sites.Put(key, witness{answered: answered{body: notice}, isHTML: true, before: before, alike: leastAlike})
	case before.body != 0:
		w.sites.Put(key, witness{answered: before, isHTML: true})
	}
}

// repeated reports whether pages in a row have had one body. It returns the page before them, and whether it is time to ask for
// that.
func (w *witnesses) repeated(site string) (before answered, ask, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(xxhash.Sum64String(site))
	ask = isTurn(now.alike) && now.alike >= leastAlike<<min(2*now.cleared, 32)
	return now.before, ask, now.isRun()
}

// precede notes which page had a body of its own before those in a row that have one.
func (w *witnesses) precede(site string, before answered) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		now.before = before
	}
}

// clear notes that a site is well of which page after page led to one place, or had one body.
func (w *witnesses) clear(site string, isBody bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		if now.run = nil; isBody {
			now.cleared++
		}
	}
}

// told notes that it was told what became of u.
func (w *witnesses) told(site string, u frontier.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		now.told = now.told || now.page == u
		if j := now.joined(u); j != nil {
			j.told = true
		}
	}
}

// takeRun takes out those whose answers in a row are alike, if it was told what became of them.
func (w *witnesses) takeRun(site string) (run []joined) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now, _ := w.sites.At(xxhash.Sum64String(site)); now != nil {
		for _, j := range now.run {
			if j.told {
				run = append(run, j)
			}
		}
		now.run = slices.DeleteFunc(now.run, func(j joined) bool { return j.told })
	}
	return run
}

// isTurn reports whether a witness is to be asked for after so many answers that are alike.
func isTurn(alike int) bool {
	return alike%leastAlike == 0 && bits.OnesCount(uint(alike/leastAlike)) == 1
}

// redirected notes a redirect. It returns how many in a row have led there since another page was answered, which it returns, too.
func (w *witnesses) redirected(site string, from, to frontier.URL) (alike int, page answered) {
	key, target := xxhash.Sum64String(site), targetOf(to)
	w.mu.Lock()
	defer w.mu.Unlock()
	now, _ := w.sites.Get(key)
	if now.target != target {
		now.target, now.alike, now.run = target, 0, nil
	}
	now.alike++
	now.join(joined{url: from})
	w.sites.Put(key, now)
	return now.alike, now.answered
}

// targetOf returns a hash of where a redirect leads, without the query, in which it may be said where one came from.
func targetOf(u frontier.URL) uint64 {
	target, _, _ := strings.Cut(u.String(), "?")
	return xxhash.Sum64String(target)
}

// of returns the page of a site that was answered last; it is zero when none is remembered. The body is known if it is its own.
func (w *witnesses) of(site string) answered {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, _ := w.sites.Get(xxhash.Sum64String(site))
	if last.isRun() {
		last.body = 0
	}
	return last.answered
}

// witnessesFor returns what may tell an entry that fails from its site, best first: the page that was answered last, the one that
// links here, the front page, and a page that does not exist.
func (h *host) witnessesFor(e frontier.Entry) (us []frontier.URL) {
	front, _ := e.URL.Resolve("/")
	for _, u := range []frontier.URL{h.standing.witness().page, e.Via, front} {
		if !u.IsZero() && u.Site() == h.site && u != e.URL && !slices.Contains(us, u) {
			us = append(us, u)
		}
	}
	if missing := missingBeside(e.URL, "./"); !missing.IsZero() { // it is not too long
		us = append(us, missing)
	}
	return us
}

// failing counts a request for an entry that failed: it timed out, was cut off, or the server, whose answer has this status, says
// that it failed. The entry is queued for another attempt or given up, unless it may be the site that fails: for a link that is
// only checked that makes no difference.
func (h *host) failing(work context.Context, e frontier.Entry, reason Reason, status int, detail string) ending {
	inRow, failures, err := h.standing.failed(work, h.crawl.witnesses.of(h.site))
	if err != nil {
		return ending{err: err}
	}
	end := h.config.again(e, reason, status)
	most := h.config.Politeness.FailuresInRow
	if most == 0 {
		return end
	}
	tooMany := inRow >= most
	lost := end.settled.Status == frontier.Failed && (inRow > h.config.Retries || failures > 0)
	end.detail, end.rests = detail, tooMany && status == 0
	end.doubtful = !isCheck(e.Kind) && (lost || status != 0 && (tooMany || failures > 0))
	if end.doubtful {
		return end
	}
	return h.pageFails(work, end)
}

// outage lets a site rest that fails as a whole. Its entries stay as they are, unless it has failed for very long.
func (h *host) outage(work context.Context, end ending, least time.Duration, reason Reason) ending {
	rest, err := h.standing.backOffOnce(work, least, reason, end.detail)
	if err != nil || rest.Failures <= mostOutage {
		return ending{err: err}
	}
	return end
}

// unlessOutage asks for a witness if it is doubtful whether the URL fails or its site, and for another one if that tells nothing.
func (h *host) unlessOutage(ctx, work context.Context, e frontier.Entry, end ending) ending {
	if !end.doubtful {
		return end
	}
	all := h.witnessesFor(e)
	for i, u := range all {
		told, isLast, isKnown := true, i == len(all)-1, u == h.standing.witness().page
		asked, err := h.askWitness(ctx, work, e, u, true, func(r *fetch.Response, err error) {
			if err == nil {
				end, told = h.heardWitness(work, r, end, isLast || isKnown && isAnswer(r))
			} else if isKind(err, fetch.KindOptedOut) {
				told = false
			} else if failed := h.failed(work, e, err); failed.settled.Status == frontier.Unknown {
				end = failed // it may not be asked now, or the host fails
			} else {
				end = h.outage(work, end, 0, ReasonFailures)
			}
		})
		switch {
		case err != nil:
			return h.failed(work, e, err)
		case asked && told:
			return end
		}
	}
	return h.pageFails(work, end)
}

// askWitness asks for a page, or the head of its answer, unless robots.txt forbids it. heed has the answer, or why there is none.
func (h *host) askWitness(ctx, work context.Context, e frontier.Entry, u frontier.URL, headOnly bool,
	heed func(*fetch.Response, error)) (asked bool, err error) {
	answer, err := h.rules.of(ctx, work, u.Origin())
	if err != nil {
		return false, err
	}
	verdict := answer.Rules.Test(u.PathQuery())
	if !verdict.Allowed {
		return false, nil
	}
	x, err := h.requests.ask(ctx, work, Request{Purpose: ForWitness, URL: u, Via: e.URL, Site: h.site, Verdict: verdict},
		fetch.Request{URL: u.String(), Accept: accept, HeadOnly: headOnly}, answer.Rules)
	if x == nil {
		heed(nil, err)
		return true, nil
	}
	x.finish(answer.Rules, func() { heed(x.response, err) })
	x.response.Release()
	return true, nil
}

// showsWell reports whether an answer shows that its site is well. While it rests time and again, a redirect does not, nor what
// redirects lead to, nor the body that page after page had: see unlessAway.
func (h *host) showsWell(e frontier.Entry, r *fetch.Response) bool {
	h.crawl.witnesses.recall(h.site, h.standing.witness(), h.standing.notice())
	if isAnswer(r) {
		isHTML := e.Kind == kindPage && hasHTML(r)
		isNew := h.crawl.witnesses.answered(h.site, e.URL, isHTML, hashOf(r.Body))
		return isNew || isHTML && h.standing.failures() == 0
	}
	_, leads := temporaryTarget(e.URL, r)
	return !leads || h.standing.failures() == 0
}

// hashOf returns a hash of a body; 0 if it is empty, or not in memory.
func hashOf(body []byte) uint64 {
	if len(body) == 0 {
		return 0
	}
	return xxhash.Sum64(body)
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
			}
			return
		case saysOfServer(other.Status):
			return
		}
		if !alike.of(page, other) {
			h.crawl.witnesses.clear(h.site, alike.isBody)
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
			end.repeats, err = h.repeats(work, e.URL, alike.isBody, rest.Until)
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

// repeats returns what had the answer before u did that turned out to be that of a site which is away. It is forgotten that these
// were visited. What is not settled yet is left for the next time that the site turns out to be away.
func (h *host) repeats(work context.Context, u frontier.URL, isBody bool, due time.Time) (all []repeat, err error) {
	for _, before := range h.crawl.witnesses.takeRun(h.site) {
		info, err := h.config.Frontier.Lookup(work, before.url)
		if err != nil {
			return nil, err
		}
		if before.url == u || info.Status != frontier.Done || info.Return == nil {
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
		NotBefore: then.Add(h.config.RetryDelay)}
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

// heardWitness returns what becomes of an entry that failed, when a witness was answered. Unless any answer tells that the site is
// well, a redirect, a file and a page that does not exist do not: they may be the web server's own, before a program that fails.
func (h *host) heardWitness(work context.Context, r *fetch.Response, end ending, any bool) (how ending, told bool) {
	least := min(robots.RetryAfter(r.Header, r.End), h.config.Politeness.MaxRetryAfter)
	switch {
	case asksForRest(r):
		end.detail = retryAfter(r)
		return h.outage(work, end, least, SignalReason(r.Status)), true
	case saysOfServer(r.Status):
		return h.outage(work, end, least, ReasonFailures), true
	case isDenial(r.Status), r.Challenge() != "":
		return h.pageFails(work, end), true
	case !any && !(isAnswer(r) && hasHTML(r)):
		return end, false
	}
	if err := h.standing.answered(work); err != nil {
		return ending{err: err}, true
	}
	return h.pageFails(work, end), true
}

// isAnswer reports whether an answer is the page that was asked for, and whole.
func isAnswer(r *fetch.Response) bool { return IsPage(r.Status) && r.Truncated == "" }

func hasHTML(r *fetch.Response) bool { return isHTML(cmp.Or(contentType(r.Header), "text/html")) }

// pageFails returns what becomes of an entry that failed while its site is well, or nobody knows.
func (h *host) pageFails(work context.Context, end ending) ending {
	if end.rests {
		_, end.err = h.standing.backOff(work, 0, ReasonFailures, end.detail)
	}
	return end
}

// saysOfServer reports whether an answer is about the server, now, rather than about what was asked for.
func saysOfServer(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusRequestTimeout || status == http.StatusTooEarly
}
