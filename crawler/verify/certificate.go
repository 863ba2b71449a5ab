package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Bounds of a certificate. What is beyond is counted, not listed.
const (
	maxDays      = 400
	maxVersions  = 100
	maxForbidden = 200
	maxAgents    = 20
	maxKnown     = 100_000
	maxRulesText = 64 << 10
	maxListed    = 1000
	maxAddresses = 100
)

// A Certificate tells the owner of one site what was done there.
type Certificate struct {
	Site     string    `json:"site"`
	Product  string    `json:"product"`     // the token for robots.txt
	Agents   []string  `json:"user_agents"` // as sent
	Contact  string    `json:"contact,omitempty"`
	First    time.Time `json:"first,omitzero"` // request
	Last     time.Time `json:"last,omitzero"`
	Requests int       `json:"requests"`
	Pages    int       `json:"pages"` // of these; the others were for robots.txt or a TDM file, or probes
	Robots   int       `json:"robots"`
	Bytes    int64     `json:"bytes"`
	Failed   int       `json:"failed"` // got no answer
	Days     []Day     `json:"days"`
	Statuses []Status  `json:"statuses"`

	Gaps      Spread `json:"gaps"`      // from the end of a request to the start of the next
	Responses Spread `json:"responses"` // from the start of a request to its end
	Busiest   int    `json:"busiest"`   // requests in one minute of the clock
	Override  bool   `json:"override"`  // the operator named this site as one with a pace of its own

	Addresses []string `json:"addresses"` // of the site, that were asked; the first ones
	From      []string `json:"from"`      // of the crawler, that asked, as far as it knows; the first ones
	Listed    []Asked  `json:"listed"`    // the first 1,000 requests, to be held against a log

	Versions  []Version   `json:"robots_versions"`
	Forbidden []Forbidden `json:"forbidden"` // what was never asked for, because robots.txt says so
	NotAsked  int         `json:"not_asked"` // how many such refusals there were

	Refusals []Refusals `json:"refusals"` // of links to the site, for other reasons than its robots.txt
	Present  *Present   `json:"present"`  // nil when no robots.txt was found

	Proof *Report `json:"proof"`           // of the promises, for this site only
	Noted *Noted  `json:"noted,omitempty"` // the ledger as of then, to be kept

	Log *Comparison `json:"log,omitempty"` // with the log of the site, if that was asked for
}

// Refusals count links that were not followed.
type Refusals struct {
	Gate   string `json:"gate"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// A Present is what the robots.txt that was found last would have closed of what was requested before.
type Present struct {
	Fetched time.Time `json:"fetched"`
	Checked int       `json:"checked"` // requests
	Closed  int       `json:"closed"`
	First   []Asked   `json:"first"` // the first of them, with the line and rule of now
}

// An Asked is one request, as the log of the site should have it.
type Asked struct {
	Seq     uint64        `json:"seq"` // of the record
	Time    time.Time     `json:"time"`
	URL     string        `json:"url"`
	Purpose string        `json:"purpose"`
	Status  int           `json:"status"` // 0: no answer
	Line    int           `json:"line"`   // of robots.txt that allowed it; 0 when no rule did
	Rule    string        `json:"rule"`   // as written, or why none was needed
	Owed    time.Duration `json:"owed_ns"`
	Kept    time.Duration `json:"kept_ns"` // by the clocks; 0 for the first
}

// A Noted stands for a ledger as of some time.
type Noted struct {
	Head   string `json:"head"` // SIZE@ROOT
	Note   string `json:"note"` // the checkpoint
	Signed bool   `json:"signed"`
}

// Note sets the checkpoint that goes with the certificate.
func (c *Certificate) Note(at checkpoint.Checkpoint) {
	c.Noted = &Noted{at.Short(), string(at.Text()), at.Signed()}
}

// Broken reports whether the record is so damaged that nothing can be told from it.
func (c *Certificate) Broken() bool {
	for _, name := range []Name{Chain, Included} {
		if p := c.Proof.Promise(name); p != nil && p.Verdict == Refuted {
			return true
		}
	}
	return false
}

// A Day is how many requests were made on a day, in UTC.
type Day struct {
	Date     string `json:"date"`
	Requests int    `json:"requests"`
}

// A Status is how often an HTTP status was the answer.
type Status struct {
	Code     int `json:"code"`
	Requests int `json:"requests"`
}

// A Spread sums up durations. It is zero when there were none.
type Spread struct {
	Count int           `json:"count"`
	Least time.Duration `json:"least_ns"`
	Mean  time.Duration `json:"mean_ns"`
	Most  time.Duration `json:"most_ns"`

	sum time.Duration
}

func (s *Spread) add(d time.Duration) {
	if s.Count++; s.Count == 1 {
		s.Least = d
	}
	s.Least, s.Most, s.sum = min(s.Least, d), max(s.Most, d), s.sum+d
	s.Mean = s.sum / time.Duration(s.Count)
}

// A Version is what one request for robots.txt brought.
type Version struct {
	Origin  string         `json:"origin"`
	Fetched time.Time      `json:"fetched"`
	Outcome robots.Outcome `json:"outcome"`
	Status  int            `json:"status"`
	Digest  string         `json:"digest,omitempty"`
	Text    string         `json:"text,omitempty"` // of the file, where it differs from the version before
	Used    int            `json:"used"`           // requests decided by it
}

// Forbidden is a page that was not asked for.
type Forbidden struct {
	URL    string    `json:"url"`
	Time   time.Time `json:"time"`
	Rule   string    `json:"rule"`
	Line   int       `json:"line"`
	Digest string    `json:"digest"`
}

// An UnknownSiteError says that a ledger knows nothing of a site.
type UnknownSiteError struct {
	Site  string
	Known []string // sites that it knows, sorted; not all if there are very many
}

// Error says which site the ledger does not know.
func (e *UnknownSiteError) Error() string {
	return fmt.Sprintf("verify: the ledger knows nothing of %s", e.Site)
}

// Certify collects what was done at a site, named by its host, and with its port unless that is 80 or 443; and proves the
// promises for it. The error is an *UnknownSiteError when the ledger has no record of the site.
func Certify(ctx context.Context, j Job, site string, o Options) (*Certificate, error) {
	o.Site = site
	proof, err := Prove(ctx, j, o)
	if err != nil {
		return nil, err
	}
	c := &certifier{
		c: Certificate{Site: site, Proof: proof}, known: map[string]bool{}, codes: map[int]int{}, days: map[string]int{},
		refusals: map[[2]string]int{}, last: map[string]present{},
	}
	_, err = j.walk(func(e *ledger.Entry) bool {
		if e.Seq <= proof.Records {
			c.record(e)
		}
		return e.Seq < proof.Records && ctx.Err() == nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the ledger: %w", err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !c.known[site] && !c.c.Broken():
		return nil, &UnknownSiteError{site, slices.Sorted(maps.Keys(c.known))}
	}
	if err := c.present(ctx, j); err != nil {
		return nil, err
	}
	if j.Bundle != nil {
		c.c.Note(j.Bundle.anchor())
	}
	return c.finish(j), nil
}

// A certifier goes over a ledger.
type certifier struct {
	c     Certificate
	run   *run
	known map[string]bool
	codes map[int]int
	days  map[string]int

	refusals map[[2]string]int
	last     map[string]present // by origin

	agent  string // of the run under way
	end    moment
	gap    time.Duration // owed after it
	minute time.Time
	count  int
}

func (c *certifier) record(e *ledger.Entry) {
	switch e.Type {
	case ledger.Run:
		c.runRecord(e)
	case ledger.Request:
		if c.knows(e.Site) {
			c.request(e)
		}
	case ledger.Refusal:
		switch site := siteOf(e.URL); {
		case e.Gate != "robots" && site == c.c.Site:
			c.refusals[[2]string{e.Gate, e.Reason}]++
		case e.Gate == "robots" && c.knows(site):
			c.refusal(e)
		}
	}
}

// knows notes that there is a site, and reports whether it is the one in question.
func (c *certifier) knows(site string) bool {
	if site == c.c.Site || len(c.known) < maxKnown {
		c.known[site] = true
	}
	return site == c.c.Site
}

func (c *certifier) runRecord(e *ledger.Entry) {
	switch {
	case e.Event == ledger.EventStart:
		next := &run{start: e.Time, number: 1}
		if c.run != nil {
			next.number = c.run.number + 1
		}
		c.run, c.agent, c.c.Product = next, e.UserAgent, e.Product
		next.product, next.policy = e.Product, e.Policy
	case e.Event == ledger.EventOverride && e.Site == c.c.Site:
		c.c.Override = true
	}
}

func (c *certifier) request(e *ledger.Entry) {
	s := &c.c
	if s.Requests++; s.Requests == 1 {
		s.First = e.Start
	}
	s.Last, s.Bytes = e.End, s.Bytes+e.Bytes
	if !slices.Contains(s.Agents, c.agent) && len(s.Agents) < maxAgents {
		s.Agents = append(s.Agents, c.agent)
		s.Contact = contactOf(c.agent)
	}
	if c.codes[e.Status]++; e.Status == 0 {
		s.Failed++
	}
	c.days[e.Start.UTC().Format(time.DateOnly)]++
	start, end := c.run.moments(e)
	asked := Asked{
		Seq: e.Seq, Time: e.Start, URL: e.URL, Purpose: e.Purpose, Status: e.Status, Line: e.RobotsLine,
		Rule: cmp.Or(e.RobotsRule, e.RobotsReason), Owed: c.gap,
	}
	if c.end.run != 0 {
		asked.Kept = start.sub(c.end)
		s.Gaps.add(asked.Kept)
	}
	if len(s.Listed) < maxListed {
		s.Listed = append(s.Listed, asked)
	}
	if at, err := netip.ParseAddrPort(e.Address); err == nil && len(s.Addresses) < maxAddresses {
		if ip := at.Addr().String(); !slices.Contains(s.Addresses, ip) {
			s.Addresses = append(s.Addresses, ip)
		}
	}
	if e.From != "" && len(s.From) < maxAddresses && !slices.Contains(s.From, e.From) {
		s.From = append(s.From, e.From)
	}
	c.end, c.gap = end, time.Duration(e.Gap)
	s.Responses.add(end.sub(start))
	if m := e.Start.Truncate(time.Minute); !m.Equal(c.minute) {
		c.minute, c.count = m, 0
	}
	c.count++
	s.Busiest = max(s.Busiest, c.count)
	c.purpose(e)
}

// purpose counts what a request was for.
func (c *certifier) purpose(e *ledger.Entry) {
	s := &c.c
	switch e.Purpose {
	case forRobots:
		s.Robots++
		c.found(e)
		if siteOf(e.Origin) == s.Site && e.Outcome != "" && len(s.Versions) < maxVersions {
			s.Versions = append(s.Versions, Version{
				Origin: e.Origin, Fetched: e.End, Outcome: robots.Outcome(e.Outcome), Status: e.Status, Digest: e.Digest,
			})
		}
		return
	case forPage:
		s.Pages++
	}
	for i := len(s.Versions) - 1; i >= 0; i-- {
		if v := &s.Versions[i]; v.Digest == e.RobotsDigest && strings.HasPrefix(e.URL, v.Origin+"/") &&
			v.Outcome != robots.Redirected {
			v.Used++
			return
		}
	}
}

func (c *certifier) refusal(e *ledger.Entry) {
	c.c.NotAsked++
	if len(c.c.Forbidden) < maxForbidden && !slices.ContainsFunc(c.c.Forbidden, func(f Forbidden) bool { return f.URL == e.URL }) {
		c.c.Forbidden = append(c.c.Forbidden, Forbidden{e.URL, e.Time, e.Rule, e.Line, e.Digest})
	}
}

// finish puts the counts in order and adds the texts of the files.
func (c *certifier) finish(j Job) *Certificate {
	s := &c.c
	for _, code := range slices.Sorted(maps.Keys(c.codes)) {
		s.Statuses = append(s.Statuses, Status{code, c.codes[code]})
	}
	dates := slices.Sorted(maps.Keys(c.days))
	for _, date := range dates[max(0, len(dates)-maxDays):] {
		s.Days = append(s.Days, Day{date, c.days[date]})
	}
	for _, key := range slices.SortedFunc(maps.Keys(c.refusals), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(c.refusals[b], c.refusals[a]), slices.Compare(a[:], b[:]))
	}) {
		if s.Refusals = append(s.Refusals, Refusals{key[0], key[1], c.refusals[key]}); len(s.Refusals) == maxVersions {
			break
		}
	}
	shown := map[string]bool{}
	for i := range s.Versions {
		v := &s.Versions[i]
		if v.Digest == "" || shown[v.Digest] {
			continue
		}
		shown[v.Digest] = true
		if body, err := j.robotsFile(v.Digest); err == nil {
			v.Text = strings.ToValidUTF8(string(body[:min(len(body), maxRulesText)]), "\uFFFD")
		}
	}
	return s
}

// contactOf returns the contact in a User-Agent: what follows a plus sign in its comment.
func contactOf(agent string) string {
	_, contact, _ := strings.Cut(agent, "+")
	if i := strings.IndexAny(contact, ";)"); i >= 0 {
		contact = contact[:i]
	}
	return strings.TrimSpace(contact)
}
