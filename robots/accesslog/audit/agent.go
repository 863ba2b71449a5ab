package audit

import (
	"bytes"
	"strings"
)

// A Class says what an agent claims to be.
type Class string

// The classes. UserTriggered fetchers act for one person at a time, who waits for the page; the standard does not speak to them.
const (
	ClassRobot         Class = "robot"
	ClassUserTriggered Class = "user-triggered"
	ClassBrowser       Class = "browser"
	ClassUnnamed       Class = "unnamed" // no User-Agent was sent, or the log has none
)

// userTriggered are tokens of fetchers that act for a person, as their makers say, in lower case.
var userTriggered = []string{
	"chatgpt-user", "claude-user", "perplexity-user", "mistralai-user", "google-notebooklm", "google-read-aloud", "google-agent",
	"googleproducer", "google-site-verification", "feedfetcher-google", "google-pinpoint", "duckassistbot", "meta-externalfetcher",
	"facebookexternalhit", "slackbot-linkexpanding", "slack-imgproxy", "discordbot", "twitterbot", "telegrambot", "whatsapp",
	"linkedinbot", "skypeuripreview", "redditbot", "applenewsbot", "bingpreview", "chrome-lighthouse", "w3c_validator",
}

// knownRobots are tokens of robots whose makers document them, in lower case.
var knownRobots = []string{
	"adsbot-google", "ahrefsbot", "ai2bot", "amazonbot", "applebot", "archive.org_bot", "baiduspider", "bingbot", "bytespider",
	"ccbot", "claudebot", "claude-searchbot", "cybermapper", "dotbot", "duckduckbot", "google-extended", "google-inspectiontool",
	"googlebot", "googlebot-image", "googlebot-news", "googlebot-video", "googleother", "gptbot", "heritrix", "ia_archiver",
	"mediapartners-google", "meta-externalagent", "mj12bot", "mojeekbot", "oai-searchbot", "perplexitybot", "petalbot", "qwantbot",
	"seekportbot", "semrushbot", "seznambot", "sogou", "storebot-google", "yandexbot", "yandeximages", "yisouspider",
}

// robotWords occur in the names of robots that call themselves a browser first.
var robotWords = []string{
	"bot", "crawl", "spider", "slurp", "archiver", "mediapartners", "headless", "phantomjs", "lighthouse", "inspectiontool",
	"googleother", "scrapy", "fetcher", "-user", "preview",
}

// Classify says what a User-Agent claims to be, and its product token: the name by which groups of robots.txt call it (RFC 9309
// section 2.2.1). What begins like a browser and names no robot is a browser, with no token. A name is a claim only.
func Classify(agent string) (token string, class Class) {
	switch {
	case strings.TrimSpace(agent) == "":
		return "", ClassUnnamed
	case !strings.HasPrefix(agent, "Mozilla/") && !strings.HasPrefix(agent, "Opera/"):
		token = product(agent)
	default:
		token = robotInBrowser(agent)
	}
	switch {
	case token == "":
		return "", ClassBrowser
	case contains(userTriggered, token):
		return token, ClassUserTriggered
	}
	return token, ClassRobot
}

// robotInBrowser finds the name of a robot in a User-Agent that begins like that of a browser: it follows "compatible", or sounds like
// one and has a version.
func robotInBrowser(agent string) string {
	after := false
	for part := range strings.FieldsFuncSeq(agent, func(r rune) bool { return strings.ContainsRune(" ;(),", r) }) {
		name, _, versioned := strings.Cut(part, "/")
		lower := strings.ToLower(name)
		switch {
		case lower == "compatible":
			after = true
			continue
		case strings.HasPrefix(lower, "+http"), strings.HasPrefix(lower, "http"), lower == "msie", lower == "konqueror":
		case after, versioned && soundsLikeRobot(lower), contains(knownRobots, name):
			return product(name)
		}
		after = false
	}
	return ""
}

func soundsLikeRobot(lower string) bool {
	for _, w := range robotWords {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}

// product returns the leading characters of a product token; if there are none, the first word.
func product(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	switch {
	case end < 0:
		return s
	case end == 0 || s[end] == '.' || s[end] >= '0' && s[end] <= '9': // 80legs, archive.org_bot, MJ12bot: robots that are named so
		s, _, _ = strings.Cut(s, "/")
		s, _, _ = strings.Cut(s, " ")
		return s
	}
	return s[:end]
}

func contains(list []string, token string) bool {
	for _, t := range list {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

// isAsset reports whether a target is of a file that a browser gets on its own for a page.
func isAsset(target []byte) bool {
	path := target
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	dot := bytes.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > maxEnding {
		return false
	}
	var lower [maxEnding]byte
	for i, c := range path[dot:] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	switch string(lower[:len(path)-dot]) {
	case ".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".avif", ".woff", ".woff2", ".ttf",
		".mp4", ".webm", ".mp3", ".webmanifest":
		return true
	}
	return false
}

// maxEnding is how long the name ending of a file is that comes with a page.
const maxEnding = len(".webmanifest")
