package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/explain"
)

func TestDescribe(t *testing.T) {
	tests := []struct{ pattern, want string }{
		{"/", "the whole site"},
		{"/*", "the whole site"},
		{"*", "the whole site"},
		{"/$", "the URL / alone"},
		{"/tmp/", "everything that begins with /tmp/"},
		{"/tmp", "everything that begins with /tmp (/tmp, /tmp.html, /tmp/page)"},
		{"/tmp*", "everything that begins with /tmp (/tmp, /tmp.html, /tmp/page)"},
		{"/a.html$", "the URL /a.html alone"},
		{"/*.gif$", "URLs that end with .gif"},
		{"*.gif$", "URLs that end with .gif"},
		{"/*?", "URLs that contain ?"},
		{"/a/*/b*c$", "URLs that begin with /a/, contain /b and end with c"},
		{"/a/*/b$", "URLs that begin with /a/ and end, behind that, with /b"},
		{"/*a*b*", "URLs that contain a and then contain b"},
	}
	for _, tt := range tests {
		if got := explain.Describe(tt.pattern); got != tt.want {
			t.Errorf("Describe(%q) = %q, want %q", tt.pattern, got, tt.want)
		}
	}
}

// TestFile_Pace: fields that ask for a pace are said in words, and those that robots cannot read to ask for nothing.
func TestFile_Pace(t *testing.T) {
	for line, want := range map[string]string{
		"Request-rate: 1/10":          "Asks for no more than one page in 10 seconds.",
		"Request-rate: 1/1m 0-1":      "Asks for no more than one page in 60 seconds.",
		"Request-rate: 10":            "Should ask for a number of pages in a time, as 1/10s, but robots cannot read it: it asks for nothing.",
		"Visit-time: 0400-0845":       "Asks for visits from 04:00 to 08:45 UTC only.",
		"Visit-time: 9am":             "Should ask for visits at some time of the day, as 0400-0845, but robots cannot read it: it asks for nothing.",
		"Crawl-delay: 1":              "Asks for 1 second between two requests.",
		"Crawl-delay: 0":              "Should ask for a pause between two requests, but names no number of seconds above zero: it asks for nothing.",
		"Content-Signal: ai-train=no": "it opens and closes nothing",
	} {
		e := explain.File(robots.Parse([]byte("User-agent: *\n"+line+"\nDisallow: /x\n"), robots.Cautious), nil, nil)
		if got := render(e); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", line, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	const text = "# robots.txt\nUser-agent: webcrawler\nUser-agent: lycra\nDisallow:\n\nUser-agent: *\nDisallow: /tmp\nAllow: /tmp/open\nDisalow: logs\nCrawl-delay: 5\nhello\n"
	e := explain.File(robots.Parse([]byte(text), robots.Cautious), []string{"lycra", "cybermapper"}, []string{"/tmp/x", "/tmp/open/", "/robots.txt", "/"})
	want := []string{
		"lycra: it is named: lines 2 to 4 hold for it, and nothing else",
		"Everything is open.",
		"9: Robots of RFC 9309 skip it; read leniently (misspelt-field+missing-slash), it closes everything that begins with /logs",
		"/tmp/x may be visited: no rule matches it.",
		"cybermapper: it is not named: lines 6 to 10 (*) hold for it",
		"Closed: /tmp and /logs. Open all the same: /tmp/open. Everything else is open.",
		"At most one request every 5s (line 10).",
		"/tmp/x may not be visited: line 7 says Disallow: /tmp.",
		"/tmp/open/ may be visited: line 8 says Allow: /tmp/open.",
		"/robots.txt may be visited: robots.txt always may.",
		"4: Closes nothing: if there is no other rule, everything is open.",
		"7: Closes everything that begins with /tmp (/tmp, /tmp.html, /tmp/page).",
		"8: Opens, against shorter rules, everything that begins with /tmp/open",
		"11: it has no colon",
	}
	all := render(e)
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("missing %q in\n%s", w, all)
		}
	}
	if got := e.Groups[0].Who; got != "webcrawler and lycra" {
		t.Errorf("first group is for %q", got)
	}
	if got := e.Groups[1].Who; got != "every robot that no group names" {
		t.Errorf("second group is for %q", got)
	}
}

// TestFile_lists holds words to verdicts where several names stand on a line: the first is named, the others are only closed out.
func TestFile_lists(t *testing.T) {
	const text = "User-agent: Copernicus Fred\nDisallow:\n\nUser-agent: * Rex\nDisallow: /t\n"
	for _, tt := range []struct {
		dialect robots.Dialect
		name    string
		closed  bool
		says    string
	}{
		{robots.Cautious, "Copernicus", false, "it is named: lines 1 to 2 hold for it, and nothing else"},
		{robots.Cautious, "Fred", true, "it is not named: lines 4 to 5 (*) hold for it; what lines 1 to 2 close is closed to it as well, for it stands in a list of names, or within marks"},
		{robots.Cautious, "Rex", true, "it is not named: lines 4 to 5 (*) hold for it; what lines 4 to 5 close is closed to it as well, for it stands in a list of names, or within marks"},
		{robots.Cautious, "other", true, "it is not named: lines 4 to 5 (*) hold for it"},
		{robots.Std1994, "Fred", false, "it is named: lines 1 to 2 hold for it, and nothing else"},
		{robots.RFC9309, "Rex", true, "it is not named: lines 4 to 5 (*) hold for it"},
	} {
		e := explain.File(robots.Parse([]byte(text), tt.dialect), []string{tt.name}, []string{"/t"})
		if p := e.Products[0]; p.Group != tt.says || p.Paths[0].Allowed == tt.closed {
			t.Errorf("%v: %s: %q, %+v; want %q, closed %v", tt.dialect, tt.name, p.Group, p.Paths[0], tt.says, tt.closed)
		}
	}
}

// TestFile_listsWithStar: a "*" among other names is for those whom nobody names.
func TestFile_listsWithStar(t *testing.T) {
	f := robots.Parse([]byte("User-agent: a, *\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n"), robots.Cautious)
	for name, want := range map[string]string{
		"a": "it is named: lines 1 to 2 hold for it, and nothing else",
		"b": "it is named: lines 4 to 5 hold for it, and nothing else",
		"c": "no group speaks to it; what lines 1 to 2 close is closed to it as well, for it stands in a list of names, or within marks",
	} {
		p := explain.File(f, []string{name}, []string{"/x"}).Products[0]
		if p.Group != want || p.Paths[0].Allowed != (name == "b") {
			t.Errorf("%s: %q, %+v; want %q", name, p.Group, p.Paths[0], want)
		}
	}
}

// TestFile_mended holds words to verdicts where only a leniency makes a line name somebody.
func TestFile_mended(t *testing.T) {
	for text, want := range map[string]string{
		"User agent: foo\nDisallow: /t\nAllow: /t\n": `Lines 1 to 2 are for nobody; some of what they close is closed to foo too
1: Robots of RFC 9309 skip it; read leniently (misspelt-field), it names foo, and what the lines below it close is closed to foo.
2: Closes everything that begins with /t (/t, /t.html, /t/page).
3: it stands before any User-agent line, or behind the end of its group
foo: no group speaks to it; some of what lines 1 to 2 close is closed to it as well, for a line that RFC 9309 skips names it
Closed: /t. Everything else is open.
`,
		"Useragent *\nDisallow /t\n\nUser-agent: bar\nDisallow: /u\n": `Lines 1 to 2 are for nobody; some of what they close is closed to every robot that no group names too
1: Robots of RFC 9309 skip it; read leniently (missing-colon+misspelt-field), it names *, and what the lines below it close is closed to every robot that no group names.
2: Robots of RFC 9309 skip it; read leniently (missing-colon), it closes everything that begins with /t (/t, /t.html, /t/page).
Lines 4 to 5 are for bar
5: Closes everything that begins with /u (/u, /u.html, /u/page).
foo: no group speaks to it; some of what lines 1 to 2 close is closed to it as well, for a line that RFC 9309 skips names it
Closed: /t. Everything else is open.
`,
		"User-agent: bar\nDisallow: /u\nUseragent: foo\nDisallow: /t\n": `Lines 1 to 4 are for bar; some of what they close is closed to foo too
2: Closes everything that begins with /u (/u, /u.html, /u/page).
3: Robots of RFC 9309 skip it; read leniently (misspelt-field), it names foo, and what the lines below it close is closed to foo.
4: Closes everything that begins with /t (/t, /t.html, /t/page).
foo: no group speaks to it; some of what lines 1 to 4 close is closed to it as well, for a line that RFC 9309 skips names it
Closed: /t. Everything else is open.
`,
	} {
		e := explain.File(robots.Parse([]byte(text), robots.Cautious), []string{"foo"}, nil)
		var b strings.Builder
		for _, g := range e.Groups {
			fmt.Fprintf(&b, "Lines %d to %d are for %s\n", g.First, g.Last, g.Who)
			for _, s := range g.Rules {
				fmt.Fprintf(&b, "%d: %s\n", s.Line, s.Says)
			}
		}
		e.Groups = nil
		if got, _, _ := strings.Cut(b.String()+render(e), "The file asks"); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
		if bar := explain.File(robots.Parse([]byte(text), robots.Cautious), []string{"bar"}, nil).Products[0]; strings.Contains(bar.Group, "skips") {
			t.Errorf("%q: bar: %s", text, bar.Group)
		}
	}
}

func render(e explain.Explanation) string {
	var b strings.Builder
	for _, g := range e.Groups {
		for _, s := range g.Rules {
			fmt.Fprintf(&b, "%d: %s\n", s.Line, s.Says)
		}
	}
	for _, u := range e.Unused {
		fmt.Fprintf(&b, "%d: %s\n", u.Line, u.Why)
	}
	for _, p := range e.Products {
		fmt.Fprintf(&b, "%s: %s\n%s\n%s\n", p.Name, p.Group, p.Says, p.Delay.Says)
		for _, path := range p.Paths {
			b.WriteString(path.Says + "\n")
		}
	}
	return b.String()
}

// FuzzFile checks that any file can be explained, and that what is said of paths is what package robots says.
func FuzzFile(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /x y\n\nUser-agent: c, d\nDisallow /z\n"), "c", uint8(0))
	f.Add([]byte("User agent: c\nDisallow: /a\nUser-agent b\nDisallow /b\n"), "c", uint8(0))
	f.Add([]byte("User\aagent c\nDis\fallow /b\n"), "c", uint8(0))
	f.Add([]byte("UserAgent c*\nDisAlow 0"), "c", uint8(0))
	f.Add([]byte("UserAgent c\x82\nDisAlow 0"), "c", uint8(0))
	f.Add([]byte("User-agent: \xc2\nDisallow: 0"), "\xc2", uint8(0))
	f.Add([]byte("User-agent: \xc2\nDisallow: 0"), "\u0089", uint8(0))
	f.Add([]byte("User-agent: a \"b\nDisAlow 0"), "b", uint8(0))
	f.Add([]byte("User-agent: a\n\nUser-agent: b\nDisallow: /*%2a$x\nRequest-rate: 1/5\n"), "b", uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, product string, dialect uint8) {
		file := robots.Parse(body, robots.Dialect(dialect%3))
		e := explain.File(file, []string{product}, nil)
		rules := file.Rules(product)
		for _, r := range rules.List() {
			// a group that begins in the middle of a line is told of by the verdicts alone
			if e.Products[0].Group == "no group speaks to it" && !strings.Contains(r.Leniency, robots.LenientTwoFields) {
				t.Errorf("%q closes %q to %q, and nobody says why", body, r.Pattern, product)
			}
		}
		for _, p := range e.Products[0].Paths {
			if v := rules.Test(p.Path); v.Allowed != p.Allowed || strings.Contains(p.Says, " may not be ") == v.Allowed && !strings.Contains(p.Path, " may ") && !strings.Contains(v.Rule, " may ") {
				t.Fatalf("%q: %+v", p.Says, v)
			}
		}
		if file.Dialect() == robots.Std1994 {
			return
		}
		for _, r := range rules.List() {
			one := robots.Parse([]byte("User-agent: *\nDisallow: "+r.Pattern+"\n"), robots.RFC9309).Rules("")
			if path := explain.Sample(r.Pattern); one.Test(path).Allowed && path != "/robots.txt" {
				t.Fatalf("Sample(%q) = %q is not matched", r.Pattern, path)
			}
			if explain.Describe(r.Pattern) == "" {
				t.Fatalf("nothing to say of %q", r.Pattern)
			}
		}
	})
}

func TestFieldSentence_DelayThatIsNoNumber(t *testing.T) {
	for value, want := range map[string]string{
		"ten": "names no number", "2.5 seconds": "Asks for 2.5 seconds", "": "names no number",
	} {
		f := robots.Parse([]byte("User-agent: *\nCrawl-delay: "+value+"\n"), robots.Cautious)
		e := explain.File(f, nil, nil)
		if got := fmt.Sprint(e); !strings.Contains(got, want) {
			t.Errorf("Crawl-delay: %q is explained as %s, want %q in it", value, got, want)
		}
	}
}

// TestFile_Marks: a star in quotes is told to close to all what it closes.
func TestFile_Marks(t *testing.T) {
	e := explain.File(robots.Parse([]byte("User-agent: \"*\"\nDisallow: /x\n"), robots.Cautious), []string{"a"}, []string{"/x"})
	if len(e.Groups) != 1 || !strings.HasSuffix(e.Groups[0].Who, "is closed to * too") || e.Products[0].Paths[0].Allowed {
		t.Errorf("groups are %+v, for a robot %+v", e.Groups, e.Products)
	}
}

// TestFile_LongList: of a list of names all are heard, and all are told of.
func TestFile_LongList(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("bot%c%c", 'a'+i/26, 'a'+i%26))
	}
	last := names[len(names)-1]
	for field, want := range map[string]string{"User-agent": "it stands in a list of names", "User agent": "RFC 9309 skips names it"} {
		text := field + ": " + strings.Join(names, ", ") + "\nDisallow: /x\n"
		e := explain.File(robots.Parse([]byte(text), robots.Cautious), []string{last}, nil)
		if got := e.Products[0].Group; !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", field, got, want)
		}
	}
}
