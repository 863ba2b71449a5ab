package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// A ruling is what a file must say to an agent: paths that are allowed and paths that are not, between blanks.
type ruling struct {
	name    string
	dialect robots.Dialect
	file    string
	agent   string
	yes, no string
}

func (r ruling) check(t *testing.T) {
	t.Helper()
	rules := robots.Parse([]byte(r.file), r.dialect).Rules(r.agent)
	for path := range strings.FieldsSeq(r.yes) {
		if v := rules.Test(path); !v.Allowed {
			t.Errorf("%s: %v: Test(%q) for %s = %+v, want allowed", r.name, r.dialect, path, r.agent, v)
		}
	}
	for path := range strings.FieldsSeq(r.no) {
		if v := rules.Test(path); v.Allowed {
			t.Errorf("%s: %v: Test(%q) for %s = %+v, want forbidden", r.name, r.dialect, path, r.agent, v)
		}
	}
}

// both checks a ruling in the two modern dialects.
func (r ruling) both(t *testing.T) {
	t.Helper()
	for _, d := range []robots.Dialect{robots.RFC9309, robots.Cautious} {
		r.dialect = d
		r.check(t)
	}
}

const seedExample = `# robots.txt for http://www.example.com/

User-agent: *
Disallow: /cyberworld/map/ # This is an infinite virtual URL space
Disallow: /tmp/ # these will soon disappear
Disallow: /foo.html

# Cybermapper knows where to go.
User-agent: cybermapper
Disallow:
`

// TestRFC9309_2_2_1 is about the user-agent line: who is spoken to.
func TestRFC9309_2_2_1(t *testing.T) {
	for _, r := range []ruling{
		{name: "the standard's own example, named", file: seedExample, agent: "cybermapper", yes: "/cyberworld/map/ /tmp/a /foo.html"},
		{name: "the standard's own example, others", file: seedExample, agent: "otherbot",
			yes: "/tmp /index.html", no: "/cyberworld/map/x /tmp/a /foo.html?x"},
		{name: "one group for all", file: "User-agent: *\nDisallow: /\n", agent: "x", yes: "/robots.txt", no: "/ /a /robots.txt/ /robots.txt?x"},
		{name: "letter case of the token", file: "USER-AGENT: ExampleBot\nDISALLOW: /x\n", agent: "eXAMPLEbOT", no: "/x"},
		{name: "ASCII case only: the Kelvin sign is no k", file: "User-agent: \u212aelp\nDisallow: /x\n", agent: "kelp", yes: "/x"},
		{name: "groups of one name are merged", agent: "a",
			file: "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: a\nDisallow: /3\n", yes: "/2", no: "/1 /3"},
		{name: "groups for all are merged", file: "User-agent: *\nDisallow: /1\n\nUser-agent: *\nDisallow: /2\n", agent: "a", no: "/1 /2"},
		{name: "a named group inherits nothing", file: "User-agent: *\nDisallow: /1\nUser-agent: a\nDisallow: /2\n", agent: "a", yes: "/1", no: "/2"},
		{name: "rules before any group", file: "Disallow: /1\nUser-agent: a\nDisallow: /2\n", agent: "a", yes: "/1", no: "/2"},
		{name: "no group for us", file: "User-agent: a\nDisallow: /\n", agent: "b", yes: "/"},
		{name: "version after the name", file: "User-agent: a/1.0\nDisallow: /\n", agent: "a", no: "/"},
		{name: "star after the name", file: "User-agent: a*\nDisallow: /\n", agent: "a", no: "/"},
		{name: "a digit after the name", file: "User-agent: a2\nDisallow: /\n", agent: "a", yes: "/"},
		{name: "a dot after the name", file: "User-agent: a.b\nDisallow: /\n", agent: "a", yes: "/"},
		{name: "longer name in the file", file: "User-agent: abc\nDisallow: /\n", agent: "ab", yes: "/"},
		{name: "shorter name in the file", file: "User-agent: ab\nDisallow: /\n", agent: "abc", yes: "/"},
		{name: "our version does not count", file: "User-agent: a\nDisallow: /\n", agent: "a/2.1 (+http://x.example)", no: "/"},
		{name: "star and words", file: "User-agent: * bots\nDisallow: /\n", agent: "a", no: "/"},
		{name: "star and letters is no star", file: "User-agent: *bot\nDisallow: /\n", agent: "a", yes: "/"},
		{name: "nobody", file: "User-agent:\nDisallow: /\n", agent: "a", yes: "/"},
		{name: "nobody for nobody", file: "User-agent:\nDisallow: /\n", agent: "", yes: "/"},
		{name: "an agent without name hears the star", file: "User-agent: *\nDisallow: /\n", agent: "", no: "/"},
	} {
		r.both(t)
	}
}

// TestRFC9309_2_1 is about where groups begin and end.
func TestRFC9309_2_1(t *testing.T) {
	lost := "User-agent: webcrawler\n\nUser-agent: lycra\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp\nDisallow: /logs\n"
	restored := strings.Replace(lost, "webcrawler\n", "webcrawler\nDisallow:\n", 1)
	bot := "Allow: /foo/bar/\n\nUser-agent: FooBot\nDisallow: /\nAllow: /x/\nUser-agent: BarBot\nDisallow: /\nAllow: /y/\n\n\n" +
		"Allow: /w/\nUser-agent: BazBot\n\nUser-agent: FooBot\nAllow: /z/\nDisallow: /\n"
	for _, r := range []ruling{
		{name: "blank lines do not end a group", file: "User-agent: a\n\nDisallow: /1\n\n\nDisallow: /2\n", agent: "a", no: "/1 /2"},
		{name: "a group without rules joins the next", file: lost, agent: "webcrawler", no: "/ /a"},
		{name: "an empty rule keeps them apart", file: restored, agent: "webcrawler", yes: "/ /tmp"},
		{name: "several names, one group", file: "User-agent: a\nUser-agent: b\nDisallow: /\n", agent: "a", no: "/"},
		{name: "the last group may be empty", file: "User-agent: *\nDisallow: /\nUser-agent: a\n", agent: "a", yes: "/"},
		{name: "other records do not end a group (2.2.4)", file: "User-agent: a\nSitemap: x\n\nUser-agent: b\nDisallow: /\n", agent: "a", no: "/"},
		{name: "FooBot", file: bot, agent: "FooBot", yes: "/x/b /z/d", no: "/y/c /foo/bar/"},
		{name: "BarBot", file: bot, agent: "BarBot", yes: "/y/c /w/a", no: "/x/b /z/d /foo/bar/"},
		{name: "BazBot", file: bot, agent: "BazBot", yes: "/z/d", no: "/x/b /y/c"},
	} {
		r.both(t)
	}
}

// TestRFC9309_2_2_2 is about allow and disallow lines.
func TestRFC9309_2_2_2(t *testing.T) {
	for _, r := range []ruling{
		{name: "prefix", file: "Disallow: /help", yes: "/hel", no: "/help /help.html /help/index.html"},
		{name: "directory", file: "Disallow: /help/", yes: "/help /help.html", no: "/help/ /help/index.html"},
		{name: "the longest wins", file: "Allow: /p\nDisallow: /", yes: "/page", no: "/q"},
		{name: "the longest wins over a wildcard", file: "Allow: /page\nDisallow: /*.htm", yes: "/page /page.php", no: "/page.htm"},
		{name: "a tie allows", file: "Allow: /page\nDisallow: /*.ph", yes: "/page.php5"},
		{name: "a tie allows, whatever the order", file: "Disallow: /page\nAllow: /page", yes: "/page"},
		{name: "an empty rule does not lift others", file: "Disallow:\nDisallow: /x", yes: "/y", no: "/x"},
		{name: "an empty allow does not either", file: "Allow:\nDisallow: /x", yes: "/y", no: "/x"},
		{name: "path is case-sensitive", file: "Disallow: /Fish", yes: "/fish", no: "/Fish"},
		{name: "query", file: "Disallow: /*?", yes: "/a", no: "/a?b /?"},
		{name: "empty path", file: "Disallow: /$\nDisallow: /?", yes: "/a", no: "/ / ?a"},
		{name: "comment", file: "Disallow: /foo/quz#qux", yes: "/foo/qu", no: "/foo/quz"},
		{name: "katakana raw", file: "Allow: /foo/bar/ツ\nDisallow: /", yes: "/foo/bar/%E3%83%84 /foo/bar/%e3%83%84 /foo/bar/ツ", no: "/foo/bar/"},
		{name: "katakana encoded", file: "Allow: /foo/bar/%E3%83%84\nDisallow: /", yes: "/foo/bar/%E3%83%84 /foo/bar/ツ"},
		{name: "katakana in lower case", file: "Allow: /foo/bar/%e3%83%84\nDisallow: /", yes: "/foo/bar/%E3%83%84"},
		{name: "unreserved decoded in the path", file: "Disallow: /foo/bar/baz", no: "/foo/bar/%62%61%7A"},
		{name: "unreserved decoded in the rule", file: "Disallow: /foo/bar/%62%61%7a", no: "/foo/bar/baz"},
		{name: "reserved stay apart", file: "Disallow: /a%2Fb\nDisallow: /c%3Fd", yes: "/a/b /c?d", no: "/a%2fb /c%3fd"},
		{name: "a stray percent sign", file: "Disallow: /100%\nDisallow: /%zz", yes: "/100", no: "/100% /%zz"},
		{name: "decoded once", file: "Disallow: /%2541", yes: "/A /%41", no: "/%2541"},
		{name: "bytes that are not UTF-8", file: "Disallow: /\xe9t\xe9", no: "/%E9t%E9 /\xe9t\xe9"},
		{name: "a blank in the rule", file: "Disallow: /my%20file", no: "/my%20file.txt"},
		{name: "robots.txt", file: "Disallow: /robots.txt\nDisallow: /*.txt$", yes: "/robots.txt /%72obots.txt", no: "/a.txt"},
		{name: "fragment", file: "Disallow: /a", no: "/a#b"},
	} {
		r.file, r.agent = "User-agent: *\n"+r.file+"\n", "x"
		r.both(t)
	}
}

// TestRFC9309_2_2_3 is about special characters.
func TestRFC9309_2_2_3(t *testing.T) {
	for _, r := range []ruling{
		{name: "end", file: "Disallow: /*.php$", yes: "/filename.php?x /filename.php5 /filename.php/", no: "/filename.php /a/b.php"},
		{name: "root only", file: "Allow: /$\nDisallow: /", yes: "/", no: "/page.htm"},
		{name: "end without star", file: "Disallow: /a$", yes: "/ab", no: "/a"},
		{name: "star at the end adds nothing", file: "Disallow: /fish*", yes: "/Fish.asp /catfish", no: "/fish /fish.html /fish/salmon?id=1"},
		{name: "star and end", file: "Disallow: /a*$", yes: "/b", no: "/a /ab"},
		{name: "stars in a row", file: "Disallow: /a***b", yes: "/a", no: "/ab /axb"},
		{name: "a star at the start (erratum 7995)", file: "Disallow: *.gif$", yes: "/a.gif?x", no: "/a.gif /x/y.gif"},
		{name: "nothing but a star", file: "Disallow: *", no: "/ /a"},
		{name: "star spans slashes", file: "Disallow: /*/c", yes: "/c", no: "/a/c /a/b/c"},
		{name: "figure 6", file: "Disallow: /path/file-with-a-%2A.html\nDisallow: /path/foo-%24", yes: "/path/file-with-a-b.html",
			no: "/path/file-with-a-*.html /path/file-with-a-%2a.html /path/foo-$ /path/foo-%24x"},
		{name: "a dollar before the end is literal", file: "Disallow: /a$b", yes: "/a", no: "/a$b /a%24bc"},
		{name: "two dollars", file: "Disallow: /a$$", yes: "/a /a$b", no: "/a$"},
		{name: "overlap is not counted twice", file: "Disallow: /*aba*aba$", yes: "/ababa", no: "/abaaba /abaxaba"},
		{name: "the end must come after the rest", file: "Disallow: /ab*b$", yes: "/ab", no: "/abb"},
	} {
		r.file, r.agent = "User-agent: *\n"+r.file+"\n", "x"
		r.both(t)
	}
}

// TestRFC9309_5 holds the examples of the RFC.
func TestRFC9309_5(t *testing.T) {
	simple := "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\nUser-Agent: foobot\nDisallow:/\n" +
		"Allow:/example/page.html\nAllow:/example/allowed.gif\n\nUser-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n" +
		"User-Agent: quxbot\n\nEOF\n"
	longest := "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
	for _, r := range []ruling{
		{name: "5.1", file: simple, agent: "foobot", yes: "/example/page.html /example/allowed.gif", no: "/ /example/ /publications/"},
		{name: "5.1", file: simple, agent: "barbot", yes: "/ /example/allowed.gif", no: "/example/page.html"},
		{name: "5.1", file: simple, agent: "bazbot", yes: "/ /example/allowed.gif", no: "/example/page.html"},
		{name: "5.1", file: simple, agent: "quxbot", yes: "/ /a.gif /example/page.html"},
		{name: "5.1", file: simple, agent: "other", yes: "/publications/ /", no: "/a.gif /example/"},
		{name: "5.2", file: longest, agent: "foobot", yes: "/example/page/", no: "/example/page/disallowed.gif"},
	} {
		r.both(t)
	}
}

// Test1994 is the older standard, with the examples of Kollar, Leavitt and Mauldin.
func Test1994(t *testing.T) {
	lists := "User-agent: *\nDisallow: /\n\nUser-agent: Lycos\nDisallow: /cgi-bin/ /tmp/\n"
	comments := "User-agent: *\nDisallow: /spiders/not/here/ # a comment\nDisallow: # and\nDisallow: # more\n"
	several := "User-agent: Copernicus Fred\nDisallow:\n\nUser-agent: * Rex\nDisallow: /t\n"
	lost := "User-agent: webcrawler\n\nUser-agent: lycra\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp\nDisallow: /logs\n"
	for _, r := range []ruling{
		{name: "standard, named", file: seedExample, agent: "cybermapper", yes: "/cyberworld/map/ /tmp/a"},
		{name: "standard, others", file: seedExample, agent: "x", yes: "/tmp", no: "/cyberworld/map/x /foo.html"},
		{name: "list of paths", file: lists, agent: "lycos", yes: "/a /cgi-bin", no: "/cgi-bin/x /tmp/x"},
		{name: "others", file: lists, agent: "x", no: "/a /tmp/x"},
		{name: "comments after lists", file: comments, agent: "x", yes: "/spiders/not/her /spiders/not/", no: "/spiders/not/here/x"},
		{name: "first of the list", file: several, agent: "copernicus", yes: "/tmp/"},
		{name: "last of the list", file: several, agent: "fred", yes: "/tmp/ /tea-time/"},
		{name: "beside the star", file: several, agent: "rex", yes: "/a", no: "/tmp/ /tea-time/ /top-cat.txt /traverse.this"},
		{name: "the star itself", file: several, agent: "x", yes: "/a", no: "/tmp/"},
		{name: "a record ends with a blank line", file: lost, agent: "webcrawler", yes: "/ /tmp"},
		{name: "a rule after a blank line is lost", file: "User-agent: a\nDisallow: /1\n\nDisallow: /2\n", agent: "a", yes: "/2", no: "/1"},
		{name: "blanks make a line blank", file: "User-agent: a\nDisallow: /1\n \t\nDisallow: /2\n", agent: "a", yes: "/2", no: "/1"},
		{name: "a comment does not", file: "User-agent: a\nDisallow: /1\n # c\nDisallow: /2\n", agent: "a", no: "/1 /2"},
		{name: "no Allow", file: "User-agent: *\nDisallow: /a\nAllow: /a/b\n", agent: "x", no: "/a/b"},
		{name: "no wildcards", file: "User-agent: *\nDisallow: /*.gif$\n", agent: "x", yes: "/a.gif", no: "/*.gif$x /%2A.gif%24"},
		{name: "substring of our name", file: "User-agent: mapper\nDisallow: /\n", agent: "CyberMapper", no: "/"},
		{name: "our name in theirs does not count", file: "User-agent: cybermapper-pro\nDisallow: /\n", agent: "CyberMapper", yes: "/"},
		{name: "version", file: "User-agent: cybermapper/1.0\nDisallow: /\n", agent: "CyberMapper/2.0", no: "/"},
		{name: "a record without blank line before", file: "User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\n", agent: "a", yes: "/2", no: "/1"},
		{name: "all records for us", file: "User-agent: a\nDisallow: /1\n\nUser-agent: ab\nDisallow: /2\n", agent: "abc", no: "/1 /2"},
		{name: "partial path matches nothing", file: "User-agent: *\nDisallow: tmp\n", agent: "x", yes: "/tmp"},
		{name: "nobody", file: "User-agent:\nDisallow: /\n", agent: "x", yes: "/"},
	} {
		r.dialect = robots.Std1994
		r.check(t)
	}
}

// TestOtherRecords: RFC 9309 sections 2.2.4 and 2.3.1.5, every parseable line counts and no other line disturbs.
func TestOtherRecords(t *testing.T) {
	for _, r := range []ruling{
		{name: "between names and rules", file: "User-agent: a\nCrawl-delay: 5\nHost: x\nfoo\nDisallow: /1\nbar: baz\nDisallow: /2\n", agent: "a", no: "/1 /2"},
		{name: "field names are not prefixes", file: "User-agent: *\nDisallowance: /1\nAllowed: /2\nDisallow: /\n", agent: "a", no: "/1 /2"},
		{name: "blanks around the colon", file: " \tUser-agent\t : \ta \nDisallow\t:\t/1\t\n", agent: "a", yes: "/2", no: "/1"},
		{name: "a comment with a control character does not", file: "User-agent: * # \x07\nDisallow: /1\n", agent: "a", no: "/1"},
	} {
		r.both(t)
	}
	spoilt := ruling{name: "a control character spoils its line", dialect: robots.RFC9309, agent: "a", yes: "/1 /2", no: "/3",
		file: "User-agent: *\nDisallow: /1\x07\nDisallow: /2\x0b\nDisallow: /3 # \x01\n"}
	spoilt.check(t)
}

// TestTest_FullURL: who asks by a URL where a path is meant is told of that page, not that no rule matches it.
func TestTest_FullURL(t *testing.T) {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /private/\nDisallow: /*?q=\nDisallow: /$\n"), robots.RFC9309).Rules("titlebot")
	for path, want := range map[string]bool{
		"https://a.example/private/x": false, "HTTP://a.example:8080/private/x": false, "http://a.example?q=1": false,
		"http://a.example/open?u=http://b.example/private/": true, "http://a.example": false, "https://a.example/#x": false,
		"https://a.example/robots.txt": true,
		"private/x":                    false, "/http://a.example/private/x": true, "?u=http://a.example/private/x": true, "x://private/x": true,
	} {
		if v := rules.Test(path); v.Allowed != want {
			t.Errorf("Test(%s) = %t (line %d), want %t", path, v.Allowed, v.Line, want)
		}
	}
}

// TestRFC9309_2_2_2_EveryByte: a byte that is encoded in a rule is the same one in a URL, in digits of either case, and no other;
// and as it stands where it is one of those that need no encoding (RFC 3986 section 2.3).
func TestRFC9309_2_2_2_EveryByte(t *testing.T) {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	for rule := range 256 {
		for _, form := range []string{"%%%02X", "%%%02x"} {
			file := robots.Parse(fmt.Appendf(nil, "User-agent: *\nDisallow: /a"+form+"b\n", rule), robots.RFC9309).Rules("cybermapper")
			for c := range 256 {
				for _, path := range []string{fmt.Sprintf("/a%%%02Xb", c), fmt.Sprintf("/a%%%02xb", c)} {
					if got := file.Test(path).Allowed; got != (c != rule) {
						t.Fatalf("Disallow: /a"+form+"b: %s is allowed: %v", rule, path, got)
					}
				}
				if raw := string([]byte{'/', 'a', byte(c), 'b'}); strings.IndexByte(unreserved, byte(c)) >= 0 && file.Test(raw).Allowed != (c != rule) {
					t.Fatalf("Disallow: /a"+form+"b: %q is allowed: %v", rule, raw, c == rule)
				}
			}
		}
	}
}
