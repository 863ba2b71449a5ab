package compose_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

func TestGenerate(t *testing.T) {
	no, yes := false, true
	policy := compose.Policy{
		Contact: "web@example.org",
		Everyone: compose.Access{
			Disallow: []string{"/tmp/", "/*.pdf$"}, Allow: []string{"/tmp/public/"}, CrawlDelay: 1500 * time.Millisecond,
			Use: compose.Use{Search: &yes, AITrain: &no},
		},
		Robots: []compose.Named{
			{Name: "abot", Access: compose.Access{Deny: true}},
			{Name: "friend"},
			{Name: "bbot", Access: compose.Access{Deny: true}},
		},
		Sitemaps: []string{"https://example.org/s.xml"},
	}
	const want = `# Questions about this file: web@example.org

User-agent: abot
User-agent: bbot
Disallow: /

User-agent: friend
Disallow:

User-agent: *
Disallow: /tmp/
Disallow: /*.pdf$
Allow: /tmp/public/
Crawl-delay: 1.5
Content-Signal: search=yes, ai-train=no
Content-Usage: search=y, train-ai=n

Sitemap: https://example.org/s.xml
`
	text, mistakes := compose.Generate(policy)
	if string(text) != want || len(mistakes) > 0 {
		t.Fatalf("generated\n%s\n%v\nwant\n%s", text, mistakes, want)
	}
	file := robots.Parse(text, robots.RFC9309)
	tests := []struct {
		product, path string
		want          bool
	}{
		{"abot", "/", false}, {"bbot", "/tmp/public/x", false}, {"friend", "/tmp/x", true}, {"other", "/", true},
		{"other", "/tmp/x", false}, {"other", "/tmp/public/x", true}, {"other", "/a.pdf", false}, {"other", "/a.pdf?x", true},
	}
	for _, tt := range tests {
		if v := file.Rules(tt.product).Test(tt.path); v.Allowed != tt.want {
			t.Errorf("Test(%q) for %s = %+v, want %v", tt.path, tt.product, v, tt.want)
		}
	}
	for _, l := range robots.Parse(text, robots.Cautious).Lines() {
		if l.Note != "" {
			t.Errorf("line %d is not plain: %+v", l.Number, l)
		}
	}
}

// TestGenerate_LongerNamesFirst has robots that take the first group whose name is a part of theirs get their own.
func TestGenerate_LongerNamesFirst(t *testing.T) {
	text, _ := compose.Generate(compose.Policy{Robots: []compose.Named{
		{Name: "Googlebot", Access: compose.Access{Deny: true}}, {Name: "other"}, {Name: "googlebot-news"},
	}})
	const want = "User-agent: googlebot-news\nUser-agent: other\nDisallow:\n\nUser-agent: Googlebot\nDisallow: /\n\nUser-agent: *\n"
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("Generate() =\n%s\nwant\n%s", text, want)
	}
}

func TestGenerateRefuses(t *testing.T) {
	tests := []struct {
		name   string
		policy compose.Policy
		want   compose.Mistake
	}{
		{"a path with a blank", compose.Policy{Everyone: compose.Access{Disallow: []string{"/a b"}}},
			compose.Mistake{Where: "everyone", What: "disallow", Text: `"/a b" holds a blank, a # or a control character: write it percent-encoded, %20 or %23`}},
		{"a relative path", compose.Policy{Everyone: compose.Access{Disallow: []string{"tmp"}}},
			compose.Mistake{Where: "everyone", What: "disallow", Text: `"tmp" is not a path: it must begin with / or *`}},
		{"only allow", compose.Policy{Everyone: compose.Access{Allow: []string{"/x"}}},
			compose.Mistake{Where: "everyone", What: "allow", Text: "opens nothing, for nothing is closed: what is not disallowed is allowed"}},
		{"twice", compose.Policy{Robots: []compose.Named{{Name: "a"}, {Name: "A"}}},
			compose.Mistake{Where: "A", Text: "is the same robot as a: letter case does not matter"}},
		{"two lines in a name", compose.Policy{Robots: []compose.Named{{Name: "a\nDisallow: /"}}},
			compose.Mistake{Where: "a\nDisallow: /", Text: `"a\nDisallow: /" is not the name of a robot: write its product token alone`}},
		{"two lines in a contact", compose.Policy{Contact: "a\nb"}, compose.Mistake{Where: "contact", Text: "must be one line"}},
		{"a relative sitemap", compose.Policy{Sitemaps: []string{"/s"}}, compose.Mistake{Where: "sitemaps", Text: `"/s" is not an absolute URL`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, mistakes := compose.Generate(tt.policy)
			if text != nil || len(mistakes) != 1 || mistakes[0] != tt.want {
				t.Errorf("Generate() = %q, %+v\nwant %+v", text, mistakes, tt.want)
			}
		})
	}
}

// FuzzGenerate: what is accepted is read back as it was meant, whatever the paths are.
func FuzzGenerate(f *testing.F) {
	f.Add("/a*$", "/a/b", "bot", "/a/b/c")
	f.Add("*", "*é", "b0t", "/%2A")
	f.Fuzz(func(t *testing.T, disallow, allow, name, path string) {
		everyone := compose.Access{Disallow: []string{disallow}, Allow: []string{allow}}
		text, mistakes := compose.Generate(compose.Policy{Everyone: everyone, Robots: []compose.Named{{Name: name, Access: compose.Access{Deny: true}}}})
		if len(mistakes) > 0 {
			return
		}
		file := robots.Parse(text, robots.RFC9309)
		reference := robots.Parse([]byte("User-agent: *\nDisallow: "+disallow+"\nAllow: "+allow), robots.RFC9309).Rules("")
		if v, w := file.Rules("").Test(path), reference.Test(path); v.Allowed != w.Allowed {
			t.Fatalf("Test(%q) = %+v, want %+v of\n%s", path, v, w, text)
		}
		for _, l := range file.Lines() {
			if l.Role == robots.RoleInvalid || l.Note == robots.ProblemPath {
				t.Fatalf("line %+v of\n%s", l, text)
			}
		}
	})
}

// TestGenerate_SharedGroup: a name that shares the group of an earlier one does not come before a longer name that it is a part of.
func TestGenerate_SharedGroup(t *testing.T) {
	text, _ := compose.Generate(compose.Policy{Robots: []compose.Named{
		{Name: "GPTBot", Access: compose.Access{Deny: true}}, {Name: "Googlebot-News"}, {Name: "CCBot", Access: compose.Access{Deny: true}},
		{Name: "googlebot", Access: compose.Access{Deny: true}},
	}})
	const want = "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: Googlebot-News\nDisallow:\n\n" +
		"User-agent: googlebot\nDisallow: /\n\nUser-agent: *\n"
	if !strings.HasPrefix(string(text), want) {
		t.Errorf("Generate() =\n%s\nwant\n%s", text, want)
	}
}

// TestGenerate_RFC9309_2_5: robots must read 500 KiB; what lies beyond may as well not be written.
func TestGenerate_RFC9309_2_5(t *testing.T) {
	paths := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf("/%06d", i)) // 18 bytes as a line
		}
		return list
	}
	for _, tt := range []struct {
		lines int
		ok    bool
	}{{28_000, true}, {29_000, false}} {
		text, mistakes := compose.Generate(compose.Policy{Everyone: compose.Access{Disallow: paths(tt.lines)}})
		if (text != nil) != tt.ok || (len(mistakes) == 0) != tt.ok {
			t.Errorf("Generate() of %d lines gives %d bytes and %v, want a file: %v", tt.lines, len(text), mistakes, tt.ok)
		}
	}
}

// TestGenerate_Exceptions: four times as many exceptions cost four times as much.
func TestGenerate_Exceptions(t *testing.T) {
	cost := func(n int) float64 {
		var everyone compose.Access
		for i := range n {
			everyone.Disallow = append(everyone.Disallow, fmt.Sprintf("/a/long/path/as/large/sites/have/them/%d/", i))
			everyone.Allow = append(everyone.Allow, fmt.Sprintf("/a/long/path/as/large/sites/have/them/%d/open", i))
		}
		return testing.AllocsPerRun(1, func() { compose.Generate(compose.Policy{Everyone: everyone}) })
	}
	if few, many := cost(250), cost(1000); many > 6*few {
		t.Errorf("%.0f allocations for 250 exceptions, %.0f for 1,000", few, many)
	}
}
