package explain

import (
	"bytes"
	"encoding/json"

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

// readHistory reads the whole ledger for what concerns u. Only the records of u are decoded, and the requests before them.
func readHistory(v *job.View, u frontier.URL) (*history, error) {
	h := &history{}
	var last []byte // the latest request to the site, as written
	match := func(b []byte) bool {
		if line(b).is("url", u.String()) {
			return true
		}
		if !line(b).is("site", u.Site()) {
			return false
		}
		isRequest := line(b).is("type", string(ledger.Request))
		if isRequest {
			last = append(last[:0], b...)
		}
		return !isRequest
	}
	var before *ledger.Record
	for r, err := range ledger.Read(v.Path(job.LedgerDir), ledger.ReadOptions{Match: match}) {
		if err := ledgerError(err); err != nil {
			return nil, err
		}
		if len(last) > 0 {
			before, last = decode(last), last[:0]
		}
		if r.URL == u.String() {
			h.add(r, before)
		}
		if r.Type == ledger.Rest && r.Site == u.Site() {
			h.rests = []ledger.Record{r}
		}
		if r.Type == ledger.Request && r.Site == u.Site() {
			before = &r
		}
	}
	return h, h.readPage(v, u)
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

// readPage finds the lines of the page, if it was stored.
func (h *history) readPage(v *job.View, u frontier.URL) error {
	quoted := []byte(`"` + u.String() + `"`)
	match := func(line []byte) bool { return bytes.Contains(line, quoted) }
	for line, err := range pages.ReadMatching(v.Path(job.PagesDir), match) {
		if err != nil {
			return err
		}
		if line.FinalURL == u.String() || line.URL == u.String() {
			h.page = &line
			h.versions = append(h.versions[max(len(h.versions)-maxPageVersions+1, 0):], line)
		}
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
