package robots_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// clock returns a time of the 1st of March 2026, in UTC.
func clock(t testing.TB, hhmm string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04", "2026-03-01 "+hhmm)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestOpens(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		now        string
		wait       time.Duration
		line       int
	}{
		{"nothing is asked for", "User-agent: *\nDisallow:", "12:00", 0, 0},
		{"within", "User-agent: *\nVisit-time: 0600-0845", "06:00", 0, 2},
		{"before", "User-agent: *\nVisit-time: 0600-0845", "05:59", time.Minute, 2},
		{"the end is outside", "User-agent: *\nVisit-time: 0600-0845", "08:45", 21*time.Hour + 15*time.Minute, 2},
		{"around midnight, late", "User-agent: *\nVisit-time: 2200-0400", "23:00", 0, 2},
		{"around midnight, early", "User-agent: *\nVisit-time: 2200-0400", "03:59", 0, 2},
		{"around midnight, noon", "User-agent: *\nVisit-time: 2200-0400", "12:00", 10 * time.Hour, 2},
		{"all day", "User-agent: *\nVisit-time: 0000-2400", "23:59", 0, 2},
		{"a window of no length is all day", "User-agent: *\nVisit-time: 0600-0600", "12:00", 0, 2},
		{"the next of two", "User-agent: *\nVisit-time: 0100-0200\nVisit-time: 1300-1400", "12:00", time.Hour, 3},
		{"one of two is open", "User-agent: *\nVisit-time: 0100-0200\nVisit-time: 1100-1400", "12:00", 0, 3},
		{"colons, blanks and words", "User-agent: *\nvisit-time : 06:00 - 08:45 UT", "12:00", 18 * time.Hour, 2},
		{"points", "User-agent: *\nVisit-time: 06.00-08.45", "12:00", 18 * time.Hour, 2},
		{"our group", "User-agent: *\nVisit-time: 0100-0200\nDisallow:\nUser-agent: cybermapper\nVisit-time: 1100-1300", "12:00", 0, 5},
		{"our group is silent", "User-agent: *\nVisit-time: 0100-0200\nDisallow:\nUser-agent: cybermapper\nDisallow:", "12:00", 13 * time.Hour, 2},
		{"another robot's group", "User-agent: other\nVisit-time: 0100-0200", "12:00", 0, 0},
		{"before all groups", "Visit-time: 0100-0200\nUser-agent: *\nDisallow:", "12:00", 13 * time.Hour, 1},
		{"between the names of a group", "User-agent: other\nVisit-time: 0100-0200\nUser-agent: cybermapper\nDisallow:", "12:00", 13 * time.Hour, 2},
		{"a name that only leniency sees", "User-agent: other cybermapper\nVisit-time: 0100-0200", "12:00", 13 * time.Hour, 2},
		{"between tags", "User-agent: *<br />\nVisit-time: 0100-0200<br />", "12:00", 13 * time.Hour, 2},
		{"unreadable", "User-agent: *\nVisit-time: 9am-5pm\nVisit-time: 0860-0900\nVisit-time: 2401-0100\nVisit-time: 0100", "12:00", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := robots.Parse([]byte(tt.body), robots.Cautious).Rules("cybermapper")
			now := clock(t, tt.now)
			opens, w := rules.Opens(now)
			if opens.Sub(now) != tt.wait || w.Line != tt.line {
				t.Errorf("Opens() = in %v by line %d, want in %v by line %d", opens.Sub(now), w.Line, tt.wait, tt.line)
			}
		})
	}
}

func TestClean(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		path, want string
		line       int
	}{
		{"none", "User-agent: *\nDisallow:", "/a?ref=1", "/a?ref=1", 0},
		{"one", "User-agent: *\nClean-param: ref", "/a?x=1&ref=2&y=3", "/a?x=1&y=3", 2},
		{"all", "User-agent: *\nClean-param: ref&sid", "/a?ref=2&sid=", "/a", 2},
		{"below a path", "User-agent: *\nClean-param: ref /shop/", "/shop/a?ref=2", "/shop/a", 2},
		{"elsewhere", "User-agent: *\nClean-param: ref /shop/", "/a?ref=2", "/a?ref=2", 0},
		{"wildcards", "User-agent: *\nClean-param: ref /*.php", "/forum/show.php?ref=2&t=1", "/forum/show.php?t=1", 2},
		{"without a slash", "User-agent: *\nClean-param: ref shop", "/shop?ref=2", "/shop", 2},
		{"several lines", "User-agent: *\nClean-param: a\nClean-param: b", "/?b=1&a=2&c=3", "/?c=3", 2},
		{"letter case counts", "User-agent: *\nClean-param: Ref", "/?ref=1", "/?ref=1", 0},
		{"a longer name", "User-agent: *\nClean-param: ref", "/?reference=1", "/?reference=1", 0},
		{"our group", "User-agent: *\nClean-param: a\nDisallow:\nUser-agent: cybermapper\nClean-param: b", "/?a=1&b=2", "/?a=1", 5},
		{"no names", "User-agent: *\nClean-param: & /", "/?a=1", "/?a=1", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := robots.Parse([]byte(tt.body), robots.Cautious).Rules("cybermapper")
			got := rules.Clean(tt.path)
			if got.PathQuery != tt.want || got.Line != tt.line {
				t.Errorf("Clean(%q) = %+v, want %q by line %d", tt.path, got, tt.want, tt.line)
			}
		})
	}
}

func TestUses(t *testing.T) {
	const file = `User-agent: *
Content-Usage: train-ai=n
Content-Usage: /press/ train-ai=y
Content-Usage: /press/	search=n
Content-Usage: /*.pdf$ search=n
Content-Signal: ai-train=no
Content-Signal: /press/ ai-train=yes
`
	rules := robots.Parse([]byte(file), robots.Cautious).Rules("cybermapper")
	for path, want := range map[string][]int{
		"/":           {2, 6},
		"/press/a":    {3, 4, 7},
		"/paper.pdf":  {5, 6},
		"/paper.pdfs": {2, 6},
	} {
		var lines []int
		for _, u := range rules.Uses(path) {
			lines = append(lines, u.Line)
			if strings.HasPrefix(u.Value, "/") {
				t.Errorf("Uses(%q): value %q holds a path", path, u.Value)
			}
		}
		if !slices.Equal(lines, want) {
			t.Errorf("Uses(%q) = lines %v, want %v", path, lines, want)
		}
	}
}

func TestWishesAreBounded(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Visit-time: 0100-0200\n", 2*robots.MaxWishes)
	if n := len(robots.Parse([]byte(body), robots.Cautious).Rules("").VisitTimes()); n != robots.MaxWishes {
		t.Errorf("%d windows, want %d", n, robots.MaxWishes)
	}
}

// Whatever the file: nil Rules wish nothing, a window opens within a day and is open then, and what Clean leaves has no more
// parameters than before and is left alone the second time. No wish changes a verdict.
func FuzzWishes(f *testing.F) {
	f.Add("Visit-time: 2200-0400\nClean-param: a&b /*x$\nContent-Usage: /a train-ai=n\nContent-Signal: search=no", "/a?a=1&c=2", uint32(86399))
	f.Add("Visit-time: 0000-2400\nVisit-time: 06:00 - 0600", "/?b", uint32(0))
	f.Fuzz(func(t *testing.T, lines, path string, second uint32) {
		now := clock(t, "00:00").Add(time.Duration(second%86400) * time.Second)
		for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309, robots.Std1994} {
			rules := robots.Parse([]byte("User-agent: *\n"+lines), d).Rules("cybermapper")
			at, _ := rules.Opens(now)
			if wait := at.Sub(now); wait < 0 || wait > 24*time.Hour {
				t.Fatalf("opens in %v", wait)
			}
			if again, _ := rules.Opens(at); !again.Equal(at) {
				t.Fatalf("closed at %v, when it should open", at)
			}
			c := rules.Clean(path)
			if len(c.PathQuery) > len(path) || rules.Clean(c.PathQuery).PathQuery != c.PathQuery {
				t.Fatalf("Clean(%q) = %q", path, c.PathQuery)
			}
			rules.Uses(path)
		}
	})
}
