package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/trap"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// jobOf returns a look at a job whose ledger holds these records.
func jobOf(t testing.TB, records func(yield func(ledger.Record) bool)) *job.View {
	t.Helper()
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := config.Default().YAML()
	if err == nil {
		err = j.WriteConfig(yaml)
	}
	if err != nil {
		t.Fatal(err)
	}
	ledgertest.Write(t, j.Path(job.LedgerDir), ledger.Options{}, slices.Collect(records)...)
	dir := j.Path("")
	filetest.Close(t, j)
	v, err := job.Look(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

func TestLineReadsWhatIsWritten(t *testing.T) {
	r := ledger.Record{
		Seq: 1, Type: ledger.Request, URL: `http://a.example/","end":"x"\`, Site: "a.example", Status: 200, Owed: ledger.Millis(1500 * time.Microsecond),
		Start: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	l := line(b)
	if got := l.text("url"); got != r.URL {
		t.Errorf("url %q, want %q", got, r.URL)
	}
	if !l.is("type", "request") || l.is("type", "req") || l.is("type", "requests") || l.is("none", "") {
		t.Errorf("is compares wrongly in %s", l)
	}
	if !l.is("url", r.URL) || l.is("url", `http://a.example/`) || l.is("url", r.URL[:len(r.URL)-1]) {
		t.Errorf("is compares what has escapes wrongly in %s", l)
	}
	if got := l.text("end"); got != "" || l.raw("gate") != nil {
		t.Errorf("end %q, want none: a text is no key", got)
	}
	if n, d, at := l.number("status"), l.millis("owed_ms"), l.time("start"); n != 200 || d != 1500*time.Microsecond || !at.Equal(r.Start) {
		t.Errorf("status %v, owed %v, start %v, want what was written", n, d, at)
	}
	if got := l.from("start").time("start"); !got.Equal(r.Start) || string(l.from("none")) != string(l) {
		t.Errorf("from the start on %v, want %v", got, r.Start)
	}
	for i := range l {
		l[:i].text("url") // a line that is cut must not panic
		l[:i].number("status")
	}
}

func TestHarm(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name          string
		n             int
		rested, paced time.Duration
		want          string
	}{
		{"too few", 19, 100 * ms, 500 * ms, HarmUnknown},
		{"slower", 20, 100 * ms, 200 * ms, HarmSlower},
		{"a little slower", 20, 100 * ms, 130 * ms, HarmNone},
		{"slower by next to nothing", 20, 1 * ms, 5 * ms, HarmNone},
		{"faster", 20, 300 * ms, 100 * ms, HarmNone},
	}
	for _, tt := range tests {
		var h Harm
		for range tt.n {
			h.add(0, 3*time.Second, tt.rested)
			h.add(3*time.Second, 3*time.Second, tt.paced)
			h.add(6*time.Second, 3*time.Second, time.Hour) // neither
		}
		h.finish()
		if h.Verdict != tt.want || h.Rested.Samples != int64(tt.n) || h.Paced.Samples != int64(tt.n) {
			t.Errorf("%s: %s of %d and %d samples, want %s of %d", tt.name, h.Verdict, h.Rested.Samples, h.Paced.Samples, tt.want, tt.n)
		}
		if got := float64(h.Paced.Median) / float64(tt.paced); got < 0.95 || got > 1.05 {
			t.Errorf("%s: median %v, want about %v", tt.name, h.Paced.Median, tt.paced)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	if got := h.quantile(0.5); got != 0 {
		t.Errorf("median of nothing %v, want 0", got)
	}
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.9: 900 * time.Millisecond} {
		if got := h.quantile(q); got < want*95/100 || got > want*105/100 {
			t.Errorf("quantile %v is %v, want about %v", q, got, want)
		}
	}
	h.add(-time.Second)
	h.add(1000 * time.Hour)
}

func TestStretches(t *testing.T) {
	s := stretches{jitter: 0.1}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	add := func(gap time.Duration, why string) {
		at = at.Add(gap)
		s.add(at, gap, why)
	}
	for _, gap := range []time.Duration{3000, 3250, 3100} {
		add(gap*time.Millisecond, "floor")
	}
	add(10*time.Second, "crawl-delay")
	add(20*time.Second, "crawl-delay") // the file has changed
	add(4*time.Second, "response-time")
	add(25*time.Second, "response-time")
	var got []string
	for _, x := range s.all {
		_, text, _ := strings.Cut(x.String(), ", ")
		got = append(got, text)
	}
	want := []string{
		"3 requests: 3s to 3.3s, by floor", "1 request: 10s, by crawl-delay", "1 request: 20s, by crawl-delay", "2 requests: 4s to 25s, by response-time",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stretches (-want +got):\n%s", diff)
	}
	for i := range 100 {
		add(time.Duration(i%2+1)*time.Second, "floor")
	}
	if n := len(s.all); n != firstStretches+lastStretches || s.left != 104-int64(n) {
		t.Errorf("%d stretches and %d left out, want %d and the rest", n, s.left, firstStretches+lastStretches)
	}
}

func TestPatterns(t *testing.T) {
	tests := []struct {
		reason crawler.Reason
		url    string
		want   Pattern
	}{
		{crawler.ReasonQueries, "http://a.example/cal?year=2031&month=4", Calendar},
		{crawler.ReasonQueries, "http://a.example/events?d=2031-04-01", Calendar},
		{crawler.ReasonQueries, "http://a.example/shop?color=red&size=4", FacetGrid},
		{crawler.ReasonQueries, "http://a.example/list?page=4711", Counter},
		{crawler.ReasonQueries, "http://a.example/find?q=robots", EndlessQuery},
		{crawler.ReasonQueries, "http://a.example/x?PHPSESSID=81", SessionID},
		{crawler.ReasonPermutation, "http://a.example/x?a=1&sid=8", SessionID},
		{crawler.ReasonPermutation, "http://a.example/x?b=1&a=2", ParameterOrder},
		{crawler.ReasonURLLength, "http://a.example/x?" + strings.Repeat("y", 50), GrowingQuery},
		{crawler.ReasonPathDepth, "http://a.example/a/b/c/d/e", GrowingPath},
		{crawler.ReasonPathDepth, "http://a.example/a/b/a/b/a/b", RepeatedSegment},
		{crawler.ReasonRepeated, "http://a.example/a/a/a/", RepeatedSegment},
		{crawler.ReasonPrefixPages, "http://a.example/2031/04/01", Calendar},
		{crawler.ReasonPrefixPages, "http://a.example/items/12345", LargeDirectory},
		{crawler.ReasonPrefixYield, "http://a.example/items/x", SameContent},
		{crawler.ReasonHostsPerDomain, "http://x7.a.example/", ManyHosts},
		{crawler.ReasonRedirectLoop, "http://a.example/r", Redirects},
		{crawler.ReasonOutlinks, "http://a.example/all", ManyLinks},
		{"new-reason", "http://a.example/", OtherPattern},
	}
	p := newPatterns(crawler.DefaultSessionParams())
	for _, tt := range tests {
		if got := p.of(tt.reason, tt.url); got != tt.want {
			t.Errorf("pattern of %s, %s is %q, want %q", tt.reason, tt.url, got, tt.want)
		}
	}
}

// Every trap has a setting that overrules it, and settings are named as the configuration has them.
func TestSettingOf(t *testing.T) {
	yaml, err := config.Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []crawler.Reason{
		crawler.ReasonURLLength, crawler.ReasonPathDepth, crawler.ReasonRepeated, crawler.ReasonQueries, crawler.ReasonPrefixPages,
		crawler.ReasonPrefixYield, crawler.ReasonPermutation, crawler.ReasonListingOrder, crawler.ReasonHostsPerDomain, crawler.ReasonRedirectLimit, crawler.ReasonOutlinks,
	} {
		key, found := strings.CutPrefix(settings[r], "traps.")
		if !found || !strings.Contains(string(yaml), "    "+key+":") {
			t.Errorf("%s is overruled by %q, which is no setting", r, settings[r])
		}
	}
}

// Further orders of a list, and other guises of pages, are parked like endless places, and told as what they are.
func TestTraps_OrdersAndGuises(t *testing.T) {
	for kind, want := range map[trap.Kind]Pattern{trap.Orders: ListingOrder, trap.Guises: OtherGuise} {
		v := jobOf(t, func(yield func(ledger.Record) bool) {
			f := trap.Finding{Kind: kind, Place: "http://a.example/list", Evidence: "8 of these led to nothing new"}
			yield(ledger.Record{Type: ledger.Refusal, Gate: "trap", Reason: "looks-endless", URL: "http://a.example/list?sort=x", Rule: f.String()})
		})
		got, err := JobTraps(v, "")
		if err != nil || len(got.Traps) != 1 || got.Traps[0].Pattern != want || got.Traps[0].Where != "/list" {
			t.Errorf("%s: traps are %+v, %v", kind, got, err)
		}
	}
}

// A directory is one place, however its pages are called.
func TestTraps_LargeDirectories(t *testing.T) {
	v := jobOf(t, func(yield func(ledger.Record) bool) {
		for _, path := range []string{"tom", "ann?a=1", "wiki/Tom", "wiki/Ann", "wiki/Ann?x", "shop/list/hat", "shop/list/sock", "old/4711"} {
			yield(ledger.Record{Type: ledger.Refusal, Gate: "trap", Reason: "pages-per-directory", URL: "http://a.example/" + path})
		}
	})
	traps, err := JobTraps(v, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, trap := range traps.Traps {
		got[trap.Where] = trap.Count
	}
	want := map[string]int64{"/": 2, "/wiki/": 3, "/shop/list/...": 2, "/old/": 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

func TestTrapsAreBounded(t *testing.T) {
	const places = maxTraps + 7
	v := jobOf(t, func(yield func(ledger.Record) bool) {
		for i := range places {
			for range maxSamples + 1 {
				letters := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(i))
				r := ledger.Record{Type: ledger.Refusal, Gate: "trap", Reason: "repeated-segments", URL: "http://a.example/" + letters + "/x/x/x/"}
				if !yield(r) {
					return
				}
			}
		}
	})
	got, err := JobTraps(v, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Traps) != maxTraps || got.Refusals != places*(maxSamples+1) || got.Others != 7*(maxSamples+1) || len(got.Traps[0].Samples) != maxSamples {
		t.Errorf("%d traps of %d refusals, %d others, want the bounds kept", len(got.Traps), got.Refusals, got.Others)
	}
	if got, err := JobTraps(v, "b.example"); err != nil || got.Refusals != 0 {
		t.Errorf("of another site %d refusals, %v, want none", got.Refusals, err)
	}
}

// visits yields a ledger of n requests to a site, three seconds apart, of which every hundredth follows a rest.
func visits(n int) func(yield func(ledger.Record) bool) {
	return func(yield func(ledger.Record) bool) {
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		for i := range n {
			kept, took := 3*time.Second, 200*time.Millisecond
			if i%100 == 0 {
				kept, took = time.Minute, 50*time.Millisecond
			}
			start := at.Add(kept)
			at = start.Add(took)
			r := ledger.Record{
				Type: ledger.Request, URL: fmt.Sprintf("http://a.example/page/%d", i), Site: "a.example", Purpose: "page", Start: start, End: at,
				FirstByte: at, Status: 200, Kept: ledger.Millis(kept), Owed: ledger.Millis(3 * time.Second), Gap: ledger.Millis(3 * time.Second),
				GapWhy: "floor", RobotsDigest: "sha256:" + strings.Repeat("ab", 32), RobotsReason: "no-rule",
				Via: "http://a.example/", Method: "GET", Proto: "HTTP/1.1", Address: "192.0.2.1:80", Bytes: 12345,
			}
			if !yield(r) {
				return
			}
		}
	}
}

func TestSite(t *testing.T) {
	v := jobOf(t, func(yield func(ledger.Record) bool) {
		now := time.Now()
		for r := range visits(3000) {
			yield(r)
		}
		yield(ledger.Record{Type: ledger.Request, URL: "http://a.example/robots.txt", Site: "a.example", Purpose: "robots", Status: 200,
			Start: now, End: now, Gap: ledger.Millis(10 * time.Second), GapWhy: "crawl-delay"})
		yield(ledger.Record{Type: ledger.Request, URL: "http://a.example/x", Site: "a.example", Purpose: "page", Status: 200, Start: now, End: now,
			Owed: ledger.Millis(10 * time.Second), Kept: ledger.Millis(10 * time.Second), Gap: ledger.Millis(10 * time.Second), GapWhy: "crawl-delay",
			RobotsDigest: "sha256:" + strings.Repeat("cd", 32)})
		yield(ledger.Record{Type: ledger.Request, URL: "http://b.example/x", Site: "b.example", Purpose: "page", Start: now, End: now})
		for range 2 {
			yield(ledger.Record{Type: ledger.Refusal, URL: "http://a.example/y", Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /y"})
		}
		yield(ledger.Record{Type: ledger.Refusal, URL: "https://a.example/z", Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /z"})
		yield(ledger.Record{Type: ledger.Refusal, URL: "http://c.example/", Via: "http://a.example/", Gate: "scope", Reason: "out-of-scope"})
		yield(ledger.Record{Type: ledger.Refusal, URL: "http://a.example.org/", Gate: "robots", Reason: "robots-disallow"})
		yield(ledger.Record{Type: ledger.Outcome, URL: "http://a.example/t", Outcome: "failed", Reason: "timeout"})
		yield(ledger.Record{Type: "rest", Site: "a.example", Reason: "too-many-requests", NotBefore: now.Add(time.Hour), ErrorText: "3600"})
	})
	r, known, err := Site(t.Context(), v, "a.example")
	if err != nil || !known {
		t.Fatalf("Site: %t, %v", known, err)
	}
	if r.Harm.Verdict != HarmSlower || r.Harm.Rested.Samples != 30 || r.Requests.All != 3002 || r.Requests.Robots != 1 {
		t.Errorf("harm %+v of requests %+v, want slower, by 30 rests", r.Harm.Text, r.Requests)
	}
	var stops []string
	for _, s := range r.Stops {
		stops = append(stops, fmt.Sprintf("%d %s %s %s", s.Count, s.Kind, s.Reason, s.Rule))
	}
	want := []string{"2 rules robots-disallow Disallow: /y", "1 scope out-of-scope ", "1 rules robots-disallow Disallow: /z", "1 errors timeout "}
	if diff := cmp.Diff(want, stops); diff != "" {
		t.Errorf("stops (-want +got):\n%s", diff)
	}
	if n := len(r.Pauses); n != 2 || r.Pauses[1].Why != "crawl-delay" || r.Pauses[1].Requests != 2 {
		t.Errorf("pauses %v, want the floor, then crawl-delay", r.Pauses)
	}
	if u := r.Robots; len(u.Versions) != 2 || u.Versions[0].Requests != 3000 || len(u.Fetches) != 1 {
		t.Errorf("robots.txt %+v, want two versions and one fetch", u)
	}
	if !strings.Contains(r.Now, "too-many-requests") || r.Until.IsZero() || r.Rests.Count != 1 {
		t.Errorf("now %q until %v, want the rest", r.Now, r.Until)
	}
	if _, known, err := Site(t.Context(), v, "example"); known || err != nil {
		t.Errorf("a site that is none: known %t, %v", known, err)
	}
}

// BenchmarkMillion explains out of a ledger of a million requests to one site, the worst that there is.
func BenchmarkMillion(b *testing.B) {
	v := jobOf(b, visits(1_000_000))
	u := frontiertest.URL(b, "http://a.example/page/999999")
	for name, f := range map[string]func() error{
		"url":   func() error { _, err := URL(b.Context(), v, u); return err },
		"site":  func() error { _, _, err := Site(b.Context(), v, "a.example"); return err },
		"traps": func() error { _, err := JobTraps(v, ""); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestNear(t *testing.T) {
	v := jobOf(t, func(yield func(ledger.Record) bool) {
		for _, site := range []string{"www.a.example", "b.example", "long.example.net:8443", "long.example.net:8080", "long.example.net:1", "long.example.net:9"} {
			yield(ledger.Record{Type: ledger.Request, URL: "http://" + site + "/page.html", Site: site})
		}
	})
	for site, want := range map[string]string{"ww.a.example": "www.a.example", "elsewhere.net": "",
		"long.example.net": "long.example.net:1, long.example.net:8080, long.example.net:8443"} {
		if got, err := NearSite(t.Context(), v, site); got != want || err != nil {
			t.Errorf("near %s is %q, %v, want %q", site, got, err, want)
		}
	}
	for raw, want := range map[string]string{
		"http://b.example/pag.html": "http://b.example/page.html", "http://c.example/": "http://b.example/", "http://long.example.net/": "http://long.example.net:1/", "http://b.example/other/thing/far/away": "",
	} {
		u := frontiertest.URL(t, raw)
		if got, err := NearURL(t.Context(), v, u); got != want || err != nil {
			t.Errorf("near %s is %q, %v, want %q", raw, got, err, want)
		}
	}
}
