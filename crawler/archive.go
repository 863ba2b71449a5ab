package crawler

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// archive hands what was on the wire to the archive, before it counts as done. noindex is a page that asks not to be kept. Without
// an answer, or an archive, it does nothing.
func (x *exchange) archive(work context.Context, noindex bool) error {
	to := x.by.config.Archive
	if to == nil || x.response == nil || x.response.Wire == nil {
		return nil
	}
	r, wire, v := &x.request, x.response.Wire, x.request.Verdict
	err := to.Record(work, &storage.Exchange{
		URL: r.URL.String(), Purpose: string(r.Purpose), Via: r.Via.String(), Depth: r.Depth,
		Redirects: x.redirects, Noindex: noindex,
		Start: r.Start, End: r.End, Address: r.Address.Addr(), Protocol: wire.Protocol, TLS: wire.TLS, Cipher: wire.Cipher,
		Request: wire.Request(), Response: wire.Response(), HeadLen: wire.HeadLen(), Truncated: cutOnWire(r.Truncated),
		RobotsAllowed: v.Allowed, RobotsDigest: storage.Digest(v.Digest), RobotsLine: v.Line,
		RobotsRule: cmp.Or(v.Rule, string(v.Reason)),
	})
	if err != nil {
		return fmt.Errorf("archive %s: %w", r.URL, err)
	}
	return nil
}

// cutOnWire returns why less came than was sent, in the words of WARC 1.1 section 5.13. What was lost in decoding was not lost on
// the wire, and a range that nobody had asked for came whole.
func cutOnWire(truncated string) string {
	switch truncated {
	case fetch.CutLength, fetch.CutTime, fetch.CutDisconnect:
		return truncated
	case fetch.CutRate:
		return fetch.CutTime
	}
	return ""
}

// archivedAtOnce reports whether the answer need not be read before it is known that it may be kept. That of a witness has no body,
// and is not kept.
func archivedAtOnce(p Purpose) bool {
	return p != ForPage && p != ForRequisite && p != ForSitemap && p != ForWitness
}

// archiveAnswer is archive for the answer to an entry that is no page.
func (x *exchange) archiveAnswer(work context.Context, e frontier.Entry) error {
	x.redirects = len(e.Hops)
	if r := x.response; IsPage(r.Status) && (e.Kind == kindPage || isRequisite(e.Kind)) {
		return nil // processPage or processRequisite does it, which knows whether it may be kept
	}
	if isCheck(e.Kind) {
		return nil // there is no body
	}
	return x.archive(work, false)
}
