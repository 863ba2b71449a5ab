package audit_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestNobody: in a log that has X-Forwarded-For for the client, all who came directly have a dash. They are many, and none of them
// is told to be a robot for what they do together; a robot that is named is judged.
func TestNobody(t *testing.T) {
	var log strings.Builder
	line := func(minute int, path, agent string) {
		fmt.Fprintf(&log, "- - - [01/Mar/2026:12:%02d:00 +0000] \"GET %s HTTP/1.1\" 200 5 \"-\" \"%s\"\n", minute, path, agent)
	}
	for i := range 600 {
		line(i/20, fmt.Sprint("/page/", i), "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	}
	line(30, "/style.css", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0")
	line(31, "/robots.txt", "SlyBot/1.0 (+http://sly.example/)")
	for i := range 5 {
		line(32+i, fmt.Sprint("/private/", i), "SlyBot/1.0 (+http://sly.example/)")
	}
	a := audit.New(audit.Options{Copies: []audit.Copy{{File: robots.Parse([]byte("User-agent: *\nDisallow: /private/\n"), robots.Cautious)}}})
	if err := a.Read(accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto), "access.log"); err != nil {
		t.Fatal(err)
	}
	r := a.Report()
	if r.UnusualCount != 0 || r.Crowd != nil || r.People.Requests != 601 || r.Nobody != 607 {
		t.Errorf("%d unusual %+v, crowd %+v, people %+v, %d requests of nobody", r.UnusualCount, r.Unusual, r.Crowd, r.People, r.Nobody)
	}
	if n, faults := r.Broken(); n != 1 || len(faults) != 1 || faults[0].Count != 5 {
		t.Errorf("%d robots broke rules: %v", n, faults)
	}
}

// TestForwarded_Forged: who asks may write any address in front of X-Forwarded-For. While no proxies are trusted, nobody is told to
// hide for that, no address is to be pasted, and none proves a name; the proxy's word does.
func TestForwarded_Forged(t *testing.T) {
	var log strings.Builder
	line := func(i int, path, agent string) {
		fmt.Fprintf(&log, "198.51.100.7, 203.0.113.66 - - [01/Mar/2026:12:%02d:%02d +0000] \"GET %s HTTP/1.1\" 200 5 \"-\" \"%s\"\n",
			i/60, i%60, path, agent)
	}
	for i := range 300 {
		line(2*i, fmt.Sprint("/page/", i), "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
		if i < 5 {
			line(2*i, fmt.Sprint("/private/", i), "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
		}
	}
	line(600, "/style.css", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0")
	ranges := audit.Ranges{"googlebot": {netip.MustParsePrefix("198.51.100.0/24")}}
	for _, trusted := range [][]netip.Prefix{nil, {netip.MustParsePrefix("10.0.0.0/8")}} {
		a := audit.New(audit.Options{
			Copies:   []audit.Copy{{File: robots.Parse([]byte("User-agent: *\nDisallow: /private/\n"), robots.Cautious)}},
			Identify: ranges.Identify,
		})
		in := accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto)
		in.Trust(trusted)
		if err := a.Read(in, "access.log"); err != nil {
			t.Fatal(err)
		}
		r := a.Report()
		isHidden, identity := false, audit.Identity("none")
		for _, s := range r.Standings {
			isHidden = isHidden || s.Verdict == audit.VerdictHides
			if s.Name == "Googlebot" {
				identity = s.Identity
			}
		}
		want := audit.Unchecked
		if trusted != nil {
			want = audit.Disproved
		}
		if isHidden != (trusted != nil) || (r.Remedy != nil) != (trusted != nil) || identity != want {
			t.Errorf("trusting %v: hides %v, to paste %+v, Googlebot is %q, want %q", trusted, isHidden, r.Remedy, identity, want)
		}
	}
}
