package signature

import (
	"cmp"
	"crypto/ed25519"
	"slices"
	"strconv"
	"strings"
	"time"
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

// maxSignatures is how many signatures of one request are looked at.
const maxSignatures = 4

// Check checks the signatures of a request of the robot with that product token. One that is confirmed counts most, then one that
// is disproved. A request without a signature is Unchecked, and malformed.
func (c *Checker) Check(token string, r *Request) Result {
	inputField, _ := r.field("signature-input")
	signatureField, _ := r.field("signature")
	inputs, err1 := parseDictionary(inputField)
	signatures, err2 := parseDictionary(signatureField)
	if err1 != nil || err2 != nil || len(inputs) == 0 {
		return Result{Why: Malformed}
	}
	worst := Result{Why: OtherTag}
	checked := 0
	for _, in := range inputs {
		if tag, ok := in.param("tag"); c.Tag != AnyTag && (!ok || tag.value != cmp.Or(c.Tag, "web-bot-auth")) ||
			checked == maxSignatures {
			continue
		}
		signature, ok := find(signatures, in.key)
		result := Result{Why: Malformed}
		if ok && in.isList && signature.kind == bytes && len(signature.value) == ed25519.SignatureSize {
			result = c.check(c.Keys[strings.ToLower(token)], r, in.item, []byte(signature.value))
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
func (c *Checker) check(ring map[string]ed25519.PublicKey, r *Request, in item, signature []byte) Result {
	id, _ := in.param("keyid")
	key, ok := ring[id.value]
	alg, hasAlg := in.param("alg")
	site, target := covers(in.list)
	switch {
	case hasAlg && alg.value != "ed25519":
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
		base, why := r.base(in.list, scheme)
		if why != "" {
			return Result{Why: why}
		}
		for _, params := range []string{in.String(), in.raw} { // some sign what they send, and not its canonical form
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
func covers(components []item) (site, target bool) {
	for _, c := range components {
		switch c.value {
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
func (c *Checker) inTime(in item, at time.Time) bool {
	skew, maxAge := cmp.Or(c.Skew, time.Minute), cmp.Or(c.MaxAge, time.Hour)
	created, ok := moment(in, "created")
	if !ok || at.Before(created.Add(-skew)) {
		return false
	}
	expires, ok := moment(in, "expires")
	if _, has := in.param("expires"); !has {
		expires, ok = created.Add(maxAge), true
	}
	return ok && !at.After(expires.Add(skew))
}

// moment returns a parameter that is a time.
func moment(in item, name string) (time.Time, bool) {
	p, _ := in.param(name)
	n, err := strconv.ParseInt(p.value, 10, 64)
	return time.Unix(n, 0), err == nil && p.kind == number && n >= 0 && n < 1<<40
}
