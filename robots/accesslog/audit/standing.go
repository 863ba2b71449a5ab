package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A Standing is a visitor in one line: who it is, what it costs, what it broke, and what that comes to. It is of a robot or fetcher
// on all hosts, of people, of a client or a network that behaves like a robot, or of a Crowd.
type Standing struct {
	Name      string   `json:"name"`
	Class     Class    `json:"class"`
	Purpose   Purpose  `json:"purpose"`
	Operator  string   `json:"operator,omitempty"` // who runs it; of a disproved name whose name it is
	Identity  Identity `json:"identity,omitempty"` // whether the name is proved
	Checkable bool     `json:"checkable"`          // its maker publishes what could prove it
	Requests  int64    `json:"requests"`
	Bytes     int64    `json:"bytes"`
	Share     float64  `json:"share_of_requests"`
	ByteShare float64  `json:"share_of_bytes"`
	TimeShare float64  `json:"share_of_time"` // that answers took; 0 in a log without response times
	Faults    []Fault  `json:"faults"`
	Verdict   Verdict  `json:"verdict"`
	Action    string   `json:"action"` // what to do, in a few words
}

// A Verdict is what a Standing comes to, in a word.
type Verdict string

// The verdicts, the worst first.
const (
	VerdictBurden   Verdict = "burden"       // the site suffered while it was there
	VerdictBreaks   Verdict = "breaks rules" // with evidence
	VerdictDoubtful Verdict = "doubtful"     // rules were broken under a name that can be checked and was not
	VerdictBorrowed Verdict = "not genuine"  // the name is somebody else's
	VerdictHides    Verdict = "hides"        // behaves like a robot and says to be a browser, or nothing where the log has names
	VerdictProbes   Verdict = "probes"       // looks mostly for what attackers look for
	VerdictUnclear  Verdict = "unclear"      // it may be a crawler, an app or a tool
	VerdictCostly   Verdict = "costly"       // a tenth or more of requests, bytes or time
	VerdictFine     Verdict = "fine"
	VerdictPeople   Verdict = "people"
)

var verdictOrder = []Verdict{
	VerdictBurden, VerdictBreaks, VerdictDoubtful, VerdictBorrowed, VerdictHides, VerdictProbes, VerdictUnclear, VerdictCostly,
	VerdictFine, VerdictPeople,
}

// A Purpose is what pages are taken for.
type Purpose string

// The purposes.
const (
	PurposeSearch     Purpose = "search"
	PurposeTraining   Purpose = "training"
	PurposeAnswers    Purpose = "answers"
	PurposeArchive    Purpose = "archive"
	PurposeSEO        Purpose = "SEO"
	PurposeMonitoring Purpose = "monitoring"
	PurposePreview    Purpose = "preview"
	PurposeFeeds      Purpose = "feeds"
	PurposeReading    Purpose = "reading" // of people
	PurposeOther      Purpose = "other"
	PurposeUnknown    Purpose = "unknown"
)

// purposeOf returns the purpose that a record in the roster names, the one that owners of sites ask about first; else that of the
// class.
func purposeOf(class Class, recorded string) Purpose {
	for _, p := range []struct {
		word    string
		purpose Purpose
	}{
		{"training", PurposeTraining}, {"answers", PurposeAnswers}, {"archiving", PurposeArchive}, {"statistics", PurposeSEO},
		{"indexing", PurposeSearch}, {"preview", PurposePreview}, {"maintenance", PurposeMonitoring}, {"advertising", PurposeOther},
	} {
		if strings.Contains(strings.ToLower(recorded), p.word) {
			return p.purpose
		}
	}
	switch class {
	case ClassMonitor, ClassCertificate:
		return PurposeMonitoring
	case ClassFeedReader:
		return PurposeFeeds
	case ClassPreview:
		return PurposePreview
	case ClassTool:
		return PurposeOther
	case ClassBrowser, ClassUnnamed:
		return PurposeReading
	}
	return PurposeUnknown
}

// maxStandings bounds the clients and networks that have a line of their own.
const maxStandings = 5

// addStandings sums up everybody in a line each, the worst first, then the costliest.
func (a *Auditor) addStandings(r *Report) {
	by := map[string]*Standing{}
	for _, one := range slices.Concat(r.Robots, r.UserTriggered, r.Others) {
		key := strings.ToLower(one.Token) + " " + string(one.Identity)
		s := by[key]
		if s == nil {
			s = &Standing{Name: one.Token, Class: one.Class, Identity: one.Identity, Verdict: VerdictFine, Faults: []Fault{}}
			recorded := ""
			if one.About != nil {
				s.Operator, recorded = one.About.Owner, one.About.Purpose
			}
			s.Checkable = one.provable
			s.Purpose = purposeOf(one.Class, recorded)
			by[key] = s
		}
		s.addRobot(r, one)
	}
	list := make([]Standing, 0, len(by)+maxStandings)
	for _, s := range by {
		list = append(list, *s)
	}
	list = append(list, a.hidden(r)...)
	p := r.People
	rest := Standing{Name: "people", Class: ClassBrowser, Purpose: PurposeReading, Requests: p.Requests, Bytes: p.Bytes,
		Faults: []Fault{}, Verdict: VerdictPeople, Action: "nothing"}
	if !r.KnowsPeople() && p.Requests > 0 {
		rest.Name, rest.Class, rest.Purpose = "anybody", ClassUnnamed, PurposeUnknown
		rest.Verdict, rest.Action = VerdictUnclear, logAgents
	}
	list = append(list, rest)
	list[len(list)-1].setShares(r, a.site.people)
	slices.SortFunc(list, func(x, y Standing) int {
		return cmp.Or(cmp.Compare(slices.Index(verdictOrder, x.Verdict), slices.Index(verdictOrder, y.Verdict)),
			cmp.Compare(y.cost(), x.cost()), cmp.Compare(x.Name, y.Name))
	})
	r.Standings = list
	r.addPurposes()
}

// addRobot takes in what a robot did on one host.
func (s *Standing) addRobot(r *Report, one Robot) {
	s.Requests += one.Requests
	s.Bytes += one.Bytes
	time := s.TimeShare*r.Total.taken() + one.taken()
	s.setShares(r, time)
	for _, f := range one.Faults {
		s.Faults = addFault(s.Faults, f)
	}
	if one.Crawls != "" {
		s.Class = ClassRobot
	}
	was := slices.Index(verdictOrder, s.Verdict)
	if now := s.verdict(one); slices.Index(verdictOrder, now) < was || s.Action == "" {
		s.Verdict = now
	}
	s.Action = s.action(one)
}

// taken is how long all answers took, in seconds.
func (s Sum) taken() float64 { return s.MeanTaken * float64(s.Timed) }

// setShares sets the shares of everything; time is in seconds.
func (s *Standing) setShares(r *Report, time float64) {
	part := func(n, of float64) float64 { return math.Min(1, n/math.Max(of, 1e-9)) }
	s.Share, s.ByteShare, s.TimeShare = part(float64(s.Requests), float64(r.Total.Requests)),
		part(float64(s.Bytes), float64(r.Total.Bytes)), part(time, r.Total.taken())
}

// cost is the largest of the shares.
func (s *Standing) cost() float64 { return max(s.Share, s.ByteShare, s.TimeShare) }

func (s *Standing) verdict(one Robot) Verdict {
	switch {
	case one.isBurden():
		return VerdictBurden
	case s.Identity == Disproved:
		return VerdictBorrowed
	case len(s.Faults) > 0 && s.Identity == Unchecked && s.Checkable:
		return VerdictDoubtful
	case len(s.Faults) > 0:
		return VerdictBreaks
	case one.isProber():
		return VerdictProbes
	case one.unclear:
		return VerdictUnclear
	case s.cost() >= worthShare && s.Requests >= fewDocuments:
		return VerdictCostly
	}
	return VerdictFine
}

// action says what to do about a robot.
func (s *Standing) action(one Robot) string {
	asked := one.Asking.When != AskedNever && one.Class.mayCrawl() // robots.txt speaks to nobody else
	switch s.Verdict {
	case VerdictBurden:
		return "limit its pace"
	case VerdictBorrowed:
		return "block its addresses"
	case VerdictBreaks:
		switch {
		case one.isDivided && !slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Code == FaultDisallowed }):
			return "limit its pace" // it is nobody's in particular
		case one.isDivided:
			return "block the addresses that break them, not the name"
		case asked:
			return "write to its owner"
		}
		return "block it, or write to its owner"
	case VerdictDoubtful:
		return "check the name (--ranges, --dns); if it is genuine, write to its owner"
	case VerdictProbes:
		return "block its addresses, unless it is yours: it looks for holes"
	case VerdictUnclear:
		return "find out whose it is; limit its pace if it costs too much"
	case VerdictCostly:
		switch {
		case s.Class == ClassMonitor:
			return "have it look less often, if it is yours"
		case asked:
			return "ask it in robots.txt to be slower, or close costly paths"
		}
		return "limit its pace"
	}
	return "nothing"
}

// logAgents is what to do about those of whom a log does not say who they are.
const logAgents = "let the server log User-Agents, which say whose it is"

// trustProxies is what to do about addresses that anybody may have written into X-Forwarded-For.
const trustProxies = "say --trusted-proxies: anybody may have written this address"

// hidden are the lines of those who behave like robots and do not say so. In a log without User-Agents they may have.
func (a *Auditor) hidden(r *Report) (list []Standing) {
	add := func(name string, requests, bytes int64, action string) {
		s := Standing{Name: name, Class: ClassUnknown, Purpose: PurposeUnknown, Requests: requests, Bytes: bytes, Faults: []Fault{},
			Verdict: VerdictHides, Action: action}
		switch {
		case !r.HasAgents:
			s.Verdict, s.Action = VerdictUnclear, logAgents
		case r.Claimed > 0:
			s.Verdict, s.Action = VerdictUnclear, trustProxies
		}
		s.setShares(r, 0)
		list = append(list, s)
	}
	if c := r.Crowd; c != nil {
		add(fmt.Sprintf("crowd of %d", c.Addresses), c.Requests, c.Bytes,
			"limit documents for those who get nothing else; ask for a proof of work")
	}
	for _, n := range r.UnusualNetworks[:min(len(r.UnusualNetworks), maxStandings)] {
		add(n.Prefix, n.Requests, n.Bytes, "limit the pace of the network")
	}
	for _, c := range r.Unusual[:min(len(r.Unusual), maxStandings)] {
		action := "limit the pace of the address"
		if c.Requests < fewDocuments {
			action = "nothing, while it asks for so little"
		}
		add(c.Client, c.Requests, c.Bytes, action)
	}
	return list
}

// A PurposeSum is what was taken for one purpose.
type PurposeSum struct {
	Purpose  Purpose `json:"purpose"`
	Visitors int     `json:"visitors"`
	Requests int64   `json:"requests"`
	Bytes    int64   `json:"bytes"`
	Share    float64 `json:"share_of_requests"`
}

// addPurposes sums up by purpose.
func (r *Report) addPurposes() {
	by := map[Purpose]*PurposeSum{}
	for _, s := range r.Standings {
		p := by[s.Purpose]
		if p == nil {
			p = &PurposeSum{Purpose: s.Purpose}
			by[s.Purpose] = p
		}
		p.Visitors++
		p.Requests += s.Requests
		p.Bytes += s.Bytes
		p.Share += s.Share
	}
	r.Purposes = []PurposeSum{}
	for _, p := range slices.SortedFunc(maps.Values(by), func(x, y *PurposeSum) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Purpose, y.Purpose))
	}) {
		r.Purposes = append(r.Purposes, *p)
	}
}
