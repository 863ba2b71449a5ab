package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
)

func TestDiff(t *testing.T) {
	const before = "User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 2\nDisallow: /y\n"
	const after = "# new\nUser-agent: b\nUser-agent: a\nDisallow: /x\nDisallow: /z\n\nUser-agent: *\nDisallow:\n"
	d := compose.Diff([]byte(before), []byte(after), compose.DiffOptions{Paths: []string{"/", "/x", "/y", "/z/1", "/z/2"}})
	if d.Same() || d.Proved || d.Tried != 5 || len(d.Changes) != 2 || len(d.Paces) != 2 {
		t.Fatalf("Diff() = %+v", d)
	}
	opened, closed := d.Changes[0], d.Changes[1]
	if !opened.Opened || opened.Old.Line != 7 || opened.New.Line != 0 || !slices.Equal(opened.Paths, []string{"/y"}) || !slices.Equal(opened.Products, []string{""}) {
		t.Errorf("opened: %+v", opened)
	}
	if closed.Opened || closed.Old.Line != 0 || closed.New.Line != 5 || !slices.Equal(closed.Paths, []string{"/z/1", "/z/2"}) || !slices.Equal(closed.Products, []string{"a", "b"}) {
		t.Errorf("closed: %+v", closed)
	}
	if p := d.Paces[1]; p.Old != 2*time.Second || p.New != 0 || p.OldLine != 6 || !slices.Equal(p.Products, []string{""}) {
		t.Errorf("paces: %+v", d.Paces)
	}
}

func TestDiffProves(t *testing.T) {
	tests := []struct {
		name, before, after string
		proved              bool
	}{
		{"written differently", "User-agent: *\nDisallow: /a\nDisallow: /b%7e\n", "user-AGENT:*\n\nDisallow:/b~\nDisallow: /a*\nDisallow: /a/b", true},
		{"no file and an empty group", "", "User-agent: *\nDisallow:\n", true},
		{"a star for the slash", "User-agent: *\nDisallow: *\n", "User-agent: *\nDisallow: /\n", true},
		{"an allow of nothing", "User-agent: *\nAllow: /a\n", "", true},
		{"not the same", "User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a/\n", false},
		{"stars in other places", "User-agent: *\nDisallow: /*a*b\n", "User-agent: *\nDisallow: /*a*c*b\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := compose.Diff([]byte(tt.before), []byte(tt.after), compose.DiffOptions{})
			if d.Proved != tt.proved || d.Same() != tt.proved {
				t.Errorf("Diff() = %+v, want proved %v", d, tt.proved)
			}
		})
	}
}

// TestDiff_SameFile: a file says what it says, though it is so long, and names so many, that to prove it rule by rule is too dear.
func TestDiff_SameFile(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "User-agent: robot%c%c\nDisallow: /\n\n", 'a'+i/26, 'a'+i%26)
	}
	b.WriteString("User-agent: *\n")
	for i := range 1500 {
		fmt.Fprintf(&b, "Disallow: /%d/\n", i)
	}
	d := compose.Diff([]byte(b.String()), []byte(b.String()), compose.DiffOptions{})
	if !d.Proved || !d.Same() {
		t.Errorf("proved %v, changes %v", d.Proved, d.Changes)
	}
}

// TestDiff_OfTheNameThatARobotObeys takes out the group of a robot that then obeys the name of another one, as its maker says.
func TestDiff_OfTheNameThatARobotObeys(t *testing.T) {
	const rest = "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp\n"
	d := compose.Diff([]byte("User-agent: Googlebot-News\nDisallow: /tmp\n\n"+rest), []byte(rest), compose.DiffOptions{})
	if len(d.Changes) != 1 || d.Changes[0].Opened || d.Changes[0].New.Rule != "Disallow: /" || d.Obeyed["Googlebot-News"] != "googlebot" {
		t.Errorf("Diff() = %+v, want all closed to Googlebot-News", d)
	}
}

func TestDiffDecided(t *testing.T) {
	start := strings.Repeat("0", 1100) // so long that where two such patterns meet is too dear to find out
	before := "User-agent: *\nDisallow: /" + start + "*a$\n"
	after := before + "Allow: /" + start + "*b$\n"
	for _, tt := range []struct {
		after string
		paths []string
		want  bool
	}{{before, nil, true}, {before + "Disallow: /x\n", nil, true}, {after, nil, false}, {after, []string{"/"}, true}} {
		d := compose.Diff([]byte(before), []byte(tt.after), compose.DiffOptions{Paths: tt.paths})
		if d.Decided() != tt.want {
			t.Errorf("%d bytes, paths %v: Decided() = %v, want %v", len(tt.after), tt.paths, !tt.want, tt.want)
		}
	}
}

func TestProducts(t *testing.T) {
	const text = "User-agent: Foo/1.0\nUser-agent: foo\nUser-agent: bar, baz\nUser-agent: 360bot\nUser-agent: *\nUseragent: qux\nUser-agent: x Disallow: /agent\nDisallow: /y\n"
	want := []string{"360bot", "bar", "baz", "Foo", "qux", "x"}
	if got := compose.Products([]byte(text)); !slices.Equal(got, want) {
		t.Errorf("Products() = %q, want %q", got, want)
	}
}

// FuzzDiff: a file does not differ from itself, what differs one way differs the other way too, and what is proved equal
// is equal on any path.
func FuzzDiff(f *testing.F) {
	f.Add([]byte("User-agent: a\nDisallow: /x*y\n"), []byte("User-agent: *\nDisallow: /x\nAllow: /xy$\n"), "/xy")
	f.Add([]byte("User-agent: *\nDisallow: /*a*\nAllow: /b*a$\n"), []byte("User-agent: *\nDisallow: /*a\nAllow: /b*a$\nDisallow: /c*a"), "/bca")
	f.Fuzz(func(t *testing.T, x, y []byte, path string) {
		if len(x)+len(y) > 4000 {
			return
		}
		if d := compose.Diff(x, x, compose.DiffOptions{}); !d.Same() || !d.Proved {
			t.Fatalf("differs from itself: %+v", d)
		}
		paths := append(compose.Samples(x, y), path)
		d, back := compose.Diff(x, y, compose.DiffOptions{Paths: paths}), compose.Diff(y, x, compose.DiffOptions{Paths: paths})
		if d.Same() != back.Same() || d.Proved != back.Proved {
			t.Fatalf("one way %+v, the other %+v", d, back)
		}
		if d.Proved && len(d.Changes) > 0 {
			t.Fatalf("proved equal, but %+v", d.Changes)
		}
		for _, c := range d.Changes {
			for _, product := range c.Products {
				for _, p := range c.Paths {
					v, w := robots.Parse(x, robots.Cautious).Rules(product).Test(p), robots.Parse(y, robots.Cautious).Rules(product).Test(p)
					if v.Allowed == w.Allowed || w.Allowed != c.Opened {
						t.Fatalf("%q for %q: %+v and %+v, reported as %+v", p, product, v, w, c)
					}
				}
			}
		}
	})
}
