package signature

import (
	"cmp"
	"crypto/ed25519"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/internal/structured"
)

// A Verdict says whether a signature is the robot's.
type Verdict string

// The verdicts.
const (
	Unchecked Verdict = ""
	Confirmed Verdict = "confirmed"
	Disproved Verdict = "disproved"
)

// A Reason says why a signature could not be checked.
type Reason string

// The reasons.
const (
	Malformed   Reason = "it is malformed"
	OtherTag    Reason = "it is not meant for robots" // no tag web-bot-auth
	NoKey       Reason = "the key is not among those known"
	OtherAlg    Reason = "it is of another kind than Ed25519"
	NoSite      Reason = "it does not cover the site" // neither @authority nor @target-uri
	Unsupported Reason = "it covers what is not supported"
	NotLogged   Reason = "it covers what the log does not have"
	NotAsSent   Reason = "it covers what the log may not have as it was sent"
	OutOfTime   Reason = "it was not valid at the time"
)

// A Result is what a check came to.
type Result struct {
	Verdict Verdict
	Why     Reason // if it is Unchecked
}

// A Checker checks signatures. Its zero value knows no keys.
type Checker struct {
	Keys   Keys
	Tag    string        // of the signatures that count; default web-bot-auth; AnyTag takes all
	Skew   time.Duration // so much the clocks may differ, and a request may take to be logged; default 1m
	MaxAge time.Duration // so long a signature is valid that does not say when it expires; default 1h
}

// AnyTag takes signatures of whatever tag, and without one.
const AnyTag = "*"

// MaxField is how long a header field may be that is read, in bytes.
const MaxField = structured.MaxField

// maxSignatures is how many signatures of one request are looked at.
const maxSignatures = 4

// Check checks the signatures of a request of the robot with that product token. One that is confirmed counts most, then one that
// is disproved. A request without a signature is Unchecked, and malformed.
func (c *Checker) Check(token string, r *Request) Result {
	inputField, _ := r.field("signature-input")
	signatureField, _ := r.field("signature")
	inputs, err1 := structured.ParseDictionary(inputField)
	signatures, err2 := structured.ParseDictionary(signatureField)
	if err1 != nil || err2 != nil || len(inputs) == 0 {
		return Result{Why: Malformed}
	}
	worst := Result{Why: OtherTag}
	checked := 0
	for _, in := range inputs {
		if tag, ok := in.Param("tag"); c.Tag != AnyTag && (!ok || tag.Value != cmp.Or(c.Tag, "web-bot-auth")) ||
			checked == maxSignatures {
			continue
		}
		signature, ok := structured.Find(signatures, in.Key)
		result := Result{Why: Malformed}
		if ok && in.IsList && signature.Kind == structured.Bytes && len(signature.Value) == ed25519.SignatureSize {
			result = c.check(c.Keys[strings.ToLower(token)], r, in.Item, []byte(signature.Value))
		}
		if result.Verdict == Confirmed {
			return result
		}
		if checked++; checked == 1 || result.Verdict == Disproved {
			worst = result
		}
	}
	return worst
}

// check checks one signature (RFC 9421 section 3.2).
func (c *Checker) check(ring map[string]ed25519.PublicKey, r *Request, in structured.Item, signature []byte) Result {
	id, _ := in.Param("keyid")
	key, ok := ring[id.Value]
	alg, hasAlg := in.Param("alg")
	site, target := covers(in.List)
	switch {
	case hasAlg && alg.Value != "ed25519":
		return Result{Why: OtherAlg}
	case !ok:
		return Result{Why: NoKey}
	case !site:
		return Result{Why: NoSite}
	case !c.inTime(in, r.Time):
		return Result{Why: OutOfTime}
	}
	var tried []string
	for _, scheme := range []string{"https", "http"} {
		base, why := r.base(in.List, scheme)
		if why != "" {
			return Result{Why: why}
		}
		for _, params := range []string{in.String(), in.Raw} { // some sign what they send, and not its canonical form
			text := base + `"@signature-params": ` + params
			if slices.Contains(tried, text) {
				continue
			}
			if ed25519.Verify(key, []byte(text), signature) {
				return Result{Verdict: Confirmed}
			}
			tried = append(tried, text)
		}
	}
	if !r.AuthorityAsSent || target && !r.TargetAsSent {
		return Result{Why: NotAsSent}
	}
	return Result{Verdict: Disproved}
}

// covers reports whether the components name the site, and whether they name the target.
func covers(components []structured.Item) (site, target bool) {
	for _, c := range components {
		switch c.Value {
		case "@authority":
			site = true
		case "@target-uri":
			site, target = true, true
		case "@path", "@query", "@request-target":
			target = true
		}
	}
	return site, target
}

// inTime reports whether a signature was valid at a time.
func (c *Checker) inTime(in structured.Item, at time.Time) bool {
	skew, maxAge := cmp.Or(c.Skew, time.Minute), cmp.Or(c.MaxAge, time.Hour)
	created, ok := moment(in, "created")
	if !ok || at.Before(created.Add(-skew)) {
		return false
	}
	expires, ok := moment(in, "expires")
	if _, has := in.Param("expires"); !has {
		expires, ok = created.Add(maxAge), true
	}
	return ok && !at.After(expires.Add(skew))
}

// moment returns a parameter that is a time.
func moment(in structured.Item, name string) (time.Time, bool) {
	p, _ := in.Param(name)
	n, err := strconv.ParseInt(p.Value, 10, 64)
	return time.Unix(n, 0), err == nil && p.Kind == structured.Number && n >= 0 && n < 1<<40
}
