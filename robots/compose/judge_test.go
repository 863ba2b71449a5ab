package compose_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

var dialects = []robots.Dialect{robots.RFC9309, robots.Cautious, robots.Std1994}

// obeyed are the names that robots obey where their own do not stand, as their makers say.
var obeyed = map[string]string{
	"applebot": "googlebot", "bingbot": "msnbot", "google-inspectiontool": "googlebot", "googlebot-image": "googlebot",
	"googlebot-news": "googlebot", "googlebot-video": "googlebot", "yandexbot": "yandex", "yandeximages": "yandex",
}

// rulesOf returns what a file says to a robot.
func rulesOf(f *robots.File, name string) *robots.Rules {
	other := obeyed[strings.ToLower(name)]
	if named := f.Register(); other != "" && named.Audience(name) == "" && named.Audience(other) != "" {
		name = other
	}
	return f.Rules(name)
}

// A verdictOf is a robot and a path on which two files differ.
type verdictOf struct {
	name, path    string
	before, after robots.Verdict
}

// differences asks two files about all names and paths around them.
func differences(before, after []byte, d robots.Dialect) (all []verdictOf, asked int) {
	x, y := robots.Parse(before, d), robots.Parse(after, d)
	paths := robotstest.Paths(250, before, after)
	for _, name := range robotstest.Names(append(slices.Concat(before, []byte("\n")), after...), 60) {
		r, s := rulesOf(x, name), rulesOf(y, name)
		for _, path := range paths {
			asked++
			if v, w := r.Test(path), s.Test(path); v.Allowed != w.Allowed {
				all = append(all, verdictOf{name, path, v, w})
			}
		}
		p, _ := r.Delay()
		if q, _ := s.Delay(); p != q {
			all = append(all, verdictOf{name: name, path: fmt.Sprintf("pause %v, %v", p, q)})
		}
	}
	return all, asked
}

// judgeMinimize holds a minimized file to the promises.
func judgeMinimize(t *testing.T, f robotstest.File, o compose.MinimizeOptions) (asked int) {
	t.Helper()
	m := compose.Minimize(f.Body, o)
	if len(m.Text) > len(f.Body) {
		t.Errorf("%s: %d bytes became %d", f.ID, len(f.Body), len(m.Text))
	}
	if again := compose.Minimize(m.Text, o); !bytes.Equal(again.Text, m.Text) {
		t.Errorf("%s: minimized %.500q, and again %.500q", f.ID, m.Text, again.Text)
	}
	for _, d := range dialects {
		if o.Dialects != nil && !slices.Contains(o.Dialects, d) {
			continue
		}
		differ, n := differences(f.Body, m.Text, d)
		asked += n
		if len(differ) > 0 {
			t.Errorf("%s: %v: minimized differs for %q on %s and %d more\n%.500q\n%.500q", f.ID, d, differ[0].name, differ[0].path, len(differ)-1, f.Body, m.Text)
		}
	}
	for _, r := range m.Removed {
		if r.Line == 0 || r.Why == "" {
			t.Errorf("%s: removed without line or reason: %+v", f.ID, r)
		}
	}
	return asked
}

func TestJudgeMinimize(t *testing.T) {
	asked := 0
	for i, f := range robotstest.Generated(1, 1) {
		o := compose.MinimizeOptions{KeepComments: i%5 == 1}
		if i%5 == 2 {
			o.Dialects = []robots.Dialect{robots.RFC9309, robots.Cautious}
		}
		asked += judgeMinimize(t, f, o)
	}
	t.Logf("%d verdicts", asked)
}

func TestJudgeMinimize_real(t *testing.T) {
	asked, before, after, same := 0, 0, 0, 0
	for _, f := range robotstest.Real(t) {
		asked += judgeMinimize(t, f, compose.MinimizeOptions{})
		text := compose.Minimize(f.Body, compose.MinimizeOptions{}).Text
		before, after = before+len(f.Body), after+len(text)
		if bytes.Equal(text, f.Body) {
			same++
		}
	}
	t.Logf("%d verdicts; %d bytes became %d, %d files stayed as they were", asked, before, after, same)
}

// judgeDiff holds a difference to the verdicts: what is said to be the same is, and what is said to change does.
func judgeDiff(t *testing.T, id string, before, after []byte, d robots.Dialect) {
	t.Helper()
	found := compose.Diff(before, after, compose.DiffOptions{Dialect: d})
	if found.Same() {
		if differ, _ := differences(before, after, d); len(differ) > 0 {
			t.Errorf("%s: %v: said to be the same (proved %v), but %q on %s: %+v\n%.700q\n%.700q", id, d, found.Proved, differ[0].name, differ[0].path, differ[0], before, after)
		}
	}
	x, y := robots.Parse(before, d), robots.Parse(after, d)
	for _, c := range found.Changes {
		for _, product := range c.Products[:min(len(c.Products), 40)] {
			r, s := rulesOf(x, product), rulesOf(y, product)
			for _, path := range c.Paths[:min(len(c.Paths), 40)] {
				if v, w := r.Test(path), s.Test(path); v.Allowed == w.Allowed || w.Allowed != c.Opened {
					t.Errorf("%s: %v: %q on %s is reported, opened %v, but %+v and %+v\n%.500q\n%.500q", id, d, product, path, c.Opened, v, w, before, after)
				}
			}
		}
	}
	for _, p := range found.Paces {
		for _, product := range p.Products[:min(len(p.Products), 40)] {
			old, _ := rulesOf(x, product).Delay()
			if now, _ := rulesOf(y, product).Delay(); old != p.Old || now != p.New {
				t.Errorf("%s: %v: pause of %q is reported as %v, %v, but is %v, %v", id, d, product, p.Old, p.New, old, now)
			}
		}
	}
}

func TestJudgeDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, f := range robotstest.Generated(2, 1) {
		after := robotstest.Change(r, f.Body)
		for _, d := range dialects {
			judgeDiff(t, f.ID, f.Body, after, d)
			if same := compose.Diff(f.Body, f.Body, compose.DiffOptions{Dialect: d}); !same.Same() || !same.Proved {
				t.Errorf("%s: differs from itself in %v: %+v", f.ID, d, same)
			}
		}
	}
}

func TestJudgeDiff_real(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, f := range robotstest.Real(t) {
		for _, d := range dialects {
			judgeDiff(t, f.ID, f.Body, robotstest.Change(r, f.Body), d)
		}
	}
}

// TestProofsAreProofs has the pairs of files that were once said to be the same, and are not.
func TestProofsAreProofs(t *testing.T) {
	for _, tt := range []struct {
		before, after, name, path string
		dialect                   robots.Dialect
	}{
		{"User-agent: GPTBot\nUsr-agent: Bingbot\nDisallow: /\n", "User-agent: GPTBot\nUsr-agent: Bingbot\nDisallow:\n", "GPTBot", "/", robots.Cautious},
		{"User-agent: GPTBot\nDisallow: /*\nDisallow: /* # why\nUsr-agent: Bing-Bot\n", "User-agent: GPTBot\nDisallow:\n", "GPTBot", "/", robots.RFC9309},
		{"User-agent: sogou spider\nDisallow: /\nAllow: /\n", "User-agent: sogou spider\nDisallow:\n", "spider", "/", robots.Cautious},
		{"User-agent: a b\nDisallow: /x\nAllow: /x\n", "User-agent: a b\nDisallow: /x\n", "a", "/x", robots.Cautious},
		{"User-agent: cyber\nDisallow: /x\nAllow: /x\n", "User-agent: cyber\nAllow: /x\n", "cybermapper", "/x", robots.Cautious},
	} {
		d := compose.Diff([]byte(tt.before), []byte(tt.after), compose.DiffOptions{Dialect: tt.dialect})
		if d.Same() || d.Proved {
			t.Errorf("%q and %q are said to be the same, but differ for %s on %s", tt.before, tt.after, tt.name, tt.path)
		}
		judgeDiff(t, tt.name, []byte(tt.before), []byte(tt.after), tt.dialect)
		judgeMinimize(t, robotstest.File{ID: tt.name, Body: []byte(tt.before)}, compose.MinimizeOptions{})
	}
	d := compose.Diff([]byte("User-agent: a b\nDisallow: /x\nAllow: /x\n"), []byte("User-agent: a b\nDisallow: /x\n"), compose.DiffOptions{})
	if len(d.Changes) != 1 || !slices.Equal(d.Changes[0].Products, []string{"a"}) {
		t.Errorf("changes %+v, want one for a: b was closed before", d.Changes)
	}
}
