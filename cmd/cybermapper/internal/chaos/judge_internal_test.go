package chaos

import (
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"
)

// Ensure that the judge notices each thing that may be wrong, and excuses what a process sent before its death.
func TestWeb_Judge(t *testing.T) {
	begin := time.Unix(1000, 0)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	request := func(host, page int, remote string, start, end int) hit {
		return hit{host, page, remote, at(start), at(end)}
	}
	good := []hit{request(0, robots, "a", 0, 10), request(0, 0, "a", 110, 120), request(1, 0, "b", 130, 140)}
	for _, tt := range []struct {
		name string
		hits []hit
		want string
	}{
		{"all is well", good, ""},
		{"a page is missing", good[:2], "1 pages were never asked for; http://1/p0.html is one"},
		{"again", append(good[:3:3], request(1, 0, "b", 300, 310)), "1 pages were asked for again"},
		{"forbidden", append(good[:3:3], request(1, forbidden, "b", 300, 310)), "forbids"},
		{"unknown", append(good[:3:3], request(1, unknown, "b", 300, 310)), "does not have"},
		{"two at once", append(good[:3:3], request(1, robots, "a", 139, 150)), "under way"},
		{"within another", append(good[:3:3], request(1, robots, "a", 300, 400), request(1, robots, "b", 320, 330),
			request(1, robots, "b", 430, 440)), "under way"},
		{"too soon", append(good[:3:3], request(1, robots, "a", 239, 250)), "99ms after"},
		{"a stall", append(good[:3:3], request(1, robots, "a", 30_000, 30_010)), "nothing was asked for in"},
		{"no stall, for there was no quorum", append(good[:3:3], request(1, robots, "a", 45_000, 45_010)), ""},
		{"sent before death", append(good[:3:3], request(0, robots, "dead", 230, 900), request(0, robots, "b", 400, 410)), ""},
		{"seen after death", append(good[:3:3], request(0, robots, "dead", 450, 460), request(0, robots, "b", 400, 410)), ""},
	} {
		w := &Web{hosts: 2, pages: 1, urls: []string{"http://0", "http://1"}, hits: tt.hits}
		var outages []span
		if tt.want == "" {
			outages = []span{{at(5000), at(40_000)}}
		}
		v := w.judge(100*time.Millisecond, map[string]time.Time{"dead": at(250)}, outages, nil)
		v.decide(0)
		if tt.want == "" && v.Failed() || tt.want != "" && !v.Failed() {
			t.Errorf("%s: %q", tt.name, v.Wrong)
		} else if tt.want != "" && !regexp.MustCompile(regexp.QuoteMeta(tt.want)).MatchString(v.Wrong[0]) {
			t.Errorf("%s: %q, want %q", tt.name, v.Wrong, tt.want)
		}
	}
}

// Ensure that each page of a web is linked from one other, or is the first of its site, and is served as it is.
func TestWeb_EachPageHasOneLink(t *testing.T) {
	w, err := NewWeb(7, 50)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	links := map[string]int{}
	for _, u := range w.seeds() {
		links[u]++
	}
	href := regexp.MustCompile(`<a href="(http[^"]*)"`)
	for host := range 7 {
		for page := range 50 {
			resp, err := http.Get(w.url(host, page))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(body) != w.render(host, page) || len(body) > 2000 {
				t.Fatalf("%s: %v, %d bytes", w.url(host, page), err, len(body))
			}
			for _, m := range href.FindAllSubmatch(body, -1) {
				links[string(m[1])]++
			}
		}
	}
	for host := range 7 {
		for page := range 50 {
			if n := links[w.url(host, page)]; n != 1 {
				t.Errorf("%s has %d links", w.url(host, page), n)
			}
		}
	}
	if w.Served() != w.Total() || len(links) != w.Total() {
		t.Errorf("%d pages were served and %d URLs linked to, want %d", w.Served(), len(links), w.Total())
	}
}
