package robots_test

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/cybermapper/cybermapper/robots"
)

func TestDialect(t *testing.T) {
	for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994} {
		if got, err := robots.ParseDialect(d.String()); got != d || err != nil {
			t.Errorf("ParseDialect(%q) = %v, %v", d, got, err)
		}
	}
	for _, s := range []string{"", "RFC9309", "google", "Dialect(9)"} {
		if _, err := robots.ParseDialect(s); err == nil {
			t.Errorf("ParseDialect(%q) has no error", s)
		}
	}
	var v struct{ D robots.Dialect }
	if err := json.Unmarshal([]byte(`{"D":"std1994"}`), &v); err != nil || v.D != robots.Std1994 {
		t.Errorf("from JSON: %v, %v", v.D, err)
	}
	if robots.Dialect(9).String() != "Dialect(9)" {
		t.Error(robots.Dialect(9))
	}
}

func TestLines(t *testing.T) {
	file := "# hello\r\nDisallow: /orphan\rUser-agent: a # us\n\nUser-agent:\nDisallow: tmp /x\nAllow: b\nCrawl-delay: 5\nSitemap: http://x/\n" +
		"License: z\nfoo: bar\nfoo\nDisa\x07llow: /\nf\x07oo\nUser-agent: b"
	want := []robots.Line{
		{1, robots.RoleComment, "", "", 0, ""},
		{2, robots.RoleDisallow, "Disallow", "/orphan", 0, robots.ProblemOrphan},
		{3, robots.RoleAgent, "User-agent", "a", 1, ""},
		{4, robots.RoleBlank, "", "", 1, ""},
		{5, robots.RoleAgent, "User-agent", "", 1, robots.ProblemAgent},
		{6, robots.RoleDisallow, "Disallow", "tmp /x", 1, robots.LenientSpaces + "+" + robots.LenientSlash},
		{7, robots.RoleAllow, "Allow", "b", 1, robots.ProblemPath},
		{8, robots.RolePace, "Crawl-delay", "5", 1, ""},
		{9, robots.RoleSitemap, "Sitemap", "http://x/", 1, ""},
		{10, robots.RolePreference, "License", "z", 1, ""},
		{11, robots.RoleOther, "foo", "bar", 1, ""},
		{12, robots.RoleInvalid, "", "", 1, robots.ProblemNoColon},
		{13, robots.RoleInvalid, "Disallow", "/", 1, robots.LenientInvisibles},
		{14, robots.RoleInvalid, "", "", 1, robots.ProblemControl},
		{15, robots.RoleAgent, "User-agent", "b", 2, ""},
	}
	f := robots.Parse([]byte(file), robots.Cautious)
	if got := f.Lines(); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if got := robots.Parse([]byte(file), robots.RFC9309).Lines()[5].Note; got != robots.ProblemPath {
		t.Errorf("RFC 9309 notes %q, want %q", got, robots.ProblemPath)
	}
}

func TestLineEnds(t *testing.T) {
	for _, end := range []string{"\n", "\r", "\r\n"} {
		file := strings.Join([]string{"User-agent: a", "", "Disallow: /1", "", "", "Disallow: /2"}, end)
		f := robots.Parse([]byte(file), robots.RFC9309)
		if n := len(f.Lines()); n != 6 {
			t.Errorf("%q: %d lines, want 6", end, n)
		}
		if v := f.Rules("a").Test("/2"); v.Line != 6 {
			t.Errorf("%q: %+v, want line 6", end, v)
		}
	}
}

// TestEncodings: RFC 9309 section 2.2.2 lets us bridge encodings; marks are no part of the text.
func TestEncodings(t *testing.T) {
	text := "User-agent: *\nDisallow: /é\n"
	little, big := []byte{0xff, 0xfe}, []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(text)) {
		little, big = binary.LittleEndian.AppendUint16(little, u), binary.BigEndian.AppendUint16(big, u)
	}
	for name, body := range map[string][]byte{
		"plain":          []byte(text),
		"UTF-8 mark":     []byte("\xef\xbb\xbf" + text),
		"part of a mark": []byte("\xef\xbb" + text),
		"little":         little,
		"big":            append(big, 0), // an odd byte at the end is dropped
		"latin 1":        []byte(strings.Replace(text, "é", "%C3%A9#\xe9", 1)),
	} {
		if v := robots.Parse(body, robots.RFC9309).Rules("x").Test("/é"); v.Allowed || v.Line != 2 {
			t.Errorf("%s: %+v, want forbidden by line 2", name, v)
		}
	}
}

// TestMaxBytes: RFC 9309 section 2.5, with vectors at the edge.
func TestMaxBytes(t *testing.T) {
	head, rule := "User-agent: *\n", "Disallow: /a/b\n"
	fill := func(n int) string { return head + strings.Repeat("#", n-len(head)-1) + "\n" }
	for _, tt := range []struct {
		name string
		body string
		line int // that forbids /a/b; 0 for none
	}{
		{"well inside", fill(500_000) + rule + strings.Repeat("\n", 100_000), 3},
		{"ends at the limit", fill(robots.MaxBytes-len(rule)) + rule + "Disallow: /\n", 3},
		{"only its end is beyond", fill(robots.MaxBytes-len(rule)+1) + rule + "Disallow: /\n", 3},
		{"last byte is beyond", fill(robots.MaxBytes-len(rule)+2) + rule, 0},
		{"is the whole rest", fill(robots.MaxBytes-len(rule)+1) + strings.TrimSpace(rule), 3},
		{"beyond", fill(robots.MaxBytes+1) + rule, 0},
	} {
		f := robots.Parse([]byte(tt.body), robots.Cautious)
		if v := f.Rules("x").Test("/a/b"); v.Line != tt.line {
			t.Errorf("%s: %+v, want line %d", tt.name, v, tt.line)
		}
	}
	lines := robots.Parse([]byte(fill(robots.MaxBytes-5)+rule), robots.Cautious).Lines()
	if last := lines[len(lines)-1]; last.Role != robots.RoleCut || last.Value != "" {
		t.Errorf("the line that is cut: %+v", last)
	}
}

func TestDigestAndSitemaps(t *testing.T) {
	body := []byte("Sitemap: http://x/1.xml\nUser-agent: a\nSITEMAP:http://x/2.xml # c\nSitemap:\nSite-map: http://x/3.xml\n")
	f := robots.Parse(body, robots.Cautious)
	body[0] = 'x' // the file is its own
	if want := []string{"http://x/1.xml", "http://x/2.xml", "http://x/3.xml"}; !slices.Equal(f.Sitemaps(), want) {
		t.Errorf("Sitemaps() = %q, want %q", f.Sitemaps(), want)
	}
	const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got := robots.Parse(nil, robots.RFC9309).Digest(); got != empty {
		t.Errorf("Digest() of nothing = %s", got)
	}
}

func TestVerdict(t *testing.T) {
	f := robots.Parse([]byte("User-agent: a\nDisallow : /tmp/\t# x\nAllow: /tmp/y\n"), robots.Cautious)
	for _, tt := range []struct {
		rules *robots.Rules
		path  string
		want  robots.Verdict
	}{
		{f.Rules("a"), "/tmp/x", robots.Verdict{Reason: robots.ReasonRule, Line: 2, Rule: "Disallow : /tmp/", Digest: f.Digest()}},
		{f.Rules("a"), "/tmp/y", robots.Verdict{Allowed: true, Reason: robots.ReasonRule, Line: 3, Rule: "Allow: /tmp/y", Digest: f.Digest()}},
		{f.Rules("a"), "/", robots.Verdict{Allowed: true, Reason: robots.ReasonNoRule, Digest: f.Digest()}},
		{f.Rules("b"), "/", robots.Verdict{Allowed: true, Reason: robots.ReasonNoGroup, Digest: f.Digest()}},
		{f.Rules("b"), "/robots.txt", robots.Verdict{Allowed: true, Reason: robots.ReasonRobotsTxt, Digest: f.Digest()}},
		{robots.AllowAll(robots.ReasonUnavailable), "/", robots.Verdict{Allowed: true, Reason: robots.ReasonUnavailable}},
		{robots.DenyAll(robots.ReasonUnreachable), "/", robots.Verdict{Reason: robots.ReasonUnreachable}},
		{robots.DenyAll(robots.ReasonUnreachable), "/robots.txt", robots.Verdict{Allowed: true, Reason: robots.ReasonRobotsTxt}},
		{nil, "/", robots.Verdict{Reason: robots.ReasonUnknown}},
		{nil, "/robots.txt", robots.Verdict{Allowed: true, Reason: robots.ReasonRobotsTxt}},
		{(*robots.File)(nil).Rules("a"), "/", robots.Verdict{Reason: robots.ReasonUnknown}},
	} {
		if got := tt.rules.Test(tt.path); got != tt.want {
			t.Errorf("Test(%q) = %+v, want %+v", tt.path, got, tt.want)
		}
	}
	long := robots.Parse([]byte("User-agent: a\nDisallow: /"+strings.Repeat("x", 5000)), robots.RFC9309)
	if v := long.Rules("a").Test("/" + strings.Repeat("x", 5000)); v.Allowed || len(v.Rule) != robots.MaxRuleText {
		t.Errorf("%d bytes of rule text, want %d", len(v.Rule), robots.MaxRuleText)
	}
}

func TestNilFile(t *testing.T) {
	var f *robots.File
	if f.Digest() != "" || f.Lines() != nil || f.Sitemaps() != nil || f.Dialect() != robots.Cautious {
		t.Error("a nil file has something in it")
	}
}

// TestDelay: Crawl-delay and Request-rate are other records (RFC 9309 section 2.2.4); the slowest reading counts.
func TestDelay(t *testing.T) {
	for _, tt := range []struct {
		name string
		file string
		want time.Duration
		line int
	}{
		{"none", "User-agent: a\nDisallow: /\n", 0, 0},
		{"ours", "User-agent: a\nCrawl-delay: 5\nUser-agent: *\nCrawl-delay: 50\n", 50 * time.Second, 4}, // one group
		{"ours and not the other", "User-agent: a\nCrawl-delay: 5\nDisallow:\nUser-agent: *\nCrawl-delay: 50\n", 5 * time.Second, 2},
		{"of all, when ours has none", "User-agent: a\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 7.5 seconds\n", 7500 * time.Millisecond, 5},
		{"before all groups", "Crawl-delay: 3\nUser-agent: a\nDisallow: /\n", 3 * time.Second, 1},
		{"the largest", "User-agent: a\nCrawl-delay: 3\nCrawl-delay: 9\nCrawl-delay: 4\n", 9 * time.Second, 3},
		{"in another group of ours", "User-agent: a\nCrawl-delay: 3\nDisallow:\nUser-agent: b\nUser-agent: a\nCrawl-delay: 4\n", 4 * time.Second, 6},
		{"before a name of the group", "User-agent: b\nCrawl-delay: 3\nUser-agent: a\nDisallow: /\n", 3 * time.Second, 2},
		{"no number", "User-agent: a\nCrawl-delay: soon\nCrawl-delay: -1\nCrawl-delay:\n", 0, 0},
		{"zero", "User-agent: a\nCrawl-delay: 0\n", 0, 2},
		{"a fraction", "User-agent: a\nCrawl-delay: .5\n", 500 * time.Millisecond, 2},
		{"a quarter", "User-agent: a\nCrawl-delay: 1.25\n", 1250 * time.Millisecond, 2},
		{"with a comma", "User-agent: a\nCrawl-delay: 1,5\n", 1500 * time.Millisecond, 2},
		{"before a comma", "User-agent: a\nCrawl-delay: 3, please\n", 3 * time.Second, 2},
		{"never cut below a year", "User-agent: a\nCrawl-delay: 99999999999999999999999999\n", 365 * 24 * time.Hour, 2},
		{"rate", "User-agent: a\nRequest-rate: 1/10s 1800-1900\n", 10 * time.Second, 2},
		{"rate in minutes", "User-agent: a\nRequest-rate: 10/1m\n", 6 * time.Second, 2},
		{"rate in hours", "User-agent: a\nRequest-rate: 2 / 1 h\n", 1800 * time.Second, 2},
		{"rate in days", "User-agent: a\nRequest-rate: 8640/1d\n", 10 * time.Second, 2},
		{"rate without unit", "User-agent: a\nRequest-rate: 1/5\n", 5 * time.Second, 2},
		{"rate of nothing", "User-agent: a\nRequest-rate: 0/5\nRequest-rate: 5\nRequest-rate: /\n", 0, 0},
		{"rate or delay", "User-agent: a\nRequest-rate: 1/5\nCrawl-delay: 4\n", 5 * time.Second, 2},
		{"of a list of names", "User-agent: b a\nCrawl-delay: 4\n", 4 * time.Second, 2},
		{"between tags", "<html><body>\nUser-agent: *<BR>\nDisallow: /<BR>\n<p>Crawl-Delay: 30</p>\n", 30 * time.Second, 4},
		{"between tags, of another", "User-agent: b<br>\nCrawl-delay: 9<br>\nDisallow: /b<br>\nUser-agent: *<br>\nDisallow: /<br>\n", 0, 0},
		{"between tags, rate", "User-agent: a<br>\nRequest-rate: 1/5<br>\n", 5 * time.Second, 2},
	} {
		got, line := robots.Parse([]byte(tt.file), robots.Cautious).Rules("a").Delay()
		if got != tt.want || line != tt.line {
			t.Errorf("%s: Delay() = %v, %d, want %v, %d", tt.name, got, line, tt.want, tt.line)
		}
	}
	const part = "User-agent: Cyber\nCrawl-delay: 4\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 2\nDisallow: /y\n"
	if d, line := robots.Parse([]byte(part), robots.Cautious).Rules("cybermapper").Delay(); d != 4*time.Second || line != 2 {
		t.Errorf("said to a part of the name: %v, %d, want 4s, 2", d, line)
	}
	if d, line := (*robots.Rules)(nil).Delay(); d != 0 || line != 0 {
		t.Errorf("nil rules want a delay of %v in line %d", d, line)
	}
}
