package fetch

import (
	"net/http"
	"strings"
	"testing"
)

func TestResponse_Challenge(t *testing.T) {
	const anubis = `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title>` +
		`<meta name="robots" content="noindex,nofollow"><script id="anubis_version" type="application/json">"v1.26.2"</script>` +
		`<script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script>`
	for _, tt := range []struct {
		name   string
		header map[string]string
		body   string
		want   string
	}{
		{"Cloudflare", map[string]string{"cf-mitigated": "challenge"}, "<title>Just a moment...</title>", "Cloudflare"},
		{"Vercel", map[string]string{"x-vercel-mitigated": "challenge"}, "<title>Vercel Security Checkpoint</title>", "Vercel"},
		{"AWS WAF", map[string]string{"x-amzn-waf-action": "challenge"}, "", "AWS WAF"},
		{"AWS WAF, a puzzle", map[string]string{"x-amzn-waf-action": "captcha"}, "", "AWS WAF"},
		{"SiteGround", map[string]string{"sg-captcha": "challenge", "x-robots-tag": "noindex"},
			`<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1"></meta></head></html>`, "SiteGround"},
		{"Anubis", nil, anubis, "Anubis"},
		{"Imperva", nil, `<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head>` +
			`<body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=24&xinfo=1"></iframe>`, "Imperva"},

		{"a denial by Vercel", map[string]string{"x-vercel-mitigated": "deny"}, "", ""},
		{"a page through Cloudflare that may load its puzzle",
			map[string]string{"server": "cloudflare", "content-security-policy": "script-src https://challenges.cloudflare.com"},
			`<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><p>Welcome`, ""},
		{"a page that Imperva watches", nil, `<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e"></script><p>Welcome`, ""},
		{"a page about it", nil, `<p>Just a moment... It has <code>&lt;script id="anubis_challenge"</code>, or cf-mitigated: challenge.`, ""},
		{"Anubis, after blanks", nil, "\ufeff\r\n " + anubis, "Anubis"},
		{"a source text that quotes it", nil, "package main\n\nconst page = `" + anubis, ""},
		{"a mail that quotes it", nil, "Hello,\n\n> " + anubis, ""},
		{"nothing", nil, "", ""},
	} {
		r := Response{Header: http.Header{}, Body: []byte(tt.body)}
		for name, value := range tt.header {
			r.Header.Set(name, value)
		}
		if got := r.Challenge(); got != tt.want {
			t.Errorf("%s: Challenge() = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A page is not read to its end for the sake of what a challenge has at its beginning.
func TestResponse_ChallengeStandsInTheHead(t *testing.T) {
	r := Response{Body: []byte(strings.Repeat("<p>text</p>\n", 2000) + challengeTags[0].common + challengeTags[0].rare)}
	if got := r.Challenge(); got != "" {
		t.Errorf("Challenge() = %q of a long page", got)
	}
}
