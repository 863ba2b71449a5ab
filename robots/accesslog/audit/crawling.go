package audit

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A habit is what tells a crawler from what is none, whatever it calls itself.
type habit struct {
	documents, assets, referred int64
	feeds, challenges           int64 // of the documents
	urls                        map[uint64]struct{}
}

// maxDistinct bounds the URLs that are told apart.
const maxDistinct = 64

// add takes in a request for a page, or for an asset of one.
func (h *habit) add(a *Auditor, e *accesslog.Entry, asset bool) {
	if asset {
		h.assets++
		return
	}
	h.documents++
	if len(e.Referrer) > 0 {
		h.referred++
	}
	switch path := pathOf(e.Target); {
	case bytes.HasPrefix(path, []byte("/.well-known/")):
		h.challenges++
	case isFeed(path):
		h.feeds++
	}
	if len(h.urls) < maxDistinct {
		if h.urls == nil {
			h.urls = map[uint64]struct{}{}
		}
		h.urls[maphash.Bytes(a.seed, e.Target)] = struct{}{}
	}
}

// pathOf returns a target without its query.
func pathOf(target []byte) []byte {
	if i := bytes.IndexByte(target, '?'); i >= 0 {
		return target[:i]
	}
	return target
}

// isFeed reports whether a path is named as feeds are.
func isFeed(path []byte) bool {
	path = bytes.TrimSuffix(path, []byte("/"))
	if len(path) < 4 {
		return false
	}
	switch string(path[len(path)-4:]) {
	case "feed", ".xml", "atom", ".mp3", ".m4a":
		return true
	case "json":
		return bytes.HasSuffix(path, []byte("feed.json"))
	case "opml":
		return bytes.HasSuffix(path, []byte(".opml"))
	}
	return bytes.HasSuffix(path, []byte("rss"))
}

// cameFromLinks is what most clients do that send a Referer.
const cameFromLinks = "it came from links, as browsers do"

// isNoCrawler says what a client does that crawlers do not; empty if nothing.
func (h *habit) isNoCrawler() string {
	urls := int64(len(h.urls))
	switch {
	case h.documents == 0:
		return "it got no documents"
	case h.challenges == h.documents:
		return "it looked at /.well-known/ only"
	case h.assets > 2 && 2*h.assets >= h.documents:
		return "it got what belongs to pages, as browsers do"
	case 2*h.referred > h.documents:
		return cameFromLinks
	case 5*h.feeds >= 4*h.documents:
		return "it got feeds"
	case urls <= fewWatchedURLs && h.documents >= manyRounds*urls:
		return fmt.Sprintf("it looked at %d URLs again and again", urls)
	}
	return ""
}

// crawls says what shows that a robot is a crawler, to which robots.txt speaks; empty when nothing does, as a name is no proof.
func (r *robot) crawls() string {
	if r.class == ClassRobot {
		return "it is known to be one"
	}
	if r.class != ClassUnknown {
		return ""
	}
	saysSo := claimedContact(r.agent) != "" && soundsLikeCrawler(strings.ToLower(r.agent))
	switch r.habit.isNoCrawler() {
	case "":
	case cameFromLinks: // some crawlers send where they found a link; people do not say that they crawl, or ask for robots.txt
		switch {
		case saysSo:
			return "its User-Agent says so"
		case r.asked.requests > 0 && r.habit.isBare():
			return "it asked for robots.txt, and " + r.habit.bare()
		}
		return ""
	default:
		return ""
	}
	switch h := &r.habit; {
	case r.asked.requests > 0:
		return "it asked for robots.txt"
	case saysSo:
		return "its User-Agent says so"
	case soundsLikeCrawler(strings.ToLower(r.token)) && h.isBare():
		return "its name says so, and " + h.bare()
	}
	return ""
}

// isBare reports whether it got many documents and little of what belongs to them. Crawlers do; so do apps and tools.
func (h *habit) isBare() bool { return len(h.urls) >= fewDistinct && h.assets*oneOfTen <= h.documents }

// bare says that it isBare.
func (h *habit) bare() string {
	return fmt.Sprintf("it got %s different documents, and little of what belongs to them", atLeast(len(h.urls), maxDistinct))
}

// soundsLikeCrawler reports whether a User-Agent, in lower case, has a word that says that it is a crawler: a robot's name ends
// with "bot", where robotics only begins with it.
func soundsLikeCrawler(lower string) bool {
	for word := range strings.FieldsFuncSeq(lower, func(c rune) bool { return c < 'a' || c > 'z' }) {
		if word = strings.TrimSuffix(word, "s"); strings.HasSuffix(word, "bot") && !slices.Contains(noBots, word) {
			return true
		}
		for _, w := range []string{"crawl", "spider", "slurp", "archiver"} {
			if strings.Contains(word, w) {
				return true
			}
		}
	}
	return false
}

// noBots are names of people, telephones and fish.
var noBots = []string{"abbot", "talbot", "cabot", "chabot", "cubot", "turbot", "sabot", "jabot"}

// atLeast writes a number that was counted up to a bound.
func atLeast(n, bound int) string {
	if n >= bound {
		return fmt.Sprintf("at least %d", n)
	}
	return fmt.Sprint(n)
}
