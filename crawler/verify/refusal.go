package verify

import (
	"slices"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// gates are those that refuse for reasons of the operator, or of the page with the link.
var gates = []string{"url", "action", "scope", "limit", "trap", "sitemap", "address", "meta", "opt-out"}

// otherGate judges what can be told of a refusal by another gate than robots.txt.
func (p *pass) otherGate(e *ledger.Entry, origin string) {
	t := p.tally(Refused)
	switch {
	case !slices.Contains(gates, e.Gate):
		t.lack(e, "was refused by %q, which is not understood", e.Gate)
	case (e.Line > 0) != (e.Digest != ""):
		t.lack(e, "names a line without a file, or a file without a line")
	case e.Digest != "":
		rules := p.kept(e, e.Digest, origin)
		if rules.lack != "" {
			t.lack(e, "%s", rules.lack)
			return
		}
		if _, line := rules.Delay(); e.Reason == "crawl-delay" && line != e.Line {
			t.refute(e, "names line %d; the file asks for pauses in line %d", e.Line, line)
		}
	}
}

// refusal judges a refusal by robots.txt, as requests are judged. What another gate refuses rests on what the operator wants, which
// is nobody's right; only that a file it names is there is asked.
func (p *pass) refusal(e *ledger.Entry) {
	s := p.site(siteOf(e.URL))
	if s == nil {
		return
	}
	from, path := splitURL(e.URL)
	t := p.tally(Refused)
	if e.Gate != "robots" {
		p.otherGate(e, from)
		return
	}
	o, named := s.origin(from), *e
	named.RobotsDigest, named.RobotsReason = e.Digest, string(robots.ReasonRule)
	_, ok := o.decidedBy(&named, e.Time, permitWait, p.run.policy)
	if !ok && p.shared {
		t.lack(e, "rests on %q, which is on record here in no request for the robots.txt of %s: %s", e.Digest, from, atAnotherNode)
		return
	}
	if !ok {
		t.refute(e, "rests on %q; in force was %q %s", e.Digest, o.now.outcome, o.now.digest)
		return
	}
	rules := p.kept(e, e.Digest, from)
	if rules.lack != "" {
		t.lack(e, "%s", rules.lack)
		return
	}
	switch v := rules.Test(path); {
	case v.Allowed:
		t.refute(e, "the file allows it: %s", inWords(v))
	case v.Line != e.Line || !sameRule(e.Rule, v.Rule):
		t.refute(e, "names line %d: %s; the file decides by line %d: %s", e.Line, e.Rule, v.Line, v.Rule)
	case e.Reason != "robots-disallow":
		t.refute(e, "was refused by robots.txt for the reason %q", e.Reason)
	default:
		t.ok()
	}
}
