package audit_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

const somebody = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// visits is a log of four days: people get pages and what belongs to them, a crawler asks for robots.txt once a day, and another
// one never.
func visits() (lines []string) {
	add := func(at time.Duration, client, path, referrer, agent string) {
		lines = append(lines, fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" 200 100 %q %q", client,
			start.Add(at).Format("02/Jan/2006:15:04:05 -0700"), path, referrer, agent))
	}
	for hours := range 4 * 24 {
		at := time.Duration(hours)*time.Hour + time.Duration(hours%7)*time.Minute
		if hours%24 == 0 {
			add(at, "192.0.2.1", "/robots.txt", "-", "KindBot/1 (+http://kind.example/)")
		}
		page := fmt.Sprintf("/%d.html", hours)
		add(at, "192.0.2.1", page, "-", "KindBot/1 (+http://kind.example/)")
		add(at, "192.0.2.2", page, "-", "RudeBot/1 (+http://rude.example/)")
		for person := range 3 {
			client := fmt.Sprintf("198.51.%d.%d", hours, person)
			page := fmt.Sprintf("/%d.html", hours+person)
			add(at, client, page, "https://search.example/", somebody)
			for _, asset := range []string{"/style.css", "/logo.png", "/app.js"} {
				add(at, client, asset, "https://www.site.example"+page, somebody)
			}
			add(at, client, "/font.woff2", "https://www.site.example/style.css", somebody)
			add(at, client, "/favicon.ico", "https://www.site.example/", somebody)
		}
	}
	return lines
}

// TestAuditor_Sample: nobody is blamed for what is not in a log that shows by its people that pages are missing, be it a sample, or
// the log of a server behind a cache.
func TestAuditor_Sample(t *testing.T) {
	whole := visits()
	keep := map[string]func(line string) bool{
		"whole":          func(string) bool { return true },
		"sample":         func(string) bool { return rand.IntN(100) < 40 },
		"behind a cache": func(line string) bool { return !strings.Contains(line, "Firefox") || strings.Contains(line, "/app.js") },
	}
	for name, keeps := range keep {
		var b strings.Builder
		for _, line := range whole {
			if keeps(line) {
				b.WriteString(line + "\n")
			}
		}
		r := run(t, b.String(), audit.Options{})
		isWhole := name == "whole"
		if isWhole != (r.Missing == 0) {
			t.Errorf("%s: %.2f of the pages are missing", name, r.Missing)
		}
		if faults := find(t, r.Robots, "KindBot").Faults; len(faults) > 0 {
			t.Errorf("%s: who asks once a day is blamed: %+v", name, faults)
		}
		if faults := find(t, r.Robots, "RudeBot").Faults; isWhole != (len(faults) > 0) {
			t.Errorf("%s: who never asks: %+v", name, faults)
		}
	}
}

// TestAuditor_AssetsElsewhere: that somebody got no images, styles and scripts is unusual only where people do.
func TestAuditor_AssetsElsewhere(t *testing.T) {
	for percent, isOdd := range map[int]bool{0: false, 3: false, 90: true} {
		var w logWriter
		for i := range 300 {
			client := fmt.Sprintf("198.51.%d.%d", i/100, i%100)
			for n := range 3 {
				w.at(float64(600*i+60*n), client, somebody, fmt.Sprintf("/%d.html", n), 200, 1)
			}
			if i%100 < percent {
				w.at(float64(600*i+200), client, somebody, "/style.css", 200, 1)
			}
		}
		for n := range 60 {
			w.at(float64(3000*n+10), "203.0.113.9", somebody, fmt.Sprintf("/%d.html", n), 200, 1)
		}
		if r := run(t, w.b.String(), audit.Options{}); isOdd != (r.UnusualCount > 0) {
			t.Errorf("%d of 100 people get styles: %d clients are unusual", percent, r.UnusualCount)
		}
	}
}

// TestAuditor_Slices: in a log of which all requests are in the same minute of each hour, times show nothing.
func TestAuditor_Slices(t *testing.T) {
	for name, step := range map[string]float64{"one minute of each hour": hour, "all of the time": hour + 60} {
		var w logWriter
		for i := range 40 {
			at := float64(i) * step
			for n := range 15 {
				w.at(at+float64(n), fmt.Sprintf("192.0.2.%d", 15*(i%8)+n), browser, fmt.Sprintf("/%d", n), 200, 10)
			}
			for n := range 9 {
				w.at(at+20+float64(n), "198.51.100.1", "Mozilla/5.0 (compatible; RudeBot/1.0; +https://rude.example/bot)", fmt.Sprintf("/r/%d/%d", i, n), 200, 10)
			}
			w.at(at+30, "198.51.100.2", "Mozilla/5.0 (compatible; KindBot/1.0; +https://kind.example/bot)", "/robots.txt", 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: history()[1:]})
		isSliced := step == hour
		if faults := find(t, r.Robots, "RudeBot").Faults; isSliced != (r.Sliced > 0) || isSliced != (len(faults) == 0) {
			t.Errorf("%s: in %d minutes of the hour; blamed for %+v", name, r.Sliced, faults)
		}
	}
}

// TestAuditor_SlicesOfOne: one of two logs has one minute of each hour.
func TestAuditor_SlicesOfOne(t *testing.T) {
	var part, whole logWriter
	for i := range 40 {
		at := float64(i) * hour
		for n := range 15 {
			part.at(at+float64(n), fmt.Sprintf("192.0.2.%d", 15*(i%8)+n), browser, fmt.Sprintf("/%d", n), 200, 10)
			whole.at(at+float64(240*n), fmt.Sprintf("192.0.2.%d", 15*(i%8)+n), browser, fmt.Sprintf("/%d", n), 200, 10)
		}
		for n := range 9 {
			part.at(at+20+float64(n), "198.51.100.1", "Mozilla/5.0 (compatible; RudeBot/1.0; +https://rude.example/bot)", fmt.Sprintf("/r/%d/%d", i, n), 200, 10)
		}
	}
	a := audit.New(audit.Options{Copies: history()[1:]})
	for name, log := range map[string]*logWriter{"part": &part, "whole": &whole} {
		if err := a.Read(accesslog.NewReader(strings.NewReader(log.b.String()), accesslog.Auto), name); err != nil {
			t.Fatal(err)
		}
	}
	r := a.Report()
	if faults := find(t, r.Robots, "RudeBot").Faults; r.Sliced == 0 || len(faults) > 0 {
		t.Errorf("in %d minutes of the hour; blamed for %+v", r.Sliced, faults)
	}
}

// roundsOf is a log of ten days of a server: eight robots ask for robots.txt before each of their rounds, which are at random; some
// more asked once, on the first day, or never. Something before the server answers for robots.txt for so long after the server was
// asked for it.
func roundsOf(sloppy, rude int, kept time.Duration, seed uint64) string {
	type request struct {
		at   float64
		who  string
		path string
		n    int
	}
	var all []request
	random := rand.New(rand.NewPCG(seed, 0))
	const days = 10
	for n := range 8 + sloppy + rude {
		kind := "Kind"
		if n >= 8 {
			kind = "Sloppy"
		}
		if n >= 8+sloppy {
			kind = "Rude"
		}
		who := fmt.Sprintf("%s%cBot/1 (+http://%c.example/)", kind, 'A'+n, 'a'+n)
		for round := range 2*days + n*days/4 {
			at := random.Float64() * days * 24 * hour
			switch {
			case kind == "Sloppy" && round == 0:
				at = random.Float64() * hour
				fallthrough
			case kind == "Kind":
				all = append(all, request{at, who, "/robots.txt", n})
			}
			for page := range 5 {
				all = append(all, request{at + 10*float64(page+1), who, fmt.Sprintf("/%d/%d", round, page), n})
			}
		}
	}
	slices.SortFunc(all, func(x, y request) int { return cmp.Compare(x.at, y.at) })
	var w logWriter
	until := -1.0
	for _, r := range all {
		if r.path == "/robots.txt" {
			if r.at < until {
				continue
			}
			until = r.at + kept.Seconds()
		}
		w.at(r.at, fmt.Sprintf("192.0.2.%d", r.n), r.who, r.path, 200, 100)
	}
	return w.b.String()
}

// TestAuditor_RobotsTxtFromACache: where a cache lets pages pass and answers for robots.txt, the server hears of it from few of
// those who ask, and nobody is blamed. Where there is none, all are who do not ask, though they are many.
func TestAuditor_RobotsTxtFromACache(t *testing.T) {
	for seed := range uint64(20) {
		for kept, isShown := range map[time.Duration]bool{0: true, 4 * time.Hour: false, 24 * time.Hour: false} {
			r := run(t, roundsOf(3, 4, kept, seed), audit.Options{})
			if isShown != (r.Stale == 0) {
				t.Errorf("%d, kept for %v: %d robots asked now and then", seed, kept, r.Stale)
			}
			for _, one := range r.Robots {
				if blamed := len(one.Faults) > 0; blamed != (isShown && !strings.HasPrefix(one.Token, "Kind")) {
					t.Errorf("%d, kept for %v: %s: %+v", seed, kept, one.Token, one.Faults)
				}
			}
		}
	}
}

// TestAuditor_RobotsTxtForMonitorsOnly: where a cache answers for robots.txt, and only a monitor behind it asks the server, no
// crawler is blamed for not asking, whether it is known or says itself what it is; as soon as one of its kind is seen to ask again
// and again, who never does is blamed.
func TestAuditor_RobotsTxtForMonitorsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		agents []string
		asks   string
		blamed bool
	}{
		"known":        {[]string{"bingbot/2.0", "Googlebot/2.1", "GPTBot/1.2", "KindBot/1 (+http://kind.example/)"}, "UptimeRobot/2.0", false},
		"known, asked": {[]string{"bingbot/2.0", "Googlebot/2.1", "GPTBot/1.2", "KindBot/1 (+http://kind.example/)"}, "KindBot/1", false},
		"some asked":   {[]string{"Googlebot/2.1", "GPTBot/1.2", "PetalBot", "ClaudeBot/1"}, "bingbot/2.0", true},
		"unknown":      {[]string{"ABot/1 (+http://a.example/)", "BBot/1 (+http://b.example/)", "CBot/1 (+http://c.example/)"}, "curl/8", false},
		"asked":        {[]string{"ABot/1 (+http://a.example/)", "BBot/1 (+http://b.example/)", "CBot/1 (+http://c.example/)"}, "ABot/1 (+http://a.example/)", true},
	} {
		var w logWriter
		for i := range 100 {
			w.at(float64(i)*hour, "192.0.2.100", c.asks, "/robots.txt", 200, 10)
			for n, agent := range c.agents {
				w.at(float64(i)*hour+float64(n+1), fmt.Sprintf("192.0.2.%d", n), agent, fmt.Sprintf("/%d", i), 200, 10)
			}
		}
		r := run(t, w.b.String(), audit.Options{})
		for _, one := range r.Robots {
			if asks := strings.HasPrefix(c.asks, one.Token); len(one.Faults) > 0 != (c.blamed && !asks) {
				t.Errorf("%s: %s: %+v", name, one.Token, one.Faults)
			}
		}
	}
}

// TestAuditor_RobotsTxtForgedNames: where several robots ask for robots.txt in time, it can be got, and who comes under the names
// of known crawlers and does not ask frees nobody.
func TestAuditor_RobotsTxtForgedNames(t *testing.T) {
	var w logWriter
	for i := range 100 {
		for n, name := range []string{"A", "B", "C"} {
			agent := fmt.Sprintf("Kind%sBot/1 (+http://kind-%s.example/)", name, strings.ToLower(name))
			if i%20 == 0 {
				w.at(float64(i)*hour, fmt.Sprintf("192.0.2.%d", n), agent, "/robots.txt", 200, 10)
			}
			w.at(float64(i)*hour, fmt.Sprintf("192.0.2.%d", n), agent, fmt.Sprintf("/%d", i), 200, 10)
		}
		for _, agent := range []string{"bingbot/2.0", "GPTBot/1.2", "PetalBot", "ClaudeBot/1", "RudeBot/1 (+http://rude.example/)"} {
			w.at(float64(i)*hour, "192.0.2.66", agent, fmt.Sprintf("/%d", i), 200, 10)
		}
	}
	r := run(t, w.b.String(), audit.Options{})
	for _, one := range r.Robots {
		if isBlamed := len(one.Faults) > 0; isBlamed == strings.HasPrefix(one.Token, "Kind") {
			t.Errorf("%s: %+v, %d without", one.Token, one.Faults, r.Stale)
		}
	}
}

// TestAuditor_RobotsTxtByAnotherClock: where the clocks of two servers are half a minute apart, a page may seem to come before
// robots.txt that was got first. By one clock it does.
func TestAuditor_RobotsTxtByAnotherClock(t *testing.T) {
	var pages, asks, both logWriter
	for i := range 50 {
		at := float64(30*i) * hour
		for _, w := range []*logWriter{&pages, &both} {
			for after := range 2 {
				w.at(at+15*float64(after), "192.0.2.1", "KindBot/1 (+http://kind.example/)", fmt.Sprintf("/%d", i), 200, 10)
			}
		}
		for _, w := range []*logWriter{&asks, &both} {
			w.at(at+29, "192.0.2.1", "KindBot/1 (+http://kind.example/)", "/robots.txt", 200, 10)
		}
	}
	for _, logs := range [][]*logWriter{{&pages, &asks}, {&both}} {
		var list []accesslog.Source
		for i, w := range logs {
			list = append(list, accesslog.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(w.b.String())), nil
			}})
		}
		a, err := audit.ReadAll(accesslog.NewMerge(list...), func() *audit.Auditor { return audit.New(audit.Options{}) })
		if err != nil {
			t.Fatal(err)
		}
		if one := find(t, a.Report().Robots, "KindBot"); (len(logs) == 1) != (len(one.Faults) > 0) {
			t.Errorf("%d clocks: %+v, %+v", len(logs), one.Faults, one.Asking)
		}
	}
}

// TestAuditor_RobotsTxtByALibrary: a robot may leave it to a library to get robots.txt, which gives its own name or none. What was
// got from its address counts for it, and so does what it then knows; what others got from elsewhere does not.
func TestAuditor_RobotsTxtByALibrary(t *testing.T) {
	for library, from := range map[string]string{
		"Python-urllib/3.12": "192.0.2.1", "Go-http-client/1.1": "192.0.2.1", "-": "192.0.2.1", "Java/21.0.1": "192.0.2.2", "OtherBot/1": "192.0.2.1",
	} {
		var w logWriter
		for i := range 100 {
			if i%20 == 0 {
				w.at(float64(i)*hour, from, library, "/robots.txt", 200, 10)
			}
			w.at(float64(i)*hour+1, "192.0.2.1", "PyBot/1 (+http://py.example/)", fmt.Sprintf("/%d", i), 200, 10)
		}
		isOwn := from == "192.0.2.1" && !strings.HasPrefix(library, "OtherBot")
		if one := find(t, run(t, w.b.String(), audit.Options{}).Robots, "PyBot"); isOwn != (len(one.Faults) == 0) {
			t.Errorf("%s from %s: %+v", library, from, one.Faults)
		}
	}
	changed := start.Add(26 * time.Hour)
	copies := []audit.Copy{
		{Name: "old", From: start.Add(-hour * time.Second), File: robots.Parse(nil, robots.RFC9309)},
		{Name: "new", From: changed, Earliest: changed, File: robots.Parse([]byte("User-agent: *\nDisallow: /p/\n"), robots.RFC9309)},
	}
	for at, blamed := range map[float64]bool{25: false, 24.5: true} {
		var w logWriter
		w.at(0, "192.0.2.9", "OtherBot/1", "/", 200, 10)
		w.at(at*hour, "192.0.2.1", "Python-urllib/3.12", "/robots.txt", 200, 10)
		w.at(48.7*hour, "192.0.2.1", "PyBot/1 (+http://py.example/)", "/p/1", 200, 10)
		if one := find(t, run(t, w.b.String(), audit.Options{Copies: copies}).Robots, "PyBot"); blamed != (len(one.Faults) > 0) {
			t.Errorf("got at %vh: %+v", at, one.Faults)
		}
	}
}

// TestAuditor_RobotsTxtByALibraryAmongMany: what a library got counts for a robot however many others ask for robots.txt under the
// names of browsers, as those do that hide on a large site.
func TestAuditor_RobotsTxtByALibraryAmongMany(t *testing.T) {
	var w logWriter
	for i := range 12_000 {
		w.at(float64(i), fmt.Sprintf("198.18.%d.%d", i/250, i%250), somebody, "/robots.txt", 200, 10)
	}
	for i := range 60 {
		w.at(float64(4+i)*hour, "192.0.2.1", "Python-urllib/3.12", "/robots.txt", 200, 10)
		w.at(float64(4+i)*hour+1, "192.0.2.1", "PyBot/1 (+http://py.example/)", fmt.Sprintf("/%d", i), 200, 10)
	}
	if one := find(t, run(t, w.b.String(), audit.Options{}).Robots, "PyBot"); len(one.Faults) > 0 {
		t.Errorf("%+v", one.Faults)
	}
}

// TestAuditor_Unsaid: a log that does not say which host was asked may be of several, each of which has a robots.txt and a pause of
// its own. Where people get styles for pages of two of them, nobody is blamed; where others show images of the site, robots are,
// and where the other host is named from one network only, as a robot may do to go free, or its pages come from elsewhere.
func TestAuditor_Unsaid(t *testing.T) {
	for name, c := range map[string]struct {
		prefix, second, asset string
		how                   string
		unsaid                bool
	}{
		"two hosts":            {"", "shop.e.example", ".css", "", true},
		"two hosts, said":      {"www.e.example ", "shop.e.example", ".css", "", false},
		"with www":             {"", "e.example", ".css", "", false},
		"images on others":     {"", "forum.example", ".png", "", false},
		"one page is a mirror": {"", "", ".css", "", false},
		"from one network":     {"", "shop.e.example", ".css", "forged", false},
		"a script for others":  {"", "partner.example", ".js", "elsewhere", false},
	} {
		var w logWriter
		for i := range 800 {
			when := start.Add(time.Duration(i) * time.Minute).Format("02/Jan/2006:15:04:05 -0700")
			line := func(client, path, referrer, agent string) {
				w.raw(fmt.Sprintf(`%s%s - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "%s"`, c.prefix, client, when, path, referrer, agent))
			}
			host, asset := "www.e.example", ".css"
			switch {
			case c.second != "" && i%3 == 0:
				host, asset = c.second, c.asset
			case c.second == "" && i%30 == 0:
				host = "mirror.example"
			}
			client := fmt.Sprintf("192.%d.2.1", i%250)
			if host == c.second && c.how == "forged" {
				client = fmt.Sprintf("203.0.113.%d", i%250)
			}
			if host != c.second || c.how != "elsewhere" {
				line(client, fmt.Sprintf("/%d", i), "-", somebody)
			}
			line(client, "/x"+asset, fmt.Sprintf("https://%s/%d", host, i), somebody)
			line("198.51.100.1", fmt.Sprintf("/private/%d", i), "-", "RudeBot/1 (+http://rude.example/)")
		}
		r := run(t, w.b.String(), audit.Options{Copies: history()[1:]})
		one := find(t, r.Robots, "RudeBot")
		if isBlamed := len(one.Faults) > 0; isBlamed == c.unsaid || c.unsaid != (len(r.Unsaid) == 2) {
			t.Errorf("%s: hosts %v, %+v, %+v", name, r.Unsaid, one.Faults, one.Disallowed)
		}
	}
}
