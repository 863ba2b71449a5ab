package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestReadings: a robot is blamed only for what is forbidden in every way that it may honestly read the file.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		name, file, agent, path string
		blamed                  bool
	}{
		{"for all", "User-agent: *\nDisallow: /p", "TestBot", "/p", true},
		{"its own", "User-agent: TestBot\nDisallow: /p", "TestBot", "/p", true},
		{"its own is open", "User-agent: *\nDisallow: /\n\nUser-agent: TestBot\nDisallow:", "TestBot", "/p", false},
		{"a part of its name is open", "User-agent: *\nDisallow: /\n\nUser-agent: test\nDisallow:", "TestBot", "/p", false},
		{"a part of its name allows", "User-agent: *\nDisallow: /\n\nUser-agent: test\nDisallow: /x\nAllow: /", "TestBot", "/p", false},
		{"a part of its name forbids too", "User-agent: *\nDisallow: /\n\nUser-agent: test\nDisallow: /p", "TestBot", "/p", true},
		{"a list", "User-agent: *\nDisallow: /\n\nUser-agent: Other, TestBot\nDisallow: /x", "TestBot", "/p", false},
		{"a list forbids too", "User-agent: *\nDisallow: /\n\nUser-agent: Other, TestBot\nDisallow: /p", "TestBot", "/p", true},
		{"a blank line ends a record of 1994", "User-agent: *\n\nDisallow: /p", "TestBot", "/p", false},
		{"no wildcards in 1994", "User-agent: *\nDisallow: /*.pdf$", "TestBot", "/a.pdf", false},
		{"the family", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /x", "Googlebot-Image", "/p", false},
		{"the family forbids too", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /p", "Googlebot-Image", "/p", true},
		{"a documented fallback", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:", "Applebot", "/p", false},
		{"hears only its own", "User-agent: *\nDisallow: /", "AdsBot-Google", "/p", false},
		{"so does its sister", "User-agent: *\nDisallow: /", "AdsBot-Google-Mobile", "/p", false},
		{"and that of the APIs", "User-agent: *\nDisallow: /", "APIs-Google", "/p", false},
		{"digits in its name", "User-agent: MJ12bot\nDisallow: /p", "MJ12bot", "/p", true},
		{"digits in its name, and it is open", "User-agent: MJ12bot\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "MJ12bot", "/p", false},
	} {
		var w logWriter
		agent := fmt.Sprintf("Mozilla/5.0 (compatible; %s/1.0; +http://t.example/)", c.agent)
		w.at(0, "192.0.2.1", agent, "/robots.txt", 200, 10)
		w.at(10, "192.0.2.1", agent, c.path, 200, 10)
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(c.file), robots.RFC9309)}}}).Robots[0]
		if got := len(r.Faults) > 0; got != c.blamed {
			t.Errorf("%s: blamed %v, want %v: %+v", c.name, got, c.blamed, r.Disallowed)
		}
		if !c.blamed && strings.HasPrefix(c.file, "User-agent: *") && c.name != "its own is open" && r.Disallowed.Read != 1 {
			t.Errorf("%s: it is not said that a reading allows it: %+v", c.name, r.Disallowed)
		}
	}
}

// TestDelays: a Crawl-delay is owed only if the group says so that a robot hears in every reading, and by whom its maker says that
// keeps it.
func TestDelays(t *testing.T) {
	for _, c := range []struct {
		name, file, agent string
		blamed            bool
	}{
		{"for all", "User-agent: *\nCrawl-delay: 20\nDisallow: /x", "TestBot", true},
		{"not in its own group", "User-agent: *\nCrawl-delay: 20\n\nUser-agent: TestBot\nDisallow: /x", "TestBot", false},
		{"before all groups", "Crawl-delay: 20\nUser-agent: *\nDisallow: /x", "TestBot", false},
		{"Googlebot does not read it", "User-agent: *\nCrawl-delay: 20\nDisallow: /x", "Googlebot", false},
	} {
		var w logWriter
		for i := range 10 {
			w.at(5*float64(i), "192.0.2.1", fmt.Sprintf("Mozilla/5.0 (compatible; %s/1.0; +http://t.example/)", c.agent), fmt.Sprint("/", i), 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: robots.Parse([]byte(c.file), robots.RFC9309)}}}).Robots[0]
		if got := len(r.Faults) > 0; got != c.blamed {
			t.Errorf("%s: blamed %v, want %v: %+v", c.name, got, c.blamed, r.Pace)
		}
	}
}

// TestPresumed: a file of presumed age counts from when it was written, and not before the log shows answers of another size.
func TestPresumed(t *testing.T) {
	const text = "User-agent: *\nDisallow: /p\n"
	const agent = "TestBot/1 (+http://t.example/)"
	for _, c := range []struct {
		name   string
		from   float64 // hours
		sizes  []int   // of the answers for robots.txt, one an hour; less than 0 for 404
		judged int     // of pages, one after each answer
	}{
		{"later than the log", 100, []int{50, 50, 50}, 0},
		{"in the middle", 1.2, []int{len(text), len(text), len(text), len(text)}, 2},
		{"older, and the log shows a change", -1, []int{50, 50, len(text), len(text)}, 2},
		{"older, and the log shows another change", -1, []int{50, 50, 70, 70, 70}, 3},
		{"older, and the sizes go back and forth", -1, []int{50, 70, 50, 70, 50, 70}, 6},
		{"older, and there was none", -1, []int{-1, -1, len(text)}, 1},
		{"older, with headers", -1, []int{350, 350}, 2},
		{"older, and there never was one", -1, []int{-1, -1, -1}, 0},
		{"older, and it was taken away", -1, []int{50, 50, -1, -1}, 0},
		{"older, and it was empty", -1, []int{0, 0, len(text)}, 1},
		{"older, and somebody breaks off", -1, []int{len(text), 0, len(text), 0}, 4},
		{"older, and it is not said how large", -1, []int{0, 0, 0}, 3},
		{"older, and only some say that there is none", -1, []int{-1, len(text), -1, len(text)}, 4},
	} {
		var w logWriter
		for i, size := range c.sizes {
			status := 200
			if size < 0 {
				status, size = 404, 5
			}
			w.at(hour*float64(i), "192.0.2.2", "Other/1", "/robots.txt", status, size)
			w.at(hour*float64(i)+1, "192.0.2.1", agent, "/p", 200, 10)
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{
			Name: "r", File: robots.Parse([]byte(text), robots.RFC9309), From: start.Add(time.Duration(c.from * float64(time.Hour))), Presumed: true, Size: int64(len(text)),
		}}})
		one := find(t, r.Robots, "TestBot")
		judged := one.Disallowed.Count + one.Disallowed.Excused
		if judged != int64(c.judged) || one.Disallowed.Unjudged != int64(len(c.sizes)-c.judged) {
			t.Errorf("%s: %d judged, %d not, want %d judged of %d", c.name, judged, one.Disallowed.Unjudged, c.judged, len(c.sizes))
		}
	}
}

// TestPresumed_Kept: for 24 hours after the log shows a change, a robot may go by what it got before, unless it got the new file;
// a size that is one of several which were there all the time is no change.
func TestPresumed_Kept(t *testing.T) {
	const (
		text   = "User-agent: *\nDisallow: /p\nCrawl-delay: 10\n"
		agent  = "TestBot/1 (+http://t.example/)"
		change = 30 // hours
	)
	for _, c := range []struct {
		name   string
		before int     // the size of what was there
		other  int     // what every other one gets, from when it was changed; 0: the same
		all    bool    // or from the beginning
		asks   float64 // hours
		size   int     // that it gets
		at     float64 // when it gets pages
		blamed bool
	}{
		{name: "what it got before", before: 5, asks: 29, size: 5, at: 40},
		{name: "what it got before, and the new one may be compressed", before: 5, other: 7, asks: 29, size: 5, at: 40},
		{name: "the new one is compressed", before: 5, other: 7, asks: 35, size: 7, at: 40, blamed: true},
		{name: "the new one", before: 5, asks: 35, size: len(text), at: 40, blamed: true},
		{name: "too long ago", before: 5, asks: 29, size: 5, at: 55, blamed: true},
		{name: "compressed for some", before: len(text), other: 7, all: true, asks: 29, size: 7, at: 40, blamed: true},
		{name: "compressed for some at last", before: len(text), other: 7, asks: 29, size: len(text), at: 40, blamed: true},
	} {
		var w logWriter
		for i := range 60 {
			size := c.before
			if i >= change {
				size = len(text)
			}
			if c.other > 0 && i%2 > 0 && (c.all || i >= change) {
				size = c.other
			}
			w.at(hour*float64(i), "192.0.2.2", "Other/1", "/robots.txt", 200, size)
			if float64(i) == c.asks {
				w.at(hour*c.asks+1, "192.0.2.1", agent, "/robots.txt", 200, c.size)
			}
			for n := 0; float64(i) == c.at && n < 30; n++ {
				w.at(hour*c.at+float64(n), "192.0.2.1", agent, fmt.Sprint("/p/", n), 200, 10)
			}
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{
			Name: "r", File: robots.Parse([]byte(text), robots.RFC9309), From: start.Add(-time.Hour), Presumed: true, Size: int64(len(text)),
		}}})
		one := find(t, r.Robots, "TestBot")
		for _, code := range []audit.FaultCode{audit.FaultDisallowed, audit.FaultDelay} {
			isCode := func(f audit.Fault) bool { return f.Code == code }
			if got := slices.ContainsFunc(one.Faults, isCode); got != c.blamed {
				t.Errorf("%s: %s: blamed %v, want %v", c.name, code, got, c.blamed)
			}
		}
		if d := one.Disallowed; c.blamed && (d.Count != 30 || len(d.Evidence) != 20) || !c.blamed && d.Excused != 30 {
			t.Errorf("%s: %d blamed, %d excused, %d lines", c.name, d.Count, d.Excused, len(d.Evidence))
		}
	}
}

// TestPresumed_WithoutMethods: a log of JSON may not have the methods, and shows when robots.txt was changed all the same.
func TestPresumed_WithoutMethods(t *testing.T) {
	const text = "User-agent: *\nDisallow: /p\n"
	var log strings.Builder
	for i, size := range []int{50, 50, len(text)} {
		for _, path := range []string{"/robots.txt", "/p"} {
			fmt.Fprintf(&log, `{"ts":%d,"client":"192.0.2.1","uri":%q,"status":200,"size":%d,"user_agent":"TestBot/1 (+http://t.example/)"}`+"\n",
				start.Unix()+int64(i)*3600, path, size)
		}
	}
	r := run(t, log.String(), audit.Options{Copies: []audit.Copy{{
		Name: "r", File: robots.Parse([]byte(text), robots.RFC9309), From: start.Add(-time.Hour), Presumed: true, Size: int64(len(text)),
	}}})
	if d := find(t, r.Robots, "TestBot").Disallowed; d.Unjudged != 2 || d.Count+d.Excused != 1 {
		t.Errorf("%+v, want two of three not judged", d)
	}
}

// TestNobodyAsks: where requests for robots.txt are not logged, nobody is blamed for not asking.
func TestNobodyAsks(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(hour*float64(i), "192.0.2.1", "TestBot/1 (+http://t.example/)", fmt.Sprint("/", i), 200, 10)
	}
	if r := run(t, w.b.String(), audit.Options{}); len(r.Faults) > 0 || r.HasAsking {
		t.Errorf("%v faults", r.Faults)
	}
	w.at(hour*101, "192.0.2.2", "Other/1", "/robots.txt", 200, 10)
	if r := run(t, w.b.String(), audit.Options{}); len(r.Faults) == 0 {
		t.Error("not asking is no fault any more")
	}
}

// TestAuditor_ServedByAnother: who got a robots.txt after it was replaced, by the clock of the log, and of the size of the former
// one, got that; who got the new one has no grace.
func TestAuditor_ServedByAnother(t *testing.T) {
	for _, c := range []struct {
		name string
		size int
		want int64
	}{{"the former", len(madeOld), 0}, {"the new one", len(madeNew), 20}, {"compressed", 77, 20}} {
		t.Run(c.name, func(t *testing.T) {
			var w logWriter
			const change = 4 * 24 * hour
			w.at(change-90*hour, "192.0.2.1", "SomeBot/1", "/", 200, 1)
			w.at(change+40, "192.0.2.1", "SomeBot/1", "/robots.txt", 200, c.size)
			for i := range 20 {
				w.at(change+60+float64(20*i), "192.0.2.1", "SomeBot/1", "/late/x", 200, 1)
			}
			copies := madeHistory()
			copies[0].Size, copies[1].Size = int64(len(madeOld)), int64(len(madeNew))
			if d := run(t, w.b.String(), audit.Options{Copies: copies}).Robots[0].Disallowed; d.Count != c.want {
				t.Errorf("%+v, want %d", d, c.want)
			}
		})
	}
}

// TestChange: nobody is blamed by a copy whose successor may have been there already, or for not knowing what was not sent.
func TestChange(t *testing.T) {
	const (
		before = "User-agent: *\nDisallow: /old/\nCrawl-delay: 20\n"
		after  = "User-agent: *\nDisallow: /new/\n"
		change = 60 * hour
	)
	for _, c := range []struct {
		name     string
		ask      string  // "" or what it asked for besides the old copy
		asked    float64 // when
		size     int     // and got
		at       float64 // when it begins to go to path, every five seconds
		path     string
		earliest float64 // of the new copy; 0: not known
		blamed   bool
	}{
		{"by the old copy", "", 0, 0, change - 3*hour, "/old/", 0, true},
		{"by the old copy, for its pace", "", 0, 0, change - 3*hour, "/", 0, true},
		{"the clock of another server is slow", "/robots.txt", change + 30, len(after), change - 180, "/old/", 0, false},
		{"it got the new copy, which had been there before", "/robots.txt", change - 9*hour, len(after), change - 8*hour, "/old/", 0, false},
		{"it got the old copy again", "/robots.txt", change - 9*hour, len(before), change - 8*hour, "/old/", 0, true},
		{"nobody looked in between", "", 0, 0, change - 8*hour, "/old/", change - 20*hour, false},
		{"nobody looked in between, and it was fast", "", 0, 0, change - 8*hour, "/", change - 20*hour, false},
		{"before somebody looked", "", 0, 0, change - 22*hour, "/old/", change - 20*hour, true},
		{"by the new copy", "/robots.txt", change + hour, len(after), change + 2*hour, "/new/", 0, true},
		{"a HEAD tells no rules", "/robots.txt?HEAD", change + hour, len(after), change + 2*hour, "/new/", 0, false},
	} {
		var w logWriter
		w.at(0, "198.51.100.1", browser, "/", 200, 10)
		get := func(at float64, path string, size int) {
			w.at(at, "192.0.2.1", "TestBot/1.0 (+http://t.example/)", path, 200, size)
		}
		get(change-30*hour, "/robots.txt", len(before))
		get(change-10*hour, "/robots.txt", len(before))
		visit := func() {
			for i := range 10 {
				get(c.at+5*float64(i), fmt.Sprint(c.path, i), 10)
			}
		}
		if c.at < c.asked {
			visit()
		}
		if c.ask != "" {
			get(c.asked, c.ask, c.size)
		}
		if c.at >= c.asked {
			visit()
		}
		copies := []audit.Copy{
			{Name: "before", File: robots.Parse([]byte(before), robots.RFC9309), Size: int64(len(before))},
			{Name: "after", File: robots.Parse([]byte(after), robots.RFC9309), Size: int64(len(after)), From: start.Add(60 * time.Hour)},
		}
		if c.earliest != 0 {
			copies[1].Earliest = start.Add(time.Duration(c.earliest * float64(time.Second)))
		}
		log := strings.ReplaceAll(w.b.String(), "GET /robots.txt?HEAD", "HEAD /robots.txt")
		r := find(t, run(t, log, audit.Options{Copies: copies}).Robots, "TestBot")
		if c.path != "/" && c.at < change { // the pace apart
			r.Faults = slices.DeleteFunc(r.Faults, func(f audit.Fault) bool { return f.Code != audit.FaultDisallowed })
		}
		if got := len(r.Faults) > 0; got != c.blamed {
			t.Errorf("%s: blamed %v, want %v: %+v", c.name, got, c.blamed, r.Faults)
		}
	}
}

// TestChange_Unseen: where the log does not show who asks for robots.txt, a robot may have got what was there a day ago; not where
// others ask in time.
func TestChange_Unseen(t *testing.T) {
	const change = 60
	known := []string{"Googlebot", "bingbot", "Applebot", "YandexBot"}
	for _, c := range []struct {
		name  string
		asks  int // every so many hours; 0 for never
		at    int // hours after the change
		knows bool
		count int64
	}{
		{name: "requests for robots.txt are not in the log", at: 5},
		{name: "a cache answers mostly", asks: 90, at: 5},
		{name: "a cache answers mostly, and it got the new one", asks: 90, at: 5, knows: true, count: 1},
		{name: "too long ago", at: 30, count: 1},
		{name: "others ask in time", asks: 20, at: 5, count: 1},
	} {
		var w logWriter
		get := func(at float64, i int, agent, path string) {
			w.at(hour*at, fmt.Sprintf("192.0.2.%d", i), agent+"/1.0", path, 200, 10)
		}
		for h := range 120 {
			for i, agent := range known {
				if c.asks > 0 && h%c.asks == 1 {
					get(float64(h), i, agent, "/robots.txt")
				}
				get(float64(h)+0.1, i, agent, fmt.Sprint("/a/", h))
			}
			switch {
			case h == 1 && c.asks > 0, h == change+1 && c.knows:
				get(float64(h), 66, "DotBot", "/robots.txt")
			case h == change+c.at:
				get(float64(h), 66, "DotBot", "/new/")
			default:
				get(float64(h), 66, "DotBot", fmt.Sprint("/a/", h))
			}
		}
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{
			{Name: "before", File: robots.Parse([]byte("User-agent: *\nDisallow: /old/\n"), robots.RFC9309)},
			{Name: "after", File: robots.Parse([]byte("User-agent: *\nDisallow: /new/\n"), robots.RFC9309), From: start.Add(change * time.Hour)},
		}})
		if d := find(t, r.Robots, "DotBot").Disallowed; d.Count != c.count || d.Excused != 1-c.count || len(d.Evidence) != int(c.count) {
			t.Errorf("%s: %+v, want %d", c.name, d, c.count)
		}
	}
}

// TestDelays_ServersApart: a pause is measured by the clock of one server, which a log collector names.
func TestDelays_ServersApart(t *testing.T) {
	for pause, blamed := range map[int]bool{10: false, 4: true} {
		var w logWriter
		for i := range 100 {
			when := start.Add(time.Duration(pause*i+3*(i%2)) * time.Second)
			w.raw(fmt.Sprintf(`[pod/web-%d/nginx] 192.0.2.1 - - [%s] "GET /%d HTTP/1.1" 200 9 "-" "TestBot/1.0 (+http://t.example/)"`,
				i%2, when.Format("02/Jan/2006:15:04:05 -0700"), i))
		}
		file := robots.Parse([]byte("User-agent: *\nCrawl-delay: 10\n"), robots.RFC9309)
		r := run(t, w.b.String(), audit.Options{Copies: []audit.Copy{{Name: "r", File: file}}}).Robots[0]
		if got := len(r.Faults) > 0; got != blamed {
			t.Errorf("one request in %d seconds: blamed %v, want %v: %+v", pause, got, blamed, r.Pace)
		}
	}
}

// TestChange_Daily: each request is judged by the copy of its day, however many there were.
func TestChange_Daily(t *testing.T) {
	const days, before, now = 200, "User-agent: *\nDisallow: /old/\n", "User-agent: *\nDisallow: /new/\n"
	var w logWriter
	var copies []audit.Copy
	for day := range days {
		text := []string{before, now}[day/2%2]
		copies = append(copies, audit.Copy{
			Name: fmt.Sprint(day), From: start.Add(time.Duration(day) * 24 * time.Hour), File: robots.Parse([]byte(text), robots.RFC9309), Size: int64(len(text)),
		})
		begins := float64(day) * 24 * hour
		w.at(begins+2*hour, "192.0.2.1", "TestBot/1.0 (+http://t.example/)", "/robots.txt", 200, len(text))
		w.at(begins+20*hour, "192.0.2.1", "TestBot/1.0 (+http://t.example/)", "/old/", 200, 10)
	}
	d := find(t, run(t, w.b.String(), audit.Options{Copies: copies}).Robots, "TestBot").Disallowed
	if d.Count != days/2 {
		t.Errorf("%d requests were disallowed, want %d", d.Count, days/2)
	}
}
