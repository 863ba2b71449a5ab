package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// innocents are who gets documents one after the other, the forbidden too, and is no crawler, or need not be one.
var innocents = map[string]struct{ agent, verdict string }{
	"a feed reader of Mozilla": {"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3.0", "fine"},
	"a monitor that says first what it is": {"Better Uptime Bot Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 " +
		"(KHTML, like Gecko) Chrome/74.0 Safari/537.36", "fine"},
	"a program that checks links": {"LinkChecker/10.4", "fine"},
	"an app":                      {"OurApp/12 CFNetwork/1568.100.1 Darwin/24.0.0", "fine"},
	"an app of another maker":     {"OurApp/3 (Android 14) okhttp/4.12.0", "fine"},
	"a name that says nothing":    {"Grebe/2.1", "unclear"},
	"a name that begins like one": {"Robotics-Reader/2.1", "unclear"},
	"a name that ends like one":   {"Talbot Office/365", "unclear"},
	"a preview that calls itself a bot": {"Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots",
		"fine"},
	"an archive that keeps what a person looks at": {"Mozilla/5.0 (compatible; archive.org_bot; Wayback Machine Live Record; " +
		"+http://archive.org/details/archive.org_bot)", "fine"},
}

// TestInnocents_QueryLeftOut: Squid logs targets without their queries, one of which may be allowed where the path is closed.
func TestInnocents_QueryLeftOut(t *testing.T) {
	for allow, want := range map[string]int64{
		"": 40, "Allow: /list/about\n": 40, "Allow: /*.c\n": 40, "Allow: /list?page=\n": 0, "Allow: /*page=\n": 0,
	} {
		for _, agent := range []string{"NiceBot/1.0 (+http://n.example/)", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"} {
			var w logWriter
			w.at(0, "192.0.2.1", agent, "http://e.example/robots.txt", 200, 10)
			for i := range 40 {
				w.at(float64(30*i), "192.0.2.1", agent, fmt.Sprintf("http://e.example/p/%d", i), 200, 10)
				w.at(float64(30*i+15), "192.0.2.1", agent, "http://e.example/list?", 200, 10)
			}
			file := robots.Parse([]byte("User-agent: *\nDisallow: /list\n"+allow), robots.RFC9309)
			r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: file}}})
			got := int64(-1)
			for _, one := range r.Robots {
				got = one.Disallowed.Count
			}
			for _, one := range r.Unusual {
				got = one.Disallowed
			}
			if got != want {
				t.Errorf("%s: %q: %d requests for what is disallowed, want %d", agent, allow, got, want)
			}
		}
	}
}

// TestInnocents_QueryIsThere: nobody hides behind a ? at the end where the log has the queries of others, as that of Varnish does.
func TestInnocents_QueryIsThere(t *testing.T) {
	var w logWriter
	w.at(0, "192.0.2.9", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "http://e.example/p?a=1", 200, 10)
	w.at(0, "192.0.2.1", "BadBot/1.0 (+http://b.example/)", "http://e.example/robots.txt", 200, 10)
	for i := range 40 {
		w.at(float64(30*i+1), "192.0.2.1", "BadBot/1.0 (+http://b.example/)", "http://e.example/list?", 200, 10)
	}
	file := robots.Parse([]byte("User-agent: *\nDisallow: /list\nAllow: /*page=\n"), robots.RFC9309)
	r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: file}}})
	if len(r.Robots) != 1 || r.Robots[0].Disallowed.Count != 40 {
		t.Errorf("%+v", r.Robots)
	}
}

// TestInnocents: nobody is blamed who may be no crawler, or is told to be limited by a block.
func TestInnocents(t *testing.T) {
	for name, c := range innocents {
		t.Run(name, func(t *testing.T) {
			var w logWriter
			for i := range 100 {
				w.at(float64(3*i), "192.0.2.1", c.agent, fmt.Sprintf("/p/%d", i), 200, 10)
				w.at(float64(3*i), "192.0.2.1", c.agent, "/private/x", 200, 10)
				w.at(50*hour+float64(3*i), "192.0.2.1", c.agent, fmt.Sprintf("/q/%d", i), 200, 10)
			}
			r := run(t, w.b.String(), audit.Options{Copies: history()})
			if robots, faults := r.Broken(); robots > 0 || r.UnusualCount > 0 || r.Remedy != nil {
				t.Errorf("blamed: %+v; unusual %+v; to paste %+v", faults, r.Unusual, r.Remedy)
			}
			for _, s := range r.Suggestions {
				if strings.Contains(s.Why, "disallows") {
					t.Errorf("blamed by the suggestion %+v", s)
				}
			}
			if got := string(r.Standings[0].Verdict); got != c.verdict && !strings.HasPrefix(got, "costly") {
				t.Errorf("the verdict is %q, want %q", got, c.verdict)
			}
		})
	}
}

// TestInnocents_ConnectionsNeverUsed: a browser opens connections ahead of need, and servers log those on which no request came.
func TestInnocents_ConnectionsNeverUsed(t *testing.T) {
	for name, unused := range map[string]string{"Apache": `"-" 408 0`, "nginx": `"" 400 0`} {
		var w logWriter
		w.at(0, "192.0.2.1", browser, "/", 200, 10)
		w.at(0, "192.0.2.1", browser, "/a.css", 200, 10)
		for i := range 30 {
			w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] %s "-" "-"`, start.Format("02/Jan/2006:15:04:05 -0700"), unused))
			w.raw(fmt.Sprintf(`192.0.2.%d - - [%s] %s "-" "-"`, i+2, start.Format("02/Jan/2006:15:04:05 -0700"), unused))
		}
		r := run(t, w.b.String(), audit.Options{})
		if r.UnusualCount > 0 || r.People.Clients != 1 || r.People.Documents != 1 {
			t.Errorf("%s: unusual %+v; people %+v", name, r.Unusual, r.People)
		}
	}
}

// TestInnocents_Applications: a page that is an application posts to one URL all the time, which is no pace that a person reads at;
// who posts to a new URL each time is no person.
func TestInnocents_Applications(t *testing.T) {
	for _, c := range []struct {
		path    func(i int) string
		unusual int
	}{{func(int) string { return "/sdk/" }, 0}, {func(i int) string { return fmt.Sprintf("/p/%d", i) }, 1}} {
		var w logWriter
		for i := range 200 {
			when := start.Add(time.Duration(i) * 200 * time.Millisecond).Format("02/Jan/2006:15:04:05 -0700")
			w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "POST %s HTTP/1.1" 200 10 "http://www.e.example/ui/" "%s"`, when, c.path(i), browser))
			w.at(float64(i)/5, "192.0.2.1", browser, "/a.css", 200, 10)
		}
		if r := run(t, w.b.String(), audit.Options{}); r.UnusualCount != c.unusual {
			t.Errorf("%s: unusual %+v", c.path(0), r.Unusual)
		}
	}
}

// TestInnocents_PagesThatAsk: a page may ask for documents by itself, faster than anybody reads: it looks for news, has images
// without an ending, or a worker that gets what may be read later. Whoever turns to as many pages is no person, nor is who
// gets nothing that belongs to one.
func TestInnocents_PagesThatAsk(t *testing.T) {
	const page = "http://www.e.example/page"
	for _, c := range []struct {
		name, path, referrer string
		assets, unusual      int
	}{
		{"looks for news", "/news", page, 9, 0},
		{"looks for news past caches", "/news?_=%d", page, 9, 0},
		{"images without an ending", "/image?url=photo%d&w=640", page, 9, 0},
		{"parts of a list", "/list/%d", page, 9, 0},
		{"a worker", "/later/%d", "http://www.e.example/worker.js", 9, 0},
		{"no more than the host is named", "/list/%d", "http://www.e.example/", 9, 0},
		{"another site is named", "/list/%d", "https://found.example/", 9, 1},
		{"follows links", "/list/%d", "http://www.e.example/list/%d", 9, 1},
		{"nothing that belongs to a page", "/list/%d", page, 0, 1},
		{"what belongs to pages is elsewhere", "/list/%d", page, -1, 0},
		{"no page", "/list/%d", "-", 9, 1},
	} {
		var w logWriter
		add := func(second int, target, referrer string) {
			w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "%s"`,
				start.Add(time.Duration(second)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), target, referrer, browser))
		}
		at := func(text string, i int) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(i)) }
		if c.assets >= 0 {
			w.at(0, "192.0.2.9", browser, "/a.css", 200, 10)
		}
		assetsOf := page
		if c.referrer == "http://www.e.example/" {
			assetsOf = c.referrer
		}
		add(0, "/page", "-")
		for i := range c.assets {
			add(1, fmt.Sprintf("/%d.css", i), assetsOf)
		}
		for i := range 3 * 3600 {
			add(i, at(c.path, i), at(c.referrer, i-1))
		}
		if r := run(t, w.b.String(), audit.Options{}); r.UnusualCount != c.unusual {
			t.Errorf("%s: unusual %+v", c.name, r.Unusual)
		}
	}
}

// TestPeople_EmptiesTheSite: a robot that always names one page, and gets an image now and then, is no page that asks by itself, as
// a map that somebody moves is.
func TestPeople_EmptiesTheSite(t *testing.T) {
	for minutes, unusual := range map[int]int{5: 0, 30: 1} {
		var w logWriter
		for i := range minutes * 60 * 6 {
			target := fmt.Sprintf("/tile/%d", i)
			if i < 10 {
				target = fmt.Sprintf("/%d.png", i)
			}
			w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "http://www.e.example/" "%s"`,
				start.Add(time.Duration(i/6)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), target, browser))
		}
		if r := run(t, w.b.String(), audit.Options{}); r.UnusualCount != unusual {
			t.Errorf("%d minutes: unusual %+v", minutes, r.Unusual)
		}
	}
}

// TestInnocents_Browsers: a browser that looks at few URLs again and again, or at feeds, does what people let it do.
func TestInnocents_Browsers(t *testing.T) {
	for name, path := range map[string]func(i int) string{
		"a page that loads itself": func(i int) string { return fmt.Sprintf("/board?of=%d", i%2) },
		"a reader of feeds":        func(i int) string { return fmt.Sprintf("/%d/feed/", i) },
	} {
		var w logWriter
		w.at(0, "192.0.2.9", browser, "/a.css", 200, 10)
		for i := range 200 {
			w.at(float64(300*i), "192.0.2.1", browser, path(i), 200, 10)
			w.at(float64(300*i), "192.0.2.2", browser, fmt.Sprintf("/page/%d", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{})
		if len(r.Unusual) != 1 || r.Unusual[0].Client != "192.0.2.2" {
			t.Errorf("%s: unusual are %+v", name, r.Unusual)
		}
	}
}

// TestInnocents_NothingButDocuments: that somebody got documents and nothing else shows nothing of a text browser, of who looks at
// a film, and where the server leaves out the rest.
func TestInnocents_NothingButDocuments(t *testing.T) {
	for name, c := range map[string]struct{ agent, path, other string }{
		"a text browser":          {"Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1", "/page/%d", "/a.css"},
		"another":                 {"w3m/0.5.3+git20230121", "/page/%d", "/a.css"},
		"a film in parts":         {browser, "/film/part%d.ts", "/a.css"},
		"nothing else in the log": {browser, "/page/%d", "/"},
	} {
		var w logWriter
		w.at(0, "192.0.2.9", browser, c.other, 200, 10)
		for i := range 100 {
			w.at(float64(60*i), "192.0.2.1", c.agent, fmt.Sprintf(c.path, i), 200, 10)
		}
		if r := run(t, w.b.String(), audit.Options{}); len(r.Unusual) > 0 || r.People.Clients != 2 {
			t.Errorf("%s: unusual are %+v, people %+v", name, r.Unusual, r.People)
		}
	}
}

// TestInnocents_LooksAtRobotsTxt: a browser that came from a link and got one page with all of it is no robot because it, or what
// is built into it, looked at robots.txt; who came from nowhere may be one.
func TestInnocents_LooksAtRobotsTxt(t *testing.T) {
	for referrer, isUnusual := range map[string]bool{"https://found.example/": false, "-": true} {
		var w logWriter
		for i, c := range []struct{ path, referrer string }{{"/page", referrer}, {"/a.css", "http://www.e.example/page"},
			{"/a.js", "http://www.e.example/page"}, {"/robots.txt", "-"}, {"/favicon.ico", "-"}} {
			w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "%s"`,
				start.Add(time.Duration(i)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), c.path, c.referrer, browser))
		}
		if r := run(t, w.b.String(), audit.Options{}); (len(r.Unusual) == 1) != isUnusual {
			t.Errorf("from %s: unusual are %+v", referrer, r.Unusual)
		}
	}
}

// TestInnocents_ComesToRobotsTxt: who followed a link to robots.txt is no robot; who names a referrer for that, and none for the
// pages, is one.
func TestInnocents_ComesToRobotsTxt(t *testing.T) {
	for paths, isUnusual := range map[string]bool{"/robots.txt": false, "/robots.txt /page": true} {
		var w logWriter
		for i := range 40 {
			for _, path := range append(strings.Fields(paths), "/favicon.ico") {
				referrer := "-"
				if path == "/robots.txt" {
					referrer = "https://found.example/"
				}
				w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "%s"`,
					start.Add(time.Duration(i)*time.Hour).Format("02/Jan/2006:15:04:05 -0700"), path, referrer, browser))
			}
		}
		if r := run(t, w.b.String(), audit.Options{}); (len(r.Unusual) == 1) != isUnusual {
			t.Errorf("%s: unusual are %+v", paths, r.Unusual)
		}
	}
}

// TestInnocents_Moved: people who follow links that lead elsewhere, as those of a shortener, get redirects, to which nothing
// belongs. Whoever gets documents in their place is one of a crowd, many names at one address, or a client or a network that got
// nothing else.
func TestInnocents_Moved(t *testing.T) {
	for _, status := range []int{302, 200} {
		var w logWriter
		for i := range 400 {
			at := float64(100 * i)
			w.at(at, fmt.Sprintf("203.0.113.%d", i%50), browser, "/", 200, 10)
			w.at(at, fmt.Sprintf("203.0.113.%d", i%50), browser, "/a.css", 200, 10)
			w.at(at, fmt.Sprintf("203.0.113.%d", i%50), browser, "/a.png", 200, 10)
			link := fmt.Sprintf("/?to=%d", i)
			w.at(at, fmt.Sprintf("198.51.%d.%d", i/4, i%4), browser, link, status, 10)
			w.at(at, "192.0.2.1", browser, link, status, 10)
			w.at(at, "192.0.2.129", fmt.Sprintf("Mozilla/5.0 (Linux; Android 12; %d) Mobile", i), link, status, 10)
			for k := range 60 * max(0, 4-i) { // up to 180 in a minute
				w.at(at+float64(k)/4, fmt.Sprintf("192.88.99.%d", k%20), browser, fmt.Sprintf("/?to=%d.%d", i, k), status, 10)
			}
		}
		r := run(t, w.b.String(), audit.Options{})
		found := []bool{r.Crowd != nil, len(r.Unusual) == 2, len(r.UnusualNetworks) == 1}
		if slices.Contains(found, status == 302) || status == 302 && len(r.Unusual) > 0 {
			t.Errorf("status %d: crowd %+v, unusual %+v, networks %+v", status, r.Crowd, r.Unusual, r.UnusualNetworks)
		}
	}
}

// TestDoubtful: what somebody did under a name that can be proved and was not is no word against who has the name, and the site is
// not to be closed to that.
func TestDoubtful(t *testing.T) {
	var w logWriter
	const google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
	for i := range 100 {
		w.at(float64(100*i), "66.249.66.1", google, fmt.Sprintf("/p/%d", i), 200, 10)
	}
	w.at(0, "66.249.66.1", google, "/robots.txt", 200, 10)
	w.at(500, "192.0.2.66", google, "/private/x", 200, 10)
	s := run(t, w.b.String(), audit.Options{Copies: history()})
	if got := s.Standings[0]; got.Verdict != audit.VerdictDoubtful || !strings.Contains(got.Action, "check the name") {
		t.Errorf("the verdict is %+v", got)
	}
	if s.Remedy != nil || slices.ContainsFunc(s.Suggestions, func(s audit.Suggestion) bool { return s.Robots != "" }) {
		t.Errorf("to paste: %+v, suggested: %+v", s.Remedy, s.Suggestions)
	}
	borrowed := audit.Options{Copies: history(), Identify: func(_, client string) audit.Identity {
		if client == "66.249.66.1" {
			return audit.Confirmed
		}
		return audit.Disproved
	}}
	if s = run(t, w.b.String(), borrowed); s.Standings[0].Verdict != audit.VerdictBorrowed ||
		slices.ContainsFunc(s.Suggestions, func(s audit.Suggestion) bool { return s.Robots != "" }) {
		t.Errorf("the verdict is %+v, suggested: %+v", s.Standings[0], s.Suggestions)
	}
}

// TestCrowd_BesideMonitors: that robots and feed readers which call themselves browsers get more documents than a crowd does not
// hide it.
func TestCrowd_BesideMonitors(t *testing.T) {
	var w logWriter
	for i := range 400 {
		w.at(float64(100*i), fmt.Sprintf("198.51.%d.%d", i/200, i%200), browser, fmt.Sprintf("/page/%d", i), 200, 10)
		w.at(float64(100*i), fmt.Sprintf("203.0.113.%d", i%50), browser, fmt.Sprintf("/page/%d", i), 200, 10)
		w.at(float64(100*i), fmt.Sprintf("203.0.113.%d", i%50), browser, "/a.css", 200, 10)
		for k := range 10 {
			w.at(float64(100*i+10*k), "192.0.2.9", browser, "/", 200, 10)
		}
	}
	for k, p := range []string{"/wp-login.php", "/.env", "/xmlrpc.php", "/.git/config"} {
		w.at(float64(k), "192.0.2.77", browser, p, 404, 10)
	}
	r := run(t, w.b.String(), audit.Options{})
	if r.Crowd == nil || r.Crowd.Addresses != 400 || r.Probes == nil || r.Probes.Clients != 1 {
		t.Errorf("crowd %+v, probes %+v", r.Crowd, r.Probes)
	}
}

// TestKin: a robot of which nothing is known but that it is of the owner of another is not blamed for what is said to all robots,
// nor for not asking what the other asked for.
func TestKin(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(float64(3600*i), "192.0.2.1", "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "/robots.txt", 200, 10)
		w.at(float64(3600*i), "192.0.2.2", "Mozilla/5.0 (compatible; YandexSomething/3.0; +http://yandex.com/bots)", fmt.Sprintf("/private/%d", i), 200, 10)
		w.at(float64(3600*i), "192.0.2.3", "Mozilla/5.0 (compatible; OtherBot/3.0; +http://o.example/bots)", fmt.Sprintf("/private/%d", i), 200, 10)
	}
	r := run(t, w.b.String(), audit.Options{Copies: history()})
	if one := find(t, r.Robots, "YandexSomething"); len(one.Faults) > 0 || one.Disallowed.Read != 100 {
		t.Errorf("blamed: %+v, %d excused", one.Faults, one.Disallowed.Read)
	}
	if one := find(t, r.Robots, "OtherBot"); len(one.Faults) != 2 {
		t.Errorf("not blamed: %+v", one.Faults)
	}
}

// TestFamily_OfTheBeginningOfAName: what bingbot got counts for msnbot-media, of which nothing is known but that its name begins
// with that of another robot of Microsoft.
func TestFamily_OfTheBeginningOfAName(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(float64(3600*i), "192.0.2.1", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "/robots.txt", 200, 10)
		w.at(float64(3600*i), "192.0.2.2", "msnbot-media/1.1 (+http://search.msn.com/msnbot.htm)", fmt.Sprintf("/p/%d", i), 200, 10)
	}
	if one := find(t, run(t, w.b.String(), audit.Options{}).Robots, "msnbot-media"); len(one.Faults) > 0 {
		t.Errorf("blamed: %+v", one.Faults)
	}
}

// A private address with several names is a proxy, or the gateway of a container, and whoever is behind it is not limited for it.
func TestAuditor_TakesPrivateAddressesWithSeveralNamesForProxies(t *testing.T) {
	for names, want := range map[int]string{1: "", 12: "172.18.0.1"} {
		var log strings.Builder
		for i := range 400 {
			agent := fmt.Sprintf("Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/128.0", 100+i/2%names)
			client := "172.18.0.1"
			if i%2 == 1 {
				client, agent = fmt.Sprintf("192.0.2.%d", i%250), "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0"
			}
			fmt.Fprintf(&log, "%s - - [01/Mar/2026:12:00:%02d +0000] \"GET /%d.html HTTP/1.1\" 200 5 \"-\" %q\n", client, i/10, i, agent)
		}
		a := audit.New(audit.Options{})
		if err := a.Read(accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto), "access.log"); err != nil {
			t.Fatal(err)
		}
		r := a.Report()
		hides := slices.ContainsFunc(r.Standings, func(s audit.Standing) bool { return s.Name == "172.18.0.1" })
		if r.Behind != want || hides != (want == "") {
			t.Errorf("%d names: behind %q, accused %v", names, r.Behind, hides)
		}
	}
}

// TestStandings_LogWithoutNames: who behaves as a robot does hides nothing where the log has no field for its name.
func TestStandings_LogWithoutNames(t *testing.T) {
	for _, hasNames := range []bool{false, true} {
		var w logWriter
		line := func(client, path string) {
			name := ""
			if hasNames {
				name = ` "-" "` + somebody + `"`
			}
			w.raw(fmt.Sprintf(`%s - - [%s] "GET %s HTTP/1.1" 200 100%s`, client,
				start.Add(time.Duration(w.n)*time.Minute).Format("02/Jan/2006:15:04:05 -0700"), path, name))
		}
		line("192.0.2.1", "/robots.txt")
		for n := range 90 {
			line("192.0.2.1", fmt.Sprintf("/%d.html", n))
		}
		want := audit.VerdictUnclear
		if hasNames {
			want = audit.VerdictHides
		}
		if one := run(t, w.b.String(), audit.Options{}).Standings[0]; one.Name != "192.0.2.1" || one.Verdict != want {
			t.Errorf("names in the log: %t: %+v, want %q", hasNames, one, want)
		}
	}
}

// TestStandings_Anybody: without User-Agents, images and styles nobody is told to be a person.
func TestStandings_Anybody(t *testing.T) {
	for name, c := range map[string]struct {
		end, path string
		want      audit.Verdict
	}{
		"nothing":     {"", "/health", audit.VerdictUnclear},
		"styles":      {"", "/a.css", audit.VerdictPeople},
		"User-Agents": {` "-" "` + somebody + `"`, "/health", audit.VerdictPeople},
	} {
		var w logWriter
		for n := range 9 {
			w.raw(fmt.Sprintf(`192.0.2.%d - - [%s] "GET %s HTTP/1.1" 200 100%s`, n,
				start.Add(time.Duration(n)*time.Minute).Format("02/Jan/2006:15:04:05 -0700"), c.path, c.end))
		}
		if r := run(t, w.b.String(), audit.Options{}); len(r.Standings) != 1 || r.Standings[0].Verdict != c.want {
			t.Errorf("%s: %+v, want %q", name, r.Standings, c.want)
		}
	}
}

// TestStandings_Scanner: a tool that looks for holes, and says so, is told as that whatever it finds.
func TestStandings_Scanner(t *testing.T) {
	var w logWriter
	w.at(0, "192.0.2.1", "sqlmap/1.8#stable (https://sqlmap.org)", "/item?id=1%27", 200, 1)
	w.at(1, "192.0.2.2", "curl/8.5.0", "/item?id=1", 200, 1)
	for _, one := range run(t, w.b.String(), audit.Options{}).Standings {
		if isScanner := one.Name == "sqlmap"; isScanner != (one.Verdict == audit.VerdictProbes) {
			t.Errorf("%s: %s, %s", one.Name, one.Verdict, one.Action)
		}
	}
}

// TestStandings_WhatToDo: what to do reaches who is meant. Nobody is asked in robots.txt to whom it does not speak, and a program
// of which some keep the rules has no owner. Who goes from link to link to what is disallowed may be a person's program, or a
// crawler.
func TestStandings_WhatToDo(t *testing.T) {
	var w logWriter
	agents := []string{"Wget/1.21.3", "Scrapy/2.11.0 (+https://scrapy.org)", "Scrapy/2.11.0 (+https://scrapy.org)", "example/1.0"}
	for i := range 60 {
		for j, agent := range agents {
			path := fmt.Sprintf("/%s/%d", []string{"p", "p", "private", "private"}[j], i)
			if i == 0 && j < 3 {
				path = "/robots.txt"
			}
			w.raw(fmt.Sprintf(`192.0.2.%d - - [%s] "GET %s HTTP/1.1" 200 10 "https://www.example.org/" "%s"`, j,
				start.Add(time.Duration(i)*time.Minute).Format("02/Jan/2006:15:04:05 -0700"), path, agent))
		}
	}
	want := map[string]string{"Wget": "costly: limit its pace", "Scrapy": "breaks rules: block the addresses that break them, not the name",
		"example": "unclear: find out whose it is; limit its pace if it costs too much"}
	r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
	for _, one := range r.Standings {
		if got := fmt.Sprintf("%s: %s", one.Verdict, one.Action); want[one.Name] != "" && got != want[one.Name] {
			t.Errorf("%s: %s, want %s", one.Name, got, want[one.Name])
		}
		delete(want, one.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing of %v", want)
	}
}

// TestStandings_PaceOfMany: a program that many run, and that was but too fast, is not to be blocked.
func TestStandings_PaceOfMany(t *testing.T) {
	var w logWriter
	w.at(0, "192.0.2.1", "Scrapy/2.11.0 (+https://scrapy.org)", "/robots.txt", 200, 10)
	for i := range 60 {
		w.at(float64(2+i), "192.0.2.1", "Scrapy/2.11.0 (+https://scrapy.org)", fmt.Sprint("/p/", i), 200, 10)
	}
	file := robots.Parse([]byte("User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n"), robots.RFC9309)
	one := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: file}}}).Standings[0]
	if one.Name != "Scrapy" || one.Verdict != audit.VerdictBreaks || one.Action != "limit its pace" {
		t.Errorf("%s: %s, %s", one.Name, one.Verdict, one.Action)
	}
}

// TestInnocents_Redirects: who keeps the pause and follows a redirect at once, through two of them, does as every client does; a
// site that answers all with redirects has robots that are too fast all the same.
func TestInnocents_Redirects(t *testing.T) {
	const agent = "Mozilla/5.0 (compatible; TestBot/1.0; +https://test.example/bot)"
	for name, c := range map[string]struct {
		gap     float64
		status  []int
		isFault bool
	}{
		"a directory without its slash": {10, []int{301, 200}, false},
		"http, then www":                {10, []int{301, 302, 200}, false},
		"three of them each time":       {10, []int{301, 302, 307, 200}, true},
		"nothing but redirects, fast":   {1, []int{301}, true},
		"not modified":                  {1, []int{304}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var w logWriter
			w.at(0, "192.0.2.1", agent, "/robots.txt", 200, 10)
			for i := range 100 {
				for hop, status := range c.status {
					w.at(10+c.gap*float64(i), "192.0.2.1", agent, fmt.Sprintf("/p/%d/%d", i, hop), status, 10)
				}
			}
			r := run(t, w.b.String(), audit.Options{Copies: history()[1:]})
			_, faults := r.Broken()
			isFault := false
			for _, f := range find(t, r.Robots, "TestBot").Faults {
				isFault = isFault || f.Code == audit.FaultDelay
			}
			if isFault != c.isFault {
				t.Errorf("blamed for short pauses: %v, want %v; %+v", isFault, c.isFault, faults)
			}
		})
	}
}

// TestInnocents_OneShortPause: one pause that is too short shows nothing, two do.
func TestInnocents_OneShortPause(t *testing.T) {
	const agent = "Mozilla/5.0 (compatible; TestBot/1.0; +https://test.example/bot)"
	for pages := 1; pages <= 3; pages++ {
		var w logWriter
		w.at(0, "192.0.2.1", agent, "/robots.txt", 200, 10)
		for i := range pages {
			w.at(20, "192.0.2.1", agent, fmt.Sprintf("/p/%d", i), 200, 10)
		}
		one := find(t, run(t, w.b.String(), audit.Options{Copies: history()[1:]}).Robots, "TestBot")
		if isFault := len(one.Faults) > 0; isFault != (pages > 2) {
			t.Errorf("%d pages at once: blamed: %v; %+v", pages, isFault, one.Pace)
		}
	}
}

// TestInnocents_ToldThatThereIsNone: who was told that there is no robots.txt owes no pause for 24 hours, whatever file there is
// said to have been.
func TestInnocents_ToldThatThereIsNone(t *testing.T) {
	const agent = "Mozilla/5.0 (compatible; TestBot/1.0; +https://test.example/bot)"
	for name, c := range map[string]struct {
		status  int
		later   float64
		isFault bool
	}{
		"404": {404, 10, false}, "403": {403, 10, false}, "404, and a day": {404, 25 * hour, true}, "200": {200, 10, true},
		"503": {503, 10, true},
	} {
		t.Run(name, func(t *testing.T) {
			var w logWriter
			w.at(0, "192.0.2.1", agent, "/robots.txt", c.status, 10)
			for i := range 30 {
				w.at(c.later+float64(i), "192.0.2.1", agent, fmt.Sprintf("/p/%d", i), 200, 10)
			}
			one := find(t, run(t, w.b.String(), audit.Options{Copies: history()[1:]}).Robots, "TestBot")
			isFault := slices.ContainsFunc(one.Faults, func(f audit.Fault) bool { return f.Code == audit.FaultDelay })
			if isFault != c.isFault {
				t.Errorf("blamed for short pauses: %v, want %v; %+v", isFault, c.isFault, one.Pace)
			}
		})
	}
}

// TestInnocent_RewrittenPaths: nginx' $uri is what the server made of a path. Who asked for a page is not blamed for the index.php
// that answers for all of them.
func TestInnocent_RewrittenPaths(t *testing.T) {
	copies := []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nDisallow: /index.php\nDisallow: /private/\n"), robots.RFC9309)}}
	for field, want := range map[string]int64{
		`"uri":%q,"args":""`: 1, `"uri":%q,"args":"p=1"`: 1, `"request":"GET %s HTTP/1.1"`: 31, `"request_uri":%q,"uri":"/index.php"`: 31, `"request":{"uri":%q}`: 31,
	} {
		var log strings.Builder
		for i := range 32 {
			path := "/index.php"
			switch i {
			case 0:
				path = "/robots.txt"
			case 1:
				path = "/private/x"
			}
			fmt.Fprintf(&log, `{"ts":%d,"client":"192.0.2.1",%s,"status":200,"size":50,"user_agent":"TestBot/1 (+http://t.example/)"}`+"\n",
				start.Unix()+int64(i)*60, strings.Replace(strings.Replace(field, "%q", `"`+path+`"`, 1), "%s", path, 1))
		}
		if d := find(t, run(t, log.String(), audit.Options{Copies: copies}).Robots, "TestBot").Disallowed; d.Count != want {
			t.Errorf("%s: %d disallowed, want %d", field, d.Count, want)
		}
	}
}

// TestInnocents_Together: many people behind one address with one browser are faster than one, and one of them may look at
// robots.txt. A robot that gets what belongs to pages comes from no links, or gets it once.
func TestInnocents_Together(t *testing.T) {
	for name, c := range map[string]struct {
		referrer string
		assets   int
		unusual  bool
	}{
		"people":                       {"https://www.e.example/", 3, false},
		"a robot with a browser":       {"-", 3, true},
		"a robot that keeps its files": {"https://www.e.example/", 0, true},
	} {
		var w logWriter
		w.at(0, "192.0.2.9", browser, "/a.css", 200, 10)
		w.at(300, "192.0.2.1", browser, "/robots.txt", 200, 10)
		for i := range 400 {
			when := start.Add(time.Duration(i) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
			line := func(path, referrer string) {
				w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "%s"`, when, path, referrer, browser))
			}
			line(fmt.Sprintf("/page/%d", i), c.referrer)
			for n := range c.assets {
				line(fmt.Sprintf("/%d.css", n), "https://www.e.example/page")
			}
		}
		r := run(t, w.b.String(), audit.Options{})
		if isUnusual := r.UnusualCount > 0; isUnusual != c.unusual || isUnusual && len(r.Unusual[0].Why) < 2 {
			t.Errorf("%s: %+v", name, r.Unusual)
		}
	}
}
