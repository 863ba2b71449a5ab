package disk

import (
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A request is what one caller wants to be done, all of it or nothing.
type request struct {
	ops    []op
	site   string               // touched whatever the ops do; empty for none
	policy *frontier.SitePolicy // the new policy of site; nil: as it was
	lease  *lease               // whose entries the ops settle
	out    []outLink            // to be passed on
	passed uint64               // what was passed on, and can be forgotten; 0 for nothing new
	taken  uint64               // up to which place the links were taken from elsewhere; 0 if they were not

	until  time.Time // how long it may wait for company; zero: with a Log for Options.Gather, else not at all
	result frontier.AddResult
	err    error     // why it was not done although the batch was committed
	turn   chan bool // see committer
}

// An op offers one link, or settles one entry.
type op struct {
	key   seenKey
	slot  int32
	link  *frontier.Link    // nil: settle
	out   *frontier.Outcome // what became of taken
	taken *taken
}

// siteName returns the name of the site that o concerns.
func (o *op) siteName() string {
	if o.link != nil {
		return o.link.URL.Site()
	}
	return o.taken.entry.URL.Site()
}

// fewNew is how many links of a page are not known, mostly.
const fewNew = 8

// newRequest makes room for operations.
func newRequest(ops int) *request { return &request{ops: make([]op, 0, ops)} }

// offer prepares operations for the links that are not known to be known, or passed on.
func (f *Frontier) offer(r *request, links []frontier.Link) {
	var name string
	var id siteID
	isForeign, known, secret := false, f.known, &f.core.secret
	for i := range links {
		l := &links[i]
		if n := l.URL.Site(); n != name {
			known, secret = f.known, &f.core.secret
			if isForeign = f.opts.Foreign != nil && f.opts.Foreign(n); isForeign {
				known, secret = f.passed.known, f.passed.secret.Load()
			}
			name, id = n, siteID(secret.hash(n))
		}
		key := seenKey{id, secret.hash(l.URL.String())}
		if !l.Force && known.has(key) {
			r.result.Known++
			continue
		}
		if isForeign {
			r.out = append(r.out, outLink{key, l})
			r.result.Passed++
			continue
		}
		r.ops = append(r.ops, op{key: key, link: l})
	}
}
