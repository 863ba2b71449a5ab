package say_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
)

func Example() {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /tmp/\n"), robots.Cautious).Rules("cybermapper")
	fmt.Println(say.Verdict(rules.Test("/tmp/x")))
	fmt.Println(say.Verdict(rules.Test("/y")))
	fmt.Println(say.Reason(crawler.ReasonAction))
	fmt.Println(say.Plural(1234, "page"), say.Bytes(1_500_000), say.Span(90*time.Second))
	// Output:
	// disallowed (line 2: Disallow: /tmp/)
	// allowed (no rule matches)
	// following the link might do something
	// 1,234 pages 1.5 MB 1m30s
}

func TestNumbersAsPeopleReadThem(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := say.Count(n); got != want {
			t.Errorf("say.Count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1500: "1.5 kB", 2_500_000: "2.5 MB", 7e12: "7000.0 GB"} {
		if got := say.Bytes(n); got != want {
			t.Errorf("say.Bytes(%d) = %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		1234 * time.Microsecond: "1.23ms", 123456 * time.Microsecond: "123ms", 1234 * time.Millisecond: "1.2s",
		61*time.Second + 400*time.Millisecond: "1m1s", 2 * time.Hour: "2h",
	} {
		if got := say.Span(d); got != want {
			t.Errorf("say.Span(%d) = %s, want %s", d, got, want)
		}
	}
}

func TestWhatServersSayCannotSteerTheTerminal(t *testing.T) {
	if got, want := say.Printable("a\x1b[2Jb\u009bc\nd"), "a\ufffd[2Jb\ufffdc\ufffdd"; got != want {
		t.Errorf("printable = %q, want %q", got, want)
	}
	if got, want := say.Clip("äöü", 2), "äö"; got != want {
		t.Errorf("clip = %q, want %q", got, want)
	}
}

// When clocks are set back, the hour that comes twice is told apart; the order of two moments can be read.
func TestClock(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	for _, tt := range []struct{ zone, moment, want string }{
		{"Europe/Berlin", "2026-10-24T23:59:59Z", "2026-10-25 01:59:59.000"},
		{"Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25 02:30:00.000 +0200"},
		{"Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25 02:30:00.000 +0100"},
		{"Europe/Berlin", "2026-10-25T02:00:00Z", "2026-10-25 03:00:00.000"},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29 03:00:00.000"},
		{"America/St_Johns", "2026-11-01T04:00:00Z", "2026-11-01 01:30:00.000 -0230"},
		{"Australia/Lord_Howe", "2026-04-04T15:10:00Z", "2026-04-05 01:40:00.000 +1030"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Skip(err)
		}
		moment, err := time.Parse(time.RFC3339, tt.moment)
		if err != nil {
			t.Fatal(err)
		}
		time.Local = zone
		if got := say.Clock(moment); got != tt.want {
			t.Errorf("%s in %s: %q, want %q", tt.moment, tt.zone, got, tt.want)
		}
	}
}
