package audit

import (
	"cmp"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// Now says who is here while a log is being written.
type Now struct {
	Time     time.Time  `json:"time"`     // of the log
	Requests int64      `json:"requests"` // of everybody, in the last minute
	People   int        `json:"people"`   // addresses in the last minute that say to be browsers, and are in no line of their own
	Visitors []Presence `json:"visitors"` // robots, and addresses that are faster than people, the fastest first
}

// A Presence is a visitor of the last minute.
type Presence struct {
	Name     string   `json:"name"`           // product token, or address
	Host     string   `json:"host,omitempty"` // if the log says
	Class    Class    `json:"class"`
	Operator string   `json:"operator,omitempty"` // as far as the name is to be believed
	Identity Identity `json:"identity,omitempty"`
	// it came in the last minute; otherwise it is told of because it broke rules since
	Here      bool      `json:"here"`
	Minute    int64     `json:"in_minute"`               // requests in the last minute
	Second    int64     `json:"in_second"`               // in its busiest second of that
	Requests  int64     `json:"requests"`                // of a robot, since the log begins
	Disallows int64     `json:"disallowed"`              // of them, for what robots.txt forbids
	Faults    []Fault   `json:"faults"`                  // rules broken since the log begins
	Latest    *Evidence `json:"latest_broken,omitempty"` // the last line of these; of pauses, of what is shown
}

// maxPresent bounds the addresses of a minute that are told apart.
const maxPresent = 50_000

// present are those who came in the last minute. It is kept when [Options].Live is set.
type present struct {
	newest  int64 // second of the log
	all     recent
	robots  map[*robot]*recent
	clients map[string]*recent
}

// recent are the requests of the last minute, by second.
type recent struct {
	newest  int64
	seconds [64]uint32
}

// newPresent returns nobody; nil if nobody is to be told of.
func newPresent(live bool) *present {
	if !live {
		return nil
	}
	return &present{robots: map[*robot]*recent{}, clients: map[string]*recent{}}
}

// count counts a request of a robot, or of somebody who does not say that it is one. Only documents of those count: a page has many
// images.
func (p *present) count(r *robot, e *accesslog.Entry) {
	if p == nil {
		return
	}
	second := e.Time.Unix()
	p.newest = max(p.newest, second)
	p.all.count(second)
	if r != nil {
		one := p.robots[r]
		if one == nil {
			one = &recent{}
			p.robots[r] = one
		}
		one.count(second)
		return
	}
	name := clientName(e.Client)
	one := p.clients[name]
	switch {
	case one == nil && len(p.clients) >= maxPresent:
		return
	case one == nil:
		one = &recent{}
		p.clients[name] = one
	}
	if !isAsset(e.Target) {
		one.count(second)
	} else {
		one.advance(second)
	}
}

// count counts a request.
func (r *recent) count(second int64) {
	r.advance(second)
	if second > r.newest-int64(len(r.seconds)) {
		r.seconds[second&63]++
	}
}

// advance opens the seconds up to this one, in the places of those that are over.
func (r *recent) advance(second int64) {
	for s := max(r.newest+1, second-int64(len(r.seconds))+1); s <= second; s++ {
		r.seconds[s&63] = 0
	}
	r.newest = max(r.newest, second)
}

// since returns how many there were in the minute that ends with a second, and in the busiest second of it.
func (r *recent) since(second int64) (minute, peak int64) {
	for s := second - 59; s <= min(second, r.newest); s++ {
		if s > r.newest-int64(len(r.seconds)) {
			n := int64(r.seconds[s&63])
			minute, peak = minute+n, max(peak, n)
		}
	}
	return minute, peak
}

// Now says who is here at a moment, which is that of the log: its last lines may be older than the clock says. [Options].Live must
// be set. More requests may be added afterwards.
func (a *Auditor) Now(at time.Time) Now {
	n := Now{Time: at.UTC(), Visitors: []Presence{}}
	p := a.present
	if p == nil {
		return n
	}
	second := max(at.Unix(), p.newest)
	n.Requests, _ = p.all.since(second)
	a.site.hidesAsking, a.site.unsaid = a.stale() > 0, len(a.site.missing.unsaid()) > 0
	for _, r := range a.visitors.robots {
		minute, peak := int64(0), int64(0)
		if one := p.robots[r]; one != nil {
			minute, peak = one.since(second)
		}
		if minute == 0 && !r.mayHaveFaults() {
			delete(p.robots, r)
			continue
		}
		if one := a.presence(r); minute > 0 || len(one.Faults) > 0 {
			one.Here, one.Minute, one.Second = minute > 0, minute, peak
			n.Visitors = append(n.Visitors, one)
		}
	}
	for name, one := range p.clients {
		minute, peak := one.since(second)
		switch {
		case one.newest < second-59:
			delete(p.clients, name)
		case minute > int64(a.o.HumanPace):
			n.Visitors = append(n.Visitors,
				Presence{Name: name, Class: ClassBrowser, Here: true, Minute: minute, Second: peak, Faults: []Fault{}})
		default:
			n.People++
		}
	}
	slices.SortFunc(n.Visitors, func(x, y Presence) int {
		return cmp.Or(cmp.Compare(y.Minute, x.Minute), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Host, y.Host),
			cmp.Compare(x.Identity, y.Identity))
	})
	return n
}

// mayHaveFaults reports whether anything was found that may be one.
func (r *robot) mayHaveFaults() bool {
	return len(r.eras) > 0 || len(r.open) > 0 || r.asked.unasked > 0
}

// presence says who a robot is, and what it broke so far.
func (a *Auditor) presence(r *robot) Presence {
	one := r.judgedSoFar(a)
	p := Presence{
		Name: one.Token, Host: one.Host, Class: one.Class, Identity: one.Identity, Requests: one.Requests,
		Disallows: one.Disallowed.Count, Faults: one.Faults,
	}
	if one.About != nil && one.Identity != Disproved {
		p.Operator = one.About.Owner
	}
	if len(one.Faults) == 0 {
		return p
	}
	if one.Disallowed.Count > 0 {
		p.Latest = r.latest
	}
	if list := one.Pace.Evidence; len(list) > 0 && (p.Latest == nil || list[len(list)-1].Time.After(p.Latest.Time)) {
		p.Latest = &list[len(list)-1]
	}
	return p
}
