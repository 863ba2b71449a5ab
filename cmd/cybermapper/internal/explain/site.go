package explain

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A SiteReport is all that is known of one site, the unit of politeness.
type SiteReport struct {
	Site      string    `json:"site"`
	Now       string    `json:"now"` // why nothing of it is being asked for at this moment
	Until     time.Time `json:"until,omitzero"`
	Queue     *Queue    `json:"queue,omitempty"` // unknown while the crawl runs
	Requests  Requests  `json:"requests"`
	Stops     []Stop    `json:"stops"`
	Rests     Rests     `json:"rests"`
	Robots    RobotsUse `json:"robots"`
	Pauses    []Stretch `json:"pauses"`
	PausesOut int64     `json:"pauses_left_out,omitempty"` // in the middle of Pauses
	Harm      Harm      `json:"harm"`
	Traps     *Traps    `json:"traps"`
	Notes     []string  `json:"notes,omitempty"`

	runEnd   string         // why the last run ended; empty when it did not say
	lastRest crawler.Reason // of Rests
}

// Queue is what the frontier has of a site.
type Queue struct {
	Queued   int64     `json:"queued"`
	Retrying int64     `json:"retrying"`
	Done     int64     `json:"done"`
	Refused  int64     `json:"refused"`
	Failed   int64     `json:"failed"`
	Pages    int64     `json:"pages"`
	Bytes    int64     `json:"bytes"`
	Due      time.Time `json:"due,omitzero"`
	LastEnd  time.Time `json:"last_end,omitzero"`
}

// Requests counts the requests to a site.
type Requests struct {
	All    int64     `json:"all"`
	Robots int64     `json:"robots"` // of these, for robots.txt
	Errors int64     `json:"errors"` // of these, without an answer
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
}

// A Stop is a reason for which URLs of the site, or links from it, were not followed or given up.
type Stop struct {
	Kind   string         `json:"kind"` // "rules", "scope", "traps", "limits", "errors", "address", "url"
	Reason crawler.Reason `json:"reason"`
	Rule   string         `json:"rule,omitempty"` // of the first one
	Count  int64          `json:"count"`
	Sample string         `json:"sample"`
}

// Rests are the times for which a site as a whole was left alone.
type Rests struct {
	Count   int64                    `json:"count"`
	Reasons map[crawler.Reason]int64 `json:"reasons,omitempty"`
	Last    time.Time                `json:"last,omitzero"`
	Until   time.Time                `json:"until,omitzero"` // of the last one
	Detail  string                   `json:"detail,omitempty"`
}

// RobotsUse tells of the robots.txt files of a site: what is known now, what was asked for, and what was obeyed when.
type RobotsUse struct {
	Now      []robots.State  `json:"now,omitempty"` // by origin; unknown while the crawl runs
	Fetches  []RobotsFetch   `json:"fetches"`       // the last ones
	Earlier  int64           `json:"earlier_fetches,omitempty"`
	Versions []RobotsVersion `json:"versions"` // in order of their first use
}

// A RobotsFetch is one request for robots.txt.
type RobotsFetch struct {
	Time   time.Time `json:"time"`
	URL    string    `json:"url"`
	Status int       `json:"status,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// A RobotsVersion is one robots.txt under which requests were made, or the lack of one.
type RobotsVersion struct {
	Digest   string    `json:"digest,omitempty"` // empty when there was no file
	File     string    `json:"file,omitempty"`   // in the job directory
	Reason   string    `json:"reason,omitempty"` // why no file was needed
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Requests int64     `json:"requests"`
}

// Bounds of a SiteReport.
const (
	maxFetches  = 10
	maxVersions = 50
	maxStops    = 100
)

// Site explains a site from the job that v looks at. Known reports whether the job has heard of it.
func Site(ctx context.Context, v *job.View, site string) (r *SiteReport, known bool, err error) {
	c, err := readJobConfig(v)
	if err != nil {
		return nil, false, err
	}
	s := newSiteScan(site, c)
	if err := eachLine(v, s.add, s.keys()...); err != nil {
		return nil, false, err
	}
	r = s.finish()
	known = r.Requests.All > 0 || len(r.Stops) > 0
	out, err := optedOut(v, site)
	if err != nil {
		return nil, false, err
	}
	if v.Frontier == nil {
		r.Now = cmp.Or(out, r.sayFromLedger(v))
		return r, known || out != "", nil
	}
	info, inQueue, err := v.Frontier.Site(ctx, site)
	if err != nil {
		return nil, false, fmt.Errorf("look up site %s: %w", site, err)
	}
	if inQueue {
		engine := c.Crawler()
		r.fromFrontier(&engine, info)
		known = true
	}
	if out != "" {
		r.Now, r.Until, known = out, time.Time{}, true
	}
	return r, known, nil
}

// A siteScan gathers a SiteReport from the ledger.
type siteScan struct {
	*SiteReport
	prefixes [][]byte // of the URLs of the site, as the ledger has them
	pauses   stretches
	stops    map[string]*Stop
	versions map[string]int // in Robots.Versions
}

func newSiteScan(site string, c config.Config) *siteScan {
	s := &siteScan{
		SiteReport: &SiteReport{
			Site: site, Stops: []Stop{}, Pauses: []Stretch{}, Traps: newTraps(site, c),
			Rests:  Rests{Reasons: map[crawler.Reason]int64{}},
			Robots: RobotsUse{Fetches: []RobotsFetch{}, Versions: []RobotsVersion{}},
		},
		pauses: stretches{jitter: float64(c.Politeness.Jitter)},
		stops:  map[string]*Stop{}, versions: map[string]int{},
	}
	for _, start := range []string{"http://" + site, "https://" + site, "http://" + site + ":443", "https://" + site + ":80"} {
		s.prefixes = append(s.prefixes, []byte(`"`+start+"/"))
	}
	return s
}

// keys are those of the records that add looks at.
func (s *siteScan) keys() []ledger.Key {
	return []ledger.Key{ledger.OfHost(s.Site), ledger.OfHost(s.Site + ":443"), ledger.OfHost(s.Site + ":80"), ledger.OfRuns()}
}

// add takes in a record.
func (s *siteScan) add(l line) {
	switch {
	case l.is("type", string(ledger.Request)):
		if l.is("site", s.Site) {
			s.request(l)
		}
	case l.is("type", string(ledger.Refusal)):
		s.refusal(l)
	case l.is("type", string(ledger.Outcome)):
		if s.ofThis(l.raw("url")) && l.is("outcome", "failed") {
			s.stop("errors", l, l.text("url"))
		}
	case l.is("type", string(ledger.Rest)):
		if l.is("site", s.Site) {
			s.rest(l)
		}
	case l.is("type", string(ledger.Run)):
		s.runEnd = ""
		if l.is("event", "stop") {
			s.runEnd = l.text("why")
		}
	}
}

// ofThis reports whether a URL as written, from its quote on, is one of the site.
func (s *siteScan) ofThis(raw []byte) bool {
	return slices.ContainsFunc(s.prefixes, func(p []byte) bool { return bytes.HasPrefix(raw, p) })
}

func (s *siteScan) request(l line) {
	numbers := l.from("start") // what is asked for of every request stands behind it, but for URL and purpose
	start, end := numbers.time("start"), numbers.time("end")
	status := int(numbers.number("status"))
	r := &s.Requests
	r.All++
	r.Last = start
	if r.First.IsZero() {
		r.First = start
	}
	if status == 0 {
		r.Errors++
	}
	s.pauses.add(end, numbers.millis("gap_ms"), numbers.text("gap_why"))
	if l.is("purpose", string(crawler.ForRobots)) {
		r.Robots++
		s.robotsFetch(l, start, status)
		return
	}
	s.robotsVersion(numbers, start)
	if status != 0 {
		answered := end
		if first := numbers.time("first_byte"); !first.IsZero() {
			answered = first
		}
		s.Harm.add(numbers.millis("kept_ms"), numbers.millis("owed_ms"), answered.Sub(start))
	}
}

func (s *siteScan) robotsFetch(l line, at time.Time, status int) {
	u := &s.Robots
	if len(u.Fetches) == maxFetches {
		u.Fetches = append(u.Fetches[:0], u.Fetches[1:]...)
		u.Earlier++
	}
	u.Fetches = append(u.Fetches, RobotsFetch{Time: at, URL: l.text("url"), Status: status,
		Error: cmp.Or(l.text("error_text"), l.text("error"))})
}

// robotsVersion notes under which robots.txt a page was asked for.
func (s *siteScan) robotsVersion(l line, at time.Time) {
	digest, why := l.text("robots_digest"), ""
	if digest == "" {
		why = l.text("robots_reason")
	}
	i, known := s.versions[digest+why]
	if !known {
		if len(s.Robots.Versions) == maxVersions {
			return
		}
		i = len(s.Robots.Versions)
		s.versions[digest+why] = i
		s.Robots.Versions = append(s.Robots.Versions,
			RobotsVersion{Digest: digest, File: job.RobotsFile(digest), Reason: why, First: at})
	}
	v := &s.Robots.Versions[i]
	v.Last, v.Requests = at, v.Requests+1
}

// refusal takes in what was refused of the site, and the links from it that lead too far.
func (s *siteScan) refusal(l line) {
	own := s.ofThis(l.raw("url"))
	if own && s.Traps.isTrap(l) {
		s.Traps.add(l)
	}
	if l.is("reason", string(crawler.ReasonNoindex)) {
		return // the page was visited all the same
	}
	if own || l.is("gate", string(crawler.GateScope)) && s.ofThis(l.raw("via")) {
		s.stop(kindOf(crawler.Gate(l.text("gate"))), l, l.text("url"))
	}
}

// stop counts a reason, the rules of robots.txt one by one.
func (s *siteScan) stop(kind string, l line, url string) {
	reason := crawler.Reason(l.text("reason"))
	key := string(reason)
	if reason == crawler.ReasonDisallowed {
		key += l.text("rule")
	}
	stop := s.stops[key]
	if stop == nil {
		if len(s.stops) == maxStops {
			return
		}
		stop = &Stop{Kind: kind, Reason: reason, Rule: l.text("rule"), Sample: url}
		s.stops[key] = stop
	}
	stop.Count++
}

// kindOf names what a gate stands for.
func kindOf(g crawler.Gate) string {
	switch g {
	case crawler.GateRobots, crawler.GateMeta, crawler.GateAction, crawler.GateOptOut:
		return "rules"
	case crawler.GateTrap:
		return "traps"
	case crawler.GateLimit:
		return "limits"
	}
	return string(g)
}

func (s *siteScan) rest(l line) {
	s.lastRest = crawler.Reason(l.text("reason"))
	s.Rests.Count++
	s.Rests.Reasons[s.lastRest]++
	s.Rests.Last, s.Rests.Until, s.Rests.Detail = l.time("time"), l.time("not_before"), l.text("error_text")
}

// finish puts together what was gathered.
func (s *siteScan) finish() *SiteReport {
	r := s.SiteReport
	for _, stop := range s.stops {
		r.Stops = append(r.Stops, *stop)
	}
	slices.SortFunc(r.Stops, func(a, b Stop) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Rule, b.Rule))
	})
	r.Pauses, r.PausesOut = append(r.Pauses, s.pauses.all...), s.pauses.left
	r.Harm.finish()
	r.Traps.finish()
	return r
}

// fromFrontier takes in what the queue knows, which says how the site stands.
func (r *SiteReport) fromFrontier(c *crawler.Config, s frontier.SiteInfo) {
	r.Queue = &Queue{
		Queued: s.Queued, Retrying: s.Retrying, Done: s.Done, Refused: s.Refused, Failed: s.Failed, Pages: s.Pages, Bytes: s.Bytes,
		Due: s.Due, LastEnd: s.LastEnd,
	}
	known := crawler.KnownRobots(s.Policy)
	for _, origin := range slices.SortedFunc(maps.Keys(known), strings.Compare) {
		r.Robots.Now = append(r.Robots.Now, known[origin])
	}
	now := time.Now()
	r.Now, r.Until = r.stand(s, now)
	if opens, by := c.Opens(s.Site, now); opens.After(now) && s.Queued+s.Retrying > 0 && opens.After(r.Until) {
		r.Now, r.Until = fmt.Sprintf("it is left alone: %s: %s", reasonText(crawler.ReasonHours), by), opens
	}
}
