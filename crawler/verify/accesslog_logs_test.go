package verify_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

const us = "cybermapper/1.0 (+x@example.org)"

// comparison holds a job against logs, and returns what comes of it, and all that is said.
func comparison(t *testing.T, j verify.Job, logs ...[]string) (c *verify.Comparison, said string) {
	t.Helper()
	var sources []accesslog.Source
	for i, lines := range logs {
		sources = append(sources, accesslog.Source{Name: fmt.Sprintf("log%d", i), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(strings.Join(lines, "\n") + "\n")), nil
		}})
	}
	c, err := verify.Compare(t.Context(), j, host, sources, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said = strings.Join(c.Notes, "\n")
	for _, p := range c.Promises {
		for _, f := range p.Findings {
			said += "\n" + f.String()
		}
	}
	return c, said
}

// compare returns what comes of the promise about lines that are not on record, and all that is said; the others must be proven.
func compare(t *testing.T, j verify.Job, logs ...[]string) (written verify.Verdict, said string) {
	t.Helper()
	c, said := comparison(t, j, logs...)
	for _, p := range c.Promises[1:] {
		if p.Verdict != verify.Proven {
			t.Errorf("%s is %s: %v", p.Name, p.Verdict, p.Findings)
		}
	}
	return c.Promises[0].Verdict, said
}

// TestCompare_LinesTwice holds a record against logs that were put together of parts that overlap, and against requests that were
// made twice.
func TestCompare_LinesTwice(t *testing.T) {
	records := story()
	for i := range 20 {
		records = append(records[:len(records)-1], request(fmt.Sprint("/page", i), 15+3*float64(i)), records[len(records)-1])
		records[len(records)-1].Time = at(18 + 3*float64(i))
	}
	j := write(t, paced(records))
	lines := logOf(records)
	onlyOurs := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.Contains(l, us) })
	each := func(list []string) (out []string) {
		for _, l := range list {
			out = append(out, l, l)
		}
		return out
	}
	behind := func(list []string) (out []string) { // as a server in front of another one tells of it
		for _, l := range list {
			out = append(out, strings.Replace(l, " 12 ", " 13 ", 1))
		}
		return out
	}
	hidden := logLine(at(30.2), "/page4", 200, "192.0.2.99", us)
	for name, tt := range map[string]struct {
		logs [][]string
		want verify.Verdict
		what string
	}{
		"a stretch":                     {[][]string{slices.Concat(lines[:30], lines[11:])}, verify.Proven, "copies and count once"},
		"a stretch with one of ours":    {[][]string{slices.Concat(lines[:30], lines[27:])}, verify.Proven, "is a copy and counts once"},
		"all of it":                     {[][]string{slices.Concat(lines, lines)}, verify.Proven, "log0 line 51 is log0 line 1 again"},
		"three times":                   {[][]string{slices.Concat(lines, lines, lines)}, verify.Proven, "50 lines with our name are copies"},
		"each line":                     {[][]string{each(lines)}, verify.Proven, "log0 line 2 is log0 line 1 again"},
		"parts that overlap":            {[][]string{lines[:30], lines[10:]}, verify.Proven, "log1 line 1 is log0 line 11 again"},
		"newest first":                  {[][]string{lines[20:], lines[:30]}, verify.Proven, "copies and count once"},
		"only lines of ours":            {[][]string{slices.Concat(onlyOurs, onlyOurs)}, verify.NotShown, "was put together of parts that overlap"},
		"a server behind the other":     {[][]string{lines, behind(lines)}, verify.NotShown, "a server behind the other"},
		"a page twice in a second":      {[][]string{slices.Insert(slices.Clone(lines), 32, lines[30])}, verify.Refuted, "is not on record"},
		"each line of ours alone":       {[][]string{each(onlyOurs)}, verify.NotShown, "is in the log twice, and on record once"},
		"each page twice in a second":   {[][]string{append(each(onlyOurs), lines[1])}, verify.Refuted, "is not on record"},
		"a page twice, and a stretch":   {[][]string{slices.Concat(lines[:30], []string{hidden}, lines[11:30], []string{hidden}, lines[30:])}, verify.Refuted, "log0 line 31: /page4"},
		"another page within a stretch": {[][]string{slices.Concat(lines[:30], lines[11:20], []string{hidden}, lines[20:])}, verify.Refuted, "/page4"},
	} {
		t.Run(name, func(t *testing.T) {
			got, said := compare(t, j, tt.logs...)
			if got != tt.want || !strings.Contains(said, tt.what) {
				t.Errorf("%s, want %s and %q:\n%s", got, tt.want, tt.what, said)
			}
		})
	}
}

// TestCompare_OtherSitesOfTheServer holds the record of one site against a log that has those of others and does not say so.
func TestCompare_OtherSitesOfTheServer(t *testing.T) {
	elsewhere := func(site, url, address string, seconds float64) ledger.Record {
		r := request(url, seconds)
		r.URL, r.Site, r.Address = "http://"+site+url, site, address
		return r
	}
	tell := func(others ...ledger.Record) verify.Job {
		records := slices.Concat(story()[:11], others, story()[11:])
		slices.SortStableFunc(records[1:len(records)-1], func(a, b ledger.Record) int { return a.Time.Compare(b.Time) })
		records[len(records)-1].Time = at(60)
		return write(t, records)
	}
	ours := logOf(story())
	line := func(target string, seconds float64) string {
		return logLine(at(seconds+0.1), target, 200, "192.0.2.99", us)
	}
	lines := append(slices.Clone(ours), line("/about", 20), line("/team", 23))
	far := elsewhere("far.example", "/x", "203.0.113.1:80", 5)
	about, team := elsewhere("b.example", "/about", "192.0.2.1:80", 20), elsewhere("b.example", "/team", "192.0.2.1:443", 23)
	for name, tt := range map[string]struct {
		job          verify.Job
		whole, shown verify.Verdict // of the job, and of its bundle
	}{
		"on record":                 {tell(about, team), verify.Proven, verify.NotShown},
		"one of them is not":        {tell(about), verify.Refuted, verify.NotShown},
		"at another address":        {tell(elsewhere("b.test", "/about", "203.0.113.1:80", 20), team), verify.NotShown, verify.NotShown},
		"in the same domain":        {tell(elsewhere("www.a.example", "/about", "203.0.113.1:80", 20), team), verify.Proven, verify.NotShown},
		"at another time":           {tell(elsewhere("b.example", "/about", "192.0.2.1:80", 27), team), verify.Refuted, verify.NotShown},
		"none of the same server":   {tell(far), verify.Refuted, verify.Refuted},
		"none at all":               {tell(), verify.Refuted, verify.Refuted},
		"with another answer there": {tell(func() ledger.Record { r := about; r.Status = 404; return r }(), team), verify.Refuted, verify.NotShown},
	} {
		t.Run(name, func(t *testing.T) {
			if got, said := compare(t, tt.job, lines); got != tt.whole {
				t.Errorf("the job: %s, want %s:\n%s", got, tt.whole, said)
			}
			b, err := verify.OpenBundle(bundle(t, tt.job, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			b.Info.Made = at(600)
			got, said := compare(t, verify.Job{Bundle: b}, lines)
			if got != tt.shown || got == verify.NotShown && !strings.Contains(said, "the log does not say for which site a line is") {
				t.Errorf("the bundle: %s, want %s:\n%s", got, tt.shown, said)
			}
			var named []string // a log that says it
			for _, l := range lines {
				named = append(named, "a.example "+l)
			}
			if got, said := compare(t, verify.Job{Bundle: b}, named); got != verify.Refuted {
				t.Errorf("a log that names the site: %s, want refuted:\n%s", got, said)
			}
		})
	}
}

// TestCompare_OlderBundle holds a bundle against a log that goes on behind it: neither its age nor what it says of it excuses that.
func TestCompare_OlderBundle(t *testing.T) {
	b, err := verify.OpenBundle(bundle(t, write(t, story()), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	hidden := func(seconds float64) []string {
		return append(logOf(story()), logLine(at(seconds), "/private/diary", 200, "192.0.2.99", us))
	}
	for name, tt := range map[string]struct {
		made, at float64
		want     verify.Verdict
		what     string
	}{
		"within the record":                  {600, 7, verify.Refuted, "/private/diary"},
		"within, and said to be made before": {1, 7, verify.Refuted, "/private/diary"},
		"behind the record":                  {20, 300, verify.NotShown, "1 line is with our name later than the record goes"},
		"behind, and said to be made before": {1, 300, verify.NotShown, "ask for a bundle of today; the first is log0 line 11: /private/diary"},
		"when no crawl ran":                  {600, 300, verify.NotShown, "from when no crawl ran"},
	} {
		t.Run(name, func(t *testing.T) {
			b.Info.Made = at(tt.made)
			if got, said := compare(t, verify.Job{Bundle: b}, hidden(tt.at)); got != tt.want || !strings.Contains(said, tt.what) {
				t.Errorf("%s, want %s and %q:\n%s", got, tt.want, tt.what, said)
			}
		})
	}
}

// TestCompare_HostsOfTheServer holds a record against logs that name the site otherwise, or another one.
func TestCompare_HostsOfTheServer(t *testing.T) {
	j := write(t, story())
	lines := logOf(story())
	named := func(name string, lines ...string) (out []string) {
		for _, l := range lines {
			out = append(out, name+" "+l)
		}
		return out
	}
	hidden := logLine(at(7), "/private/diary", 200, "192.0.2.99", us)
	for name, tt := range map[string]struct {
		lines []string
		want  verify.Verdict
		what  string
	}{
		"its own":          {named("a.example:80", lines...), verify.Proven, "10 requests"},
		"of another port":  {named("a.example:8080", lines...), verify.Proven, "10 requests"}, // as of a server behind another
		"another name":     {named("www.a.example:80", lines...), verify.Proven, "those that name www.a.example were taken for what the server calls it"},
		"and one too many": {named("www.a.example:80", append(slices.Clone(lines), hidden)...), verify.NotShown, "it names www.a.example"},
		"and its own":      {slices.Concat(named("a.example", lines...), named("b.example", lines...)), verify.Proven, "10 requests"},
		"of another site":  {named("b.example", hidden), verify.NotShown, "no request to this site: its lines with our name name b.example"},
		"without any":      {nil, verify.NotShown, "the log has no request to this site"},
		"and its own port": {
			slices.Concat(named("a.example", lines...), named("a.example:8080", hidden)), verify.NotShown, "names port 8080, at which",
		},
		"hidden, behind another server": {
			named("a.example:8080", append(slices.Clone(lines), hidden)...), verify.Refuted, "/private/diary",
		},
		"hidden, by a name": {named("a.example", append(slices.Clone(lines), hidden)...), verify.Refuted, "/private/diary"},
	} {
		t.Run(name, func(t *testing.T) {
			c, said := comparison(t, j, tt.lines)
			if got := c.Promises[0].Verdict; got != tt.want || !strings.Contains(said, tt.what) {
				t.Errorf("%s, want %s and %q:\n%s", got, tt.want, tt.what, said)
			}
		})
	}
}

// TestCompare_OtherRecords holds a record against a log with requests that are on another record: of another node, or of another
// crawl that began when this one ended.
func TestCompare_OtherRecords(t *testing.T) {
	shared := story()
	for i := range shared {
		if shared[i].Type == ledger.Request {
			shared[i].Tenure = "node1/3/57"
		}
	}
	damaged := story()
	damaged[len(damaged)-1] = ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Time: at(40), Why: "ledger cut"}
	line := func(seconds float64) []string {
		return append(logOf(story()), logLine(at(seconds), "/page", 200, "192.0.2.99", us))
	}
	for name, tt := range map[string]struct {
		records []ledger.Record
		log     []string
		want    verify.Verdict
		what    string
	}{
		"another node":              {shared, line(8), verify.NotShown, "it may be on that of another node"},
		"lost before a repair":      {damaged, line(30), verify.NotShown, "the ledger may have lost records: record 12 says"},
		"and not lost":              {damaged, line(7), verify.Refuted, "/page"},
		"no other node":             {story(), line(8), verify.Refuted, "/page"},
		"a crawl right behind":      {story(), line(13), verify.NotShown, "from when no crawl ran"},
		"the last second but one":   {story(), line(11.9), verify.Refuted, "/page"},
		"a crawl right before this": {story(), line(-0.5), verify.NotShown, "from when no crawl ran"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, said := compare(t, write(t, tt.records), tt.log); got != tt.want || !strings.Contains(said, tt.what) {
				t.Errorf("%s, want %s and %q:\n%s", got, tt.want, tt.what, said)
			}
		})
	}
}

// TestCompare_WhileItRuns holds the record of a crawl that runs against a log with the times at which requests were made, as Apache
// writes it when they have been answered: what is under way is on no record yet.
func TestCompare_WhileItRuns(t *testing.T) {
	records := story()
	records[len(records)-1] = ledger.Record{
		Type: ledger.Refusal, Time: at(20), URL: base + "/private/x", Gate: "robots", Reason: "robots-disallow",
		Rule: "Disallow: /private/", Line: 2, Digest: digest(file),
	}
	j := write(t, records)
	j.Running = true
	slow := func(seconds float64) string { return logLine(at(seconds), "/slow", 200, "192.0.2.99", us) }
	for name, tt := range map[string]struct {
		lines []string
		want  verify.Verdict
	}{
		"under way":             {[]string{slow(18)}, verify.Proven},
		"two at once":           {[]string{slow(18), slow(18.5)}, verify.Refuted},
		"before the last on it": {[]string{slow(7)}, verify.Refuted},
		"later":                 {[]string{slow(25), slow(28)}, verify.Proven},
		"an hour later":         {[]string{slow(3625), slow(3628)}, verify.NotShown},
	} {
		if got, said := compare(t, j, append(logOf(records), tt.lines...)); got != tt.want {
			t.Errorf("%s: %s, want %s:\n%s", name, got, tt.want, said)
		}
	}
}

// TestCompare_RefusedUnread holds a record against a log of nginx, which logs no User-Agent of what it answers with 400 at once.
func TestCompare_RefusedUnread(t *testing.T) {
	records := story()
	bad := request("/100%zz", 15)
	bad.Status = 400
	records = append(records[:len(records)-1], bad, records[len(records)-1])
	records[len(records)-1].Time = at(16)
	j := write(t, paced(records))
	for name, tt := range map[string]struct {
		line string
		want verify.Verdict
	}{
		"without a name":  {logLine(at(15.1), "/100%zz", 400, "192.0.2.99", "-"), verify.Proven},
		"at another time": {logLine(at(45), "/100%zz", 400, "192.0.2.99", "-"), verify.NotShown},
		"of another":      {logLine(at(15.1), "/100%zz", 400, "192.0.2.99", "Mozilla/5.0"), verify.NotShown},
		"another answer":  {logLine(at(15.1), "/100%zz", 404, "192.0.2.99", "-"), verify.NotShown},
	} {
		log := append(logOf(story()), tt.line, logLine(at(50), "/", 200, "198.51.100.7", "Mozilla/5.0"))
		if c, said := comparison(t, j, log); c.Promises[1].Verdict != tt.want || c.Promises[0].Verdict != verify.Proven {
			t.Errorf("%s: %s, want %s:\n%s", name, c.Promises[1].Verdict, tt.want, said)
		}
	}
}

// TestCompare_LinesThatHide holds a record against logs with a request that is not on it, in a line that was made to be unreadable,
// or to look as if it was another's.
func TestCompare_LinesThatHide(t *testing.T) {
	j := write(t, paced(story()))
	hidden := logLine(at(12), "/hidden", 200, "192.0.2.99", us)
	for name, tt := range map[string]struct {
		line string
		want verify.Verdict
	}{
		"a quote and a time in the name": {strings.Replace(hidden, us, us+` "[01/Mar/2026:12:00:00 +0000]`, 1), verify.NotShown},
		"the user name of a torn line":   {strings.Replace(hidden, " - - ", " - - 192.0.2.9 - ", 1), verify.NotShown},
		"an unreadable line of another":  {strings.Replace(hidden, us, `Bot/1 "[01/Mar/2026:12:00:00 +0000]`, 1), verify.Proven},
	} {
		log := slices.Insert(logOf(story()), 3, tt.line)
		if c, said := comparison(t, j, log); c.Promises[0].Verdict != tt.want {
			t.Errorf("%s: %s, want %s:\n%s", name, c.Promises[0].Verdict, tt.want, said)
		}
	}
	whole := strings.Join(logOf(story()), "\n") + "\n"
	source := accesslog.Source{Name: "log", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(whole + hidden[:len(hidden)-3])), nil
	}}
	c, err := verify.Compare(t.Context(), j, host, []accesslog.Source{source}, verify.Options{})
	if err != nil || c.Malformed != 1 || c.Promises[0].Verdict != verify.Proven {
		t.Errorf("of a log that is still written, the last line counts: %v, %+v", err, c)
	}
}

// TestCompare_SitesThatAreAlike holds records against a log of several sites with the same pages, at other ports or addresses.
func TestCompare_SitesThatAreAlike(t *testing.T) {
	records := story()
	var lines []string
	for _, site := range []string{"c.example", host + ":8080", host} {
		for _, r := range story() {
			if r.Type != ledger.Request {
				continue
			}
			if site != host { // a moment before
				const before = 400 * time.Millisecond
				r.URL, r.Site = strings.Replace(r.URL, host, site, 1), site
				r.Start, r.End, r.Time, r.Clock = r.Start.Add(-before), r.End.Add(-before), r.Time.Add(-before), r.Clock-ledger.Millis(before)
				if site == "c.example" {
					r.Address, r.Status = "203.0.113.1:80", 404
				}
				records = slices.Insert(records, len(records)-1, r)
			}
			lines = append(lines, site+" "+logLine(r.End, strings.TrimPrefix(r.URL, "http://"+site), r.Status, "192.0.2.99", us))
		}
	}
	slices.SortStableFunc(records[1:len(records)-1], func(a, b ledger.Record) int { return a.Time.Compare(b.Time) })
	j := write(t, records)
	if got, said := compare(t, j, lines); got != verify.Proven {
		t.Errorf("with the hosts: %s:\n%s", got, said)
	}
	b, err := verify.OpenBundle(bundle(t, j, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Info.Made = at(600)
	if got, said := compare(t, verify.Job{Bundle: b}, lines); got != verify.NotShown || strings.Contains(said, "is not on record\n") {
		t.Errorf("a bundle, with the hosts: %s:\n%s", got, said)
	}
	for i := range lines {
		_, lines[i], _ = strings.Cut(lines[i], " ")
	}
	if got, said := compare(t, j, lines); got != verify.NotShown {
		t.Errorf("without the hosts: %s:\n%s", got, said)
	}
}

// TestCompare_DecodedPaths holds the record against a log of IIS, which undoes the escapes of paths.
func TestCompare_DecodedPaths(t *testing.T) {
	paths := map[string]string{ // as they are logged
		"/a%20b.html": "/a+b.html -", "/a+b.html": "/a+b.html -", "/caf%C3%A9": "/café -", "/k%C3%B6ln": "/k\xf6ln -", "/%E6%97%A5": "/?? -",
		"/100%25": "/100% -", "/q?x=a%20b": "/q x=a%20b", "/a%2Fb": "/a/b -", "/a%23b?c=1": "/a#b c=1", "/plain/page.aspx?id=7": "/plain/page.aspx id=7",
		"/empty?": "/empty -",
	}
	records := story()
	log := []string{"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status"}
	add := func(r ledger.Record, path string) {
		agent := strings.ReplaceAll(us, " ", "+")
		log = append(log, r.End.Format("2006-01-02 15:04:05")+" GET "+path+fmt.Sprintf(" 192.0.2.99 %s %d", agent, r.Status))
	}
	for _, r := range records {
		if r.Type == ledger.Request {
			add(r, strings.TrimPrefix(r.URL, base)+" -")
		}
	}
	n := 0
	for path, logged := range paths {
		r := request(path, 15+3*float64(n))
		n++
		records = append(records[:len(records)-1], r, records[len(records)-1])
		records[len(records)-1].Time = at(18 + 3*float64(n))
		add(r, logged)
	}
	j := write(t, paced(records))
	if got, said := compare(t, j, log); got != verify.Proven {
		t.Errorf("%s:\n%s", got, said)
	}
	add(request("/x", 40), "/caf\xe9/hidden -")
	if got, said := compare(t, j, log); got != verify.Refuted || !strings.Contains(said, "/hidden") {
		t.Errorf("a page that is not on record: %s:\n%s", got, said)
	}
}

// TestCompare_RewrittenPaths: a log in JSON may have nginx' $uri alone, in which a server that answers all pages with one program
// writes its name for each.
func TestCompare_RewrittenPaths(t *testing.T) {
	records := append(story()[:11], request("/a%20b?c", 15), story()[11])
	records[12].Time = at(18)
	j := write(t, paced(records))
	object := func(seconds float64, field string) string {
		return fmt.Sprintf(`{"time":%q,"client":"192.0.2.99",%s,"status":200,"user_agent":%q}`, at(seconds).Format(time.RFC3339), field, us)
	}
	for name, tt := range map[string]struct {
		line string
		want verify.Verdict
		what string
	}{
		"what the server made of it": {object(8, `"uri":"/index.php"`), verify.NotShown, "let it log the request line"},
		"without query and escapes":  {object(8, `"uri":"/a b"`), verify.NotShown, "let it log the request line"},
		"without escapes":            {object(8, `"uri":"/a b","args":"c"`), verify.NotShown, "let it log the request line"},
		"what nobody asked for":      {object(8, `"uri":"/private/x"`), verify.Refuted, "is not on record"},
		"once more than on record":   {object(8, `"uri":"/"`), verify.Refuted, "is not on record"},
		"as it was sent":             {object(8, `"request":"GET /index.php HTTP/1.1"`), verify.Refuted, "is not on record"},
	} {
		if got, said := compare(t, j, append(logOf(records), tt.line)); got != tt.want || !strings.Contains(said, tt.what) {
			t.Errorf("%s: %s, want %s and %q:\n%s", name, got, tt.want, tt.what, said)
		}
	}
}

// TestCompare_SlowServer: a server that takes long and notes when a request began does not have another clock; what was under way
// at a kill is told by it.
func TestCompare_SlowServer(t *testing.T) {
	const took = 5
	start := story()[0]
	records, lines := []ledger.Record{start}, []string(nil)
	ask := func(r ledger.Record, seconds float64) {
		r.End, r.Time, r.Took = at(seconds+took), at(seconds+took), secs(took)
		if r.Gap, r.GapWhy = secs(took*5), "response-time"; r.Purpose == "robots" {
			r.Expires = r.End.Add(24 * time.Hour)
		}
		records = append(records, r)
		lines = append(lines, logLine(at(seconds), strings.TrimPrefix(r.URL, base), 200, "192.0.2.99", us))
	}
	ask(robotsRequest(0), 0)
	for i := range 8 {
		s := 35 * float64(i+1)
		ask(request(fmt.Sprint("/", i), s), s)
	}
	lines = append(lines, logLine(at(316), "/lost", 200, "192.0.2.99", us))
	start.Time = at(317)
	records = append(records, start)
	ask(request("/lost", 350), 350)
	records = append(records, outcome("/lost", 355.1), ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(356), Why: "done"})
	if got, said := compare(t, write(t, paced(records)), lines); got != verify.Proven {
		t.Errorf("%s, want proven:\n%s", got, said)
	}
}
