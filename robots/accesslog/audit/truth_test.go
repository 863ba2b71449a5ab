package audit_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A truth is what a visitor of a made site is and did: what the log can show of it, and what it may be blamed for.
type truth struct {
	token string // by which the report should know it; empty for people
	kind  string

	requests   int64
	disallowed []int64 // lines of requests that no honest reading allows
	excused    int64
	short      int64 // pauses that are too short, however times are rounded
	unasked    bool  // it got pages without a robots.txt of the last 25 hours
}

// A visit is a line of the log to come.
type visit struct {
	at                   float64 // seconds after start
	client, agent        string
	path, referrer       string
	status, size         int
	number               int64
	who                  *truth
	isForbidden, excused bool
}

// A madeSite makes the log of visitors of every kind, whose truth is known.
type madeSite struct {
	rng    *rand.Rand
	days   float64
	visits []*visit
	truths []*truth
	host   string // in targets in absolute form
}

// The robots.txt of a made site, which changes at changeDay.
const (
	madeOld   = "User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n\nUser-agent: Googlebot\nDisallow: /nogoogle/\n\nUser-agent: RapidBot\nUser-agent: FleetBot\nDisallow: /private/\n"
	madeNew   = madeOld + "\nUser-agent: *\nDisallow: /late/\n"
	changeDay = 4.0
	day       = 86400.0
)

func newMadeSite(seed uint64, days float64) *madeSite {
	return &madeSite{rng: rand.New(rand.NewPCG(seed, 17)), days: days, host: "http://www.example.org"}
}

func (s *madeSite) who(token, kind string) *truth {
	w := &truth{token: token, kind: kind}
	s.truths = append(s.truths, w)
	return w
}

// get adds a request.
func (s *madeSite) get(w *truth, at float64, client, agent, path string, status, size int) *visit {
	v := &visit{at: at, client: client, agent: agent, path: path, status: status, size: size, who: w}
	s.visits = append(s.visits, v)
	w.requests++
	return v
}

func (s *madeSite) robotsTxt(w *truth, at float64, client, agent string) {
	size := len(madeOld)
	if at >= changeDay*day {
		size = len(madeNew)
	}
	s.get(w, at, client, agent, "/robots.txt", 200, size)
}

// A crawl is how one crawler behaves.
type crawl struct {
	token, agent  string
	clients       []string
	pause, jitter float64 // seconds
	pages         int
	asks          float64 // every so many seconds; 0: never
	forbidden     float64 // share of its pages that are disallowed
	late          float64 // share that is below /late/
	from          float64 // second
	absolute      float64 // share of targets in absolute form
	bursts        float64 // share of pauses that it forgets
}

// crawl adds a crawler's requests. Pauses are from the end of one to the next.
func (s *madeSite) crawl(kind string, c crawl) *truth {
	w := s.who(c.token, kind)
	at, asked := c.from+1, -1.0
	for i := range c.pages {
		client := c.clients[i%len(c.clients)]
		if c.asks > 0 && (asked < 0 || at-asked >= c.asks) {
			s.robotsTxt(w, at, client, c.agent)
			asked = at
			at += c.pause
		}
		v := s.get(w, at, client, c.agent, fmt.Sprintf("/articles/%d/page-%d.html", s.rng.IntN(5000), i), 200, 2000+s.rng.IntN(30000))
		switch r := s.rng.Float64(); {
		case r < c.forbidden:
			v.path, v.isForbidden = fmt.Sprintf("/private/%d", i), true
		case r < c.forbidden+c.late:
			v.path = fmt.Sprintf("/late/%d", i)
			switch isOld := asked >= 0 && asked < changeDay*day && at-asked < day; {
			case at < changeDay*day:
			case isOld:
				v.excused = true
			default:
				v.isForbidden = true
			}
		}
		if s.rng.Float64() < c.absolute {
			v.path = s.host + v.path
		}
		if at-max(asked, 0) > day+hour { // of an hour the clock of the log may be wrong
			w.unasked = true
		}
		pause := c.pause + s.rng.NormFloat64()*c.jitter
		if c.bursts > 0 && s.rng.Float64() < c.bursts {
			pause = s.rng.Float64() * 2
		}
		at += max(0.05, pause)
		if at > s.days*day-60 {
			break
		}
	}
	return w
}

// fill adds visitors of every kind.
func (s *madeSite) fill() {
	ip := func(net, i int) string { return fmt.Sprintf("198.51.%d.%d", net, 1+i) }
	compatible := func(name string) string {
		return "Mozilla/5.0 (compatible; " + name + "/1.0; +http://" + strings.ToLower(name) + ".example/)"
	}
	s.crawl("tidy", crawl{token: "TidyBot", agent: "TidyBot/1.0 (+http://tidy.example/)", clients: []string{ip(1, 0), ip(1, 1)}, pause: 60, jitter: 8, pages: 1500, asks: 80000})
	s.crawl("precise", crawl{token: "PreciseBot", agent: compatible("PreciseBot"), clients: []string{ip(2, 0)}, pause: 10.003, jitter: 0.05, pages: 4000, asks: 80000})
	s.crawl("rapid", crawl{token: "RapidBot", agent: compatible("RapidBot"), clients: []string{ip(3, 0)}, pause: 0.3, jitter: 0.1, pages: 2000, asks: 80000})
	s.crawl("fleet", crawl{token: "FleetBot", agent: "FleetBot/3", clients: []string{ip(4, 0), "203.0.113.9", "192.0.2.200"}, pause: 5, jitter: 2, pages: 1500, asks: 40000})
	s.crawl("blind", crawl{token: "BlindBot", agent: "BlindBot/0.1", clients: []string{ip(5, 0)}, pause: 200, jitter: 20, pages: 1500, forbidden: 0.01})
	s.crawl("greedy", crawl{token: "GreedyBot", agent: compatible("GreedyBot"), clients: []string{ip(6, 0), ip(6, 1)}, pause: 40, jitter: 5, pages: 3000, asks: 80000, forbidden: 0.02, absolute: 0.05})
	s.crawl("grace", crawl{token: "GraceBot", agent: "GraceBot/2 (+mailto:g@grace.example)", clients: []string{ip(7, 0)}, pause: 30, jitter: 5, pages: 2900, asks: 5 * day, late: 0.1, from: 3.2 * day})
	s.crawl("stale", crawl{token: "StaleBot", agent: compatible("StaleBot"), clients: []string{ip(8, 0)}, pause: 60, jitter: 5, pages: 4000, asks: 100 * day, late: 0.1, from: 3.5 * day})
	s.crawl("knows", crawl{token: "KnowsBot", agent: compatible("KnowsBot"), clients: []string{ip(9, 0)}, pause: 30, jitter: 1, pages: 60, asks: 80000, late: 0.9, from: changeDay*day + 60})
	s.crawl("never", crawl{token: "NeverBot", agent: compatible("NeverBot"), clients: []string{ip(10, 0)}, pause: 30, jitter: 1, pages: 60, late: 0.9, from: changeDay*day + 600})
	s.hare(ip(11, 0))
	s.google()
	s.fetchers()
	s.people()
	s.masks()
}

// hare adds a robot that waits far too little.
func (s *madeSite) hare(client string) {
	w := s.crawl("hare", crawl{token: "HareBot", agent: "HareBot/7 (+http://hare.example/bot)", clients: []string{client}, pause: 2, jitter: 0.4, pages: 2500, asks: 80000, from: 1000})
	last := -1.0
	for _, v := range s.visits {
		if v.who != w || v.path == "/robots.txt" {
			continue
		}
		if last >= 0 {
			w.short++
		}
		last = v.at
	}
}

// google adds a family, one of which asks for all, and reads groups for Googlebot; and one that borrows its name.
func (s *madeSite) google() {
	image := s.who("Googlebot-Image", "family")
	bot := s.who("Googlebot", "family")
	for i := range 700 {
		at := 100 + float64(i)*800
		if at > s.days*day-100 {
			break
		}
		if i%60 == 0 {
			s.robotsTxt(bot, at, "66.249.66.1", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
		}
		s.get(bot, at+20, "66.249.66.1", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", fmt.Sprintf("/private/open-to-google-%d", i), 200, 900)
		s.get(image, at+300, "66.249.66.2", "Googlebot-Image/1.0", fmt.Sprintf("/private/pictures/%d.html", i), 200, 900)
	}
	forged := s.who("Googlebot", "forged")
	for i := range 40 {
		v := s.get(forged, 5000+float64(i)*3, "203.0.113.66", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", fmt.Sprintf("/nogoogle/%d", i), 200, 5)
		v.isForbidden = true
	}
}

// fetchers adds all that robots.txt does not speak to, whatever it asks for.
func (s *madeSite) fetchers() {
	for i, f := range []struct {
		agent string
		paths []string
		n     int
	}{
		{"LinkPeek-User/1.0 (+http://linkpeek.example/)", nil, 1500},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot", nil, 500},
		{"Mozilla/5.0 (compatible; Amzn-User/0.1; +https://developer.amazon.example/)", nil, 200},
		{"Feedly/1.0 (+http://www.feedly.com/fetcher.html; 12 subscribers; like FeedFetcher-Google)", []string{"/feed.xml", "/private/feed"}, 600},
		{"NewsBlur Feed Fetcher - 3 subscribers - https://www.newsblur.com", []string{"/private/feed.rss"}, 600},
		{"NetNewsWire (RSS Reader; https://netnewswire.com/)", []string{"/private/atom"}, 300},
		{"Overcast/3.0 (+http://overcast.fm/; iOS podcast app)", []string{"/private/episodes/1.mp3", "/private/episodes/2.mp3"}, 200},
		{"AppleCoreMedia/1.0.0.20G81 (iPhone; U; CPU OS 16_6 like Mac OS X)", []string{"/private/episodes/3.mp3"}, 200},
		{"VLC/3.0.18 LibVLC/3.0.18", []string{"/private/stream"}, 100},
		{"Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)", []string{"/private/health"}, 900},
		{"Monit/5.33.0", []string{"/private/health"}, 900},
		{"SomeWatchBot/1.0 (+http://watch.example/)", []string{"/private/health", "/"}, 900},
		{"Mozilla/5.0 (compatible; Let's Encrypt validation server; +https://www.letsencrypt.org)", []string{"/.well-known/acme-challenge/private"}, 30},
		{"Sectigo DCV", []string{"/.well-known/pki-validation/1.txt"}, 30},
		{"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", nil, 100},
		{"Mastodon/4.2.1 (http.rb/5.1.1; +https://mastodon.example/) Bot", nil, 200},
		{"WhatsApp/2.23.20.0 A", nil, 50},
		{"curl/8.5.0", nil, 300}, {"python-requests/2.31.0", nil, 300}, {"Go-http-client/1.1", nil, 300}, {"Wget/1.21", nil, 100},
		{"okhttp/4.9.0", nil, 100}, {"libwww-perl/6.72", nil, 100}, {"git/2.43.0", nil, 100},
		{"Lynx/2.9.0dev.10 libwww-FM/2.14 SSL-MM/1.4.1", nil, 80}, {"w3m/0.5.3+git20230121", nil, 80}, {"Dillo/3.0.5", nil, 80}, {"ELinks/0.13.2 (textmode; Linux)", nil, 80},
		{"Links (2.28; Linux x86_64; GNU C; text)", nil, 80}, {"NetSurf/3.10 (Linux)", nil, 80},
		{"Dalvik/2.1.0 (Linux; U; Android 9; CUBOT_X19 Build/PPR1)", nil, 80}, {"Cubot/1.0", nil, 80}, {"Opera/9.80 (X11; Linux) Presto/2.12.388 Version/12.16", nil, 80},
		{"BlackBerry9700/5.0.0.862 Profile/MIDP-2.1", nil, 80}, {"UCWEB/2.0 (MIDP-2.0; U; Adr 9) U2/1.0.0 UCBrowser/12.0", nil, 80},
		{"\u201cMozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/120.0\u201d", nil, 80}, {"SomethingNew/1.0", nil, 12}, {"Abbott", nil, 12}, {"talbotframework/2", nil, 15},
	} {
		w := s.who("", "fetcher")
		client := fmt.Sprintf("192.0.%d.%d", 100+i/200, 1+i)
		for k := range f.n {
			path := fmt.Sprintf("/private/%d-%d", i, k)
			if f.paths != nil {
				path = f.paths[k%len(f.paths)]
			}
			s.get(w, 50+float64(k)*(s.days*day-200)/float64(f.n), client, f.agent, path, 200, 1234)
		}
	}
}

// people adds browsers, which get what belongs to their pages.
func (s *madeSite) people() {
	for i := range 800 {
		w := s.who("", "person")
		agent := fmt.Sprintf("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36", 100+i%37)
		client, at := fmt.Sprintf("81.%d.%d.%d", i%200, i/7%250, 1+i%200), 100+s.rng.Float64()*(s.days*day-2000)
		for p := range 1 + s.rng.IntN(4) {
			s.get(w, at, client, agent, fmt.Sprintf("/articles/%d/p.html", s.rng.IntN(5000)), 200, 9000)
			for a := range 3 {
				s.get(w, at+1, client, agent, fmt.Sprintf("/static/%d%s", p*3+a, []string{".css", ".js", ".png"}[a]), 200, 700).referrer = "http://www.example.org/"
			}
			at += 20 + 60*s.rng.Float64()
		}
	}
}

// masks adds one address with thousands of names, and thousands of addresses with one name.
func (s *madeSite) masks() {
	many := s.who("", "many names")
	for i := range 3000 {
		s.get(many, 200+float64(i)*150, "45.9.9.9", fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/%d.%d", i%150, i%150, i), fmt.Sprintf("/articles/%d/", i), 200, 5000)
	}
	crowd := s.who("", "crowd")
	for i := range 3000 {
		client := fmt.Sprintf("%d.%d.%d.%d", 100+i%20, i%251, i/13%250, 1+i%250)
		for k := range 2 {
			s.get(crowd, 300+float64(i)*140+float64(k)*9, client, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/121.0.0.0 Safari/537.36", fmt.Sprintf("/articles/%d/?page=%d", i, k), 200, 5000)
		}
	}
}

// log returns the lines in order of time, and notes in the truths which of them are what.
func (s *madeSite) log() []string {
	slices.SortStableFunc(s.visits, func(a, b *visit) int { return cmp.Compare(a.at, b.at) })
	var list []string
	for i, v := range s.visits {
		v.number = int64(i + 1)
		switch {
		case v.isForbidden:
			v.who.disallowed = append(v.who.disallowed, v.number)
		case v.excused:
			v.who.excused++
		}
		when := start.Add(time.Duration(v.at * float64(time.Second)))
		list = append(list, fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" %d %d \"%s\" \"%s\"",
			v.client, when.Format("02/Jan/2006:15:04:05 -0700"), v.path, v.status, v.size, cmp.Or(v.referrer, "-"), v.agent))
	}
	return list
}
