package audit

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"github.com/cybermapper/cybermapper/robots/accesslog/errorlog"
	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// Options say how to audit. The zero value judges nothing that needs a robots.txt. Of a number, zero means the default, which the
// field names, and so does a negative one, for every number bounds memory or measures what is told; but that there are networks can
// be switched off.
type Options struct {
	Copies []Copy // robots.txt as it was over time; none means that no rules are known
	// is this client whom it claims to be? Nil means unchecked; asked once for each
	Identify func(token, client string) Identity
	Load     []strain.Sample // what was measured of the server, in order of time
	ErrorLog *errorlog.Log   // of the same server and time; nil for none
	Visitor  string          // tell the sessions of this client or product token too
	From, To time.Time       // only requests from From on and before To; zero is no bound
	Before   time.Time       // if not zero, what was before is compared with what came since
	Live     bool            // Now may be asked while the log is read
	// if not nil, is given the line of each request that counts; must not keep text
	Keep func(file string, line int64, text []byte)

	Roster     *roster.List       // what is known of robots; nil means what is bundled
	Owners     *owner.Table       // whose networks are whose; nil means that this is not known
	Signatures *signature.Checker // checks signed requests; nil means that no keys are known

	Rapid        int           // more requests than this in one second are rapid fire; default 5
	HumanPace    int           // more documents than this in one minute are more than a person reads; default 30
	Slower       float64       // answers that take so many times as long as usual are slow; default 2
	NetworkBits4 int           // of an IPv4 address that name its network; default 24; negative for no networks
	NetworkBits6 int           // of an IPv6 address; default 48; negative for no networks
	Disorder     time.Duration // lines may be so much out of order; default 10s
	Pause        time.Duration // so long a silence ends a session; default 30m
	MaxRobots    int           // robots told apart, by token and host; the others are summed up; default 1,000
	MaxClients   int           // clients told apart, of which people leave a tenth to robots; default 150,000
	MaxAgents    int           // User-Agents remembered; default 10,000
	MaxURLs      int           // URLs in which repeats are found, over all robots; default 300,000
	MaxEvidence  int           // lines shown for each kind of fault of a robot; default 20
	MaxAddresses int           // clients listed for each robot, and unusual ones; default 20
	MaxSteps     int           // requests listed of the visitor; default 2,000
	MaxNetworks  int           // networks told apart; the others are summed up; default 50,000
	TopNetworks  int           // networks listed; default 20
	MaxMinutes   int           // minutes in which the site's answers are measured, whole hours of them; default 100,000
}

func (o Options) withDefaults() Options {
	if o.Roster == nil {
		o.Roster = roster.Known()
	}
	o.Rapid = cmp.Or(max(o.Rapid, 0), 5)
	o.HumanPace = cmp.Or(max(o.HumanPace, 0), 30)
	o.Disorder = cmp.Or(max(o.Disorder, 0), 10*time.Second)
	o.Pause = cmp.Or(max(o.Pause, 0), 30*time.Minute)
	o.MaxRobots = cmp.Or(max(o.MaxRobots, 0), 1000)
	o.MaxClients = cmp.Or(max(o.MaxClients, 0), 150_000)
	o.MaxAgents = cmp.Or(max(o.MaxAgents, 0), 10_000)
	o.MaxURLs = cmp.Or(max(o.MaxURLs, 0), 300_000)
	o.MaxEvidence = cmp.Or(max(o.MaxEvidence, 0), 20)
	o.MaxAddresses = cmp.Or(max(o.MaxAddresses, 0), 20)
	o.MaxSteps = cmp.Or(max(o.MaxSteps, 0), 2000)
	o.Slower = cmp.Or(max(o.Slower, 0), 2)
	o.NetworkBits4 = cmp.Or(o.NetworkBits4, 24)
	o.NetworkBits6 = cmp.Or(o.NetworkBits6, 48)
	o.MaxNetworks = cmp.Or(max(o.MaxNetworks, 0), 50_000)
	o.TopNetworks = cmp.Or(max(o.TopNetworks, 0), 20)
	o.MaxMinutes = cmp.Or(max(o.MaxMinutes, 0), 100_000)
	return o
}

// Bounds that nobody needs to change.
const (
	maxPending  = 4096 // requests of one robot that wait to be put in order
	maxText     = 1024 // of a path or a name that is kept
	maxRepeated = 1000 // URLs of one robot whose name is kept because they were asked for again
	maxShown    = 10   // of those

	browsersPerAgent = 10 // browsers beyond MaxAgents that are known by a hash, for each of MaxAgents
)

// An Identity says whether a client is whom it claims to be.
type Identity string

// The identities.
const (
	Unchecked Identity = ""
	Confirmed Identity = "confirmed" // by published ranges, by DNS or by a signature
	Disproved Identity = "disproved" // its maker publishes where it comes from, and that is elsewhere; or its signature is wrong
)

// clip copies a text, up to maxText bytes of it, without what turns the direction of text: nothing in a log may look like our
// words.
func clip(s []byte) string {
	text := strings.ToValidUTF8(string(s[:min(len(s), maxText)]), "\uFFFD")
	if strings.IndexFunc(text, turns) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		if turns(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// turns reports whether a character changes the direction of text, or begins a line without being a control character.
func turns(r rune) bool {
	return r > 0x80 && (r == 0x85 || r == 0x2028 || r == 0x2029 || unicode.Is(unicode.Bidi_Control, r))
}
