package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// ReplayOptions say with which rules decisions are taken again. The zero value takes the files of the time.
type ReplayOptions struct {
	// Robots replaces the robots.txt of sites, named as in Certify. When it is not empty only the decisions about these
	// sites are taken again.
	Robots  map[string][]byte
	Rules   int // bytes, about, of robots.txt kept in memory; default 64 MiB
	Samples int // kept of each kind; default 20
}

// A Change is how a decision taken again differs from the one on record.
type Change string

// The changes.
const (
	Same       Change = "same"
	NowClosed  Change = "allowed, now forbidden"
	NowOpen    Change = "forbidden, now allowed"
	OtherLine  Change = "another line" // decides, to the same effect
	CannotTell Change = "cannot tell"  // the file is missing
)

// Changes lists all of them but Same.
func Changes() []Change { return []Change{NowClosed, NowOpen, OtherLine, CannotTell} }

// A Replayed is what came of taking decisions again.
type Replayed struct {
	Format    int              `json:"format"`
	Decisions int64            `json:"decisions"`
	Counts    map[Change]int64 `json:"counts"`
	Samples   []Sample         `json:"samples"` // the first ones of each change, in the order of Changes
	Records   uint64           `json:"records"`
	Head      string           `json:"head"`
	Broken    string           `json:"broken,omitempty"` // where the chain of the ledger breaks; nothing behind was read
}

// A Sample is one decision that comes out differently.
type Sample struct {
	Seq    uint64 `json:"seq"`
	URL    string `json:"url"`
	Change Change `json:"change"`
	Was    string `json:"was"`
	Now    string `json:"now"`
}

// Replay takes every decision on record again: with the rule engine of today and the robots.txt in force then, or another one. It
// changes nothing and may run beside a crawl. The error is an *UnknownSiteError when a site in ReplayOptions.Robots is not
// in the ledger.
func Replay(ctx context.Context, j Job, o ReplayOptions) (*Replayed, error) {
	r := newReplayer(j, o)
	report, err := j.walk(func(e *ledger.Entry) bool {
		r.record(e)
		return ctx.Err() == nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the ledger: %w", err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case report.Bad != nil && report.Bad.Format != 0:
		return nil, fmt.Errorf("%w: %w", ErrFormat, report.Bad)
	case report.Bad != nil:
		r.out.Broken = report.Bad.Error()
	case report.Records == 0:
		return nil, ErrNoLedger
	}
	for _, site := range slices.Sorted(maps.Keys(o.Robots)) {
		if !r.known[site] {
			return nil, &UnknownSiteError{site, slices.Sorted(maps.Keys(r.known))}
		}
	}
	r.out.Records, r.out.Head = report.Records, report.Head
	for _, c := range Changes() {
		r.out.Samples = append(r.out.Samples, r.samples[c]...)
	}
	return &r.out, nil
}

// A replayer goes over a ledger.
type replayer struct {
	opts    ReplayOptions
	files   files
	other   map[ruleKey]*robots.Rules // by origin, of the sites that have another robots.txt
	known   map[string]bool
	product string
	dialect string
	samples map[Change][]Sample
	out     Replayed
}

func newReplayer(j Job, o ReplayOptions) *replayer {
	o.Rules = cmp.Or(max(o.Rules, 0), 64<<20)
	o.Samples = cmp.Or(max(o.Samples, 0), 20)
	return &replayer{
		opts: o, files: files{jobs: []Job{j}, most: o.Rules}, other: map[ruleKey]*robots.Rules{}, known: map[string]bool{},
		samples: map[Change][]Sample{}, out: Replayed{Format: 1, Counts: map[Change]int64{}, Samples: []Sample{}},
	}
}

func (r *replayer) record(e *ledger.Entry) {
	was := robots.Verdict{Digest: e.RobotsDigest, Line: e.RobotsLine, Rule: e.RobotsRule, Reason: robots.Reason(e.RobotsReason),
		Allowed: true}
	switch {
	case e.Type == ledger.Run && e.Event == ledger.EventStart:
		r.product, r.dialect = e.Product, robots.Cautious.String()
		if e.Policy != nil {
			r.dialect = e.Policy.Dialect
		}
		return
	case e.Type == ledger.Refusal && e.Gate == "robots":
		was = robots.Verdict{Digest: e.Digest, Line: e.Line, Rule: e.Rule, Reason: robots.ReasonRule}
	case e.Type != ledger.Request || e.Purpose == forRobots:
		return
	}
	site := siteOf(e.URL)
	if len(r.known) < maxKnown || r.opts.Robots[site] != nil {
		r.known[site] = true
	}
	if _, ok := r.opts.Robots[site]; ok || len(r.opts.Robots) == 0 {
		r.decide(e, site, was)
	}
}

// decide takes one decision again.
func (r *replayer) decide(e *ledger.Entry, site string, was robots.Verdict) {
	now, lack := r.verdict(e.URL, site, was)
	change := Same
	switch {
	case lack != "":
		change = CannotTell
	case was.Allowed && !now.Allowed:
		change = NowClosed
	case !was.Allowed && now.Allowed:
		change = NowOpen
	case was.Line != now.Line:
		change = OtherLine
	}
	r.out.Decisions++
	r.out.Counts[change]++
	if change != Same && len(r.samples[change]) < r.opts.Samples {
		r.samples[change] = append(r.samples[change], Sample{e.Seq, e.URL, change, inWords(was), cmp.Or(lack, inWords(now))})
	}
}

// verdict returns what is decided now, or why that cannot be told.
func (r *replayer) verdict(url, site string, was robots.Verdict) (v robots.Verdict, lack string) {
	origin, path := splitURL(url)
	key := ruleKey{digest: was.Digest, origin: origin, product: r.product, dialect: r.dialect}
	if body, ok := r.opts.Robots[site]; ok {
		return r.replaced(key, body).Test(path), ""
	}
	if was.Digest == "" {
		return was, "" // there was no file, and that is all there is to it
	}
	rules := r.files.of(key)
	if rules.lack != "" {
		return v, rules.lack
	}
	return rules.Test(path), ""
}

// replaced returns the rules of a file that takes the place of the one in force.
func (r *replayer) replaced(key ruleKey, body []byte) *robots.Rules {
	key.digest = ""
	if rules, ok := r.other[key]; ok {
		return rules
	}
	dialect, _ := robots.ParseDialect(key.dialect) // Cautious if there is no such dialect
	rules := robots.Parse(body, dialect).RulesFor(key.origin, key.product)
	r.other[key] = rules
	return rules
}

// inWords says what was decided, and by what.
func inWords(v robots.Verdict) string {
	effect := "forbidden"
	if v.Allowed {
		effect = "allowed"
	}
	if v.Line > 0 {
		return fmt.Sprintf("%s by line %d: %s", effect, v.Line, v.Rule)
	}
	return fmt.Sprintf("%s (%s)", effect, v.Reason)
}
