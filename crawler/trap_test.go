package crawler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Promise 6: a bound strikes with its reason.
func TestTraps_Shape(t *testing.T) {
	traps := Traps{}.withDefaults()
	for _, tt := range []struct {
		path string
		want Reason
	}{
		{"/", ""},
		{"/a/b/c/d", ""},
		{"/2024/01/01/", ""},
		{"/a/a/b", ""},
		{"/a/a/a", ReasonRepeated},
		{"/x/a/b/a/b/y", ""},
		{"/x/a/b/a/b/a/b/y", ReasonRepeated},
		{"/main/src/main/java/main", ""},
		{strings.Repeat("/s", 1) + "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19", ""},
		{"/0/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20", ReasonPathDepth},
		{"/" + strings.Repeat("x", 2048), ReasonURLLength},
	} {
		if r, _ := traps.judge(frontier.Link{URL: frontiertest.URL(t, "http://a.example"+tt.path)}); r.Reason != tt.want {
			t.Errorf("judge(%.60q) = %q, want %q", tt.path, r.Reason, tt.want)
		}
	}
	off := Traps{URLLength: -1, PathSegments: -1, Repeats: -1}.withDefaults()
	if _, refused := off.judge(frontier.Link{URL: frontiertest.URL(t, "http://a.example"+strings.Repeat("/a", 2000))}); refused {
		t.Error("with all bounds off a long path is turned away")
	}
	tight := Traps{PathSegments: 1, Repeats: 1}.withDefaults()
	for path, want := range map[string]Reason{"/": "", "/a": "", "/a/": "", "/a/b": ReasonPathDepth, "/a/a": ReasonPathDepth} {
		if r, _ := tight.judge(frontier.Link{URL: frontiertest.URL(t, "http://a.example"+path)}); r.Reason != want {
			t.Errorf("with one segment allowed, judge(%q) = %q, want %q", path, r.Reason, want)
		}
	}
}

// The listing of a directory is visited once, and not in each of the orders that its server offers for it; what only looks so is
// followed.
func TestTraps_ListingOrders(t *testing.T) {
	traps, keep := Traps{}.withDefaults(), Traps{KeepOrders: true}.withDefaults()
	for _, tt := range []struct {
		via, url string
		refused  bool
	}{
		{"/pub/", "/pub/?C=N;O=D", true},
		{"/pub/", "/pub/?C=M&O=A", true},
		{"/pub/", "/pub/?C=S;O=A&F=1", true},
		{"/pub/", "/pub/?N=D", true},
		{"/pub/", "/pub/?D=A", true},
		{"/pub/?C=N;O=D", "/pub/?C=D;O=A", true},
		{"/pub/", "/pub/sub/?C=N;O=D", false},
		{"", "/pub/?C=N;O=D", false},
		{"/pub/", "/pub/?C=N;O=D;page=2", false},
		{"/pub/", "/pub/?C=X;O=D", false},
		{"/pub/", "/pub/?N=7", false},
		{"/pub/", "/pub/?A=A", false},
		{"/pub/", "/pub/?", false},
		{"/pub/", "/pub/?;", false},
		{"/pub/", "/pub/?c=n;o=d", false},
	} {
		l := frontier.Link{URL: frontiertest.URL(t, "http://a.example"+tt.url)}
		if tt.via != "" {
			l.Via = frontiertest.URL(t, "http://a.example"+tt.via)
		}
		if r, refused := traps.judge(l); refused != tt.refused || refused && r.Reason != ReasonListingOrder {
			t.Errorf("%s on %q: refused %v (%s), want %v", tt.url, tt.via, refused, r.Reason, tt.refused)
		}
		if r, refused := keep.judge(l); refused {
			t.Errorf("%s is refused though it is to be kept: %s", tt.url, r.Reason)
		}
	}
}

// Ensure that a link of a page to itself that only says once more what its query says is turned away when it is found.
func TestTraps_SaidAgain(t *testing.T) {
	traps := Traps{}.withDefaults()
	for _, tt := range []struct {
		via, url string
		refused  bool
	}{
		{"/list?_crumb=1", "/list?_crumb=1&_crumb=1", true},
		{"/list?_crumb=1&id=7", "/list?_crumb=1&_crumb=1&id=7", true},
		{"/list?id=7&_crumb=1&_crumb=1", "/list?_crumb=1&_crumb=1&_crumb=1&id=7", true},
		{"/list", "/list?_crumb=1", false},
		{"/list?id=7", "/list?id=7&id=8", false},
		{"/list?id=7", "/list?_crumb=1&id=7", false},
		{"/other?_crumb=1", "/list?_crumb=1&_crumb=1", false},
		{"", "/list?_crumb=1&_crumb=1", false}, // a seed
	} {
		l := frontier.Link{URL: frontiertest.URL(t, "http://a.example"+tt.url)}
		if tt.via != "" {
			l.Via = frontiertest.URL(t, "http://a.example"+tt.via)
		}
		if r, refused := traps.judge(l); refused != tt.refused || refused && r.Reason != ReasonPermutation {
			t.Errorf("%s on %q: refused %v (%s), want %v", tt.url, tt.via, refused, r.Reason, tt.refused)
		}
		l.Hops = []frontier.URL{l.Via}
		if r, refused := traps.judge(l); refused {
			t.Errorf("%s, to which %q redirects, is refused: %s", tt.url, tt.via, r.Reason)
		}
	}
}

func TestTraps_Queries(t *testing.T) {
	traps := Traps{QueriesPerPath: 3}.withDefaults()
	c := newTrapCounters(&traps)
	for i := range 5 {
		want := Reason("")
		if i >= 3 {
			want = ReasonQueries
		}
		if got := visitURL(c, frontiertest.URL(t, fmt.Sprintf("http://a.example/cal?month=%d", i))); got != want {
			t.Errorf("visit %d = %q, want %q", i, got, want)
		}
	}
	if got := visitURL(c, frontiertest.URL(t, "http://a.example/other?month=1")); got != "" {
		t.Errorf("another path: visit = %q, want none", got)
	}
}

// Ensure that bounds go on where an earlier run had come to.
func TestTraps_Recall(t *testing.T) {
	traps := Traps{QueriesPerPath: 3, PrefixPages: 6, HostsPerDomain: 2}.withDefaults()
	c := newTrapCounters(&traps)
	for i := range 2 {
		c.recall(frontiertest.URL(t, fmt.Sprintf("http://a.example/cal?month=%d", i)))
		c.recall(frontiertest.URL(t, fmt.Sprintf("http://host-%d.many.example/", i)))
	}
	for i := range 6 {
		c.recall(frontiertest.URL(t, fmt.Sprintf("http://a.example/full/%d", i)))
	}
	for _, tt := range []struct {
		url  string
		want Reason
	}{
		{"http://a.example/cal?month=1", ""},
		{"http://a.example/cal?month=2&sid=9", ReasonQueries},
		{"http://a.example/list?a=1", ""},
		{"http://a.example/full/7", ReasonPrefixPages},
		{"http://a.example/other/1", ""},
	} {
		if got := visitURL(c, frontiertest.URL(t, tt.url)); got != tt.want {
			t.Errorf("visit(%s) = %q, want %q", tt.url, got, tt.want)
		}
	}
	c.recall(frontiertest.URL(t, "http://b.example/list?a=1&b=2"))
	if got := visitURL(c, frontiertest.URL(t, "http://b.example/list?b=2&a=1")); got != ReasonPermutation {
		t.Errorf("the same parameters as before: %q, want %q", got, ReasonPermutation)
	}
	if r, _ := c.judgeHost(frontiertest.URL(t, "http://host-2.many.example/")); r.Reason != ReasonHostsPerDomain {
		t.Errorf("a third host: %q, want %q", r.Reason, ReasonHostsPerDomain)
	}
}

func TestTraps_SameParameters(t *testing.T) {
	traps := Traps{}.withDefaults()
	c := newTrapCounters(&traps)
	for _, tt := range []struct {
		url  string
		want Reason
	}{
		{"http://a.example/list?a=1&b=2", ""},
		{"http://a.example/list?b=2&a=1", ReasonPermutation},
		{"http://a.example/list?a=1&b=2&PHPSESSID=77", ReasonPermutation},
		{"http://a.example/list?a=1&b=2&a=1", ReasonPermutation},
		{"http://a.example/list?a=1&b=2&b=1", ""},
		{"http://a.example/list?utm_source=news&utm_medium=mail&a=1&b=2", ReasonPermutation},
		{"http://a.example/post?fbclid=IwAR1", ""},
		{"http://a.example/post?fbclid=IwAR2", ReasonPermutation},
		{"http://a.example/post?page=2&fbclid=IwAR2", ""},
		{"http://a.example/item;jsessionid=1F.node1", ""},
		{"http://a.example/item;JSESSIONID=2E.node2", ReasonPermutation},
		{"http://a.example/item;v=2;jsessionid=2E.node2", ""},
		{"http://a.example/item;v=2;jsessionid=1F.node1", ReasonPermutation},
		{"http://a.example/item;v=3", ""},
		{"http://a.example/a;jsessionid=1/b", ""},
		{"http://a.example/a;jsessionid=2/b", ReasonPermutation},
		{"http://a.example/a;jsessionid=2/c", ""},
		{"http://a.example/list?a=1&b=2", ""}, // the first one again, after a failure
		{"http://a.example/list?a=2&b=2", ""},
		{"http://b.example/list?b=2&a=1", ""},
	} {
		if got := visitURL(c, frontiertest.URL(t, tt.url)); got != tt.want {
			t.Errorf("visit(%s) = %q, want %q", tt.url, got, tt.want)
		}
	}
}

func TestTraps_PrefixPages(t *testing.T) {
	traps := Traps{PrefixPages: 2}.withDefaults()
	c := newTrapCounters(&traps)
	for i, want := range []Reason{"", "", ReasonPrefixPages} {
		if got := visitURL(c, frontiertest.URL(t, fmt.Sprintf("http://a.example/map/%d", i))); got != want {
			t.Errorf("visit %d = %q, want %q", i, got, want)
		}
	}
}

// Promise 6: a bound strikes with its reason.
func TestTraps_HostsPerDomain(t *testing.T) {
	traps := Traps{HostsPerDomain: 2}.withDefaults()
	c := newTrapCounters(&traps)
	for _, tt := range []struct {
		url  string
		want Reason
	}{
		{"http://a.x.example/", ""}, {"http://b.x.example/", ""}, {"http://c.x.example/", ReasonHostsPerDomain},
		{"http://a.x.example/again", ""}, {"http://y.example/", ""},
	} {
		for range 2 { // to judge counts nothing
			if r, _ := c.judgeHost(frontiertest.URL(t, tt.url)); r.Reason != tt.want {
				t.Errorf("judgeHost(%s) = %q, want %q", tt.url, r.Reason, tt.want)
			}
		}
		if r, _ := c.admitHost(frontiertest.URL(t, tt.url), false); r.Reason != tt.want {
			t.Errorf("admitHost(%s) = %q, want %q", tt.url, r.Reason, tt.want)
		}
	}
}

// visitURL visits a URL of a site without robots.txt and returns what speaks against it.
func visitURL(c *trapCounters, u frontier.URL) Reason {
	r, _ := c.admitPage(frontier.Entry{Link: frontier.Link{URL: u}}, nil, false)
	return r.Reason
}
