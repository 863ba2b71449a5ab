package compose_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

func TestMinimize(t *testing.T) {
	const group = "User-agent: *\n"
	tests := []struct{ name, in, want string }{
		{"nothing to do", group + "Disallow: /a\n", group + "Disallow: /a\n"},
		{"empty", "", ""},
		{"comments and blank lines", "# a\n\n" + group + "Disallow: /a # b\n\n\n", group + "Disallow: /a\n"},
		{"a blank line that ends a record of 1994", group + "\n\nDisallow: /a # b\n\n\n", group + "\nDisallow: /a\n"},
		{"repeated", group + "Disallow: /a\nDisallow: /a\nDisallow: /a\n", group + "Disallow: /a\n"},
		{"covered by a shorter rule", group + "Disallow: /a/b\nDisallow: /a\nDisallow: /a/*.gif$\n", group + "Disallow: /a\n"},
		{"an exception stands between", group + "Disallow: /a/b/c\nAllow: /a/b\nDisallow: /a\n", group + "Disallow: /a/b/c\nAllow: /a/b\nDisallow: /a\n"},
		{"an exception elsewhere", group + "Disallow: /a/b/c\nAllow: /a/d\nDisallow: /a\n", group + "Allow: /a/d\nDisallow: /a\n"},
		{"allow that opens nothing", group + "Allow: /x\nDisallow: /a\n", group + "Disallow: /a\n"},
		{"allow wins ties, but robots of 1994 know none", group + "Allow: /a\nDisallow: /a\nDisallow: /b\n", group + "Allow: /a\nDisallow: /a\nDisallow: /b\n"},
		{"a star at the end", group + "Disallow: /a*\nDisallow: /a\n", group + "Disallow: /a\n"},
		{"an escape beside its character, which Google reads apart", group + "Disallow: /*<*\nDisallow: /*%3c\nDisallow: /*%3c/x\n",
			group + "Disallow: /*%3c\n"},
		{"an escape beside its character, both of which URLs have", group + "Disallow: /~\nDisallow: /%7E\nDisallow: /%7E\n",
			group + "Disallow: /~\nDisallow: /%7E\n"},
		{"an escape after its character, which no URL has", group + "Disallow: /a<b\nDisallow: /a%3Cb\n", group + "Disallow: /a%3Cb\n"},
		{"an escape after its character, which queries have", group + "Disallow: /*{u}\nDisallow: /*%7Bu%7D\nDisallow: /c\nDisallow: /c\n",
			group + "Disallow: /*{u}\nDisallow: /*%7Bu%7D\nDisallow: /c\n"},
		{"an escape after its character beyond ASCII", group + "Disallow: /café\nDisallow: /caf%C3%A9\n", group + "Disallow: /caf%C3%A9\n"},
		{"escapes in capital and small letters", group + "Disallow: /*%2B*\nDisallow: /*%2b*\nDisallow: /*%2b*\n", group + "Disallow: /*%2B*\nDisallow: /*%2b*\n"},
		{"said in another group, which not all take for theirs", "User-agent: a b\nDisallow: /x\nDisallow: /y\n\nUser-agent: a\nDisallow: /x\nDisallow: /z # c\n",
			"User-agent: a b\nDisallow: /x\nDisallow: /y\n\nUser-agent: a\nDisallow: /x\nDisallow: /z\n"},
		{"an escape alone", group + "Disallow: /%3c\nDisallow: /%3c/x\n", group + "Disallow: /%3c\n"},
		{"a shared group", "User-agent: a\nDisallow: /x\nDisallow: /y\n\nUser-agent: b\nDisallow: /y\nDisallow: /x\n", "User-agent: a\nUser-agent: b\nDisallow: /x\nDisallow: /y\n"},
		{"two groups of one robot", "User-agent: a\nDisallow: /x\n\nUser-agent: A\nDisallow: /y\n", "User-agent: a\nDisallow: /x\nDisallow: /y\n"},
		{"a name with the rules of all stays", "User-agent: a\nDisallow: /x\n\n" + group + "Disallow: /x\n", "User-agent: a\nUser-agent: *\nDisallow: /x\n"},
		{"names that RFC 9309 does not know stay apart", "User-agent: a1\nDisallow: /x\n\nUser-agent: a2\nDisallow: /y\n# c\n", "User-agent: a1\nDisallow: /x\n\nUser-agent: a2\nDisallow: /y\n"},
		{"a group that opens all keeps a rule", "User-agent: a\nAllow: /\nAllow: /b\n\n" + group + "Disallow: /\n", "User-agent: a\nAllow: /\n\n" + group + "Disallow: /\n"},
		{"pauses differ", "User-agent: a\nCrawl-delay: 1\nDisallow: /x\n\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x # c\n", "User-agent: a\nCrawl-delay: 1\nDisallow: /x\n\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x\n"},
		{"what only Cautious reads stays", group + "Disallow: tmp\nDisallow: /a\nDisallow: /a/b\n", group + "Disallow: tmp\nDisallow: /a\n"},
		{"who is meant is unclear: only comments go", "User-agent: a\nDissallow: /x\nUser-agent: b\nDisallow: /y\nDisallow: /y/z # c\n", "User-agent: a\nDissallow: /x\nUser-agent: b\nDisallow: /y\nDisallow: /y/z\n"},
		{"before all groups, but not to Google", "# c\nUser-agents: b\nDisallow: /a\n" + group + "Disallow: /b\n",
			"User-agents: b\nDisallow: /a\n\n" + group + "Disallow: /b\n"},
		{"before all groups", "Disallow: /a\n<html>\n" + group + "Disallow: /b\nSitemap: http://a.example/\nSitemap: http://a.example/\n", group + "Disallow: /b\nSitemap: http://a.example/\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(compose.Minimize([]byte(tt.in), compose.MinimizeOptions{}).Text); got != tt.want {
				t.Errorf("minimized\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestMinimizeDialects: what may change in a dialect makes files shorter.
func TestMinimizeDialects(t *testing.T) {
	const in = "User-agent: *\n\nAllow: /a\nDisallow: /a\nDisallow: /b\n"
	o := compose.MinimizeOptions{Dialects: []robots.Dialect{robots.RFC9309}}
	if got := string(compose.Minimize([]byte(in), o).Text); got != "User-agent: *\nDisallow: /b\n" {
		t.Errorf("minimized %q", got)
	}
}

func TestMinimizeKeepsComments(t *testing.T) {
	const in = "# top\n\nUser-agent: *\n# why\nDisallow: /a # because\nDisallow: /a/b # and this\n\nUser-agent: x\nDisallow: /a\n"
	const want = "# top\n\nUser-agent: *\n# why\nDisallow: /a # because\n# and this\n\nUser-agent: x\nDisallow: /a\n"
	m := compose.Minimize([]byte(in), compose.MinimizeOptions{KeepComments: true})
	if string(m.Text) != want {
		t.Errorf("minimized\n%s\nwant\n%s", m.Text, want)
	}
	if len(m.Removed) != 1 || m.Removed[0].Line != 6 || m.Removed[0].Text != "Disallow: /a/b" {
		t.Errorf("removed %+v, want line 6", m.Removed)
	}
}

func TestMinimizeWhatIsCutOff(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /a\n" + strings.Repeat("# filler\n", robots.MaxBytes/9) + "Disallow: /b\n")
	m := compose.Minimize(body, compose.MinimizeOptions{})
	if got := string(m.Text); got != "User-agent: *\nDisallow: /a\n" {
		t.Errorf("minimized %.100q: a line that robots do not read must not come into their reach", got)
	}
}

// FuzzMinimize: every verdict is as before, in both dialects; the result is never longer, and minimizing it again changes
// nothing.
func FuzzMinimize(f *testing.F) {
	f.Add([]byte("User-agent: a\nDisallow: /x\nAllow: /x/y\nDisallow: /x/y*z\n\nUser-agent: b\nUser-agent: *\nDisallow: /x\n"), "b", "/x/yz", false)
	f.Add([]byte("User-agent: a b\nDisallow: x /y\nDissallow: /z\nUser-agent: *\nAllow: /*.gif$\nDisallow: /\nCrawl-delay: 3\n"), "b", "/z", true)
	f.Add([]byte("\xef\xbb\xbfUser-agent: *\rDisallow /x\r\nDisallow: /y # c\nUser-agent: * Disallow: /z\n"), "", "/z", false)
	f.Add([]byte("\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00"), "", "/", false)
	for _, file := range robotstest.Read(f, "../testdata/robots.jsonl") {
		if len(file.Body) < 2000 {
			f.Add(file.Body, "cybermapper", "/tmp/x", false)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, product, path string, comments bool) {
		if len(body) > 5000 {
			return
		}
		o := compose.MinimizeOptions{KeepComments: comments}
		m := compose.Minimize(body, o)
		if len(m.Text) > len(body) {
			t.Fatalf("%d bytes became %d", len(body), len(m.Text))
		}
		if again := compose.Minimize(m.Text, o); !bytes.Equal(again.Text, m.Text) {
			t.Fatalf("minimized %q, and again %q", m.Text, again.Text)
		}
		for _, d := range []robots.Dialect{robots.RFC9309, robots.Cautious} {
			before, after := robots.Parse(body, d).Rules(product), robots.Parse(m.Text, d).Rules(product)
			for _, p := range append(compose.Samples(body), path) {
				if v, w := before.Test(p), after.Test(p); v.Allowed != w.Allowed {
					t.Fatalf("%v: Test(%q) for %q = %+v, minimized %+v\n%q\n%q", d, p, product, v, w, body, m.Text)
				}
			}
			x, _ := before.Delay()
			if y, _ := after.Delay(); x != y {
				t.Fatalf("%v: Delay() for %q = %v, minimized %v", d, product, x, y)
			}
		}
	})
}
