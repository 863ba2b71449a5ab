package audit

import (
	"math"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
)

// Signatures are what became of the requests that a robot signed (RFC 9421, Web Bot Auth).
type Signatures struct {
	Signed    int64                      `json:"signed"`
	Confirmed int64                      `json:"confirmed"`
	Disproved int64                      `json:"bad"` // the log has all that they cover, and they are not of the key that they name
	Unchecked int64                      `json:"not_checkable"`
	Why       map[signature.Reason]int64 `json:"not_checkable_because"`
	Evidence  []Evidence                 `json:"evidence"`                  // the first MaxEvidence of those that are bad
	Agent     string                     `json:"signature_agent,omitempty"` // where the first that says so says that its keys are
}

// A checked signature is what became of it, and where it says that its key is.
type checked struct {
	signature.Result
	agent string
}

// checkSignature checks the signature of a request; nil if there is none.
func (a *Auditor) checkSignature(g *agent, e *accesslog.Entry, line []byte) *checked {
	sent, err := accesslog.ParseSent(line)
	switch {
	case err != nil:
		return &checked{Result: signature.Result{Why: signature.NotLogged}}
	case sent.Header["signature-input"] == nil:
		return nil
	}
	r := signature.Request{
		Time: e.Time, Method: string(e.Method), Authority: sent.Host, Target: sent.Target, Header: sent.Header,
		AuthorityAsSent: sent.Host != "", TargetAsSent: strings.HasPrefix(sent.Target, "/"),
	}
	if !r.AuthorityAsSent {
		r.Authority = string(e.Host)
	}
	if !r.TargetAsSent {
		r.Target = string(e.Target)
	}
	c := &checked{signature.Result{Why: signature.NoKey}, r.Agent()}
	if a.o.Signatures != nil {
		c.Result = a.o.Signatures.Check(g.token, &r)
	}
	return c
}

// proven returns what is known of a client after one of its requests, whose signature is s if it has one. A signature that is right
// says more than an address, and one that is wrong says less.
func proven(id Identity, s *checked) Identity {
	switch {
	case s == nil:
	case s.Verdict == signature.Confirmed:
		return Confirmed
	case s.Verdict == signature.Disproved && id == Unchecked:
		return Disproved
	}
	return id
}

// identify takes in what the signature of a request says of a client. If that is more than was known before, the client goes on as
// what it was shown to be; what it did until then stays with what it was taken for.
func (a *Auditor) identify(u *unit, c *client, e *accesslog.Entry, s *checked) {
	if c.robot == nil {
		if a.visitors.signing == nil {
			a.visitors.signing = map[*client]int64{}
		}
		if _, ok := a.visitors.signing[c]; ok || len(a.visitors.signing) < a.o.MaxClients {
			a.visitors.signing[c]++
		}
		return
	}
	id := proven(c.robot.identity, s)
	if id == c.robot.identity {
		return
	}
	r := a.robot(u, c.agent, e.Host, id)
	if r == nil {
		return
	}
	if c.requests == 0 {
		c.robot.clients--
	} else {
		before := *c
		a.visitors.former = append(a.visitors.former, &before)
		c.first, c.last, c.bytes, c.requests, c.asked = math.MaxInt64, 0, 0, 0, 0
	}
	r.clients++
	c.robot = r
}

// addSigned counts a signed request.
func (r *robot) addSigned(a *Auditor, e *accesslog.Entry, p place, result *checked) {
	if r.signed == nil {
		r.signed = &Signatures{Why: map[signature.Reason]int64{}, Evidence: []Evidence{}}
	}
	s := r.signed
	s.Signed++
	if s.Agent == "" {
		s.Agent = clip([]byte(result.agent))
	}
	switch result.Verdict {
	case signature.Confirmed:
		s.Confirmed++
	case signature.Unchecked:
		s.Unchecked++
		s.Why[result.Why]++
	case signature.Disproved:
		s.Disproved++
		if len(s.Evidence) < a.o.MaxEvidence {
			s.Evidence = append(s.Evidence, Evidence{
				File: a.intake.files[p.file], Line: p.line, Time: e.Time, Client: clip(e.Client), Path: clip(e.Target),
				Status: e.Status,
			})
		}
	}
}
