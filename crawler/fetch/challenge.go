package fetch

import (
	"bytes"
	"strings"
)

// A challenge is what a service before a site sends to visitors whom it takes for robots in place of what they asked for: a page
// whose script, or whose puzzle, is to show that there is a browser, or a human. Its status may be any, 200 too. Only what such a
// service marks as a challenge counts, never words that any page may contain.

// challengeFields are the header fields by which services say so.
var challengeFields = []struct {
	name    string
	values  []string
	service string
}{
	{"Cf-Mitigated", []string{"challenge"}, "Cloudflare"},              // its manual, "Detect a Challenge Page response"
	{"X-Vercel-Mitigated", []string{"challenge"}, "Vercel"},            // vercel.com/docs, "Firewall concepts"
	{"X-Amzn-Waf-Action", []string{"challenge", "captcha"}, "AWS WAF"}, // AWS WAF API: ChallengeAction, CaptchaAction
	{"Sg-Captcha", []string{"challenge"}, "SiteGround"},
}

// challengeTags are the tags that challenges have in their first bytes, and no other page has; but what does not begin with a tag
// may quote one, as a source text or a mail. Its rare part, from the underscore on, is looked for first: pages are full of what
// tags begin with.
var challengeTags = []struct{ common, rare, service string }{
	{`<script id="anubis`, `_challenge"`, "Anubis"},
	{`<iframe id="main-iframe" src="/`, `_Incapsula_Resource?`, "Imperva"},
}

// challengeHead is how many bytes of a body may tell that it is a challenge.
const challengeHead = 16 << 10

// Challenge returns the name of the service whose challenge the answer is, empty for any other answer.
func (r *Response) Challenge() string {
	for _, f := range challengeFields {
		for _, value := range f.values {
			if strings.EqualFold(r.Header.Get(f.name), value) {
				return f.service
			}
		}
	}
	head := r.Body[:min(len(r.Body), challengeHead)]
	for _, t := range challengeTags {
		if bytes.Contains(head, []byte(t.rare)) && bytes.Contains(head, []byte(t.common+t.rare)) && beginsWithTag(head) {
			return t.service
		}
	}
	return ""
}

// beginsWithTag reports whether a text is HTML from its first letter on.
func beginsWithTag(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("<"))
}
