package audit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// start is when the logs of the tests begin: a Sunday.
var start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

const (
	browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	oldFile = "User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n"
	newFile = "# closed since\nUser-agent: *\nDisallow: /private/\nDisallow: /late/\nCrawl-delay: 10\n"
)

// A logWriter writes a combined log.
type logWriter struct {
	b strings.Builder
	n int64
}

// at appends a line, after some seconds, and returns its number.
func (w *logWriter) at(seconds float64, client, agent, path string, status, size int, more ...string) int64 {
	when := start.Add(time.Duration(seconds * float64(time.Second)))
	fmt.Fprintf(&w.b, "%s - - [%s] \"GET %s HTTP/1.1\" %d %d \"-\" \"%s\"%s\n",
		client, when.Format("02/Jan/2006:15:04:05 -0700"), path, status, size, agent, strings.Join(more, ""))
	w.n++
	return w.n
}

func (w *logWriter) raw(line string) {
	w.b.WriteString(line + "\n")
	w.n++
}

func mustRead(t testing.TB, a *audit.Auditor, log string) {
	t.Helper()
	if err := a.Read(accesslog.NewReader(strings.NewReader(log), accesslog.Auto), "log"); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, log string, o audit.Options) *audit.Report {
	t.Helper()
	a := audit.New(o)
	mustRead(t, a, log)
	return a.Report()
}

// history is a robots.txt that was changed after two days.
func history() []audit.Copy {
	return []audit.Copy{
		{Name: "new.txt", From: start.Add(48 * time.Hour), File: robots.Parse([]byte(newFile), robots.RFC9309)},
		{Name: "old.txt", File: robots.Parse([]byte(oldFile), robots.RFC9309)},
	}
}

func find(t testing.TB, list []audit.Robot, token string) audit.Robot {
	t.Helper()
	i := slices.IndexFunc(list, func(r audit.Robot) bool { return r.Token == token })
	if i < 0 {
		t.Fatalf("no robot %s", token)
	}
	return list[i]
}

const hour = 3600.0

// generate writes the log of visitors whose behaviour is known.
func generate() (log string, forbidden, early []int64) {
	var w logWriter
	w.at(0, "192.0.2.1", "GoodBot/1.0 (+http://good.example/)", "/robots.txt", 200, 60)
	for i := range 20 { // from two addresses, in turn, every other pair out of order
		at := float64(10 * (i ^ 1))
		w.at(10+at, fmt.Sprintf("192.0.2.%d", 1+i%2), "GoodBot/1.0 (+http://good.example/)", fmt.Sprintf("/p%d", i), 200, 1000, " 0.100")
	}
	for i := range 5 {
		w.at(1000+float64(20*i), "192.0.2.1", "GoodBot/1.1", "/p0", 304, 0, " 0.100")
	}
	w.raw("this is no log line")
	for i := range 12 { // in one second
		w.at(2000, "198.51.100.9", "Mozilla/5.0 (compatible; HastyBot/2.0; +http://h.example/)", fmt.Sprintf("/h%d", i), 200, 10, " 0.500")
		if i > 0 {
			early = append(early, w.n)
		}
	}
	for i := range 7 {
		forbidden = append(forbidden, w.at(3000+float64(30*i), "198.51.100.9", "Mozilla/5.0 (compatible; HastyBot/2.0; +http://h.example/)", "/private/x", 403, 5))
	}
	for i := range 3 { // people, with what belongs to the pages
		w.at(3000+float64(100*i), "203.0.113.5", browser, fmt.Sprintf("/page%d", i), 200, 5000, " 0.200")
		for _, asset := range []string{"/a.css", "/b.js?v=1", "/c.PNG", "/favicon.ico"} {
			w.at(3001+float64(100*i), "203.0.113.5", browser, asset, 200, 100)
		}
	}
	w.raw(`203.0.113.5 - - [01/Mar/2026:01:00:00 +0000] "GET / HTTP/1.1`)
	for i := range 60 {
		w.at(4000+0.5*float64(i), "203.0.113.66", browser, fmt.Sprintf("/private/%d", i), 200, 10)
	}
	for i := range 3 {
		w.at(5000+float64(i), "203.0.113.7", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot", "/private/y", 200, 10)
	}
	// Repeater asks every 24 hours less a minute, and gets the same file each time; the change is found an hour too late, and days
	// too late.
	const day = 24*hour - 60
	for i := range 3 {
		w.at(6000+day*float64(i), "2001:db8::5", "Repeater/3", "/robots.txt", 200, 60)
		w.at(6020+day*float64(i), "2001:db8::5", "Repeater/3", "/same", 200, 2<<20)
	}
	w.at(49*hour, "2001:db8::5", "Repeater/3", "/late/1", 200, 7)
	forbidden = append(forbidden, w.at(73*hour, "2001:db8::5", "Repeater/3", "/late/2", 200, 7))
	w.at(100*hour, "2001:db8::5", "Repeater/3", "/unasked", 200, 7)
	return w.b.String(), forbidden, early
}

func TestAuditor_EveryCount(t *testing.T) {
	log, forbidden, early := generate()
	r := run(t, log, audit.Options{Copies: history()})
	if r.Log.Malformed != 2 || len(r.Log.Samples) != 2 || r.Log.Samples[0].Line != 27 || r.Log.Samples[0].File != "log" {
		t.Errorf("malformed: %+v", r.Log)
	}
	if r.Total.Requests != 26+19+15+60+3+9 || !r.From.Equal(start) || !r.To.Equal(start.Add(100*time.Hour)) || !r.HasAgents || !r.HasTimes || !r.HasRules {
		t.Errorf("total: %+v", r.Total)
	}
	if len(r.Robots) != 3 || len(r.UserTriggered) != 1 {
		t.Fatalf("%d robots, %d fetchers", len(r.Robots), len(r.UserTriggered))
	}
	t.Run("good", func(t *testing.T) {
		g := find(t, r.Robots, "GoodBot")
		if g.Requests != 26 || g.Bytes != 20060 || g.Status[200] != 21 || g.Status[304] != 5 || g.Clients != 2 || g.Addresses[0].Requests != 16 {
			t.Errorf("requests: %+v, %+v", g.Sum, g.Addresses)
		}
		if k := g.Asking; k.Requests != 1 || k.When != audit.AskedFirst || k.Unasked != 0 {
			t.Errorf("asking: %+v", k)
		}
		if p := g.Pace; p.Broken != 0 || p.Kept != 24 || p.Asked != 10 || p.AskedLine != 3 || p.ShortestGap != 10 || p.MedianGap != 10 || p.PeakSecond != 1 || p.PeakMinute != 6 {
			t.Errorf("pace: %+v", p)
		}
		if len(g.Faults) != 0 || g.Repeats.NotModified != 5 || g.Repeats.Requests != 0 || g.Hours[time.Sunday][0] != 26 || g.Agent != "GoodBot/1.0 (+http://good.example/)" {
			t.Errorf("%+v", g)
		}
	})
	t.Run("hasty", func(t *testing.T) {
		h := find(t, r.Robots, "HastyBot")
		if k := h.Asking; k.Requests != 0 || k.When != audit.AskedNever || !k.BeforeLog || k.Unasked != 0 {
			t.Errorf("asking: %+v", k)
		}
		if p := h.Pace; p.Broken != 11 || p.Kept != 7 || p.PeakSecond != 12 || p.RapidSeconds != 1 || !slices.Equal(lines(p.Evidence), early) {
			t.Errorf("pace: %+v, want evidence %d", p, early)
		}
		if d := h.Disallowed; d.Count != 7 || !slices.Equal(lines(d.Evidence), forbidden[:7]) || d.Evidence[0].RuleLine != 2 ||
			d.Evidence[0].Rule != "Disallow: /private/" || d.Evidence[0].Robots != "old.txt" || d.Evidence[0].Status != 403 || d.Evidence[0].Path != "/private/x" {
			t.Errorf("disallowed: %+v", d)
		}
		const all = "RFC 9309, the standard of 1994"
		if want := []audit.Fault{{Code: audit.FaultDisallowed, Count: 7, Reading: all}, {Code: audit.FaultDelay, Count: 11, Reading: all}}; !slices.Equal(h.Faults, want) {
			t.Errorf("faults: %+v", h.Faults)
		}
		if e := h.Effect; e.WithCount != 3 || e.WithoutCount != 25 || e.With < 0.199 || e.With > 0.201 || e.Without < 0.099 || e.Without > 0.101 {
			t.Errorf("effect: %+v", e)
		}
	})
	t.Run("repeater", func(t *testing.T) {
		p := find(t, r.Robots, "Repeater")
		if x := p.Repeats; x.Requests != 2 || x.Wasted != 4<<20 || len(x.Most) != 1 || x.Most[0] != (audit.Repeat{Path: "/same", Times: 3, Wasted: 4 << 20}) {
			t.Errorf("repeats: %+v", x)
		}
		if d := p.Disallowed; d.Count != 1 || d.Excused != 1 || d.Evidence[0].Line != forbidden[7] || d.Evidence[0].RuleLine != 4 || d.Evidence[0].Robots != "new.txt" {
			t.Errorf("disallowed: %+v", d)
		}
		if k := p.Asking; k.Requests != 3 || k.When != audit.AskedFirst || k.Unasked != 1 || k.FirstLine.Line == 0 {
			t.Errorf("asking: %+v", k)
		}
	})
	t.Run("others", func(t *testing.T) {
		u := r.UserTriggered[0]
		if u.Token != "ChatGPT-User" || u.Disallowed.Count != 3 {
			t.Errorf("fetcher: %+v", u)
		}
		if want := (audit.People{Clients: 1, Requests: 15, Documents: 3, Assets: 12, Bytes: 16200}); r.People != want {
			t.Errorf("people: %+v, want %+v", r.People, want)
		}
		if len(r.Unusual) != 1 || r.UnusualCount != 1 || r.Unusual[0].Client != "203.0.113.66" || r.Unusual[0].Documents != 60 ||
			r.Unusual[0].PeakMinute != 40 || r.Unusual[0].Disallowed != 60 || len(r.Unusual[0].Why) != 2 {
			t.Errorf("unusual: %+v", r.Unusual)
		}
		if want := []audit.Fault{{Code: audit.FaultDisallowed, Count: 8}, {Code: audit.FaultDelay, Count: 11}, {Code: audit.FaultUnasked, Count: 1}}; !slices.Equal(r.Faults, want) {
			t.Errorf("faults: %+v", r.Faults)
		}
		if s := r.Suggestions; len(s) == 0 || !strings.Contains(fmt.Sprint(s), "429") || !strings.Contains(fmt.Sprint(s), "ETag") {
			t.Errorf("suggestions: %+v", s)
		}
	})
}

func lines(list []audit.Evidence) (n []int64) {
	for _, e := range list {
		n = append(n, e.Line)
	}
	return n
}

// TestReport_Schema: a reader of the JSON can rely on these names.
func TestReport_Schema(t *testing.T) {
	log, _, _ := generate()
	data, err := json.Marshal(run(t, log, audit.Options{Copies: history(), Visitor: "HastyBot"}))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema", "from", "to", "log", "total", "robots", "user_triggered", "other_robots", "people", "unusual", "suggestions", "visitor", "faults", "series", "interval_seconds"} {
		if _, ok := m[key]; !ok {
			t.Errorf("no %s", key)
		}
	}
	robot := m["robots"].([]any)[0].(map[string]any)
	for _, key := range []string{"token", "agent", "requests", "bytes", "status", "share", "addresses", "robots_txt", "disallowed", "pace", "repeats", "faults", "notes", "hours"} {
		if _, ok := robot[key]; !ok {
			t.Errorf("no robots.%s", key)
		}
	}
	if m["schema"] != "cybermapper-audit/2" || strings.Contains(string(data), ":null") {
		t.Errorf("schema %v; %s", m["schema"], data)
	}
}

func TestAuditor_Visitor(t *testing.T) {
	log, forbidden, _ := generate()
	var kept []int64
	r := run(t, log, audit.Options{
		Copies: history(), Visitor: "hastybot",
		Keep: func(_ string, line int64, text []byte) {
			kept = append(kept, line)
			if !strings.Contains(string(text), "HastyBot") {
				t.Errorf("line %d is kept: %s", line, text)
			}
		},
	})
	v := r.Visitor
	if v.Requests != 19 || len(kept) != 19 || len(v.Sessions) != 1 || v.Cut != 0 {
		t.Fatalf("%+v, kept %d", v, len(kept))
	}
	s := v.Sessions[0]
	if s.RobotsTxt != 0 || s.FirstPage != "/h0" || s.LastPage != "/private/x" || s.Shortest != 0 || s.Longest != 1000 || s.End != audit.EndForbidden || s.Steps[12].Line != forbidden[0] || s.Steps[12].Gap != 1000 {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"2001:db8::5", "2001:0DB8:0:0:0:0:0:0005"} { // an address may be written in many ways
		for _, log := range []string{log, strings.ReplaceAll(log, "2001:db8::5 ", "2001:0db8:0000:0000:0000:0000:0000:0005 ")} {
			if v := run(t, log, audit.Options{Visitor: name, MaxSteps: 5}).Visitor; len(v.Sessions) != 3 || v.Cut != 4 || v.Sessions[0].RobotsTxt != 200 || v.Sessions[0].End != audit.EndUnknown {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
}

func TestAuditor_Interval(t *testing.T) {
	log, _, _ := generate()
	r := run(t, log, audit.Options{From: start.Add(2000 * time.Second), To: start.Add(2001 * time.Second)})
	if r.Total.Requests != 12 || r.Outside != 120 || len(r.Robots) != 1 || r.HasRules || len(r.Faults) > 0 {
		t.Errorf("%+v", r.Total)
	}
}

// TestAuditor_Bounds: what is beyond a bound is counted.
func TestAuditor_Bounds(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(float64(i), fmt.Sprintf("192.0.2.%d", i), fmt.Sprintf("bot%c%c/1", 'a'+i/10, 'a'+i%10), "/same", 200, 1)
		w.at(float64(i), fmt.Sprintf("192.0.2.%d", i), fmt.Sprintf("Mozilla/5.0 %d", i), "/", 200, 1)
	}
	r := run(t, w.b.String(), audit.Options{MaxRobots: 10, MaxClients: 50, MaxAgents: 30, MaxURLs: 5})
	robots := int64(0)
	for _, x := range r.Robots {
		robots += x.Requests
	}
	if len(r.Robots) != 10 || robots+r.OtherRobots.Requests != 100 || r.Untracked != 150 || r.People.Requests != 22 {
		t.Errorf("%d robots with %d requests, others %d, untracked %d, people %+v", len(r.Robots), robots, r.OtherRobots.Requests, r.Untracked, r.People)
	}
	if untracked := r.Robots[9].Repeats.Untracked; untracked == 0 {
		t.Error("repeats have no bound")
	}
}

// TestAuditor_LateRobot: of a robot that comes when there were more people than clients are told apart it is known from where it
// comes, as its addresses must prove its name.
func TestAuditor_LateRobot(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(float64(i), fmt.Sprintf("192.0.2.%d", i), "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "/", 200, 1)
	}
	w.at(200, "198.51.100.7", "latebot/1", "/", 200, 1)
	r := run(t, w.b.String(), audit.Options{MaxClients: 50})
	if r.People.Clients != 45 || r.Untracked != 55 {
		t.Errorf("%d people, %d requests of others, want 45 and 55", r.People.Clients, r.Untracked)
	}
	if len(r.Robots) != 1 || len(r.Robots[0].Addresses) != 1 || r.Robots[0].Addresses[0].Client != "198.51.100.7" {
		t.Errorf("robots %+v, want one from 198.51.100.7", r.Robots)
	}
}

// TestAuditor_Series: no request is lost when the intervals grow, whether the log goes forwards or backwards.
func TestAuditor_Series(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		var w logWriter
		for i := range 1000 {
			w.at(sign*float64(i*i), "192.0.2.1", fmt.Sprintf("bot%c/1", 'a'+i%3), "/", 200, 1)
		}
		r := run(t, w.b.String(), audit.Options{})
		if got := total(r.Series); got != 1000 || len(r.Series) > 240 {
			t.Errorf("%d requests in %d intervals, want 1000", got, len(r.Series))
		}
		for _, one := range r.Robots {
			if got := total(one.Series); got != one.Requests {
				t.Errorf("%s: %d requests in the series, want %d", one.Token, got, one.Requests)
			}
		}
		if end := r.Start.Add(time.Duration(r.Seconds * float64(len(r.Series)) * float64(time.Second))); r.Start.After(r.From) || !end.After(r.To) {
			t.Errorf("the series goes from %v to %v, the log from %v to %v", r.Start, end, r.From, r.To)
		}
	}
}

func total(series []int32) (n int64) {
	for _, v := range series {
		n += int64(v)
	}
	return n
}

// TestAuditor_Disorder: lines that are slightly out of order do not make a pause look shorter or longer.
func TestAuditor_Disorder(t *testing.T) {
	var w logWriter
	for _, at := range []float64{0, 10, 30, 20, 40, 60, 50, 70} {
		w.at(at, "192.0.2.1", "Bot/1", fmt.Sprint("/", at), 200, 1)
	}
	p := run(t, w.b.String(), audit.Options{Copies: history()}).Robots[0].Pace
	if p.Kept != 7 || p.Broken != 0 || p.ShortestGap != 10 {
		t.Errorf("%+v", p)
	}
}

// TestAuditor_CrawlDelay: in a log with whole seconds a pause counts as the longest that it may have been.
func TestAuditor_CrawlDelay(t *testing.T) {
	for _, c := range []struct {
		gap    string
		broken int64
	}{{"12:00:10", 0}, {"12:00:09", 0}, {"12:00:08", 1}, {"12:00:10.000", 0}, {"12:00:09.600", 0}, {"12:00:09.400", 1}} {
		log := `h - - [01/Mar/2026:12:00:00.000 +0000] "GET /1 HTTP/1.1" 200 5 "-" "Bot/1"` + "\n" +
			`h - - [01/Mar/2026:` + c.gap + ` +0000] "GET /2 HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"
		if p := run(t, log, audit.Options{Copies: history()}).Robots[0].Pace; p.Broken != c.broken || p.Kept != 1-c.broken {
			t.Errorf("at %s: %d too short, want %d", c.gap, p.Broken, c.broken)
		}
	}
}

// TestAuditor_Hosts: each host has its robots.txt, and its row.
func TestAuditor_Hosts(t *testing.T) {
	log := ""
	for _, host := range []string{"A.example", "b.example:443", "c.example"} {
		log += host + ` 192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET /x HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"
	}
	closed := robots.Parse([]byte("User-agent: bot\nDisallow: /"), robots.RFC9309)
	r := run(t, log, audit.Options{Copies: []audit.Copy{{Host: "a.example", File: closed}, {Host: "b.example"}, {Closed: true}}})
	got := map[string]int64{}
	for _, x := range r.Robots {
		got[x.Host] = x.Disallowed.Count
	}
	if len(got) != 3 || got["a.example"] != 1 || got["b.example"] != 0 || got["c.example"] != 1 {
		t.Errorf("disallowed by host: %v", got)
	}
	if len(r.RulesHosts) > 0 {
		t.Errorf("hosts that share a file: %q", r.RulesHosts)
	}
	r = run(t, log, audit.Options{Copies: []audit.Copy{{Host: "a.example", File: closed}, {File: closed}}})
	if !slices.Equal(r.RulesHosts, []string{"b.example", "c.example"}) {
		t.Errorf("hosts that share a file: %q, want b.example and c.example", r.RulesHosts)
	}
	log = strings.ReplaceAll(log, "c.example", "www.b.example")
	r = run(t, log, audit.Options{Copies: []audit.Copy{{Host: "a.example", File: closed}, {File: closed}}})
	if len(r.RulesHosts) > 0 {
		t.Errorf("a site and its www. share a file: %q", r.RulesHosts)
	}
}

func TestAuditor_CommonLog(t *testing.T) {
	r := run(t, strings.Repeat(`192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET /robots.txt HTTP/1.0" 200 5`+"\n", 2), audit.Options{})
	if r.HasAgents || len(r.Robots) != 0 || len(r.Unusual) != 1 || r.Unusual[0].Asked != 2 {
		t.Errorf("%+v", r)
	}
}
