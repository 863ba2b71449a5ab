package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxTerms bounds how many terms a report lists, and how many overrides each of them.
const maxTerms = 100

// Terms are what runs were made under: everything that makes a verdict mild or strict. A proof is worth what they are.
type Terms struct {
	Job       string         `json:"job,omitempty"` // whose runs, where there are several
	Seq       uint64         `json:"seq"`           // of the record of the first run
	Run       int            `json:"run"`           // number of the first run
	Version   string         `json:"version,omitempty"`
	Product   string         `json:"product"` // the token that groups of robots.txt were matched with
	UserAgent string         `json:"user_agent,omitempty"`
	Key       string         `json:"key,omitempty"`    // that checkpoints are signed with
	Policy    *ledger.Policy `json:"policy,omitempty"` // nil when not recorded
	Overrides []Override     `json:"overrides,omitempty"`
	More      int            `json:"more_overrides,omitempty"` // that are not listed
}

// An Override is what the operator permitted at one site beyond the policy.
type Override struct {
	Seq         uint64        `json:"seq"` // of the record
	Site        string        `json:"site"`
	Connections int           `json:"connections"` // requests at once
	Gap         time.Duration `json:"gap_ns"`
	OwnGap      bool          `json:"own_gap"` // Gap replaces the policy and Crawl-delay
}

// startTerms notes the terms of a run that begins.
func (p *pass) startTerms(e *ledger.Entry) {
	t := Terms{Seq: e.Seq, Run: p.run.number, Version: e.Version, Product: e.Product, UserAgent: e.UserAgent, Key: e.Key,
		Policy: e.Policy}
	if n := len(p.terms); n > 1 && p.terms[n-1].same(&p.terms[n-2]) {
		p.terms = p.terms[:n-1] // the run before had those of the one before it
	}
	if len(p.terms) < maxTerms {
		p.terms = append(p.terms, t)
	}
}

// overrideTerms notes what the operator permits at a site.
func (p *pass) overrideTerms(e *ledger.Entry) {
	if len(p.terms) == 0 || !p.opts.judges(e.Site) {
		return
	}
	t := &p.terms[len(p.terms)-1]
	if len(t.Overrides) >= maxTerms {
		t.More++
		return
	}
	t.Overrides = append(t.Overrides, Override{e.Seq, e.Site, e.Connections, time.Duration(e.Gap), e.GapWhy != ""})
}

// same reports whether two runs were made under the same terms.
func (t *Terms) same(o *Terms) bool {
	if t.Version != o.Version || t.Product != o.Product || t.UserAgent != o.UserAgent || t.Key != o.Key ||
		len(t.Overrides) != len(o.Overrides) {
		return false
	}
	if (t.Policy == nil) != (o.Policy == nil) || t.Policy != nil && *t.Policy != *o.Policy || t.More != o.More {
		return false
	}
	for i, a := range t.Overrides {
		if b := o.Overrides[i]; a.Site != b.Site || a.Connections != b.Connections || a.Gap != b.Gap || a.OwnGap != b.OwnGap {
			return false
		}
	}
	return true
}

// alike reports whether two jobs may have been made with the same settings, whatever they permitted at single sites.
func (t *Terms) alike(o *Terms) bool {
	return t.Product == o.Product && (t.Policy == nil) == (o.Policy == nil) && (t.Policy == nil || *t.Policy == *o.Policy)
}

// String tells the terms in a line.
func (t Terms) String() string {
	var b strings.Builder
	if t.Job != "" {
		b.WriteString(t.Job + ": ")
	}
	fmt.Fprintf(&b, "from run %d on (record %d): product %s", t.Run, t.Seq, t.Product)
	if t.Version != "" {
		fmt.Fprintf(&b, ", version %s", t.Version)
	}
	p := t.Policy
	if p == nil {
		return b.String() + "; the run does not say what it promised"
	}
	fmt.Fprintf(&b, "; robots.txt in the dialect %s, at most %v old", p.Dialect, time.Duration(p.MaxLife))
	if p.UseLastGood {
		b.WriteString(" unless it cannot be had")
	}
	fmt.Fprintf(&b, "; pauses of %v or more, %v times the response up to %v", time.Duration(p.Delay), p.Factor,
		time.Duration(p.MaxDelay))
	fmt.Fprintf(&b, "; Retry-After up to %v", time.Duration(p.MaxRetryAfter))
	if p.MaxRest > 0 {
		fmt.Fprintf(&b, "; a rest of %v to %v after failures", time.Duration(p.Rest), time.Duration(p.MaxRest))
	} else {
		b.WriteString("; rests after failures are not on record")
	}
	if p.PerAddress > 0 {
		fmt.Fprintf(&b, "; %s at once per address", plural(p.PerAddress, "request"))
	} else {
		b.WriteString("; any number of requests at once per address")
	}
	for _, o := range t.Overrides {
		fmt.Fprintf(&b, "; but at %s %s at once", o.Site, plural(o.Connections, "request"))
		if o.OwnGap {
			fmt.Fprintf(&b, " and pauses of %v whatever robots.txt asks", o.Gap)
		}
		fmt.Fprintf(&b, " (record %d)", o.Seq)
	}
	if t.More > 0 {
		fmt.Fprintf(&b, "; and %s more", plural(t.More, "override"))
	}
	return b.String()
}
