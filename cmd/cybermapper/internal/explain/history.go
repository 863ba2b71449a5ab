package explain

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// maxHistory bounds the records that are kept of one URL: the first ones.
const maxHistory = 300

// A history is what ledger and pages know of one URL.
type history struct {
	versions []pages.Line // of page, the last ones
	attempts []attempt
	refusals []ledger.Record
	outcomes []ledger.Record
	rests    []ledger.Record // of its site, the latest only
	given    []ledger.Record // submissions
	purges   []ledger.Record // versions that were removed
	page     *pages.Line     // the latest one; nil when it was not stored
	more     int             // records that were not kept
}

// An attempt is one request for a URL, and the request to its site before it, which fixed the pause that was owed.
type attempt struct {
	ledger.Record
	before *ledger.Record // nil when none is known
}

// readHistory reads what concerns u: the files of the ledger that may hold records of it. Only these records are decoded, and the
// requests before them.
func readHistory(v *job.View, u frontier.URL) (*history, error) {
	files, err := v.Contents().Files()
	if err != nil {
		return nil, err
	}
	h := &history{}
	of := v.Contents().Select(ledger.OfURL(u.String()))
	for i, n := range files {
		if of.Has(n) {
			if err := h.read(v.Contents(), u, files[:i], n); err != nil {
				return nil, err
			}
		}
	}
	h.forgetLinks()
	if err := h.readRest(v.Contents(), u, files); err != nil {
		return nil, err
	}
	return h, h.readPage(v, u)
}

// read reads one file, which follows on others, for records of u.
func (h *history) read(c *ledger.Contents, u frontier.URL, earlier []int, file int) error {
	var last []byte // the latest request to the site, as written, until it is decoded
	var before *ledger.Record
	known := false // there is one in this file, or those before it were searched
	for l, err := range c.Lines(file) {
		if err != nil {
			if err := ledgerError(err); err != nil {
				return err
			}
			continue
		}
		if !line(l).is("url", u.String()) {
			if isRequestTo(l, u) {
				last, known = append(last[:0], l...), true
			}
			continue
		}
		r := decode(l)
		if r == nil || r.URL != u.String() {
			continue
		}
		if !known && r.Type == ledger.Request {
			match := func(l line) bool { return isRequestTo(l, u) }
			if last, err = lastLine(c, earlier, ledger.OfRequests(u.Site()), match); err != nil {
				return err
			}
			known = true
		}
		if len(last) > 0 {
			before, last = decode(last), last[:0]
		}
		h.add(*r, before)
		if r.Type == ledger.Request && r.Site == u.Site() {
			before, known = r, true
		}
	}
	return nil
}

// isRequestTo reports whether a record is a request to the site of u; one for u itself must be whole.
func isRequestTo(l line, u frontier.URL) bool {
	return l.is("site", u.Site()) && l.is("type", string(ledger.Request)) && (!l.is("url", u.String()) || decode(l) != nil)
}

// readRest finds the latest rest of the site of u.
func (h *history) readRest(c *ledger.Contents, u frontier.URL, files []int) error {
	l, err := lastLine(c, files, ledger.OfRests(u.Site()), func(l line) bool {
		return l.is("site", u.Site()) && l.is("type", string(ledger.Rest)) && decode(l) != nil
	})
	if l != nil {
		h.rests = []ledger.Record{*decode(l)}
	}
	return err
}

// lastLine returns the last line of some files that matches, and has a key; nil when there is none.
func lastLine(c *ledger.Contents, files []int, key ledger.Key, matches func(line) bool) (last []byte, err error) {
	may := c.Select(key)
	for _, n := range slices.Backward(files) {
		if !may.Has(n) {
			continue
		}
		for l, err := range c.Lines(n) {
			if err := ledgerError(err); err != nil {
				return nil, err
			}
			if err == nil && matches(l) {
				last = append(last[:0], l...)
			}
		}
		if last != nil {
			return last, nil
		}
	}
	return nil, nil
}

// decode reads a record; nil when it is none.
func decode(line []byte) *ledger.Record {
	r := &ledger.Record{}
	if json.Unmarshal(line, r) != nil {
		return nil
	}
	return r
}

func (h *history) add(r ledger.Record, before *ledger.Record) {
	if len(h.attempts)+len(h.refusals)+len(h.outcomes)+len(h.given)+len(h.purges) >= maxHistory {
		h.more++
		return
	}
	switch r.Type {
	case ledger.Request:
		h.attempts = append(h.attempts, attempt{r, before})
	case ledger.Refusal:
		h.refusals = append(h.refusals, r)
	case ledger.Outcome:
		h.outcomes = append(h.outcomes, r)
	case ledger.Seed:
		h.given = append(h.given, r)
	case ledger.Purge:
		h.purges = append(h.purges, r)
	}
}

// again returns the reason for which the URL was asked for again, or is to be, though a request had an answer which is no error; ""
// if it was not.
func (h *history) again(a attempt) (reason string) {
	if a.Status == 0 || a.Status >= http.StatusBadRequest {
		return ""
	}
	next := uint64(math.MaxUint64)
	for _, other := range h.attempts {
		if other.Seq > a.Seq {
			next = min(next, other.Seq)
		}
	}
	for _, o := range h.outcomes {
		if o.Outcome == frontier.Retrying.String() && a.Seq < o.Seq && o.Seq < next {
			reason = o.Reason
		}
	}
	return reason
}

// forgetLinks drops why links were not followed, unless nothing else is known: another link led there.
func (h *history) forgetLinks() {
	other := *h
	other.refusals = slices.DeleteFunc(slices.Clone(h.refusals), func(r ledger.Record) bool {
		return crawler.Reason(r.Reason).IsOfLink()
	})
	if other.first() != nil {
		h.refusals = other.refusals
	}
}

// readPage finds the lines of the page, if it was stored.
func (h *history) readPage(v *job.View, u frontier.URL) error {
	for line, err := range pages.ReadURL(v.Path(job.PagesDir), u.String()) {
		if err != nil {
			return err
		}
		h.page = &line
		h.versions = append(h.versions[max(len(h.versions)-maxPageVersions+1, 0):], line)
	}
	return nil
}

// first returns the earliest record that tells where the URL was found; nil when there is none. A request for the rules of a site,
// or for its TDM file, goes to a URL that nobody needs to have found.
func (h *history) first() *ledger.Record {
	var first *ledger.Record
	consider := func(r *ledger.Record) {
		if first == nil || r.Seq < first.Seq {
			first = r
		}
	}
	for _, a := range h.attempts {
		if purpose := crawler.Purpose(a.Purpose); purpose == crawler.ForPage || purpose == crawler.ForSitemap {
			consider(&a.Record)
			break
		}
	}
	if len(h.refusals) > 0 {
		consider(&h.refusals[0])
	}
	if len(h.outcomes) > 0 {
		consider(&h.outcomes[0])
	}
	if len(h.given) > 0 {
		consider(&h.given[0])
	}
	return first
}
