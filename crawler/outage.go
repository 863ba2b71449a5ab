package crawler

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Some pages fail for good, and are given up; a whole site fails for a while, when the program behind its web server is begun anew
// or has lost its database, and then none of its pages may be. So before one is given up, a page that was answered before is asked
// for: the witness. What the web server itself answers meanwhile, files and redirects, tells nothing.

// mostOutage is for how many rests in a row a site that fails costs its pages no attempt. With the default rests that is 20 hours.
const mostOutage = 11

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
