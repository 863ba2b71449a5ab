package audit_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/block"
)

// readers of robots.txt say whether robots may have paths, and how long they should wait.
var readers = map[string]func(t *testing.T, body string, names, paths []string) (may map[string][]bool, delay map[string]float64){
	"our own": func(_ *testing.T, body string, names, paths []string) (map[string][]bool, map[string]float64) {
		may, delay := map[string][]bool{}, map[string]float64{}
		for _, name := range names {
			rules := robots.Parse([]byte(body), robots.RFC9309).Rules(name)
			for _, path := range paths {
				may[name] = append(may[name], rules.Test(path).Allowed)
			}
			d, _ := rules.Delay()
			delay[name] = d.Seconds()
		}
		return may, delay
	},
	"urllib.robotparser": func(t *testing.T, body string, names, paths []string) (map[string][]bool, map[string]float64) {
		return ask(t, `
from urllib.robotparser import RobotFileParser
def read(body):
    r = RobotFileParser(); r.parse(body.splitlines()); return r
def may(r, name, path): return r.can_fetch(name, "http://e.example" + path)
def delay(r, name): return r.crawl_delay(name) or 0`, body, names, paths)
	},
	"Protego": func(t *testing.T, body string, names, paths []string) (map[string][]bool, map[string]float64) {
		return ask(t, `
from protego import Protego
def read(body): return Protego.parse(body)
def may(r, name, path): return r.can_fetch("http://e.example" + path, name)
def delay(r, name): return r.crawl_delay(name) or 0`, body, names, paths)
	},
}

// ask asks a reader in Python.
func ask(t *testing.T, program, body string, names, paths []string) (may map[string][]bool, delay map[string]float64) {
	t.Helper()
	question, err := json.Marshal(map[string]any{"body": body, "names": names, "paths": paths})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/python3", "-c", "import json, sys\n"+program+`
q = json.load(sys.stdin)
r = read(q["body"])
print(json.dumps([{n: [may(r, n, p) for p in q["paths"]] for n in q["names"]}, {n: float(delay(r, n)) for n in q["names"]}]))`)
	cmd.Stdin = strings.NewReader(string(question))
	out, err := cmd.CombinedOutput()
	if err != nil && (len(out) == 0 || strings.Contains(string(out), "No module named")) {
		t.Skipf("not installed: %v %s", err, out)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := json.Unmarshal(out, &[]any{&may, &delay}); err != nil {
		t.Fatal(err)
	}
	return may, delay
}

// TestRemedy_RobotsTxt: the groups to paste, at the end of the file that the robots broke, close the site to whom they name, or ask
// it to be slower, and change nothing for anybody else.
func TestRemedy_RobotsTxt(t *testing.T) {
	for _, file := range []string{
		oldFile, strings.TrimSuffix(oldFile, "\n"), oldFile + "\nUser-agent: other\nDisallow: /x",
		oldFile + "\nUser-agent: fastbot\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 20",
	} {
		var w logWriter
		badAgent, fastAgent := "BadBot/1 (+http://b.example/)", "FastBot/1 (+http://f.example/)"
		w.at(0, "192.0.2.1", badAgent, "/robots.txt", 200, 10)
		w.at(0, "192.0.2.2", fastAgent, "/robots.txt", 200, 10)
		for i := range 60 {
			w.at(float64(30*i), "192.0.2.1", badAgent, fmt.Sprintf("/private/%d", i), 200, 10)
			w.at(float64(2*i), "192.0.2.2", fastAgent, fmt.Sprintf("/p/%d", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(file), robots.RFC9309)}}})
		if r.Remedy == nil || r.Remedy.Blocks[0].Server != "robots.txt" {
			t.Fatalf("nothing to paste: %+v", r.Remedy)
		}
		pasted := file + r.Remedy.Blocks[0].Text
		names, paths := []string{"badbot", "fastbot", "other", "nobody"}, []string{"/", "/p/1", "/private/1", "/private/open", "/x"}
		for name, read := range readers {
			t.Run(name, func(t *testing.T) {
				before, _ := read(t, file, names, paths)
				after, delay := read(t, pasted, names, paths)
				if slices.Contains(after["badbot"], true) {
					t.Errorf("badbot may have %v of %q in\n%s", after["badbot"], paths, pasted)
				}
				for _, one := range names[1:] {
					if !slices.Equal(before[one], after[one]) {
						t.Errorf("%s could have %v of %q and can have %v in\n%s", one, before[one], paths, after[one], pasted)
					}
				}
				if delay["fastbot"] < 10 {
					t.Errorf("fastbot is asked to wait %g s in\n%s", delay["fastbot"], pasted)
				}
			})
		}
	}
}

// TestRemedy_Proxies: where the log has the address of a proxy, or one that anybody may have written, nothing to paste bans
// addresses: it would keep all visitors out.
func TestRemedy_Proxies(t *testing.T) {
	for client, want := range map[string]bool{"192.0.2.1": true, "10.0.0.5": false, "192.0.2.1, 192.0.2.9": false} {
		var w logWriter
		const agent = "BadBot/1.0 (+http://b.example/)"
		w.at(0, client, agent, "/robots.txt", 200, 10)
		for i := range 120 {
			w.at(float64(30*i), client, agent, fmt.Sprintf("/private/%d", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
		if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0].Name != "BadBot" {
			t.Fatalf("%s: %+v", client, r.Remedy)
		}
		if has := slices.ContainsFunc(r.Remedy.Blocks, func(b block.Block) bool { return b.Server == "fail2ban" }); has != want {
			t.Errorf("%s: for fail2ban is something to paste: %v", client, has)
		}
	}
}

// TestRemedy_BehindProxies: what is to be pasted bans no address that people come from, too, nor the proxies that --trusted-proxies
// names, which are what the log begins with and what the kernel sees; the server sees others if it believes them.
func TestRemedy_BehindProxies(t *testing.T) {
	for name, c := range map[string]struct {
		robot, people, trusted string
		want                   []string
	}{
		"nobody else":     {"198.51.100.7", "192.0.2.9", "", []string{"nginx", "Apache", "Caddy", "HAProxy", "fail2ban", "nftables"}},
		"people, too":     {"192.0.2.9", "192.0.2.9", "", []string{"nginx", "Apache", "Caddy", "HAProxy", "nftables"}},
		"trusted proxies": {"198.51.100.7", "192.0.2.9", "203.0.113.0/24", []string{"nginx", "Apache", "Caddy", "HAProxy"}},
	} {
		var w logWriter
		at := func(seconds float64, client, agent, path string) {
			if c.trusted != "" {
				w.at(seconds, "203.0.113.5", agent, path, 200, 10, ` "`+client+`"`)
				return
			}
			w.at(seconds, client, agent, path, 200, 10)
		}
		for i := range 120 {
			at(float64(30*i), c.robot, "BadBot/1.0 (+http://b.example/)", fmt.Sprintf("/private/%d", i))
			at(float64(30*i+3), "198.51.100.8", "crawler", fmt.Sprintf("/private/%d", i))
			for k, path := range []string{"/page", "/a.css", "/b.js", "/c.png"} {
				at(float64(30*i+5+k), c.people, browser, path)
			}
		}
		in := accesslog.NewReader(strings.NewReader(w.b.String()), accesslog.Auto)
		if c.trusted != "" {
			in.Trust([]netip.Prefix{netip.MustParsePrefix(c.trusted)})
		}
		a := audit.New(audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
		if err := a.Read(in, "log"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range a.Report().Remedy.Blocks {
			got = append(got, b.Server)
			if strings.Contains(b.Where, "behind your proxy") != (c.trusted != "") || strings.Contains(b.Text, "remote_ip") && c.trusted != "" {
				t.Errorf("%s: %s: %s, %s", name, b.Server, b.Where, b.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: to paste is something for %q, want %q", name, got, c.want)
		}
	}
}

// TestRemedy_NamesOfMany: what is no name of one robot alone is refused by address: the group for * would close the site to all,
// a block of whoever says bot would meet Googlebot, and one of whoever says mobile all telephones.
func TestRemedy_NamesOfMany(t *testing.T) {
	for agent, wantName := range map[string]string{
		"*/1.0 (+http://b.example/bot)": "", "bot/1.0 (+http://b.example/)": "", "Crawler (+http://b.example/)": "",
		"Mobile/1.0 (+http://b.example/bot)": "", "News Crawler/1.0 (+http://b.example/)": "", "News v1.0 (+http://b.example/bot)": "News",
		"NewsBot crawler/1.0 (+http://b.example/)": "NewsBot", "Sogou web spider/4.0 (+http://b.example/)": "Sogou",
		"#bot/1.0 (+http://b.example/)": "", "Fast/1.0 (+http://b.example/bot)": "", "BadBot/1.0 (+http://b.example/)": "BadBot",
	} {
		var w logWriter
		w.at(0, "192.0.2.1", agent, "/robots.txt", 200, 10)
		w.at(0, "192.0.2.2", "VeryFastBot/2.0 (+http://f.example/)", "/robots.txt", 200, 10)
		for i := range 60 {
			w.at(float64(30*i), "192.0.2.1", agent, fmt.Sprintf("/private/%d", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
		if r.Remedy == nil || len(r.Remedy.Refused) != 1 {
			t.Fatalf("%s: %+v", agent, r.Remedy)
		}
		want := wantName
		if want == "" {
			want = "192.0.2.1/32"
		}
		if got := r.Remedy.Refused[0].Name; got != want {
			t.Errorf("%s: %s is refused, want %s", agent, got, want)
		}
		for _, b := range r.Remedy.Blocks {
			if isGroup := b.Server == "robots.txt"; isGroup && wantName == "" || !isGroup && !strings.Contains(b.Text, strings.TrimSuffix(want, "/32")) {
				t.Errorf("%s: to paste is\n%s", agent, b.Text)
			}
		}
	}
}

// TestRemedy_NameWithinOthers: a name is not refused that stands in the User-Agent of somebody else, who would be refused with it.
func TestRemedy_NameWithinOthers(t *testing.T) {
	for other, want := range map[string]string{
		"Mozilla/5.0 (Linux; Android 11) AppleWebKit/537.36 (KHTML, like Gecko; Google Page Speed) Chrome/131.0.0.0": "192.0.2.1/32",
		"Speedy/2.0 (a test of pages; +http://s.example/)":                                                           "192.0.2.1/32", "PageReader/2.0": "192.0.2.1/32",
		"Page-Uptime-Monitor/1": "192.0.2.1/32", "Page-Images Bot/1": "Page", "Grabber/1": "Page",
	} {
		var w logWriter
		w.at(0, "192.0.2.1", "Page/1.0 (grabber bot; +http://g.example/bot.html)", "/robots.txt", 200, 10)
		w.at(0, "192.0.2.2", other, "/", 200, 10)
		for i := range 60 {
			w.at(float64(30*i), "192.0.2.1", "Page/1.0 (grabber bot; +http://g.example/bot.html)", fmt.Sprintf("/private/%d", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
		if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0].Name != want || r.Remedy.Refused[0].People > 0 {
			t.Errorf("beside %s: %+v, want %s refused", other, r.Remedy, want)
		}
	}
}

// TestRemedy_ProgramOfMany: of a program that many run, those who keep to robots.txt are not refused for those who do not, nor is
// there a group, which only they would obey.
func TestRemedy_ProgramOfMany(t *testing.T) {
	const agent = "Scrapy/2.11.0 (+https://scrapy.org)"
	for name, c := range map[string]struct {
		others string // what the second asks for
		asks   bool   // for robots.txt, by itself
		want   []string
	}{
		"the other keeps to robots.txt": {"/p/%d", true, []string{"192.0.2.1/32"}},
		"the other does not":            {"/private/%d", true, []string{"Scrapy"}},
		"the other may be the same":     {"/p/%d", false, []string{"Scrapy"}},
	} {
		t.Run(name, func(t *testing.T) {
			var w logWriter
			w.at(0, "192.0.2.1", agent, "/robots.txt", 200, 10)
			if c.asks {
				w.at(0, "192.0.2.2", agent, "/robots.txt", 200, 10)
			}
			for i := range 60 {
				w.at(float64(30*i), "192.0.2.1", agent, fmt.Sprintf("/private/%d", i), 200, 10)
				w.at(float64(30*i+11), "192.0.2.2", agent, fmt.Sprintf(c.others, i), 200, 10)
			}
			r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
			var got []string
			if r.Remedy != nil {
				for _, m := range r.Remedy.Refused {
					got = append(got, m.Name)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q is refused, want %q", got, c.want)
			}
			if isGroup := r.Remedy.Blocks[0].Server == "robots.txt"; isGroup != (c.want[0] == "Scrapy") {
				t.Errorf("to paste is %q", r.Remedy.Blocks[0].Text)
			}
		})
	}
}

// TestRemedy_ProgramOfManyHosts: who keeps to robots.txt on one host is not refused for another who does not on another.
func TestRemedy_ProgramOfManyHosts(t *testing.T) {
	var w logWriter
	for i := range 60 {
		for client, path := range map[string]string{"a.example 192.0.2.2": "/p/", "b.example 192.0.2.1": "/private/"} {
			if path += fmt.Sprint(i); i == 0 {
				path = "/robots.txt"
			}
			w.raw(fmt.Sprintf(`%s - - [%s] "GET %s HTTP/1.1" 200 10 "-" "Scrapy/2.11.0 (+https://scrapy.org)"`, client,
				start.Add(time.Duration(30*i)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), path))
		}
	}
	r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}})
	if r.Remedy == nil || len(r.Remedy.Refused) != 1 || r.Remedy.Refused[0].Name != "192.0.2.1/32" {
		t.Errorf("%+v", r.Remedy)
	}
}

// TestRemedy_ProgramOfManyAddresses: who keeps to robots.txt is not refused by name because busier clients take all places.
func TestRemedy_ProgramOfManyAddresses(t *testing.T) {
	const agent = "Scrapy/2.11.0 (+https://scrapy.org)"
	var w logWriter
	w.at(0, "192.0.2.200", agent, "/robots.txt", 200, 10)
	for i := range 60 {
		for client := range 3 {
			w.at(float64(30*i+client), fmt.Sprintf("192.0.2.%d", client), agent, fmt.Sprintf("/private/%d", i), 200, 10)
		}
		if i < 10 {
			w.at(float64(30*i+9), "192.0.2.200", agent, fmt.Sprintf("/p/%d", i), 200, 10)
		}
	}
	r := run(t, w.b.String(), audit.Options{
		Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(oldFile), robots.RFC9309)}}, MaxAddresses: 2,
	})
	var got []string
	for _, m := range r.Remedy.Refused {
		got = append(got, m.Name)
	}
	if want := []string{"192.0.2.0/32", "192.0.2.1/32"}; !slices.Equal(got, want) {
		t.Errorf("%q is refused, want %q", got, want)
	}
	if n := len(r.Robots[0].Addresses); n != 2 {
		t.Errorf("%d addresses are listed, want 2", n)
	}
}

// TestRemedy_ProgramOfManyExcused: an address is not refused for what is excused, because the log does not show who got robots.txt.
func TestRemedy_ProgramOfManyExcused(t *testing.T) {
	const agent, hour = "Scrapy/2.11.0 (+https://scrapy.org)", 3600
	var w logWriter
	for i := range 100 {
		at := float64(i) * hour
		w.at(at, "192.0.2.100", "UptimeRobot/2.0", "/robots.txt", 200, 10)
		for n, known := range []string{"bingbot/2.0", "Googlebot/2.1", "GPTBot/1.2"} {
			w.at(at+float64(n+1), fmt.Sprintf("192.0.2.%d", n), known, fmt.Sprintf("/%d", i), 200, 10)
		}
		if i == 0 {
			w.at(at+10, "192.0.2.13", agent, "/robots.txt", 200, 10)
		}
		w.at(at+20, "192.0.2.11", agent, fmt.Sprintf("/private/%d", i), 200, 10)
		w.at(at+60, "192.0.2.13", agent, fmt.Sprintf("/p/%d", i), 200, 10)
		if i > 48 && i < 68 {
			w.at(at+40, "192.0.2.12", agent, fmt.Sprintf("/late/%d", i), 200, 10)
		}
	}
	r := run(t, w.b.String(), audit.Options{Copies: history()})
	if r.Stale == 0 {
		t.Fatal("the log shows who got robots.txt")
	}
	var got []string
	for _, m := range r.Remedy.Refused {
		got = append(got, m.Name)
	}
	if want := []string{"192.0.2.11/32"}; !slices.Equal(got, want) {
		t.Errorf("%q is refused, want %q", got, want)
	}
}
