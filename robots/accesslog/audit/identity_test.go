package audit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func TestRanges(t *testing.T) {
	ranges, err := audit.ParseRanges([]byte(`{"ExampleBot": ["192.0.2.0/24", "2001:db8::1"], "other": {"prefixes": [{"ipv4Prefix": "198.51.100.0/24"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		token, client string
		want          audit.Identity
	}{
		{"examplebot", "192.0.2.77", audit.Confirmed},
		{"examplebot", "::ffff:192.0.2.77", audit.Confirmed},
		{"ExampleBot", "2001:db8::1", audit.Confirmed},
		{"ExampleBot", "2001:db8::2", audit.Disproved},
		{"other", "198.51.100.1", audit.Confirmed},
		{"unlisted", "198.51.100.1", audit.Unchecked},
		{"other", "host.example", audit.Unchecked},
	} {
		if got := ranges.Identify(c.token, c.client); got != c.want {
			t.Errorf("Identify(%q, %q) = %q, want %q", c.token, c.client, got, c.want)
		}
	}
	for _, bad := range []string{"[]", `{"a": 1}`, `{"a": ["x"]}`, `{"a": ["1.2.3.4/99"]}`} {
		if _, err := audit.ParseRanges([]byte(bad)); err == nil {
			t.Errorf("ParseRanges(%s) has no error", bad)
		}
	}
	var w logWriter
	for i := range 3 {
		w.at(float64(i), fmt.Sprintf("192.0.%d.1", i+1), "ExampleBot/1", "/", 200, 1)
	}
	r := run(t, w.b.String(), audit.Options{Identify: ranges.Identify})
	if len(r.Robots) != 2 || r.Robots[0].Identity != audit.Disproved || r.Robots[0].Clients != 2 || len(r.Robots[0].Notes) == 0 || r.Robots[1].Identity != audit.Confirmed {
		t.Errorf("a borrowed name is not told apart: %+v", r.Robots)
	}
}

func TestClassify(t *testing.T) {
	list := roster.NewList(roster.Bundled())
	for agent, want := range map[string]string{
		"": "unnamed ", " ": "unnamed ", "() { :; }; echo x": "unnamed ", `./.\\`: "unnamed ", ")</script> HTTP/1.1": "unnamed ", "\u722c\u866b/1.0": "unknown \u722c\u866b", browser: "browser ",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                        "robot Googlebot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://b) Chrome/1 Safari/537.36":   "robot bingbot",
		"Mozilla/5.0 (Macintosh) AppleWebKit/605 (KHTML, like Gecko) Version/17 Safari/605 (Applebot/0.1; +http://apple)": "robot Applebot",
		"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0)":                                                 "browser ",
		"Mozilla/5.0 (Linux; Android 9; CUBOT NOVA) AppleWebKit/537.36 Chrome/100 Mobile Safari/537.36":                   "browser ",
		"Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120 Safari/537.36":                "unknown HeadlessChrome",
		"Node/simplecrawler 1.1.9 (git+https://github.com/simplecrawler/simplecrawler.git)":                               "robot simplecrawler",
		"Go-http-client/1.1 ExampleBot/2.0 (+https://e.example/bot)":                                                      "unknown ExampleBot",
		"Go-http-client/1.1 (+https://e.example/crawler/1)":                                                               "tool Go-http-client",
		"curl/8.0 (Robert Abbot, our robot)":                                                                              "tool curl",
		"Fuzz Faster U Fool v1.1.0":                                                                                       "tool Fuzz",
		"ApacheBench/2.3":                                                                                                 "tool ApacheBench",
		"wget2/1.99.1":                                                                                                    "tool wget2",
		"libmpv":                                                                                                          "feed-reader libmpv",
		"mercurial/proto-1.0 (Mercurial 6.3.2)":                                                                           "tool mercurial",
		"Mozilla/5.0 (compatible; LinkCheckerBot/2.0; +https://e.example/robot/)":                                         "unknown LinkCheckerBot",
		"Mozilla/5.0 (compatible; SiteExplorer/1.1b; +http://e.example/Backlink-Checker-Spider/)":                         "unknown SiteExplorer",
		"urlwatch/2.25 (+https://thp.io/2008/urlwatch/info.html)":                                                         "monitor urlwatch",
		"broken-link-checker/0.7.8 Node.js/20.20.2 (Linux 6.18; x64)":                                                     "tool broken-link-checker",
		"dependabot-core/0.212.0 excon/0.96.0 ruby/3.1.2 (x86_64-linux) (+https://github.com/dependabot/dependabot-core)": "tool dependabot-core",
		"cybermapper/1.0 (+mailto:a@b.example)":                                                                           "robot cybermapper",
		"SAMSUNG-SGH-E250/1.0 Profile/MIDP-2.0 UP.Browser/6.2.3 (GUI) MMP/2.0 (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)": "unknown Googlebot-Mobile",
		"Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots)":                                                  "unknown Mail.RU_Bot",
		"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)":                                                      "robot Slurp",
		"Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)":                                                                  "browser ",
		"Better Uptime Bot Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0 Safari/537.36":                               "monitor Better",
		"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.3.0":                                                             "feed-reader Thunderbird",
		"Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.1 (KHTML, like Gecko) Chrome/21.0 Safari/537.1; 360Spider":                                   "unknown 360Spider",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; trendictionbot0.5.0; http://www.trendiction.de/bot) Gecko/1":                                    "unknown trendictionbot",
		"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; SLCC2; .NET CLR 2.0.50727; InfoPath.2; Tablet PC 2.0); 360Spider":         "unknown 360Spider",
		"Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1;  http://www.changedetection.example/bot.html )":                                   "unknown changedetection.example",
		"Mozilla/5.0 (compatible) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/47.0.2526.73 Safari/537.36":                                        "browser ",
		"Mozilla/5.0 zgrab/0.x":                                                                     "tool zgrab",
		"Mozilla/5.00 (Nikto/2.1.5) (Evasions:None)":                                                "tool Nikto",
		"Mozilla/5.0 (l9scan/2.0; +https://scan.example/)":                                          "unknown l9scan",
		"Mozilla/4.0 (PDA; PalmOS/sony/model) NetFront/3.0":                                         "browser ",
		"Mozilla/5.0 (Windows NT 6.1)":                                                              "browser ",
		"Mozilla/5.0 (Linux; Android 9; Talbot) AppleWebKit/537.36 Chrome/100 Mobile Safari/537.36": "browser ",
		"https://gdn.example:Gather Analyze Provide.":                                               "unknown gdn.example:Gather",
		"(info@dom.example; http://www.dom.example/admins)":                                         "unknown dom.example",
		"curl/8.5.0":            "tool curl",
		"python-requests/2.31":  "tool python-requests",
		"facebookexternalhit/1": "preview facebookexternalhit",
		"Mozilla/5.0 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)":                  "unknown TikTokSpider",
		"MauiBot (crawler.feedback+wc@gmail.com)":                                               "unknown MauiBot",
		"ACME-Crawler/1.0 (+http://acme.example/crawler)":                                       "unknown ACME-Crawler",
		"SiteMonitor/1.0 (+http://m.example/; help@m.example)":                                  "monitor SiteMonitor",
		"Baiduspider+(+http://www.baidu.com/search/spider.htm)":                                 "robot Baiduspider",
		"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)":                         "robot MJ12bot",
		"Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)": "robot archive.org_bot",
		"Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://p)":                               "robot PerplexityBot",
		"Mozilla/5.0 (compatible; Perplexity-User/1.0; +https://p)":                             "user-triggered Perplexity-User",
	} {
		token, class := audit.Classify(list, agent)
		if got := string(class) + " " + token; got != want {
			t.Errorf("Classify(%q) = %q, want %q", agent, got, want)
		}
	}
}

// TestClassify_OtherPeoplesList: of a list of User-Agents by purpose that others keep (crawler-user-agents.json, named by
// CRAWLER_USER_AGENTS) no monitor, feed reader, preview or library is taken for a crawler.
func TestClassify_OtherPeoplesList(t *testing.T) {
	name := os.Getenv("CRAWLER_USER_AGENTS")
	if name == "" {
		t.Skip("CRAWLER_USER_AGENTS names no list")
	}
	data := filetest.Read(t, name)
	var kinds []struct{ Tags, Instances []string }
	if err := json.Unmarshal(data, &kinds); err != nil {
		t.Fatal(err)
	}
	list, n := roster.NewList(roster.Bundled()), 0
	for _, k := range kinds {
		if slices.Contains(k.Tags, "search-engine") || slices.Contains(k.Tags, "ai-crawler") {
			continue
		}
		for _, tag := range []string{"monitoring", "feed-reader", "social-preview", "http-library"} {
			if !slices.Contains(k.Tags, tag) {
				continue
			}
			for _, agent := range k.Instances {
				n++
				if token, class := audit.Classify(list, agent); class == audit.ClassRobot {
					t.Errorf("%s is taken for a crawler, and is %s: %s", token, tag, agent)
				}
			}
		}
	}
	t.Logf("%d User-Agents", n)
}
