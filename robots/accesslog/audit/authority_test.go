package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestAuditor_AbsoluteForm: targets in absolute form belong to the log's host when they name it, or when no other is named; a robot
// that took the server for a proxy of others broke none of its rules.
func TestAuditor_AbsoluteForm(t *testing.T) {
	copies := []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nDisallow: /private/\n"), robots.RFC9309)}}
	line := func(i int, target string) string {
		return fmt.Sprintf(`192.0.2.7 - - [02/Mar/2026:12:%02d:00 +0000] "GET %s HTTP/1.1" 200 5 "-" "GreedyBot/1.0 (+http://greedy.example/bot)"`+"\n", i, target)
	}
	for name, c := range map[string]struct {
		host    string
		targets []string
		want    int64
	}{
		"one host is named":                {"", []string{"http://www.e.example/private/a", "/private/b", "http://e.example/private/c"}, 3},
		"another is named too":             {"", []string{"http://www.e.example/private/a", "/private/b", "http://other.example/private/c"}, 1},
		"the log's host is known":          {"e.example", []string{"http://WWW.e.example/private/a", "/private/b", "http://other.example/private/c"}, 2},
		"only others, and the host known":  {"e.example", []string{"http://other.example/private/a"}, 0},
		"its robots.txt in absolute form":  {"e.example", []string{"http://e.example:80/robots.txt", "/private/b"}, 1},
		"somebody else's robots.txt is no": {"e.example", []string{"http://other.example/robots.txt", "/private/b"}, 1},
	} {
		var in strings.Builder
		for i, target := range append([]string{"/robots.txt"}, c.targets...) {
			in.WriteString(line(i, target))
		}
		r := accesslog.NewReader(strings.NewReader(in.String()), accesslog.Auto)
		r.Host(c.host)
		a := audit.New(audit.Options{Copies: copies})
		if err := a.Read(r, "log"); err != nil {
			t.Fatal(err)
		}
		report := a.Report()
		if len(report.Robots) != 1 {
			t.Errorf("%s: %d robots", name, len(report.Robots))
			continue
		}
		d := report.Robots[0].Disallowed
		if (d.Open > 0) != (name == "another is named too") || d.Unjudged > 0 {
			t.Errorf("%s: %d pages of unknown hosts, %d of unknown times", name, d.Open, d.Unjudged)
		}
		if one := report.Robots[0]; one.Disallowed.Count != c.want || one.Host != c.host || one.Requests != int64(len(c.targets)+1) {
			t.Errorf("%s: %d disallowed, want %d; host %q, %d requests", name, one.Disallowed.Count, c.want, one.Host, one.Requests)
		}
	}
}
