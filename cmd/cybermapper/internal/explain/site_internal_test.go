package explain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// jobOf returns a look at a job whose ledger holds these records.
func jobOf(t testing.TB, records func(yield func(ledger.Record) bool)) *job.View {
	t.Helper()
	j, err := job.Open(t.TempDir(), job.Crawl, false)
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
	l, err := ledger.Open(j.Path(job.LedgerDir), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for r := range records {
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	dir := j.Path("")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
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
	if got := l.text("end"); got != "" || l.raw("gate") != nil {
		t.Errorf("end %q, want none: a text is no key", got)
	}
	if n, d, at := l.number("status"), l.millis("owed_ms"), l.time("start"); n != 200 || d != 1500*time.Microsecond || !at.Equal(r.Start) {
		t.Errorf("status %v, owed %v, start %v, want what was written", n, d, at)
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
		crawler.ReasonPrefixYield, crawler.ReasonPermutation, crawler.ReasonHostsPerDomain, crawler.ReasonRedirectLimit, crawler.ReasonOutlinks,
	} {
		key, found := strings.CutPrefix(settingOf(r), "traps.")
		if !found || !strings.Contains(string(yaml), "    "+key+":") {
			t.Errorf("%s is overruled by %q, which is no setting", r, settingOf(r))
		}
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
