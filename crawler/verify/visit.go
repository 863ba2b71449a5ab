package verify

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// visit judges whether a page or a sitemap may be requested, again perhaps.
func (p *pass) visit(e *ledger.Entry) {
	h := p.urls.hash(e.URL)
	if !p.urls.has(h) || !p.opts.judges(siteOf(e.URL)) {
		return
	}
	var before visit
	var late, back, taken bool
	v := p.visits.of(h)
	again := v != nil
	if again {
		before = *v
		late, back, taken = p.repeated(e, &before)
		p.putBy(e.URL, &before)
	} else {
		v = p.visits.add(h)
		p.tally(Once).ok()
	}
	before.refusal.now = false
	*v = visit{run: p.runID(), round: p.round, refusal: before.refusal, says: unsettled,
		end: e.End.Add(p.set).UnixNano(), epoch: epochOf(e.Tenure), status: int16(e.Status), needed: e.Purpose == forRequisite,
		stores: e.Purpose == forPage || e.Purpose == forRequisite, taken: taken,
		over: again && before.state == answered && p.jobOf(before.run) != p.index}
	if back {
		v.errand = before.run
	}
	switch {
	case late:
		v.state = settled
	case p.mayRepeat(e):
		v.state = failed
	}
	if _, path := splitURL(e.URL); e.Purpose == forPage && (path == "/robots.txt" || path == tdmPath) {
		p.asPages++ // that file is asked for on its own account as well
	}
	p.full = p.full || max(p.visits.len(), len(p.answers)) > p.opts.URLs
}

// repeated judges a request for what was requested before. late says that it had left before that was settled, back that it may be
// one to bring a cookie back, taken that a link which was only checked is crawled.
func (p *pass) repeated(e *ledger.Entry, before *visit) (late, back, taken bool) {
	t := p.tally(Once)
	late = before.state == settled && p.leftBefore(e, before)
	back = before.round == p.round && before.errand != before.run && isRedirect(before.status) &&
		p.run.overrides[siteOf(e.URL)].cookies
	taken = before.checked && e.Purpose == forPage && before.round == p.round
	switch {
	case before.state == failed || before.state == settled && before.round < p.round:
		t.ok()
	case before.state == settled && (before.needed || taken) && e.Purpose == forPage:
		t.ok() // it turned out to be a page, or to be in scope
	case late:
		p.interrupted++
		t.ok()
	case before.state == settled && back:
		t.ok() // once for each run that it redirected in, in case it wanted a cookie back
	case before.state == settled:
		t.refute(e, "requested again after it was settled")
	case before.run == p.runID() && !isLater(e.Tenure, before.epoch):
		t.refute(e, "requested again although it had been answered")
	default:
		p.interrupted++
		t.ok()
	}
	slack := int64(time.Second + p.driftTo(p.jobOf(before.run)))
	if before.state == failed && e.Start.UnixNano() < before.again-slack {
		t.refute(e, "requested again %v before it was due", time.Duration(before.again-e.Start.UnixNano()))
	}
	return late, back, taken
}

func isRedirect(status int16) bool {
	return status >= http.StatusMultipleChoices && status < http.StatusBadRequest && status != http.StatusNotModified
}

// leftBefore reports whether a request had left before one that settled its URL at another node had ended, and under an earlier
// right: it is a node's that was frozen then, and whose record is later for that.
func (p *pass) leftBefore(e *ledger.Entry, settling *visit) bool {
	return p.jobOf(settling.run) != p.index && e.Tenure != "" && epochOf(e.Tenure) < settling.epoch &&
		e.Start.UnixNano() < settling.end+int64(p.opts.Drift)
}

// putBy keeps what the list must say of a request when another one for its URL follows.
func (p *pass) putBy(url string, before *visit) {
	if before.stores {
		job := p.jobOf(before.run)
		key := p.answer(job, url, before.end)
		if p.answers[key] = before.says; before.says == unsettled && job != p.index {
			p.open[openAt{job, p.urls.hash(url)}] = key
		}
	}
	if before.listed != 0 {
		p.stored[before.listed] = before.seq
	}
}

// mayRepeat reports whether an answer, or the lack of one, is a reason to ask again.
func (p *pass) mayRepeat(e *ledger.Entry) bool {
	switch e.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooEarly:
		return true
	}
	return e.Status >= http.StatusInternalServerError || p.asksForRest(e) || e.Truncated == "disconnect"
}

// isGivenUp reports whether an outcome tells of nothing that came: of a URL that waited too long for a robots.txt that could not be
// had there is no request.
func isGivenUp(e *ledger.Entry) bool {
	return e.Outcome == "failed" && e.Status == 0 && e.Bytes == 0 && e.Digest == "" && e.File == ""
}

// linkChecked is the reason of the outcome of a link out of scope: nothing is kept of its page, nor read in it.
const linkChecked = "link-checked"

// Reasons of outcomes by which a page is to be asked for again though it was answered.
const (
	lostPage  = "lost"      // a repair wrote it: the page was stored
	challenge = "challenge" // what came was no page, but a test whether there is a browser
	siteAway  = "site-away" // nor was this: all pages of the site led to one place, or had one body

	protocol = "protocol-error" // nor is a 304 to a request without a condition
)

// broughtNoPage reports whether an outcome tells of what came in place of a page: nothing was kept of it, and no link read.
func broughtNoPage(e *ledger.Entry) bool {
	is := e.Reason == challenge || e.Reason == siteAway && e.Status < http.StatusBadRequest ||
		e.Reason == protocol && e.Status == http.StatusNotModified
	return is && e.File == "" && e.Digest == "" && e.LinksFound == 0
}

// outcome notes what became of a URL.
func (p *pass) outcome(e *ledger.Entry) {
	h := p.urls.hash(e.URL)
	if !p.urls.has(h) || !p.opts.judges(siteOf(e.URL)) {
		return
	}
	v := p.visits.of(h)
	if (v == nil || v.outcome) && isGivenUp(e) {
		return
	}
	if v == nil {
		p.tally(Decided).refute(e, "an outcome without a request")
		return
	}
	if p.jobOf(v.run) != p.index {
		p.outcomeAcross(e, h, v)
		return
	}
	if v.outcome && v.state == settled && e.Outcome == "retrying" && e.Reason == siteAway && broughtNoPage(e) {
		v.state, v.again = failed, e.NotBefore.UnixNano() // see away
		return
	}
	p.settle(e, v)
	page := pageOf{p.index, e.URL}
	if e.Outcome == "retrying" && e.Reason == lostPage {
		if len(p.lostPages) < maxLost {
			p.lostPages[page] = true
		}
		if p.firstLost == nil {
			first := *e
			p.firstLost = &first
		}
		v.listed = 0 // nor need the list name it any more
		return       // what was stored then was stored, though it is lost now
	}
	delete(p.lostPages, page)
	if (e.File == "") != (e.Digest == "") || e.File == "" && (e.SameAs != "" || e.Listing != "") {
		p.tally(Pages).refute(e, "is stored as %q, %s, same as %q: these do not fit", e.File, e.Digest, e.SameAs)
	}
	if e.Digest != "" {
		v.digest = p.urls.hash(e.Digest)
	}
	p.listing(e, v)
	v.refusal.outlive(e)
}

// settle judges whether an outcome fits the answer, and whether there may be one.
func (p *pass) settle(e *ledger.Entry, v *visit) {
	if v.outcome && e.Reason != lostPage && p.repairs == 0 {
		p.tally(Once).lack(e, "is a second outcome of one request")
	}
	before := v.state
	v.state, v.outcome = settled, true
	if e.Reason == linkChecked && !v.taken {
		v.checked = e.File == "" && e.Digest == "" && e.LinksFound == 0
	}
	switch e.Outcome {
	case "retrying":
		if v.state = failed; before != failed && e.Reason != lostPage && (before == settled || !broughtNoPage(e)) {
			p.tally(Once).refute(e, "is to be asked for again, though it was answered with %d, which settles it", v.status)
		}
		if !e.NotBefore.IsZero() {
			v.again = e.NotBefore.UnixNano()
		} else {
			p.tally(Once).lack(e, "does not say when it may be requested again")
		}
	case "done":
		if e.Status == 0 {
			p.tally(Records).lack(e, "is done, and does not say with which answer")
		}
	case "failed", "refused":
	default:
		p.tally(Records).lack(e, "the outcome %q is not understood", e.Outcome)
	}
	if e.Status != 0 && e.Status != int(v.status) {
		p.tally(Records).refute(e, "says that the answer was %d; it was %d", e.Status, v.status)
	}
}

// What the outcome of a request says of the list of pages, when it does not name a line of it.
const (
	unsettled uint64 = iota // there is no outcome
	unstored                // nothing was stored
	unnamed                 // something was, but the line is not named
)

// listing notes what an outcome says of the list of pages.
func (p *pass) listing(e *ledger.Entry, v *visit) {
	if e.File != "" {
		key := p.listed(p.urls.hash(e.URL), e.Digest, e.File)
		delete(p.purged, key)
		if v.listed == 0 || v.listed == key {
			v.listed, v.seq = key, p.reference(e)
		} else {
			p.stored[key] = p.reference(e)
		}
	}
	if v.stores {
		v.says = p.saysOf(e)
	}
}

// saysOf returns what an outcome says of the list of pages.
func (p *pass) saysOf(e *ledger.Entry) uint64 {
	switch {
	case e.Listing != "":
		return max(p.urls.hash(e.Listing), unnamed+1)
	case e.File != "":
		return unnamed
	}
	return unstored
}

// listed identifies a stored page of the job at hand by the hash of its URL, its digest and its file; it is never 0.
func (p *pass) listed(url uint64, digest, file string) uint64 {
	return maphash.Comparable(p.urls.seed, [4]uint64{url, p.urls.hash(digest), p.urls.hash(file), uint64(p.index)}) | 1
}

// answer identifies a request of a job by its URL and when it ended.
func (p *pass) answer(job int, url string, end int64) uint64 {
	return maphash.Comparable(p.urls.seed, [3]uint64{p.urls.hash(url), uint64(end), uint64(job)})
}

// countPages returns how many lines the list of pages has, and what file it is. A list that does not exist has none.
func countPages(dir string) (n int, list os.FileInfo, err error) {
	if info, err := os.Stat(filepath.Join(dir, "pages.jsonl")); err == nil && !info.Mode().IsRegular() {
		return 0, nil, errors.New("count pages: pages.jsonl is not a regular file")
	}
	f, err := os.Open(filepath.Join(dir, "pages.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("count pages: %w", err)
	}
	defer f.Close()
	if list, err = f.Stat(); err != nil {
		return 0, nil, fmt.Errorf("count pages: %w", err)
	}
	buf := make([]byte, 64<<10)
	for {
		size, err := f.Read(buf)
		n += bytes.Count(buf[:size], []byte("\n"))
		if err == io.EOF {
			return n, list, nil
		}
		if err != nil {
			return 0, nil, fmt.Errorf("count pages: %w", err)
		}
	}
}

// isReplaced reports whether the list of pages is another file than when verifying began, as once --purge has taken pages out. What
// took them out may stand in the ledger behind what was read of it.
func (p *pass) isReplaced(dir string) bool {
	list, err := os.Stat(filepath.Join(dir, "pages.jsonl"))
	return p.job.Running && p.list != nil && err == nil && !os.SameFile(list, p.list)
}

// pages judges the list of pages of the job at hand.
func (p *pass) pages(dir string) {
	if !p.isReplaced(dir) {
		p.lines(dir)
	}
	if p.isReplaced(dir) {
		p.tally(Pages).lack(nil, "pages.jsonl was replaced while it was looked at, as a crawl with --purge does")
		return
	}
	p.unlisted(dir)
}

// lines judges the lines of the list of pages.
func (p *pass) lines(dir string) {
	n := 0
	for l, err := range pages.Read(dir) {
		n++
		h := p.urls.hash(l.FinalURL)
		v := p.visits.of(h)
		if err == nil {
			p.found(v, p.listed(h, string(l.Digest), l.File))
			p.stillListed(h, n, &l)
		}
		if p.job.Running && n > p.listLines {
			p.newer++
			continue
		}
		if err != nil {
			p.tally(Pages).refute(nil, "%v", err)
			continue
		}
		if p.urls.has(h) && p.opts.judges(siteOf(l.FinalURL)) {
			p.line(v, n, &l)
		}
	}
}

// unlisted judges what must be in the list of pages and was not there.
func (p *pass) unlisted(dir string) {
	_, err := os.Stat(filepath.Join(dir, "pages.jsonl"))
	lost := 0
	for ref := range p.missing {
		seq, job := p.referred(ref)
		if job != p.index {
			continue
		}
		lost++
		of := &ledger.Entry{Record: ledger.Record{Seq: seq}}
		switch {
		case err != nil:
		case seq < p.repaired: // which asks for pages again, and not for each of their versions
			p.tally(Pages).lack(of, "the page that it stored is not in pages.jsonl; the job was damaged since, and put in order")
		default:
			p.tally(Pages).refute(of, "the page that it stored is not in pages.jsonl")
		}
	}
	if lost > 0 && err != nil {
		p.tally(Pages).lack(nil, "there is no list of the %s that the ledger says were stored", plural(lost, "page"))
	}
}

// missing yields the records of what must be in the list of pages and was not there.
func (p *pass) missing(yield func(ref uint64) bool) {
	for _, ref := range p.stored {
		if !yield(ref) {
			return
		}
	}
	p.visits.missing(yield)
}

// found takes note that what must be in the list is there.
func (p *pass) found(v *visit, listed uint64) {
	if v != nil && v.listed == listed {
		v.listed = 0
	}
	delete(p.stored, listed) // also when it came back as it had been: one line is for both
}

// answerOf returns what is known of the request that brought a page. It ended when the page says; if the clock was set before its
// record was written, it differs by that.
func (p *pass) answerOf(v *visit, l *pages.Line) (says uint64, known bool) {
	says, known = p.answerAt(v, l.FinalURL, l.Fetched)
	for i := 0; !known && i < len(p.clockSets); i++ {
		says, known = p.answerAt(v, l.FinalURL, l.Fetched.Add(p.clockSets[i]))
	}
	return says, known
}

func (p *pass) answerAt(v *visit, url string, end time.Time) (says uint64, known bool) {
	if v != nil && v.stores && v.end == end.UnixNano() && p.jobOf(v.run) == p.index {
		return v.says, true
	}
	says, known = p.answers[p.answer(p.index, url, end.UnixNano())]
	return says, known
}

// line judges the nth line.
func (p *pass) line(v *visit, n int, l *pages.Line) {
	t := p.tally(Pages)
	at := &ledger.Entry{InFile: "pages.jsonl", AtLine: n, Record: ledger.Record{URL: l.FinalURL}}
	says, known := p.answerOf(v, l)
	switch {
	case !known || says == unsettled:
	case says == unnamed:
		p.tally(Listed).lack(at, "pages.jsonl line %d: the ledger does not have its digest", n)
	case says != unstored && says != max(p.urls.hash(string(l.Listing)), unnamed+1):
		p.tally(Listed).refute(at, "pages.jsonl line %d: is not the line that was written", n)
	case says != unstored:
		p.tally(Listed).ok()
	}
	switch {
	case says == unstored && known:
		t.refute(at, "pages.jsonl line %d: nothing was stored then, says the ledger", n)
	case !known && p.lost(l.Fetched):
		t.lack(at, "pages.jsonl line %d: fetched at %s, when the ledger lost its end", n, stamp(l.Fetched))
	case !known:
		t.refute(at, "pages.jsonl line %d: no request of the ledger brought it at %s", n, stamp(l.Fetched))
	case v.end == l.Fetched.UnixNano() && v.needed == l.IsPage():
		t.lack(at, "pages.jsonl line %d: is of the kind %q, and was not asked for as that", n, l.Kind)
	case v.digest != 0 && v.end == l.Fetched.UnixNano() && v.digest != p.urls.hash(string(l.Digest)):
		t.refute(at, "pages.jsonl line %d: the ledger names another body than %s", n, l.Digest)
	default:
		t.ok()
		if !v.outcome {
			p.unsettled++
		}
	}
}
