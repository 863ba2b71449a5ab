package robotstest

import (
	"math/rand/v2"
	"strings"
)

// A generator makes lines, the more damaged the higher damage is, from 0 to 2.
type generator struct {
	*rand.Rand
	damage int
}

var (
	plainNames = strings.Fields("* * * GPTBot Bingbot Googlebot Googlebot-Image bot a b abc cybermapper")
	oddNames   = []string{
		"MJ12bot", "360Spider", "Foo/1.0", "a b", "a, b", "b *", "* Rex", "*, a", "sogou spider", "Copernicus Fred", "Bing-Bot",
		"bing", "map", "Googlebot*", "",
		"Mozilla/5.0 (compatible; Bingbot/2.0; +http://www.bing.com/bingbot.htm)", "GPTBot # all of it", "GPTBot Disallow: /x",
		"* Disallow: /a Allow: /a/b", "abc\u00a0", "caf\u00e9",
	}
	agentKeys = strings.Split("User-agent|user-agent|USER-AGENT|User-Agent", "|")
	oddAgents = strings.Split("Useragent:|User "+
		"agent:|Usr-agent:|User_agent:|User–agent:|User-agents:|\ufeffUser-agent:|User-agent|User-agent :|Agente de "+
		"usuario:|User-agent：", "|")
	plainPaths = strings.Fields("/ /a /b /a/ /a/b /ab /a/b/c /x /a* /*a /a*b /*b$ /a$ /a/$ /*?x /a?x=1 /%61 /a%2fb /a%2Fb /~a " +
		"/a/*/b /*/a/ /index.html /caf%c3%a9")
	oddPaths = []string{
		"", "a", "*", "*a", "a/b", "/ a /", "/a b", "/a /b", "/a, /b", "/a *b", "http://h.example/a", "https://www.h.example/x",
		"http://h.example", "www.h.example/a", "/caf\u00e9", "/caf\xe9", "/\u200ba",
		"\u00a0/a\u00a0", "“/a”", "/a#b", "/#!/x", "/100%", "/a%zz", `\a`, "/a$b", "/a**b", "/a.*", "/../a", "/a Disallow: /b",
		"/a Allow: /b", "/a\x00b", "/\x00a", "/a\x01", "/a//b", "$", "/*$", "/$",
	}
	oddRules = strings.Split("Disalow: |Dissallow: |Disallaw: |Disllow: |Alow: |Disallow|Disallow |Allow |Disallow=|Disallow; "+
		"|Dis\u200ballow: |\u00a0Disallow: |Запретить: |disallows: |allowance: |Disallow：|Disallow : ", "|")
	others = strings.Split("Crawl-delay: 5|Crawl-delay: 10|Crawl-delay: ten|Request-rate: 1/3|Sitemap: "+
		"http://h.example/s.xml|Visit-time: 0100-0200|Clean-param: s /a|Host: h.example|Colour: blue|Noindex: /a", "|")
	nonsense = strings.Split("hello|hello there robots|<html>|# User-agent: x|Disallow everything: now|1 Disallow: /a|: /a|agent",
		"|")
)

// agent makes a User-agent line, or something like it.
func (g generator) agent() string {
	key, name := pick(g.Rand, agentKeys...)+":", pick(g.Rand, plainNames...)
	if g.odd() {
		name = pick(g.Rand, oddNames...)
	}
	if g.odd() {
		key = pick(g.Rand, oddAgents...)
	}
	return key + " " + name
}

// line makes any other line.
func (g generator) line() string {
	path := pick(g.Rand, plainPaths...)
	if g.odd() {
		path = pick(g.Rand, oddPaths...)
	}
	switch {
	case g.odd():
		return pick(g.Rand, oddRules...) + path
	case g.veryOdd():
		return pick(g.Rand, nonsense...)
	case g.IntN(12) == 0:
		return pick(g.Rand, others...)
	case g.IntN(12) == 0:
		return "Disallow:"
	case g.IntN(3) == 0:
		return "Allow: " + path
	}
	return pick(g.Rand, "Disallow: ", "Disallow: ", "disallow:") + path
}

func (g generator) comment() string {
	if g.IntN(8) == 0 {
		return " # why"
	}
	return ""
}

// gap writes blank lines and remarks where they do harm.
func (g generator) gap(b *strings.Builder, end string) {
	if g.damage > 0 && g.IntN(6) == 0 {
		b.WriteString(pick(g.Rand, "", "", "# remark") + end)
	}
}

// veryOdd reports whether something seldom happens.
func (g generator) veryOdd() bool {
	if !g.odd() {
		return false
	}
	return g.odd()
}

func (g generator) odd() bool { return g.damage > 0 && g.IntN(12/(g.damage*g.damage)) == 0 }
