package audit

import (
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/errorlog"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// Schema names the form of a Report as JSON. Fields may be added to it; when one is removed or changes its meaning, the number does
// too.
const Schema = "cybermapper-audit/2"

// A Report says who visited and whether they kept the rules. Its JSON form is stable; see [Schema]. Durations are in seconds, sizes
// in bytes, moments in UTC. Lists are sorted, the busiest first, and never null.
type Report struct {
	Schema  string          `json:"schema"`
	From    time.Time       `json:"from"` // of the first request, and of the last
	To      time.Time       `json:"to"`
	Log     accesslog.Tally `json:"log"`
	Outside int64           `json:"outside"` // requests that were not in the interval asked for

	HasAgents bool `json:"has_agents"` // the log has a field for the User-Agent; without it robots are known by what they do
	HasTimes  bool `json:"has_times"`  // the log has response times
	HasRules  bool `json:"has_rules"`  // a robots.txt was given
	HasLoad   bool `json:"has_load"`   // the load of the server was given, for some of the time of the log
	// somebody asked for robots.txt; otherwise such requests may not be logged, and nobody is blamed for none
	HasAsking bool `json:"has_robots_txt"`
	// the part of the pages that browsers got images, styles and scripts for which is not in the log, if that is a fifth or more:
	// then it tells only of some requests, and nobody is blamed for what it has not
	Missing float64 `json:"missing_pages,omitempty"`
	// how many robots went on for more than a day without asking for robots.txt, if these are most of those that did ask or are
	// known crawlers of which none asks in time, or of all crawlers, where none asked: then a cache before the server seems to
	// answer for it, or another server, and nobody is blamed for not asking
	Stale int `json:"robots_without_fresh_rules,omitempty"`
	// the hosts of a log that does not say which host was asked, if there are several: nobody is blamed for what robots.txt says
	// then, as each has its own
	Unsaid []string `json:"unsaid_hosts,omitempty"`
	// in how many minutes of the hour all requests are, or all of one of several logs, if these are a few: it has a part of each
	// hour only, or its times were made up, and nobody is blamed for pauses, nor for not asking for robots.txt
	Sliced int `json:"minutes_of_the_hour,omitempty"`

	// since when the robots.txt may have been in force that was given; nothing before is judged
	RulesFrom *time.Time `json:"rules_from,omitempty"`
	RulesWhy  string     `json:"rules_from_because,omitempty"`
	// the hosts at which robots were judged by a robots.txt that names no host, if there are several: each may have its own
	RulesHosts []string `json:"rules_hosts,omitempty"`
	Behind     string   `json:"behind_proxy,omitempty"` // a private address with many behind it, the busiest
	Claimed    int64    `json:"forwarded,omitempty"`    // requests whose client is what X-Forwarded-For says
	// requests of which the log does not say from whom they are, or on lines that are torn or made to look so by a user name
	Nobody int64 `json:"client_unknown,omitempty"`

	Standings []Standing   `json:"visitors"`          // everybody in a line each, the worst first, then the costliest
	Purposes  []PurposeSum `json:"purposes"`          // what pages were taken for
	Referrals []Referral   `json:"referrals"`         // people whom search and answer engines sent, against what their robots took
	Addresses []Address    `json:"busiest_addresses"` // whatever names they used; up to TopNetworks
	Probes    *Probes      `json:"probes,omitempty"`  // requests for what attackers look for

	Total         Sum     `json:"total"`
	Robots        []Robot `json:"robots"`
	UserTriggered []Robot `json:"user_triggered"` // fetchers that act for a person; they have no faults
	Others        []Robot `json:"other_fetchers"` // feed readers, monitors, certificate checks, tools; they have no faults
	OtherRobots   Sum     `json:"other_robots"`   // beyond MaxRobots
	People        People  `json:"people"`
	Crowd         *Crowd  `json:"crowd,omitempty"` // of addresses that get documents only; they are no People
	// say they are browsers, or nothing, and behave as robots do; up to MaxAddresses
	Unusual       []Client     `json:"unusual"`
	UnusualCount  int          `json:"unusual_count"`
	Untracked     int64        `json:"untracked_requests"` // by clients beyond MaxClients
	NewAgents     []NewAgent   `json:"new_agents"`         // up to MaxAddresses
	NewAgentCount int          `json:"new_agent_count"`
	NewBrowsers   int          `json:"new_browsers"` // User-Agents of browsers that would be NewAgents if they named a robot
	Suggestions   []Suggestion `json:"suggestions"`
	Remedy        *Remedy      `json:"remedy,omitempty"` // what to paste, if anybody is to be kept out or slowed
	Visitor       *Visitor     `json:"visitor,omitempty"`
	Faults        []Fault      `json:"faults"` // of all Robots, each kind once

	Networks []Network `json:"networks"` // with more than one client; up to TopNetworks
	// behave as a robot does while no client of them says to be one; up to MaxAddresses
	UnusualNetworks     []Network       `json:"unusual_networks"`
	UnusualNetworkCount int             `json:"unusual_network_count"`
	OtherNetworks       int64           `json:"untracked_networks"` // requests from networks beyond MaxNetworks
	Bearing             *strain.Bearing `json:"bearing,omitempty"`  // if the log has response times

	ErrorLog *errorlog.Log `json:"error_log,omitempty"` // if one was given

	Start   time.Time `json:"intervals_start"` // of the first interval of the series of robots
	Seconds float64   `json:"interval_seconds"`
	Series  []int32   `json:"series"` // requests of all, in each interval
}

// A Sum counts requests.
type Sum struct {
	Requests  int64         `json:"requests"`
	Bytes     int64         `json:"bytes"`
	Status    map[int]int64 `json:"status,omitempty"`
	Timed     int64         `json:"timed,omitempty"`                 // requests of which the response time is known
	MeanTaken float64       `json:"mean_response_seconds,omitempty"` // of those
}

// A Robot is what one robot did on one host.
type Robot struct {
	Token    string    `json:"token"`
	Class    Class     `json:"class"`
	Crawls   string    `json:"crawls,omitempty"`     // what shows that robots.txt speaks to it; without it has no faults
	Not      string    `json:"no_crawler,omitempty"` // or what it does that crawlers do not
	Host     string    `json:"host,omitempty"`       // if the log says
	Identity Identity  `json:"identity,omitempty"`
	Agent    string    `json:"agent"` // the first User-Agent with that token
	Known    bool      `json:"known"` // there is a record that names its owner
	New      bool      `json:"new"`   // first seen in the last tenth of the log, and not only once or twice
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Sum
	Share     float64        `json:"share"` // of all requests
	Addresses []RobotAddress `json:"addresses"`
	Clients   int            `json:"clients"` // all addresses
	Probes    int64          `json:"probes"`  // requests for what attackers look for

	Asking     Asking     `json:"robots_txt"`
	Disallowed Disallowed `json:"disallowed"`
	Turn       *Turn      `json:"turn,omitempty"`  // if Options.Before is given
	Paths      []PathCost `json:"costliest_paths"` // by the time that answers took, or else by bytes
	Pace       Pace       `json:"pace"`
	Repeats    Repeats    `json:"repeats"`
	Effect     *Effect    `json:"effect,omitempty"` // if the log has response times
	// if the log has response times or the load was given, and the robot is worth mention
	Burden *strain.Burden `json:"burden,omitempty"`
	// entries of the error log about an overload that name one of its Addresses, if there is such a log
	Overloads int64 `json:"error_log_entries,omitempty"`

	Faults []Fault  `json:"faults"` // that rest on a rule
	Notes  []string `json:"notes"`  // what may be worth a look, and breaks no rule

	Series []int32      `json:"series"` // requests in each interval
	Hours  [7][24]int64 `json:"hours"`  // requests by weekday, Sunday first, and hour, in UTC

	About      *About      `json:"about,omitempty"`            // if there is a record of it
	Claimed    string      `json:"contact_in_agent,omitempty"` // the first URL or mail address in Agent
	Signatures *Signatures `json:"signatures,omitempty"`       // if it signed requests
	// the command that tells whose it is, if it has faults and that is not known
	Whois string `json:"whois,omitempty"`

	group   []string // rules that speak to it, in the latest robots.txt
	unclear bool     // it got documents as crawlers do, or many from links and disallowed ones, and nothing says that it is one
	// its maker, or that of its kin, publishes what proves the name
	provable bool
	// many run it under this name, and on some host an address asked for robots.txt, and for nothing disallowed
	isDivided bool
}

// A RobotAddress is a client that used the token of a Robot.
type RobotAddress struct {
	Client   string    `json:"client"`
	Requests int64     `json:"requests"`
	Bytes    int64     `json:"bytes"`
	Asked    int64     `json:"robots_txt_requests"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`

	Holder *owner.Owner `json:"network_holder,omitempty"` // who holds its network, if it is known

	broke bool // it asked for what is disallowed
}

// Asking is what a robot did about robots.txt.
type Asking struct {
	Requests  int64     `json:"requests"`
	First     time.Time `json:"first,omitzero"`
	When      When      `json:"when"`
	BeforeLog bool      `json:"may_have_asked_before_log"` // its first page came less than 24 hours after the log begins
	// pages more than 24 hours after both the last request for robots.txt and the beginning of the log
	Unasked   int64     `json:"pages_without_fresh_rules"`
	PerDay    float64   `json:"requests_per_day"` // on the days between its first and last request
	FirstLine *Evidence `json:"first_unasked,omitempty"`
}

// When says whether robots.txt was asked for before anything else.
type When string

// The answers.
const (
	AskedFirst When = "first"
	AskedLater When = "later"
	AskedNever When = "never"
)

// Disallowed are requests for what robots.txt forbids.
type Disallowed struct {
	Count    int64      `json:"count"`             // forbidden in every copy that could be in use, in every reading
	Excused  int64      `json:"excused"`           // allowed by a copy that it may have had for up to 24 hours
	Read     int64      `json:"allowed_otherwise"` // forbidden by RFC 9309, but allowed by another reading that a robot may follow
	Unjudged int64      `json:"not_judged"`        // pages at times of which it is not known what robots.txt said
	Open     int64      `json:"of_unknown_host"`   // pages whose targets name a host of which it is not known whether it is ours
	Evidence []Evidence `json:"evidence"`          // the first MaxEvidence
}

// Evidence is a line of the log, and of robots.txt if one matters.
type Evidence struct {
	File     string    `json:"file"`
	Line     int64     `json:"line"`
	Time     time.Time `json:"time"`
	Client   string    `json:"client,omitempty"`
	Path     string    `json:"path,omitempty"`
	Status   int       `json:"status,omitempty"`
	Robots   string    `json:"robots_txt,omitempty"`
	RuleLine int       `json:"rule_line,omitempty"`
	Rule     string    `json:"rule,omitempty"`
	Reading  string    `json:"readings,omitempty"` // all those in which it is forbidden
	Gap      float64   `json:"gap_seconds,omitempty"`
}

// Pace is how fast a robot went. Pauses are measured between the requests for pages, from one time in the log to the next,
// whichever of its addresses they came from.
type Pace struct {
	PeakSecond   int64      `json:"peak_per_second"`
	PeakMinute   int64      `json:"peak_per_minute"`
	Sustained    float64    `json:"sustained_per_second"` // over its busiest minute
	RapidSeconds int64      `json:"rapid_seconds"`        // seconds with rapid fire
	MedianGap    float64    `json:"median_gap_seconds"`   // to the bound of a class of Gaps
	Asked        float64    `json:"crawl_delay_seconds"`  // that robots.txt asks of it; 0 when it does not
	AskedLine    int        `json:"crawl_delay_line,omitempty"`
	Kept         int64      `json:"gaps_kept"`
	Broken       int64      `json:"gaps_too_short"`
	Clear        int64      `json:"gaps_clearly_short"` // of those: less than half of what was asked for
	ShortestGap  float64    `json:"shortest_gap_seconds"`
	Evidence     []Evidence `json:"evidence"`
	Gaps         []GapClass `json:"gaps"`

	sure pauses
}

// A GapClass counts the pauses up to a length, and longer than the class before.
type GapClass struct {
	UpTo  float64 `json:"up_to_seconds"` // 0 in the last class: any
	Count int64   `json:"count"`
}

// Repeats are answers that a robot has had before: status 200, the same URL, the same size.
type Repeats struct {
	URLs        int64    `json:"urls"`     // told apart
	Requests    int64    `json:"requests"` // for what it had already
	Wasted      int64    `json:"wasted_bytes"`
	NotModified int64    `json:"not_modified"` // answers 304, which cost next to nothing
	Untracked   int64    `json:"untracked"`    // requests in which repeats were not looked for, beyond MaxURLs
	Most        []Repeat `json:"most"`
}

// A Repeat is a URL that was asked for again.
type Repeat struct {
	Path   string `json:"path"`
	Times  int64  `json:"times"` // in all
	Wasted int64  `json:"wasted_bytes"`
}

// Effect compares how fast the site answered everybody else while the robot was there with how fast it did without it. It is a
// hint: both may have a cause in common.
type Effect struct {
	With         float64 `json:"mean_response_seconds_with"`
	WithCount    int64   `json:"responses_with"`
	Without      float64 `json:"mean_response_seconds_without"`
	WithoutCount int64   `json:"responses_without"`
}

// A Fault is a rule that was not kept.
type Fault struct {
	Code    FaultCode `json:"code"`
	Count   int64     `json:"count"`
	Reading string    `json:"reading"` // of the rule
}

// A FaultCode names a kind of fault.
type FaultCode string

// The faults.
const (
	FaultDisallowed FaultCode = "disallowed"  // RFC 9309 section 2.2.2
	FaultDelay      FaultCode = "crawl-delay" // shorter pauses than robots.txt asks for; no standard, but a wish of the owner
	FaultUnasked    FaultCode = "robots-txt"  // pages without a robots.txt that is at most 24 hours old (RFC 9309 section 2.4)
)

// People are clients that say they are browsers and behave so, or say nothing.
type People struct {
	Clients   int64 `json:"clients"`
	Requests  int64 `json:"requests"`
	Documents int64 `json:"documents"` // without what comes with a page: images, styles, scripts; redirects, too
	Assets    int64 `json:"assets"`
	Bytes     int64 `json:"bytes"`
}

// KnowsPeople reports whether anything tells people from others: User-Agents, or the images, styles and scripts that they got.
func (r *Report) KnowsPeople() bool { return r.HasAgents || r.People.Assets > 0 }

// IsUnread reports whether most lines of the log could not be read, so that nothing follows from what they do not show.
func (r *Report) IsUnread() bool { return 2*r.Log.Malformed > r.Log.Lines }

// A Client is one that does not name itself a robot.
type Client struct {
	Client     string     `json:"client"`
	Agent      string     `json:"agent"`
	First      time.Time  `json:"first"`
	Last       time.Time  `json:"last"`
	Requests   int64      `json:"requests"`
	Documents  int64      `json:"documents"` // redirects, too
	Assets     int64      `json:"assets"`
	Bytes      int64      `json:"bytes"`
	PeakMinute int64      `json:"peak_documents_per_minute"`
	Asked      int64      `json:"robots_txt_requests"`
	Disallowed int64      `json:"disallowed"`      // for robots that nobody names (*)
	Evidence   []Evidence `json:"evidence"`        // of that: a few lines
	Why        []string   `json:"why"`             // it is unusual
	Names      int        `json:"names,omitempty"` // User-Agents that it used, if they are so many that they are taken together

	Holder *owner.Owner `json:"network_holder,omitempty"` // who holds its network, if it is known
	Whois  string       `json:"whois,omitempty"`          // the command that tells it, if not
}

// A NewAgent is a User-Agent of a robot or fetcher that was first seen in the last tenth of the log, and not only once or twice.
// Its token may be one that is known.
type NewAgent struct {
	Agent    string    `json:"agent"`
	Token    string    `json:"token"`
	First    time.Time `json:"first"`
	Requests int64     `json:"requests"`
}

// A Suggestion is what the owner of the site could do.
type Suggestion struct {
	Token  string `json:"token"` // of the robot; "all robots" when it is for all
	Why    string `json:"why"`
	Robots string `json:"robots_txt,omitempty"` // lines for robots.txt
	Server string `json:"server,omitempty"`     // settings, in words
	Nginx  string `json:"nginx,omitempty"`      // and as lines for that server
}
