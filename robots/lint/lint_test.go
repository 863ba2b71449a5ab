package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
)

// answers are the codes that answer what the requirements ask of the owner's tool, each with a file that brings it about.
// Requirements without a code: field names and comments are kept, see TestFix; what groups and rules mean
// is for package explain.
var answers = []struct {
	requirement string
	code        lint.Code
	line        int
	in          string
}{
	{"R-028", "line-ends", 0, "User-agent: *\rDisallow:\r"},
	{"R-029", "two-readings", 2, "User-agent: Slurp Bingbot\nDisallow: /x\n"},
	{"R-029", "blank-in-group", 2, "User-agent: *\n\nDisallow: /x\n"},
	{"R-035", "unknown-field", 3, "User-agent: *\nDisallow:\nColour: blue\n"},
	{"R-035", "misspelt-field", 2, "User-agent: *\nDisllow: /a\n"},
	{"R-036", "agent-header", 1, "User-agent: Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)\nDisallow:\n"},
	{"R-038", "rule-before-agent", 1, "Disallow: /a\nUser-agent: *\nDisallow:\n"},
	{"R-039", "name-substring", 2, "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: Googlebot-Image\nDisallow: /b\n"},
	{"R-039", "empty-agent", 1, "User-agent:\nDisallow: /\n"},
	{"R-040", "weaker-than-star", 4, "User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow: /c\n"},
	{"R-041", "two-star-groups", 4, "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"},
	{"R-044", "empty-disallow-mixed", 3, "User-agent: *\nDisallow: /a\nDisallow:\n"},
	{"R-045", "empty-group", 1, "User-agent: *\n"},
	{"R-045", "lost-disallow", 1, "User-agent: a\n\nUser-agent: b\nDisallow: /\n"},
	{"R-046", "empty-file", 0, "# welcome\n"},
	{"R-047", "no-rules", 0, "welcome to our site\n"},
	{"R-050", "site-closed", 2, "User-agent: *\nDisallow: /\n"},
	{"R-053", "other-host", 1, "# robots.txt for http://www.site.com/\nUser-agent: *\nDisallow:\n"},
	{"R-054", "spaces-in-path", 2, "User-agent: *\nDisallow: / cyberworld / map /\n"},
	{"R-055", "translated-field", 2, "User-agent: *\nЗапретить: /tmp/\n"},
	{"R-056", "wrong-case", 2, "User-agent: *\nDisallow: /TMP/\n"},
	{"R-056", "matches-nothing", 2, "User-agent: *\nDisallow: /kibermire/\n"},
	{"R-057", "not-a-field", 1, "Cybermapper # knows where to go\nUser-agent: *\nDisallow:\n"},
	{"R-058", "two-directives", 1, "User-agent: * Disallow: /cyberworld/map/\n"},
	{"R-059", "lost-disallow", 1, v7},
	{"R-060", "html", 0, "<HTML><BODY>\nUser-agent: *\n</BODY>\n"},
	{"R-060", "line-numbers", 1, "1 User-agent: *\n2 Disallow: /\n"},
	{"R-061", "not-a-field", 3, "User-agent: *\nDisallow:\n8voFf\n"},
	{"R-062", "not-utf8", 2, "User-agent: *\nDisallow: /caf\xe9\n"},
	{"R-062", "invisible-character", 2, "User-agent: *\nDisallow: /a\u200b\n"},
	{"R-062", "invisible-character", 2, "User-agent: *\nDisallow: “/a”\n"},
	{"R-062", "bom", 0, "\ufeffUser-agent: *\nDisallow:\n"},
	{"R-062", "utf16", 0, "\xfe\xff\x00#"},
	{"R-090", "html", 0, "<!doctype html><title>Not found</title>"},
	{"R-090", "html", 0, "<meta name=\"viewport\" content=\"width=device-width\"><iframe src=\"http://block.example/\"></iframe>"},
	{"R-090", "not-a-field", 1, "Robots may visit us.\n"},
	{"R-093", "missing-slash", 2, "User-agent: *\nDisallow: tmp\n"},
	{"R-094", "agent-pattern", 1, "User-agent: Goo*\nDisallow: /\n"},
	{"R-095", "path-list", 2, "User-agent: *\nDisallow: /a /b\n"},
	{"R-095", "path-list", 2, "User-agent: *\nDisallow: /a /\n"},
	{"R-095", "modern-rules", 2, "User-agent: *\nDisallow: /*.gif\n"},
	{"R-095", "modern-rules", 2, "User-agent: *\nDisallow: *\n"},
	{"R-110", "near-limit", 0, "User-agent: *\nDisallow:\n#" + strings.Repeat("x", 480_000)},
	{"R-111", "name-list", 1, "User-agent: a, b\nDisallow: /\n"},
	{"R-118", "split-group", 4, "User-agent: a\nDisallow: /a\n\nUser-agent: a\nDisallow: /b\n"},
	{"R-125", "hides-noindex", 2, "User-agent: *\nDisallow: /tmp/\n"},
	{"R-001", "secret-path", 2, "User-agent: *\nDisallow: /backup/\n"},
}

func TestFile(t *testing.T) {
	o := lint.Options{Host: "www.other.example", URLs: []lint.URL{{Path: "/tmp/x", NoIndex: true}, {Path: "/help"}}}
	tests := append(answers, []struct {
		requirement string
		code        lint.Code
		line        int
		in          string
	}{
		{"", "binary", 0, "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\n: \x00\nDisallow\xfe: \x00\n"},
		{"", "binary", 0, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x0b\x2d\x4e\x2d\n"},
		{"", "binary", 0, "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"},
		{"", "empty-group", 2, "BMX Club\nUser-agent: *\n"},
		{"", "no-rules", 0, "OTTO\nSitemap: https://a.example/s.xml\n"},
		{"", "template", 1, "Sitemap: {{ site.url }}/sitemap.xml\n"},
		{"", "invisible-character", 1, "User-agent:\u00a0Googlebot\nDisallow: /a\n"},
		{"", "invisible-character", 1, "User-agent: “*”\nDisallow: /a\n"},
		{"", "over-limit", 3, "User-agent: *\nDisallow:\n#" + strings.Repeat("x", 520_000)},
		{"", "long-line", 2, "User-agent: *\nDisallow: /" + strings.Repeat("x", 17_000)},
		{"", "missing-colon", 2, "User-agent: *\nDisallow /a\n"},
		{"", "missing-colon", 2, "User-agent: *\nDisallow https://site.example/a\n"},
		{"", "missing-colon", 2, "User-agent: *\nDisallow：/a\n"},
		{"", "control-character", 2, "User-agent: *\nDisallow: /\x00a\n"},
		{"", "agent-version", 1, "User-agent: Foo/1.0\nDisallow: /\n"},
		{"", "agent-characters", 1, "User-agent: MJ12bot\nDisallow: /\n"},
		{"", "markup", 2, "User-agent: *\nDisallow: /a<br>\n"},
		{"", "markup", 1, "<pre style=\"word-wrap: break-word;\">User-agent: *\nDisallow: /a\n"},
		{"", "full-url", 2, "User-agent: *\nDisallow: http://site.example/a\n"},
		{"", "invisible-character", 2, "User-agent: *\nDisallow: /a\u2002\n"},
		{"", "invisible-character", 2, "User-agent: *\nDisallow:\xa0/a\n"},
		{"", "invisible-character", 2, "User-agent: *\n\u2002Disallow: /a\n"},
		{"", "dollar-inside", 2, "User-agent: *\nDisallow: /*.php$,\n"},
		{"", "regular-expression", 2, "User-agent: *\nDisallow: /page/.*\n"},
		{"", "dead-path", 2, "User-agent: *\nDisallow: /a/../b\n"},
		{"", "dead-path", 2, "User-agent: *\nDisallow: /a/.$\n"},
		{"", "missing-colon", 2, "User-agent: *\nAllow /a.jpg\nDisallow: /a\n"},
		{"", "duplicate-rule", 3, "User-agent: *\nDisallow: /~a\nDisallow: /%7Ea\n"},
		{"", "contradiction", 3, "User-agent: *\nDisallow: /a\nAllow: /a\n"},
		{"", "shadowed-rule", 3, "User-agent: *\nDisallow: /a\nDisallow: /a/b\n"},
		{"", "bad-delay", 3, "User-agent: *\nDisallow:\nCrawl-delay: 10 seconds\n"},
		{"", "long-delay", 3, "User-agent: *\nDisallow:\nCrawl-delay: 600\n"},
		{"", "bad-rate", 3, "User-agent: *\nDisallow:\nRequest-rate: 10\n"},
		{"", "bad-visit-time", 3, "User-agent: *\nDisallow:\nVisit-time: 9am\n"},
		{"", "bad-signal", 3, "User-agent: *\nDisallow:\nContent-Signal: search=y\n"},
		{"", "bad-usage", 3, "User-agent: *\nDisallow:\nContent-Usage: train-ai\n"},
		{"", "bad-sitemap", 3, "User-agent: *\nDisallow:\nSitemap: /sitemap.xml\n"},
		{"", "host-field", 3, "User-agent: *\nDisallow:\nHost: site.example\n"},
		{"", "misspelt-name", 1, "User-agent: GPT-Bot\nDisallow: /\n"},
		{"", "misspelt-name", 1, "User-agent: ClaudBot\nDisallow: /\n"},
		{"", "misspelt-name", 1, "User-agent: Google-Extend\nDisallow: /\n"},
		{"", "misspelt-name", 1, "User-agent: Perplexity-Bot\nDisallow: /\n"},
		{"", "misspelt-name", 1, "User-agent: anthropicai\nDisallow: /\n"},
		{"", "retired-name", 1, "User-agent: Claude-Web\nDisallow: /\n"},
		{"", "comment-in-path", 2, "User-agent: *\nDisallow: /a#section\n"},
		{"", "comment-in-path", 2, "User-agent: *\nDisallow: /#!/x\n"},
		{"", "broken-escape", 2, "User-agent: *\nDisallow: /100%\n"},
		{"", "backslash", 2, "User-agent: *\nDisallow: /a\\b\n"},
		{"", "closes-styles", 2, "User-agent: *\nDisallow: /*.css$\n"},
		{"", "closes-styles", 2, "User-agent: *\nDisallow: /assets/JavaScript/\n"},
		{"", "closes-styles", 2, "User-agent: *\nDisallow: /css\n"},
		{"", "idle-allow", 2, "User-agent: *\nAllow: /a\n"},
		{"", "many-rules", 0, "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 2049)},
		{"", "many-rules", 2, "User-agent: *\nDisallow: /" + strings.Repeat("a", 1024) + "\n"},
		{"", "ignored-delay", 2, "User-agent: Googlebot\nCrawl-delay: 5\nDisallow:\n"},
		{"", "bad-clean-param", 3, "User-agent: *\nDisallow:\nClean-param: /forum/ s\n"},
		{"", "foreign-sitemap", 3, "User-agent: *\nDisallow:\nSitemap: https://staging.example/s.xml\n"},
		{"", "missing-colon", 2, "User-agent: *\nDisallow=/x\n"},
		{"", "missing-colon", 2, "User-agent: *\nDisallow; /x\n"},
		{"", "invisible-character", 2, "User-agent: *\nDis\u200ballow: /x\n"},
		{"", "agent-header", 1, "User-agent: Lycos_Spider_(Rex)/1.0\nDisallow: /\n"},
		{"", "noindex-field", 3, "User-agent: *\nDisallow:\nNoindex: /a\n"},
	}...)
	found := map[lint.Code]bool{"no-file": true} // TestFile_Absent
	for _, tt := range tests {
		t.Run(string(tt.code), func(t *testing.T) {
			report := lint.File([]byte(tt.in), o)
			if !slices.ContainsFunc(report.Findings, func(f lint.Finding) bool { return f.Code == tt.code && f.Line == tt.line }) {
				t.Errorf("%s: no %s in line %d of %.80q, but %+v", tt.requirement, tt.code, tt.line, tt.in, report.Findings)
			}
			checkReport(t, []byte(tt.in), report)
		})
		found[tt.code] = true
	}
	for _, info := range lint.Codes() {
		if !found[info.Code] {
			t.Errorf("no test brings about %s", info.Code)
		}
	}
}

func TestFile_Absent(t *testing.T) {
	r := lint.File([]byte("ignored"), lint.Options{Absent: true})
	if len(r.Findings) != 1 || r.Findings[0].Code != "no-file" || r.Digest != "" {
		t.Errorf("report of a missing file: %+v", r)
	}
}

// TestFile_right checks that there is nothing to say about what is right, in any letter case and with comments anywhere.
func TestFile_right(t *testing.T) {
	for _, in := range []string{
		"User-agent: *\nDisallow:\n",
		"# robots.txt for http://www.site.example/\n\nUSER-AGENT: webcrawler # friend\nuser-agent: lycra\nDisallow:\n\nUser-agent: *\n# soon gone\nDisallow: /tmp # x\nDisallow: /logs\nCrawl-delay: 2.5\n\nSitemap: https://a.example/s.xml\n",
		"User-agent: *\nDisallow: /tags/css\nDisallow: /topics/javascript\n",
		"User-agent: cybermapper\nDisallow:\n\nUser-agent: *\nDisallow: /cyberworld/map/ # This is an infinite virtual URL space\n",
		"User-agent: *\r\nDisallow: /a\r\nRequest-rate: 1/10s 1800-1900\r\nVisit-time: 2200-0600\r\nContent-Signal: search=yes, ai-train=no\r\nContent-Usage: /a train-ai=n\r\nContent-Usage: /b\ttrain-ai=y\r\nClean-param: s /f\r\n",
	} {
		if r := lint.File([]byte(in), lint.Options{}); len(r.Findings) > 0 {
			t.Errorf("File(%q): %+v", in, r.Findings)
		}
	}
}

// TestFile_V7 holds the message about a lost Disallow to the verdicts that it speaks of.
func TestFile_V7(t *testing.T) {
	r := lint.File([]byte(v7), lint.Options{})
	worst, _ := r.Worst()
	if len(r.Findings) != 1 || worst != lint.Error {
		t.Fatalf("findings: %+v, want one error", r.Findings)
	}
	f := r.Findings[0]
	for _, want := range []string{"join webcrawler with the group of lycra", "line 4 (Disallow: /)", "everything is open"} {
		if !strings.Contains(f.Message, want) {
			t.Errorf("message %q lacks %q", f.Message, want)
		}
	}
	restored := strings.Replace(v7, "webcrawler\n", "webcrawler\nDisallow:\n", 1)
	if r := lint.File([]byte(restored), lint.Options{}); len(r.Findings) > 0 {
		t.Errorf("the restored file has findings: %+v", r.Findings)
	}
}

func TestFile_MaxPerCode(t *testing.T) {
	r := lint.File([]byte(strings.Repeat("prose and more\n", 7)), lint.Options{MaxPerCode: 3})
	if r.Counts["not-a-field"] != 7 || len(r.Findings) != 4 || r.Count(lint.Warning) != 7 {
		t.Errorf("%d findings, counts %v, %d warnings; want 4, 7, 7", len(r.Findings), r.Counts, r.Count(lint.Warning))
	}
	for most, want := range map[int]int{0: 50, -1: 70} {
		r := lint.File([]byte(strings.Repeat("prose and more\n", 70)), lint.Options{MaxPerCode: most})
		if got := len(r.Findings) - 1; got != want {
			t.Errorf("MaxPerCode %d lists %d findings of one code, want %d", most, got, want)
		}
	}
}

func TestCodes(t *testing.T) {
	seen := map[lint.Code]bool{}
	for _, c := range lint.Codes() {
		if seen[c.Code] || c.Title == "" || strings.ToLower(string(c.Code)) != string(c.Code) {
			t.Errorf("bad entry %+v", c)
		}
		seen[c.Code] = true
	}
}

// TestFile_NoName: what is no name is not quoted as an empty one.
func TestFile_NoName(t *testing.T) {
	for _, agents := range []string{"3g bot", "3g bot/1.0", "*\u2028x/1 y"} {
		for _, f := range lint.File([]byte("User-agent: "+agents+"\nDisallow: /a\n"), lint.Options{}).Findings {
			if strings.Contains(f.Message, "“”") {
				t.Errorf("%q: %s: %s", agents, f.Code, f.Message)
			}
		}
	}
}

// TestFile_RealNamesAndWildcards: neither a robot whose name is like that of another, nor a dot before a wildcard, is a mistake.
// All of them stand in files of large sites.
func TestFile_RealNamesAndWildcards(t *testing.T) {
	for _, name := range []string{
		"AIBOT", "Aipbot", "Byspider", "Discobot", "Enabot", "Mcbot", "Msrbot", "Roverbot", "EasouSpider", "SemrushBot-SA", "SemrushBot_BA",
	} {
		r := lint.File([]byte("User-agent: "+name+"\nDisallow: /\n"), lint.Options{})
		if slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Code == "misspelt-name" }) {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
	for path, isSecret := range map[string]bool{
		"/user/password": false, "/password/reset/": false, "/*?internal_ref*": false, "/trade-secrets-for-makers": false,
		"/intern-request-form.html": false, "/internal-style-guide": false,
		"/private/": true, "/_private/tools/": true, "/a/Internal/": true, "/db-backup.php": true, "/*.sql$": true, "/.git/": true, "/secrets.txt": true,
	} {
		r := lint.File([]byte("User-agent: *\nDisallow: "+path+"\n"), lint.Options{})
		got := slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Code == "secret-path" && f.Severity == lint.Warning })
		if got != isSecret {
			t.Errorf("%s looks secret: %t, want %t", path, got, isSecret)
		}
	}
	for path, isRegex := range map[string]bool{
		"/general.*": false, "/reviewlist.*.html": false, "/fragment.*.json": false, "/a.+b": false,
		"/page/.*": true, "/.*/x": true, "/(a|b)": true, "/[a-z].*": true, `/x\.php`: true, "^/x": true, "/a/.+": true,
	} {
		r := lint.File([]byte("User-agent: *\nDisallow: "+path+"\n"), lint.Options{})
		if got := slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Code == "regular-expression" }); got != isRegex {
			t.Errorf("%s looks like a regular expression: %t, want %t", path, got, isRegex)
		}
	}
}

// TestFile_SaysWhatIs: a finding is not made of what is right, and says what is wrong.
func TestFile_SaysWhatIs(t *testing.T) {
	for _, c := range []struct {
		in, says string
		code     lint.Code
		want     bool
	}{
		{"User-agent: *\nDisallow: /.\n", "", "dead-path", false},
		{"User-agent: *\nDisallow: /a/..\n", "", "dead-path", false},
		{"User-agent: *\nDisallow: /a?next=/../b\n", "", "dead-path", false},
		{"User-agent: *\nDisallow: /.*\\.php\n", "", "backslash", false},
		{"User-agent: *;\nDisallow: /a\n", "for nobody", "agent-pattern", true},
		{"User-agent: \"*\"\nDisallow: /a\n", "for nobody", "agent-pattern", true},
		{"User-agent: 80*\nDisallow: /a\n", "for nobody", "agent-pattern", false},
		{"User-agent: *\n", "also what is closed to *", "empty-group", false},
		{"User-agent: *\nDisallow: /a\nUser-agent: Foo\n", "also what is closed to *", "empty-group", true},
		// robots join the groups that name them
		{"User-agent: a\nDisallow: /x\nDisallow: /x/y/z\nUser-agent: a\nAllow: /x/y\n", "", "shadowed-rule", false},
		{"User-agent: a\nUser-agent: b\nDisallow: /x\nDisallow: /x/y/z\nUser-agent: b\nAllow: /x/y\n", "", "shadowed-rule", false},
		{"User-agent: a\nDisallow: /x\nDisallow: /x/y/z\nUser-agent: b\nAllow: /x/y\n", "Line 2", "shadowed-rule", true},
		{"User-agent: a\nAllow: /x\nAllow: /x/y\nDisallow: /x/y\nDisallow: /\n", "", "shadowed-rule", false},
		{"User-agent: a\nDisallow: /x\nUser-agent: a\nAllow: /x/y\n", "", "idle-allow", false},
		{"User-agent: a\nDisallow: /x\nUser-agent: a\n", "everything is open", "empty-group", false},
		{"User-agent: a\nDisallow: /x\nUser-agent: a\n", "from line 1", "empty-group", true},
		{"User-agent: a\nDisallow: /x\nUser-agent: b\nUser-agent: a\n", "for b has no rules", "empty-group", true},
		{"User-agent: *\nDisallow: /x\nUser-agent: b\nUser-agent: a\nDisallow: /y\nUser-agent: a\nDisallow: /x\n", "b and a may",
			"weaker-than-star", false},
		{"User-agent: *\nDisallow: /x\nUser-agent: a\nUser-agent: b\nDisallow: /y\nUser-agent: a\nDisallow: /x\n", "b may visit /x",
			"weaker-than-star", true},
		{"User-agent: a\nUser-agent: b\nCrawl-delay: 1\nUser-agent: b\nUser-agent: c\nDisallow: /x\n", "join a with", "lost-disallow", true},
		{"User-agent: a\nUser-agent: b\nCrawl-delay: 1\nUser-agent: c\nDisallow: /x\nUser-agent: b\nAllow: /x\n", "join a with",
			"lost-disallow", true},
		{"User-agent: *\nAllow: /a/b\nDisallow: /a/b\n", "", "two-readings", false}, // robots of 1994 know no Allow
		{"User-agent: *\nAllow: /\nDisallow: /*\n", "visit nothing", "site-closed", true},
		{"User-agent: *\nDisallow: /\nAllow: /*\n", "", "site-closed", false},
		{"User-agent: *\nDisallow:\nSitemap:\u00a0https://e.example/s.xml\n", "no-break", "bad-sitemap", true},
	} {
		got := false
		for _, f := range lint.File([]byte(c.in), lint.Options{}).Findings {
			got = got || f.Code == c.code && strings.Contains(f.Message, c.says)
		}
		if got != c.want {
			t.Errorf("%q: %s that says %q: %v, want %v", c.in, c.code, c.says, got, c.want)
		}
	}
}

// TestFile_Template: a line of a template is told as one, and no remark, path or address is made of it.
func TestFile_Template(t *testing.T) {
	in := []byte("User-agent: *\n{% if private %}\nDisallow: /\n{% endif %}\n{{ more }}\nSitemap: {{ site.url }}/sitemap.xml\n")
	told := map[int]bool{}
	for _, f := range lint.File(in, lint.Options{}).Findings {
		told[f.Line] = told[f.Line] || f.Code == "template"
		if f.Code == "not-a-field" || strings.Contains(f.Advice, "https://") {
			t.Errorf("line %d: %s: %s", f.Line, f.Code, f.Advice)
		}
	}
	for _, line := range []int{2, 4, 5, 6} {
		if !told[line] {
			t.Errorf("line %d is not told as one of a template", line)
		}
	}
	if fixed := lint.Fix(in, lint.Options{}); string(fixed) != string(in) {
		t.Errorf("mended: %q", fixed)
	}
}

// TestFile_Access: how much is open is what the rules do together, not of which kinds they are.
func TestFile_Access(t *testing.T) {
	for rules, want := range map[string]string{
		"Disallow:": "open", "Disallow: /x": "partly", "Disallow: /": "closed", "Disallow: /*$": "closed",
		"Disallow: /\nAllow: /x": "partly", "Disallow: /\nAllow: /*": "open", "Allow: /\nDisallow: /*": "closed",
		"Allow: /\nDisallow: /": "open", "Allow: /x\nDisallow: /*": "partly", "Disallow: /*?\nAllow: /*": "partly",
	} {
		table := lint.File([]byte("User-agent: Bingbot\n"+rules+"\n"), lint.Options{}).Robots
		if len(table) == 0 || table[0].Name != "bingbot" || table[0].Access != want {
			t.Errorf("%q: %+v, want %s", rules, table[:min(1, len(table))], want)
		}
	}
}

// TestFile_TellsWhatGoogleReads: Google goes by how the name of a field begins, so that not all robots skip such a line.
func TestFile_TellsWhatGoogleReads(t *testing.T) {
	for line, want := range map[string]string{
		"Disallow /tag:*": "reads “Disallow: *”",
		"Disallow-all: /": "reads it as Disallow",
		"Disallowed: /x":  "reads it as Disallow",
		"Allowed: /x":     "reads it as Allow",
		"useragent x":     "reads it as “User-agent: x”",

		"User-agent: Screaming Frog SEO Spider": "RFC 9309 and Google see “Screaming” only",
		"User-agent: Yahoo! Slurp":              "RFC 9309 sees no name, Google “Yahoo”",
		"User-agent: Xenu's Link Sleuth":        "RFC 9309 sees no name, Google “Xenu”",
		"User-agent: 3g bot":                    "RFC 9309 sees no name, Google none",
		"User-agent: b2w/0.1":                   "Google sees “b”; robots that compare the whole name obey",
	} {
		if !saysOf(line, want) {
			t.Errorf("nothing of %q says %q: %v", line, want, lint.File([]byte("User-agent: *\n"+line+"\n"), lint.Options{}).Findings)
		}
	}
}

// TestFile_Advice: what is told to be written instead is for the same robots, and leads to the same sitemap.
func TestFile_Advice(t *testing.T) {
	for line, want := range map[string]string{
		"User-agent: SentiBot www.sentibot.eu (compatible with Googlebot)": "User-agent: SentiBot",
		"User-agent: Mozilla/5.0 (compatible; bingbot/2.0)":                "User-agent: bingbot",
		"User-agent: Yahoo! Slurp (x)":                                     "User-agent: Slurp",
		"Sitemap: https:/site.example/s.xml":                               "Sitemap: https://site.example/s.xml",
		"Sitemap: https//site.example/s.xml":                               "Sitemap: https://site.example/s.xml",
		"Sitemap: //site.example/s.xml":                                    "Sitemap: https://site.example/s.xml",
		"Sitemap: s.xml":                                                   "Sitemap: https://www.example.org/s.xml",
		"User-agent: Googlebot Bingbot":                                    "One name per line:\nUser-agent: Googlebot\nUser-agent: Bingbot",
		"User-agent: a, b":                                                 "One name per line:\nUser-agent: a\nUser-agent: b",
		"User-agent: Kangaroo Bot":                                         "if they are several, one name per line.",
		"User-agent: Radiation Retriever 1.1":                              "if they are several, one name per line.",
		"User-agent: HTTrack [NC,OR]":                                      "if they are several, one name per line.",
		"User-agent: AddThis.com Disallow: /":                              "RFC 9309 and Google see a User-agent line here",
		"User-agent:\u00a0GPTBot":                                          "User-agent: GPTBot",
		"User-agent: GPTBot\u200b":                                         "robots that compare the whole do not find theirs; Google does.",
		"Disallow: http://old.site.example":                                "If not, this closes all of it:\nDisallow: /",
		"Disallow https://old.site.example":                                "If not, this closes all of it:\nDisallow: /",
		"Disallow: https://old.site.example/*":                             "If not, this closes all of it:\nDisallow: /*",
		"Disallow: http://old.site.example/a":                              "If the host is the file's own, write:\nDisallow: /a\nElse delete the line.",
		"Allow: /a":                                                        "without a rule these robots would join the next group:\nDisallow:",
	} {
		if !saysOf(line, want) {
			t.Errorf("nothing of %q says %q: %v", line, want, lint.File([]byte("User-agent: *\n"+line+"\n"), lint.Options{}).Findings)
		}
	}
}

// TestFile_OverLimit: the line that the limit cuts does not count either, and is not blamed for the half of a character at its end.
func TestFile_OverLimit(t *testing.T) {
	const head = "User-agent: *\nDisallow: /x\n"
	rest := robots.MaxBytes - len(head)
	for _, tt := range []struct{ last, want string }{
		{"#" + strings.Repeat("x", rest-2) + "\nDisallow: /y\n", "what comes after this line does not count."},
		{"#" + strings.Repeat("x", rest-12) + "\nAllow: /éé\n", "this line, which goes on beyond that, and what comes after it do not count."},
	} {
		report := lint.File([]byte(head+tt.last), lint.Options{})
		if len(report.Findings) != 1 || !strings.HasSuffix(report.Findings[0].Message, tt.want) {
			t.Errorf("%+v, want only that %s", report.Findings, tt.want)
		}
	}
}

// saysOf reports whether a finding about a line of the group for all says something.
func saysOf(line, want string) bool {
	report := lint.File([]byte("User-agent: *\n"+line+"\n"), lint.Options{})
	return slices.ContainsFunc(report.Findings, func(f lint.Finding) bool {
		return f.Line == 2 && (strings.Contains(f.Message, want) || strings.HasSuffix(f.Advice, want))
	})
}

// TestFile_TwoDirectives: what is to stand in place of a rule and another field is both, and not one path of them.
func TestFile_TwoDirectives(t *testing.T) {
	tests := []struct{ line, want string }{
		{"Allow: /a Disallow: /b", "Allow: /a\nDisallow: /b"},
		{"Disallow: /a Allow: /b", "Disallow: /a\nAllow: /b"},
		{"Allow: Sitemap: https://site.example/s.xml", "Sitemap: https://site.example/s.xml"},
		{"Allow:User-agent: *", "User-agent: *"},
		{"Allow: a Crawl-delay: 5 Disallow: /c d", "Allow: /a\nCrawl-delay: 5\nDisallow: /c%20d\nDisallow: /cd"},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range lint.File([]byte("User-agent: *\nDisallow: /x\n"+tt.line+"\n"), lint.Options{}).Findings {
			if f.Code == "two-directives" {
				got = append(got, f.Advice)
			}
		}
		if !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%q: advised %q, want %q", tt.line, got, tt.want)
		}
	}
}
