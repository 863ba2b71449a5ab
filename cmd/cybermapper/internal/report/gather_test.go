package report_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func gather(t testing.TB, dir string, o report.Options) *report.Figures {
	t.Helper()
	f, err := report.Gather(t.Context(), dir, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// names returns the rows of a table as "group name count".
func names(list report.Table) []string {
	var rows []string
	for _, r := range list.Rows {
		rows = append(rows, strings.TrimSpace(fmt.Sprintf("%s %s %d", r.Group, r.Name, r.Count)))
	}
	return rows
}

func TestGather_Tables(t *testing.T) {
	f := gather(t, sample(t), report.Options{})
	for name, tt := range map[string]struct {
		table report.Table
		want  []string
	}{
		"purposes":   {f.Requests.Purposes, []string{"robots 10", "page 5"}},
		"statuses":   {f.Requests.Statuses, []string{"200 8", "301 1", "302 1", "304 1", "404 1"}},
		"failures":   {f.Requests.Failures, []string{"dns 1", "private-address 1", "timeout 1"}},
		"truncation": {f.Requests.Cut, []string{"disconnect 2", "length 1"}},
		"types":      {f.Stored.Types, []string{"text/html 2", "application/pdf 1"}},
		"copies":     {f.Stored.Copies, []string{"a.example~80/1000 1"}},
		"refusals":   {f.Refusals, []string{"robots robots-disallow 2", "trap repeated-segments 1", "url bad-url 1"}},
		"outcomes":   {f.Outcomes, []string{"done  1", "failed timeout 1"}},
		"rests":      {f.Rests, []string{"dns 1"}},
		"traps":      {f.Traps, []string{"repeated-segments b.example 1"}},
		"rules":      {f.Robots.Rules, []string{"a.example Disallow: /tmp/ 2"}},
		"verdicts":   {f.Robots.Verdicts, []string{"no-rule 5"}},
		"set by":     {f.Politeness.SetBy, []string{"floor 15"}},
	} {
		if diff := cmp.Diff(tt.want, names(tt.table)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestGather_RobotsOutcomes, also of ledgers that name no outcomes: a redirect counts as what it led to, 304 as what there was
// before, half a file as none that can be had (RFC 9309 section 2.3.1).
func TestGather_RobotsOutcomes(t *testing.T) {
	r := gather(t, sample(t), report.Options{}).Robots
	want := []string{"found 200 2", "found 200 by redirect 1", "found by redirect 1", "unavailable 404 1", "unreachable cut: disconnect 1", "unreachable dns 1"}
	if diff := cmp.Diff(want, names(r.Sites)); diff != "" {
		t.Error(diff)
	}
	if r.Asked != 7 || r.Usable != 4 || r.Empty != 1 || r.Requests != 10 {
		t.Errorf("asked %d, usable %d, empty %d, requests %d; want 7, 4, 1, 10", r.Asked, r.Usable, r.Empty, r.Requests)
	}
}

func TestGather_Politeness(t *testing.T) {
	p := gather(t, sample(t), report.Options{}).Politeness
	if p.Measured != 5 || p.First != 10 || p.Early != 1 {
		t.Errorf("measured %d, first %d, early %d; want 5, 10, 1", p.Measured, p.First, p.Early)
	}
	worst := report.Pause{Seq: 14, Site: "a.example", URL: "http://a.example/2000", Owed: millis(250), Kept: millis(240), Slack: millis(-10)}
	if diff := cmp.Diff(worst, p.Worst[0]); diff != "" {
		t.Error(diff)
	}
	if p.Shortest != worst {
		t.Errorf("shortest = %+v", p.Shortest)
	}
	if p.Slack[0].Count != 1 || p.Slack[2].Count != 4 {
		t.Errorf("slack = %+v", p.Slack)
	}
}

func TestGather_HostsAndTimes(t *testing.T) {
	f := gather(t, sample(t), report.Options{})
	a := f.Hosts.Busy[0]
	if a.Site != "a.example" || a.Requests != 5 || a.Pages != 3 || a.Failed != 1 || a.Refused != 2 || a.Digest != digest || a.Outcome != "found" {
		t.Errorf("%+v", a)
	}
	if len(f.Hosts.Slow) != 1 || f.Hosts.Slow[0].Response.Max != millis(900) {
		t.Errorf("slow = %+v", f.Hosts.Slow)
	}
	// of 1, 20, 100, 100 and 900 ms
	if s := a.Response; s.P50 < millis(100) || s.P50 > millis(110) || s.P90 != millis(900) {
		t.Errorf("response = %+v", s)
	}
	if s := f.Stored; s.Pages != 3 || s.Bytes != 2700 || s.Duplicates != 1 || s.Saved != 900 || s.Cut != 1 || s.Latest[0].Sample != "http://a.example/3000" {
		t.Errorf("stored = %+v", s)
	}
	var requests, stored int64
	for _, b := range f.Series.Buckets {
		requests, stored = requests+b.Requests, stored+b.Pages
	}
	if requests != 15 || stored != 3 || f.Series.Seconds != 1 || len(f.Series.Buckets) != 6 {
		t.Errorf("series = %+v", f.Series)
	}
}

// TestGather_Bounds: whatever a crawl meets, the figures stay small, and nothing is lost from the sums.
func TestGather_Bounds(t *testing.T) {
	var records []ledger.Record
	var lines []pages.Line
	for i := range 500 {
		site := fmt.Sprintf("h%03d.example", i)
		records = append(records, get(site, time.Duration(i)*time.Hour, time.Second, func(r *ledger.Record) { r.GapWhy, r.Status = site, 200+i }))
		lines = append(lines, page("http://"+site+"/", time.Duration(i)*time.Hour, nil))
	}
	o := report.Options{Hosts: 20, Names: 30, Rows: 10, Samples: 5, Buckets: 16}
	f := gather(t, newJob(t, records, lines), o)
	if h := f.Hosts; h.Known != 20 || len(h.Busy) != 10 || h.Others.Requests != 490 || h.Others.Pages != 490 || !h.Full {
		t.Errorf("hosts = %d known, %d listed, others %+v", h.Known, len(h.Busy), h.Others)
	}
	for name, list := range map[string]report.Table{"status": f.Requests.Statuses, "set by": f.Politeness.SetBy} {
		if len(list.Rows) != 10 || list.Names != 30 || !list.Full || list.Others != 490 || list.Total != 500 {
			t.Errorf("%s: %d rows, %d names, %d others of %d", name, len(list.Rows), list.Names, list.Others, list.Total)
		}
	}
	var requests, stored int64
	for _, b := range f.Series.Buckets {
		requests, stored = requests+b.Requests, stored+b.Pages
	}
	if len(f.Series.Buckets) > 16 || requests != 500 || stored != 500 || f.Series.Seconds != 1<<17 {
		t.Errorf("series: %d intervals of %v s, %d requests, %d pages", len(f.Series.Buckets), f.Series.Seconds, requests, stored)
	}
	if len(f.Stored.Latest) != 5 || f.Stored.Latest[0].Sample != "http://h499.example/" || f.Stored.Latest[4].Sample != "http://h495.example/" {
		t.Errorf("latest = %+v", f.Stored.Latest)
	}
}

// TestGather_ClocksThatJump must not need more memory, nor fail.
func TestGather_ClocksThatJump(t *testing.T) {
	far := get("a.example", 0, time.Second, func(r *ledger.Record) { r.End = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) })
	past := get("a.example", 0, time.Second, func(r *ledger.Record) { r.End = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC) })
	f := gather(t, newJob(t, []ledger.Record{get("a.example", 0, 1, nil), far, past}, nil), report.Options{Buckets: 8})
	if n := len(f.Series.Buckets); n > 8 || f.Series.Buckets[0].Requests != 2 || f.Series.Buckets[n-1].Requests != 1 {
		t.Errorf("series = %+v", f.Series)
	}
}

// TestGather_UnfinishedLines: a crawl that is running, or was killed, has figures.
func TestGather_UnfinishedLines(t *testing.T) {
	dir := sample(t)
	want := gather(t, dir, report.Options{})
	filetest.Append(t, filepath.Join(dir, "ledger", "ledger-000001.jsonl"), `{"seq":21,"prev":"00`)
	filetest.Append(t, filepath.Join(dir, "pages", "pages.jsonl"), `{"url":"http`)
	got := gather(t, dir, report.Options{})
	got.Time = want.Time
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(report.Bar{})); diff != "" {
		t.Error(diff)
	}
	if f := gather(t, t.TempDir(), report.Options{}); f.Records != 0 || f.Requests.Count != 0 {
		t.Errorf("of nothing: %+v", f)
	}
}

func TestGather_Damage(t *testing.T) {
	inLedger := filepath.Join("ledger", "ledger-000001.jsonl")
	for name, tt := range map[string]struct {
		file   string
		damage func(text string) string
		is     error
		says   string
	}{
		"no record": {inLedger, func(s string) string { return "junk\n" + s }, report.ErrDamaged, "ledger-000001.jsonl line 1"},
		"record missing": {inLedger, func(s string) string {
			lines := strings.SplitAfter(s, "\n")
			return strings.Join(append(lines[:3], lines[4:]...), "")
		}, report.ErrDamaged, "record 5 follows record 3"},
		"beginning missing": {inLedger, func(s string) string { return s[strings.Index(s, "\n")+1:] }, report.ErrDamaged, "record 2 follows record 0"},
		"later version":     {inLedger, func(s string) string { return strings.Replace(s, `"format":1`, `"format":99`, 1) }, report.ErrVersion, "format 99"},
		"no page":           {filepath.Join("pages", "pages.jsonl"), func(s string) string { return "[]\n" + s }, report.ErrDamaged, "pages.jsonl line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sample(t)
			file := filepath.Join(dir, tt.file)
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, []byte(tt.damage(string(text))), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = report.Gather(t.Context(), dir, nil, report.Options{})
			if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Gather = %v, want %v that says %q", err, tt.is, tt.says)
			}
		})
	}
}

func TestGather_EndsWithItsContext(t *testing.T) {
	var records []ledger.Record
	for i := range 10_000 {
		records = append(records, ledger.Record{Type: ledger.Outcome, URL: fmt.Sprint(i)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := report.Gather(ctx, newJob(t, records, nil), nil, report.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Gather = %v", err)
	}
}

// A site that links named and nobody asked has no row; what was refused of it is in the sum.
func TestGather_OnlyHostsThatWereAsked(t *testing.T) {
	records := []ledger.Record{
		get("a.example", 0, time.Second, nil),
		{Type: ledger.Refusal, URL: "http://never.example/x", Gate: "scope", Reason: "out-of-scope"},
	}
	f := gather(t, newJob(t, records, nil), report.Options{})
	if h := f.Hosts; len(h.Busy) != 1 || h.Busy[0].Site != "a.example" || h.Others.Refused != 1 {
		t.Errorf("hosts = %+v", h)
	}
}
