package audit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/cybermapper/cybermapper/robots/roster"
)

// A Class says what an agent claims to be.
type Class string

// The classes. The standard speaks to robots that crawl, and to nobody else: UserTriggered fetchers act for one person at a time,
// who waits for the page; feed readers, monitors, certificate checks, link previews and tools get what somebody has chosen.
const (
	ClassRobot         Class = "robot"
	ClassUnknown       Class = "unknown" // a name of which nobody knows what it is of; what it does may show that it crawls
	ClassUserTriggered Class = roster.UserTriggered
	ClassFeedReader    Class = roster.FeedReader // of podcasts too
	ClassMonitor       Class = roster.Monitor
	ClassCertificate   Class = roster.Certificate
	ClassPreview       Class = roster.Preview
	ClassTool          Class = roster.Tool
	ClassBrowser       Class = "browser"
	ClassUnnamed       Class = "unnamed" // no User-Agent was sent, or one without a word, or the log has none
)

// mayCrawl reports whether it can be a crawler, to which robots.txt speaks.
func (c Class) mayCrawl() bool { return c == ClassRobot || c == ClassUnknown }

// isPerson reports whether it does not say to be anything but a person.
func (c Class) isPerson() bool { return c == ClassBrowser || c == ClassUnnamed }

// robotWords occur in the names of robots that call themselves a browser first.
var robotWords = []string{
	"bot", "crawl", "spider", "slurp", "archiver", "mediapartners", "headless", "phantomjs", "lighthouse", "inspectiontool",
	"googleother", "scrapy", "fetcher", "-user", "preview", "monitor", "uptime", "pingdom", "feed",
}

// Classify says what a User-Agent claims to be, and its product token: the name by which groups of robots.txt call it (RFC 9309
// section 2.2.1). What begins like a browser and names no robot is a browser, with no token. A name is a claim only. The list,
// which may be nil, says which robots there are and which of them act for a person.
func Classify(list *roster.List, agent string) (token string, class Class) {
	agent = strings.TrimLeft(agent, " \t\"'`\u201c\u201d\u2018\u2019\ufffd")
	if rest, ok := strings.CutPrefix(agent, "User-Agent:"); ok {
		agent = strings.TrimSpace(rest)
	}
	lower := strings.ToLower(agent)
	switch {
	case !strings.ContainsFunc(product(agent), isOfWord) && !soundsLikeCrawler(lower):
		return "", ClassUnnamed
	case strings.HasPrefix(lower, "mozilla/") || strings.HasPrefix(lower, "mozilla ") || strings.HasPrefix(lower, "opera/"):
		token = robotInBrowser(list, agent)
	case saysFirst(lower):
		token = product(agent)
	default:
		token = product(agent)
		if isBrowser(list, token, lower) {
			token = robotInBrowser(list, agent)
		} else if list.Find(token) == nil && soundsLikeCrawler(lower) {
			token = cmp.Or(compatible(list, agent), behindLibrary(token, agent), token) // it calls itself a telephone first
		}
	}
	if token == "" {
		return "", ClassBrowser
	}
	isOnDemand := func(said string) bool { return strings.Contains(lower, said) }
	if slices.ContainsFunc(onDemand, isOnDemand) {
		return token, ClassUserTriggered
	}
	name := strings.ToLower(token)
	if r := list.Find(token); r != nil {
		switch {
		case r.Class() != "":
			return token, Class(r.Class())
		case r.Owner() != "" || r.Contact() != "" || r.Value("robot-class") != "" || r.Value("robot-purpose") != "":
			return token, ClassRobot
		} // it was noted only that it came
	}
	if class = programOf(name, lower); class == ClassBrowser {
		return "", ClassBrowser
	}
	return token, class
}

// isOfWord reports whether a character can be of a word: other names are only what somebody sent to break in, as "() { :; };" is.
func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// saysFirst reports whether a User-Agent says what it is, and then what a browser says, as in "Better Uptime Bot Mozilla/5.0".
func saysFirst(lower string) bool {
	first, _, isBrowser := strings.Cut(lower, "mozilla/")
	return isBrowser && soundsLikeRobot(first)
}

// isBrowser reports whether a User-Agent that does not begin with Mozilla is that of a browser all the same.
func isBrowser(list *roster.List, token, lower string) bool {
	if list.Find(token) != nil {
		return false
	}
	name := strings.ToLower(token)
	if programs[name] == ClassBrowser || programs[strings.TrimRight(name, "0123456789")] == ClassBrowser {
		return true
	}
	return strings.Contains(lower, "applewebkit/") || strings.Contains(lower, " gecko/") || strings.Contains(lower, "presto/")
}

// robotInBrowser finds the name of a robot in a User-Agent that begins like that of a browser: it follows "compatible", or sounds
// like one and has a version, or ends like one, or is on the list. One that gives but a page about it is called by its host.
func robotInBrowser(list *roster.List, agent string) string {
	if name := compatible(list, agent); name != "" {
		return name
	}
	page := ""
	for part := range strings.FieldsFuncSeq(agent, func(r rune) bool { return strings.ContainsRune(" ;(),+", r) }) {
		name, _, versioned := strings.Cut(part, "/")
		lower := strings.ToLower(name)
		switch {
		case strings.HasPrefix(lower, "http") && soundsLikeRobot(strings.ToLower(part)):
			page = cmp.Or(page, product(part))
		case strings.HasPrefix(lower, "http"), programs[lower] == ClassBrowser:
		case versioned && (soundsLikeRobot(lower) || programs[lower] == ClassFeedReader), list.Find(lower) != nil:
			return product(name)
		case endsLikeCrawler(strings.TrimRight(lower, versionDigits)):
			return strings.TrimRight(product(name), versionDigits)
		}
	}
	return cmp.Or(page, withoutEngine(agent))
}

// engines are words of which a browser that begins with Mozilla has one, in lower case.
var engines = []string{
	"webkit", "gecko", "khtml", "konqueror", "msie", "trident", "opera", "presto", "netfront", "firefox", "chrome", "safari",
	"dillo", "version/", "symbian", "series60", "series40", "nokia", "samsung", "sonyericsson", "blackberry", "playstation",
	"nintendo", "midp", "teleca", "netscape",
}

// withoutEngine returns the first name with a version in a User-Agent that begins like that of a browser and says nothing of one,
// as in Mozilla/5.0 zgrab/0.x.
func withoutEngine(agent string) string {
	lower := strings.ToLower(agent)
	hasEngine := slices.ContainsFunc(engines, func(engine string) bool { return strings.Contains(lower, engine) })
	if hasEngine || !strings.HasPrefix(lower, "mozilla") {
		return ""
	}
	for part := range strings.FieldsFuncSeq(agent, func(r rune) bool { return strings.ContainsRune(" ;(),+", r) }) {
		name, version, _ := strings.Cut(part, "/")
		lower := strings.ToLower(name)
		versioned := version != "" && version[0] >= '0' && version[0] <= '9'
		if versioned && lower != "mozilla" && programs[lower] != ClassBrowser && !isPlatform(lower) {
			return product(name)
		}
	}
	return ""
}

// versionDigits stand behind a name without a slash, as in "examplebot0.5.0".
const versionDigits = "0123456789."

// endsLikeCrawler reports whether a word, in lower case, is the name of a crawler: it ends with what it is.
func endsLikeCrawler(word string) bool {
	isNamed := func(kind string) bool { return len(word) > len(kind) && strings.HasSuffix(word, kind) }
	return !slices.Contains(noBots, word) && (isNamed("bot") || isNamed("spider") || isNamed("crawler"))
}

// compatible returns the name of a robot that follows "compatible", of several words the one that is on the list, if one is.
// What browsers and systems are called is no robot's name.
func compatible(list *roster.List, agent string) string {
	_, said, found := strings.Cut(agent, "compatible")
	if !found {
		return ""
	}
	for part := range strings.FieldsFuncSeq(said, func(r rune) bool { return strings.ContainsRune(";()", r) }) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" ,+", r) })
		if len(words) == 0 || strings.Contains(part, "://") && strings.HasPrefix(strings.TrimLeft(part, " +"), "http") {
			continue
		}
		for _, word := range words {
			if name, _, _ := strings.Cut(word, "/"); list.Find(name) != nil {
				return product(name)
			}
		}
		name, _, _ := strings.Cut(words[0], "/")
		if lower := strings.ToLower(name); programs[lower] != ClassBrowser && !isPlatform(lower) {
			return product(name)
		}
		if !soundsLikeRobot(strings.ToLower(said)) {
			return ""
		}
	}
	return ""
}

// behindLibrary returns the name of a crawler that stands behind that of the library with which it is made, as in
// "Node/examplecrawler 1.0"; empty when there is none. What is only called a bot must have a version: so may people be.
func behindLibrary(library, agent string) string {
	if programs[strings.ToLower(library)] != ClassTool {
		return ""
	}
	for part := range strings.FieldsFuncSeq(agent, func(r rune) bool { return strings.ContainsRune(" ;(),+", r) }) {
		if strings.Contains(part, "://") {
			continue
		}
		name, version, _ := strings.Cut(part, "/")
		for _, word := range []string{name, version} {
			if saysCrawler(strings.ToLower(word)) {
				return product(word)
			}
		}
		if version != "" && endsLikeCrawler(strings.ToLower(name)) {
			return product(name)
		}
	}
	return ""
}

// saysCrawler reports whether a word, in lower case, says that it is of a crawler, and of nothing else that is called a bot.
func saysCrawler(lower string) bool {
	return strings.Contains(lower, "crawl") || strings.Contains(lower, "spider")
}

// platforms are words in lower case behind "compatible" that are of browsers and systems.
const platforms = " msie konqueror linux windows macintosh x11 android iphone ipad u unknown wow64 trident win64 x64 intel mac " +
	"sv slcc infopath gtb media tablet mddr ms-rtc applewebkit khtml gecko like "

// isPlatform reports whether a word is what browsers and systems are called, perhaps with a version.
func isPlatform(lower string) bool {
	return strings.Contains(platforms, " "+lower+" ") || strings.HasPrefix(lower, ".net") ||
		strings.Contains(platforms, " "+strings.TrimRight(lower, versionDigits)+" ")
}

func soundsLikeRobot(lower string) bool {
	return slices.ContainsFunc(robotWords, func(word string) bool { return strings.Contains(lower, word) })
}

// product returns the leading characters of a product token; if there are none, the first word.
func product(s string) string {
	s = strings.TrimLeft(s, "(+")
	if _, after, ok := strings.Cut(s, "://"); ok && (s[:len(s)-len(after)] == "http://" || s[:len(s)-len(after)] == "https://") {
		s = strings.TrimPrefix(after, "www.") // a host stands for whoever gives nothing but an address
	}
	if first, _, _ := strings.Cut(s, " "); strings.Contains(first, "@") {
		s = strings.TrimRight(first[strings.Index(first, "@")+1:], ";,)")
	}
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

// isAsset reports whether a target is of a file that a browser gets on its own for a page.
func isAsset(target []byte) bool {
	path := pathOf(target)
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
	case ".css", ".js", ".mjs", ".map", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".avif", ".woff",
		".woff2", ".ttf", ".mp4", ".webm", ".mp3", ".ts", ".m4s", ".m3u8", ".mpd", ".vtt", ".webmanifest":
		return true
	}
	return false
}

// maxEnding is how long the name ending of a file is that comes with a page.
const maxEnding = len(".webmanifest")
