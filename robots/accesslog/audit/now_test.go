package audit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// Who looks on is shown the line that broke a rule last, also when the report has lines enough.
func TestAuditor_NowShowsTheLatestLine(t *testing.T) {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /x/\n"), robots.RFC9309)
	a := audit.New(audit.Options{Copies: []audit.Copy{{Name: "robots.txt", File: file}}, Live: true, MaxEvidence: 3})
	const lines = 30
	var log strings.Builder
	for i := range lines {
		fmt.Fprintf(&log, "192.0.2.7 - - [01/Mar/2026:12:00:%02d +0000] \"GET /x/%d HTTP/1.1\" 200 5 \"-\" "+
			"\"Mozilla/5.0 (compatible; BadBot/1.0; +https://bad.example/)\"\n", i, i)
	}
	mustRead(t, a, log.String())
	now := a.Now(time.Date(2026, 3, 1, 12, 0, lines, 0, time.UTC))
	if len(now.Visitors) != 1 || now.Visitors[0].Latest == nil || now.Visitors[0].Latest.Line != lines {
		t.Errorf("Now() = %+v, want line %d as the latest", now, lines)
	}
	if n := len(a.Report().Robots[0].Disallowed.Evidence); n != 3 {
		t.Errorf("the report has %d lines, want 3", n)
	}
}
