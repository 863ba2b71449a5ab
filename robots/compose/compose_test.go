package compose_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

// tree makes a directory of files, given as name and text in turn.
func tree(files ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		dir[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return dir
}

// TestCompose_OfOne: the file says from which one it was made.
func TestCompose_OfOne(t *testing.T) {
	c, err := compose.Compose(tree("a.robots", "User-agent: *\nDisallow: /x\n"), compose.Options{})
	if err != nil || !strings.HasPrefix(string(c.Text), "# Composed from a.robots. Edit that, not this file.\n\nUser-agent") {
		t.Errorf("composed %q, %v", c.Text, err)
	}
}

func TestCompose(t *testing.T) {
	tests := []struct {
		name string
		dir  fstest.MapFS
		want string // what follows the first line
	}{
		{"paths are prefixed, groups merged, sources named", tree(
			"robots.txt", "User-agent: *\nDisallow: /tmp/ # soon gone\nCrawl-delay: 5\nSitemap: http://a.example/s.xml\n",
			"team/robots.txt", "User-agent: *\nDisallow: private/\nDisallow: ./old\nDisallow: *.pdf$\nDisallow: /team/absolute\nSitemap: http://a.example/s.xml\n",
		), "\nUser-agent: *\n# from robots.txt\nDisallow: /tmp/ # soon gone\nCrawl-delay: 5\n# from team/robots.txt\n" +
			"Disallow: /team/private/\nDisallow: /team/old\nDisallow: /team/*.pdf$\nDisallow: /team/absolute\n" +
			"\n# from robots.txt\nSitemap: http://a.example/s.xml\n"},
		{"a robot named in one fragment keeps what the others say to all", tree(
			"robots.txt", "User-agent: *\nDisallow: /tmp/\n",
			"team/bots.robots", "User-agent: abot\nDisallow: ./\n",
		), "\nUser-agent: abot\n# from robots.txt, for every robot that it does not name\nDisallow: /tmp/\n# from team/bots.robots\nDisallow: /team/\n" +
			"\nUser-agent: *\n# from robots.txt\nDisallow: /tmp/\n"},
		{"a robot obeys another name where its own does not stand", tree(
			"robots.txt", "User-agent: GoogleBot\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp/\n",
			"team/robots.txt", "User-agent: Googlebot-News\nDisallow: drafts/\n",
		), "\nUser-agent: Googlebot-News\n# from robots.txt, which says it to GoogleBot\nDisallow: /\n# from team/robots.txt\nDisallow: /team/drafts/\n" +
			"\nUser-agent: GoogleBot\n# from robots.txt\nDisallow: /\n" +
			"\nUser-agent: *\n# from robots.txt\nDisallow: /tmp/\n"},
		{"robots with the same rules share a group", tree(
			"robots.txt", "User-agent: a\nUser-agent: B\nDisallow: /x\n\nUser-agent: b\nDisallow:\n",
		), "\nUser-agent: a\nUser-agent: B\n# from robots.txt\nDisallow: /x\n"},
		{"a group without rules lets in", tree("a.robots", "User-agent: a\nDisallow:\n"), "\nUser-agent: a\nDisallow:\n"},
		{"names of directories are encoded", tree("my docs/100%/robots.txt", "User-agent: *\nDisallow: x\n"),
			"\nUser-agent: *\n# from my docs/100%/robots.txt\nDisallow: /my%20docs/100%25/x\n"},
		{"preferences get a path", tree("team/robots.txt", "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: /team/x ai-train=no\nDisallow:\n"),
			"\nUser-agent: *\n# from team/robots.txt\nContent-Usage: /team/ train-ai=n\nContent-Signal: /team/x ai-train=no\nDisallow:\n"},
		{"hidden directories and other files are left alone", tree("robots.txt", "", ".git/robots.txt", "x", "readme.txt", "x"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := compose.Compose(tt.dir, compose.Options{})
			if err != nil || len(c.Problems)+len(c.Conflicts) > 0 {
				t.Fatalf("Compose() = %+v, %v", c, err)
			}
			_, got, _ := strings.Cut(string(c.Text), "\n")
			if got != tt.want {
				t.Errorf("composed\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestComposeRefuses(t *testing.T) {
	tests := []struct{ line, want string }{
		{"Disallow: /other/", "team/robots.txt:2: /other/ lies outside /team/, which is all that this file speaks for"},
		{"Disallow: /", "team/robots.txt:2: / lies outside /team/, which is all that this file speaks for"},
		{"Disallow: /team", "team/robots.txt:2: /team lies outside /team/, which is all that this file speaks for"},
		{"Allow: /te*m/x", "team/robots.txt:2: /te*m/x lies outside /team/, which is all that this file speaks for"},
		{"Disallow: /team%2Fx", "team/robots.txt:2: /team%2Fx lies outside /team/, which is all that this file speaks for"},
		{"Disallow: ../other", "team/robots.txt:2: a path with .. in it matches no page: URLs are made plain before rules are asked"},
		{"Disallow: a/%2E%2e/b", "team/robots.txt:2: a path with .. in it matches no page: URLs are made plain before rules are asked"},
		{"Disallow: http://other.example/x", `team/robots.txt:2: "Disallow: http://other.example/x" is not plain (full-url): robots differ on what it means`},
		{"Disallow: a b", `team/robots.txt:2: "Disallow: a b" is not plain (spaces-in-path+missing-slash): robots differ on what it means`},
		{"Dissallow: a", `team/robots.txt:2: "Dissallow: a" is not plain (misspelt-field+missing-slash): robots differ on what it means`},
		{"Please stay out", `team/robots.txt:2: "Please stay out" is not plain (no-colon): robots differ on what it means`},
		{"Crawl-delay: 5", "team/robots.txt:2: Crawl-delay speaks for the whole site: only a fragment at the top may say so"},
		{"Host: x.example", "team/robots.txt:2: Host speaks for the whole site: only a fragment at the top may say so"},
		{"Content-Usage: /x train-ai=n", "team/robots.txt:2: /x lies outside /team/, which is all that this file speaks for"},
		{"Sitemap: /s.xml", `team/robots.txt:2: "/s.xml" is not an absolute URL, which a sitemap needs`},
		{"\nUser-agent: b", "team/robots.txt:3: the names above have no rules: write Disallow: below them, or take out the blank line to have them share these"},
		{"User-agent: Bot/1.0", `team/robots.txt:2: "Bot/1.0" is not the name of a robot: write its product token alone`},
		{"Disallow: \xff", "team/robots.txt: is not UTF-8"},
	}
	for _, tt := range tests {
		c, err := compose.Compose(tree("team/robots.txt", "User-agent: *\n"+tt.line+"\nDisallow: x\n"), compose.Options{})
		if err != nil || c.Text != nil || len(c.Problems) != 1 || c.Problems[0].String() != tt.want {
			t.Errorf("%q: Compose() = %q, %q, %v\nwant %s", tt.line, c.Text, c.Problems, err, tt.want)
		}
	}
	if _, err := compose.Compose(tree("x.txt", ""), compose.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without fragments: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestComposeConflicts(t *testing.T) {
	tests := []struct {
		name      string
		top, team string
		want      compose.Outcome
		robot     string
	}{
		{"the top forbids, the team opens", "User-agent: *\nDisallow: /\n", "User-agent: *\nAllow: ./\nDisallow: x\n", compose.Open, "*"},
		{"with wildcards", "User-agent: *\nDisallow: /*.pdf\n", "User-agent: *\nAllow: press/\nDisallow: x\n", compose.Open, "*"},
		{"the top opens what the team forbids", "User-agent: *\nDisallow: /team/\nAllow: /team/x/y\n", "User-agent: *\nDisallow: x\n", compose.Open, "*"},
		{"the team forbids a part", "User-agent: *\nAllow: /team/x\nDisallow: /z\n", "User-agent: *\nDisallow: x/y\n", compose.Closed, "*"},
		{"only one speaks by name", "User-agent: abot\nDisallow: /\n", "User-agent: *\nDisallow: x/\nAllow: x/y\n", compose.Dropped, "abot"},
		{"no path in common", "User-agent: *\nDisallow: /team/a\n", "User-agent: *\nAllow: b/c\nDisallow: b\n", "", ""},
		{"the same exception", "User-agent: *\nDisallow: /team/\nAllow: /team/x/\n", "User-agent: *\nAllow: x/\nDisallow: x\n", "", ""},
		{"to let in all of one's own is no exception", "User-agent: *\nAllow: /\nDisallow: /z\n", "User-agent: *\nDisallow: x\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree("robots.txt", tt.top, "team/robots.txt", tt.team)
			c, err := compose.Compose(dir, compose.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if len(c.Conflicts) > 0 {
					t.Errorf("conflicts: %+v, want none", c.Conflicts)
				}
				return
			}
			if len(c.Conflicts) != 1 || c.Conflicts[0].Outcome != tt.want || c.Conflicts[0].Robot != tt.robot {
				t.Fatalf("conflicts: %+v, want one, %s, for %s", c.Conflicts, tt.want, tt.robot)
			}
			if (c.Text == nil) != (tt.want == compose.Open) {
				t.Errorf("composed %q", c.Text)
			}
			strict, err := compose.Compose(dir, compose.Options{Stricter: true})
			if err != nil || strict.Text == nil {
				t.Fatalf("stricter: %+v, %v", strict, err)
			}
			path := c.Conflicts[0].Path
			if v := robots.Parse(strict.Text, robots.RFC9309).Rules(tt.robot).Test(path); v.Allowed {
				t.Errorf("stricter: Test(%q) = %+v, want forbidden", path, v)
			}
		})
	}
}

// FuzzCompose: whatever two maintainers write, the result never allows what the top forbids, nor below /t/ what the team
// there forbids; and it is the same every time.
func FuzzCompose(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a\nAllow: /t/b\n", "User-agent: x\nDisallow: b\nAllow: b/c\n", "b/c", "x")
	f.Add("User-agent: x\nDisallow: /*.gif$\n", "User-agent: *\nAllow: a*\nDisallow: ./\n", "a.gif", "y")
	f.Add("User-agent: *\nDisallow: /t/$\n\nUser-agent: y\nDisallow:\n", "User-agent: y\nAllow: ./\nDisallow: $\n", "", "y")
	f.Fuzz(func(t *testing.T, top, team, path, product string) {
		if len(top)+len(team) > 2000 {
			return
		}
		dir := tree("robots.txt", top, "t/robots.txt", team)
		for _, stricter := range []bool{false, true} {
			c, err := compose.Compose(dir, compose.Options{Stricter: stricter})
			if err != nil {
				t.Fatal(err)
			}
			if c.Text == nil {
				continue
			}
			again, _ := compose.Compose(dir, compose.Options{Stricter: stricter})
			if string(again.Text) != string(c.Text) {
				t.Fatalf("composed twice: %q, %q", c.Text, again.Text)
			}
			checkComposed(t, c.Text, top, team, path, product)
		}
	})
}

// checkComposed compares a verdict of a result with that of the fragments. The one of the team is asked as if /t/ were the
// top, which its relative paths are about.
func checkComposed(t *testing.T, text []byte, top, team, path, product string) {
	t.Helper()
	path = strings.TrimPrefix(path, "/")
	result := robots.Parse(text, robots.RFC9309).Rules(product)
	if v := robots.Parse([]byte(top), robots.RFC9309).Rules(product).Test("/t/" + path); !v.Allowed && result.Test("/t/"+path).Allowed {
		t.Fatalf("/t/%s is open to %q, but the top says %+v\n%s", path, product, v, text)
	}
	if strings.Contains(strings.ToLower(team), "/t/") || !plainFragment(team) {
		return
	}
	own := robots.Parse([]byte(relativeToTop(team)), robots.RFC9309).Rules(product)
	if v := own.Test("/" + path); path != "robots.txt" && !v.Allowed && result.Test("/t/"+path).Allowed {
		t.Fatalf("/t/%s is open to %q, but the team says %+v\n%s", path, product, v, text)
	}
}

// plainFragment reports whether every path is relative in the simplest way.
func plainFragment(text string) bool {
	for _, l := range robots.Parse([]byte(text), robots.RFC9309).Lines() {
		if (l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow) && strings.ContainsAny(l.Value, "/%.") {
			return false
		}
	}
	return true
}

// relativeToTop puts a slash before every relative path.
func relativeToTop(text string) string {
	var b strings.Builder
	for _, l := range robots.Parse([]byte(text), robots.RFC9309).Lines() {
		value := l.Value
		if (l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow) && value != "" {
			value = "/" + value
		}
		b.WriteString(l.Key + ": " + value + "\n")
	}
	return b.String()
}
