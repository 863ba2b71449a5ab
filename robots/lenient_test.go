package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// TestCautious checks each restriction that Cautious adds: it is there, it says by which leniency, and RFC 9309 alone
// does not have it.
func TestCautious(t *testing.T) {
	long := "/" + strings.Repeat("x", 2*robots.MaxLine)
	for _, tt := range []struct {
		name     string
		file     string
		path     string
		leniency string
		line     int
	}{
		{"a later word (D4)", "User-agent: a cybermapper\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"after a comma (D4)", "User-agent: a,cybermapper/2 , b\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"star as a later word (D5)", "User-agent: a *\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"star and comma (D5)", "User-agent: *, a\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"star and semicolon", "User-agent: *;\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"star in quotes", "User-agent: \"*\"\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"name in quotes", "User-agent: 'cybermapper'\nDisallow: /n", "/n", robots.LenientNameList, 2},
		{"no-break space of Latin 1", "User-agent: *\xa0\nDisallow: /n", "/n", robots.LenientInvisibles, 2},
		{"no-break space of Latin 1 before a path", "User-agent: *\nDisallow:\xa0/n", "/n", robots.LenientInvisibles, 2},
		{"left-to-right mark behind a path", "User-agent: *\nDisallow: /n \u200e", "/n", robots.LenientInvisibles, 2},
		{"en space behind a path", "User-agent: *\nDisallow: /n\u2002", "/n", robots.LenientInvisibles, 2},
		{"delete behind a path", "User-agent: *\nDisallow: /n\x7f", "/n", robots.LenientInvisibles, 2},
		{"a right-to-left mark around a field", "\u200fUser-agent: *\n\u200fDisallow\u200f: /n", "/n", robots.LenientInvisibles, 2},
		{"byte order mark that was read as Latin 1", "ï»¿User-agent: *\nDisallow: /n", "/n", robots.LenientInvisibles, 2},
		{"list of paths (D11)", "User-agent: *\nDisallow: /a /b", "/b", robots.LenientPathList, 2},
		{"list with commas (D11)", "User-agent: *\nDisallow: /a, /b", "/a/c", robots.LenientPathList, 2},
		{"list with a wildcard (D11)", "User-agent: *\nDisallow: /a *.gif", "/x.gif", robots.LenientPathList, 2},
		{"no slash (D12)", "User-agent: *\nDisallow: tmp/", "/tmp/x", robots.LenientSlash, 2},
		{"full URL (D13)", "User-agent: *\nDisallow: https://X.example/tmp", "/tmp/x", robots.LenientFullURL, 2},
		{"full URL without path (D13)", "User-agent: *\nDisallow: http://x.example", "/a", robots.LenientFullURL, 2},
		{"long line (D20)", "User-agent: *\nDisallow: " + long, long[:robots.MaxLine], robots.LenientLongLine, 2},
		{"misspelt disallow (D23)", "User-agent: *\nDISSALLOW: /n", "/n", robots.LenientTypo, 2},
		{"misspelt agent (D23)", "Useragent: *\nDisallow: /n", "/n", robots.LenientTypo, 2},
		{"misspelt agent (D23)", "User agent: cybermapper\nDisallow: /n", "/n", robots.LenientTypo, 2},
		{"more than the field (Google)", "User-agent: *\nDisallowed: /n", "/n", robots.LenientTypo, 2},
		{"more than a misspelt field (Google)", "User-agents: cybermapper\nDissallows: /n", "/n", robots.LenientTypo, 2},
		{"semicolon for a colon (Google)", "User-agent: *\nDisallow; /n", "/n", robots.LenientColon + "+" + robots.LenientTypo, 2},
		{"no colon", "User-agent: *\nDisallow /n", "/n", robots.LenientColon, 2},
		{"no colon before a full URL", "User-agent: *\nDisallow https://x.example/n", "/n", robots.LenientColon + "+" + robots.LenientFullURL, 2},
		{"no colon in the agent line", "User-agent\tcybermapper\nDisallow: /n", "/n", robots.LenientColon, 2},
		{"two fields (V22)", "User-agent: * Disallow: /n", "/n", robots.LenientTwoFields, 1},
		{"three fields (V22)", "User-agent: *\nDisallow: /a Disallow: /b allow: /c Disallow:/n", "/n", robots.LenientTwoFields, 2},
		{"before another field", "User-agent: *\nDisallow: /n Allow: /n/x", "/n/x", robots.LenientTwoFields, 2},
		{"lines that were joined", "User-agent: *\nDisallow: / User-agent: a", "/n", robots.LenientTwoFields, 2},
		{"blanks in the path (V23)", "User-agent: *\nDisallow: / n / m /", "/n/m/x", robots.LenientSpaces, 2},
		{"no-break space", "User-agent: *\u00a0\n\u00a0Disallow: \u200b/n", "/n", robots.LenientInvisibles, 2},
		{"byte order mark inside", "User-agent: *\nDisallow: /a\n\ufeffDisallow: /n", "/n", robots.LenientInvisibles, 3},
		{"zeros in place of what was lost", "User-agent: *\nDisallow: /n\x00\x00\x00\x00tion/", "/n", robots.LenientInvisibles, 2},
		{"what ends a file of old", "User-agent: *\nDisallow: /n\x1a", "/n", robots.LenientInvisibles, 2},
		{"form feed behind a path, which Google takes off", "User-agent: *\x0c\nDisallow: /n\x0c\n", "/n", robots.LenientInvisibles, 2},
		{"control character in a field", "User-agent: *\nDis\x08allow: \x1b/n", "/n", robots.LenientInvisibles, 2},
		{"zeros in front", "\x00\x00User-agent: *\nDisallow: /n", "/n", robots.LenientInvisibles, 2},
		{"UTF-16 that does not say so", "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\r\x00\n\x00" +
			"D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00n\x00", "/n", robots.LenientInvisibles, 3},
		{"a part of the name (1994)", "User-agent: *\nDisallow: /a\n\nUser-agent: Cyber/2.0\nDisallow: /n\nAllow: /n", "/n", robots.LenientNamePart, 5},
		{"a list of names, where others have an Allow",
			"User-agent: a, cybermapper\nDisallow: /\n\nUser-agent: *\nAllow: /", "/n", robots.LenientNameList, 2},
		{"a part of the name, where an Allow opens nothing",
			"User-agent: *\nAllow: /n\nDisallow: /a/b\n\nUser-agent: Cyber\nDisallow: /n", "/n", robots.LenientNamePart, 6},
		{"misspelt agent, where others have an Allow",
			"Useragent: cybermapper\nDisallow: /*n$\n\nUser-agent: *\nAllow: /a/n", "/a/n", robots.LenientTypo, 2},
		{"a part of the name, misspelt", "Useragent: mapper\nDisallow: n", "/n", robots.LenientNamePart + "+" + robots.LenientTypo + "+" + robots.LenientSlash, 2},
		{"two at once", "Useragent: *\nDisalow: n", "/n", robots.LenientTypo + "+" + robots.LenientSlash, 2},
		{"as a browser shows it", "<pre style=\"word-wrap: break-word; white-space: pre-wrap;\">User-agent: *\nDisallow: /n</pre>", "/n",
			robots.LenientMarkup, 2},
		{"lines parted by tags", "User-agent: *<br />Disallow: /a<br>Disallow: /n<br>", "/n", robots.LenientMarkup + "+" + robots.LenientTwoFields, 1},
		{"a comment of HTML", "<!-- robots: --> User-agent: *\nDisallow: /n", "/n", robots.LenientMarkup, 2},
		{"a page", "<html><body><p>User-agent: cybermapper</p>\n<p>Disallow: /</p>", "/n", robots.LenientMarkup, 2},
		{"missing colon in a list of names", "User-agent: a cybermapper\nDisallow n", "/n",
			robots.LenientNameList + "+" + robots.LenientColon + "+" + robots.LenientSlash, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if v := robots.Parse([]byte(tt.file), robots.RFC9309).Rules("cybermapper").Test(tt.path); !v.Allowed {
				t.Errorf("RFC 9309 forbids %.80q: %+v", tt.path, v)
			}
			v := robots.Parse([]byte(tt.file), robots.Cautious).Rules("cybermapper").Test(tt.path)
			if v.Allowed || v.Line != tt.line || v.Leniency != tt.leniency && tt.leniency != "" {
				t.Errorf("Test(%.80q) = %+v, want forbidden by line %d, leniency %q", tt.path, v, tt.line, tt.leniency)
			}
		})
	}
}

// What a group closes in a lenient reading leaves the line standing that the rest of the site is open by.
func TestCautiousNamesWhatAllows(t *testing.T) {
	const file = "User-agent: a, cybermapper\nDisallow: /no\n\nUser-agent: *\nAllow: /\n"
	rules := robots.Parse([]byte(file), robots.Cautious).Rules("cybermapper")
	for path, line := range map[string]int{"/yes": 5, "/no": 2} {
		if v := rules.Test(path); v.Allowed != (line == 5) || v.Line != line {
			t.Errorf("%s is decided by line %d, want line %d: %+v", path, v.Line, line, v)
		}
	}
}

// Promise 7: malformed files, in which a liberal reader would find permissions, only forbid more.
func TestCautiousRestrictsOnly(t *testing.T) {
	long := "/" + strings.Repeat("x", 2*robots.MaxLine)
	for _, r := range []ruling{
		{name: "a misspelt group of ours lifts nothing", file: "User-agent: *\nDisallow: /a\n\nUseragent: cybermapper\nDisallow: /b\n", no: "/a /b", yes: "/c"},
		{name: "nor does a list", file: "User-agent: *\nDisallow: /a\n\nUser-agent: x cybermapper\nDisallow: /b\n", no: "/a /b"},
		{name: "a misspelt group does not end ours", file: "User-agent: *\nDisallow: /a\nUseragent: x\nDisallow: /b\n", no: "/a /b"},
		{name: "misspelt allow", file: "User-agent: *\nDisallow: /a\nAlow: /a/b\nAllow /a/b\n\u00a0Allow: /a/b\n", no: "/a/b"},
		{name: "more than allow", file: "User-agent: *\nDisallow: /a\nAllowed: /a/b\nAllow; /a/b\n", no: "/a/b"},
		{name: "names behind more than the field lift nothing", file: "User-agent: *\nDisallow: /a\n\nUser-agents: cybermapper\nDisallow: /b\n", no: "/a /b"},
		{name: "zeros in allow", file: "User-agent: *\nDisallow: /a\nAllow: /a/b\x00\n\x00Allow: /a/b\n", no: "/a/b"},
		{name: "control characters in allow", file: "User-agent: *\nDisallow: /a\nAllow: /a/b\x07\n\x0cAllow: /a/b\n", no: "/a/b"},
		{name: "list in allow (D11)", file: "User-agent: *\nDisallow: /a\nAllow: /a/b /a/c\n", no: "/a/b /a/c /a/b%20/a/c"},
		{name: "allow without slash (D12)", file: "User-agent: *\nDisallow: /a\nAllow: a/b\n", no: "/a/b"},
		{name: "allow of a URL (D13)", file: "User-agent: *\nDisallow: /a\nAllow: http://x.example/a/b\n", no: "/a/b"},
		{name: "long allow (D20)", file: "User-agent: *\nDisallow: /\nAllow: " + long, no: long},
		{name: "two names without rules", file: "User-agent: a Disallow: /1\nUser-agent: cybermapper\nDisallow: /2\n", yes: "/1", no: "/2"},
		{name: "a part of the name beside the name", file: "User-agent: cyber\nDisallow: /1\n\nUser-agent: cybermapper\nDisallow: /2\n", yes: "/1", no: "/2"},
		{name: "a list that has an Allow in common with all others",
			file: "User-agent: a, cybermapper\nDisallow: /\nAllow: /1\n\nUser-agent: *\nAllow: /1\n", yes: "/1", no: "/2"},
		{name: "a list, where others have an exception",
			file: "User-agent: a, cybermapper\nDisallow: /\n\nUser-agent: *\nAllow: /1\nDisallow: /\n", yes: "/1", no: "/2"},
		{name: "the name in a list, and by itself",
			file: "User-agent: a, cybermapper\nDisallow: /1\n\nUser-agent: cybermapper\nAllow: /1\nDisallow: /2\n",
			yes:  "/1", no: "/2"},
		{name: "two letters are no part of a name", file: "User-agent: er\nDisallow: /\n", yes: "/"},
		{name: "somebody else's list", file: "User-agent: a b, c\nDisallow: /\n", yes: "/"},
		{name: "a later star, and a group of our own", file: "User-agent: a *\nDisallow: /1\n\nUser-agent: cybermapper\nDisallow: /2\n", yes: "/1", no: "/2"},
		{name: "fields in values of other fields", file: "User-agent: *\nComment: Disallow: /m\nDisallow: /n\n", yes: "/m", no: "/n"},
		{name: "more than two words without colon", file: "User-agent: *\nDisallow /n and more\nDisallow: /m\n", yes: "/n", no: "/m"},
		{name: "an error page", file: "<html><body>\n<p>User-agent: see <a href=\"/\">here</a>: disallow\nDisallow everything\n</body>", yes: "/ /everything"},
	} {
		r.agent = "cybermapper"
		r.check(t)
	}
}

// TestMaxRules: beyond MaxRules only what forbids is kept.
func TestMaxRules(t *testing.T) {
	var file strings.Builder
	file.WriteString("User-agent: *\nAllow: /first\n")
	for i := range robots.MaxRules {
		fmt.Fprintf(&file, "Disallow: /%d/\n", i)
	}
	file.WriteString("Allow: /1/last\nDisallow: /last\n")
	r := ruling{name: "cautious", file: file.String(), agent: "x", yes: "/first", no: "/last /1/last"}
	r.check(t)
	r.dialect, r.yes, r.no = robots.RFC9309, "/first /1/last", "/last"
	r.check(t)
}

// TestMaxRules_distinct: what is said again takes no place.
func TestMaxRules_distinct(t *testing.T) {
	var file strings.Builder
	file.WriteString("User-agent: *\n")
	for i := range 2 * robots.MaxRules {
		fmt.Fprintf(&file, "Disallow: /%d/%%6%d\n", i%100, i%2)
	}
	file.WriteString("Allow: /1/last\nDisallow: /1\n")
	r := ruling{name: "cautious", file: file.String(), agent: "x", yes: "/1/last", no: "/1 /1/a"}
	r.check(t)
}

// TestNamePart tells a part of a name from a name that ours begins with.
func TestNamePart(t *testing.T) {
	for _, tt := range []struct {
		token, product string
		allowed        bool
	}{
		{"cyber", "cybermapper", false},
		{"CYBER", "cybermapper", false},
		{"berma", "cybermapper", false},
		{"bot", "Examplebot-Image", false},
		{"example", "Examplebot-Image", false},
		{"Examplebot", "Examplebot-Image", true}, // another robot
		{"image", "Examplebot-Image", true},
		{"cybermappers", "cybermapper", true},
		{"er", "cybermapper", true},
	} {
		file := robots.Parse([]byte("User-agent: "+tt.token+"\nDisallow: /\n"), robots.Cautious)
		if v := file.Rules(tt.product).Test("/x"); v.Allowed != tt.allowed {
			t.Errorf("%s for %s: %+v, want allowed %v", tt.token, tt.product, v, tt.allowed)
		}
	}
}

func TestRulesFor(t *testing.T) {
	file := robots.Parse([]byte("User-agent: *\nDisallow: http://one.example:80/a\nDisallow: https://u@TWO.example:8443/b\n"), robots.Cautious)
	for _, tt := range []struct {
		origin string
		a, b   bool // allowed
	}{
		{"", false, false},
		{"http://one.example", false, true},
		{"http://www.one.example", false, true},
		{"https://www.www.one.example", true, true},
		{"https://www.two.example:8443", true, false},
		{"https://one.example:443", false, true},
		{"https://one.example:8443", true, true},
		{"https://two.example:8443", true, false},
	} {
		rules := file.RulesFor(tt.origin, "x")
		if a, b := rules.Test("/a").Allowed, rules.Test("/b").Allowed; a != tt.a || b != tt.b {
			t.Errorf("from %q: /a allowed %v, /b allowed %v, want %v and %v", tt.origin, a, b, tt.a, tt.b)
		}
	}
}
