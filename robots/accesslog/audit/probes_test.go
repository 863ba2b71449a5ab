package audit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// What attackers look for, and do not find, is counted apart; what is there is no probe.
func TestAuditor_CountsProbes(t *testing.T) {
	var log strings.Builder
	for i, line := range []string{"/.env 404", "/wp-login.php 404", "/.env 404", "/wp-login.php 200", "/missing.html 404", "/.git/config 503"} {
		path, status, _ := strings.Cut(line, " ")
		fmt.Fprintf(&log, "192.0.2.7 - - [01/Mar/2026:12:00:%02d +0000] \"GET %s HTTP/1.1\" %s 5 \"-\" \"Mozilla/5.0\"\n", i, path, status)
	}
	a := audit.New(audit.Options{})
	mustRead(t, a, log.String())
	r := a.Report()
	if r.Probes == nil || r.Probes.Requests != 3 || strings.Join(r.Probes.Paths, " ") != "/.env /wp-login.php" {
		t.Errorf("probes %+v, want 3 for /.env and /wp-login.php", r.Probes)
	}
}

// A tool that looks for little else is not fine, and one that looks for something else is.
func TestAuditor_TellsProbersApart(t *testing.T) {
	var log strings.Builder
	for i, line := range []string{"/.env python", "/wp-login.php python", "/.git/config python", "/.env curl", "/a curl", "/b curl"} {
		path, agent, _ := strings.Cut(line, " ")
		fmt.Fprintf(&log, "192.0.2.7 - - [01/Mar/2026:12:00:%02d +0000] \"GET %s HTTP/1.1\" 404 5 \"-\" \"%s/1.0\"\n", i, path, agent)
	}
	a := audit.New(audit.Options{})
	mustRead(t, a, log.String())
	got := map[string]audit.Verdict{}
	for _, s := range a.Report().Standings {
		got[s.Name] = s.Verdict
	}
	if got["python"] != audit.VerdictProbes || got["curl"] != audit.VerdictFine {
		t.Errorf("verdicts %v, want probes for python and fine for curl", got)
	}
}

// Where a site has programs, folders and pages that attackers look for elsewhere, those that are missing are dead links; what lies
// beside them is a probe still.
func TestAuditor_NoProbesOfWhatTheSiteHas(t *testing.T) {
	var log strings.Builder
	for i, line := range []string{
		"/cgi-bin/man?1+a 200", "/cgi-bin/man?1+b 403", "/cgi-bin/man/7 404", "/cgi-bin/luci 404",
		"/wp-content/uploads/a.png 200", "/wp-content/uploads/b.png 404", "/old/wp-content/uploads/b.png 404",
		"/backups.html 206", "/Backups.html?page=9 404", "/backup.zip 404", "/.env 301", "/.env 404",
		"/wp-content/plugins/a/a.css 200", "/wp-content/plugins/a/b.css 404", "/wp-content/plugins/b/readme.txt 404",
		"/wp-includes/css/a.css 200", "/wp-includes/css/a.php?a 404", "/wp-login.php 200", "/wp-login.php?a 403",
	} {
		target, status, _ := strings.Cut(line, " ")
		fmt.Fprintf(&log, "192.0.2.7 - - [01/Mar/2026:12:00:%02d +0000] \"GET %s HTTP/1.1\" %s 5 \"-\" \"ExampleBot/1.0\"\n", i, target, status)
	}
	a := audit.New(audit.Options{})
	mustRead(t, a, log.String())
	want := "/cgi-bin/luci /old/wp-content/uploads/b.png /backup.zip /.env /wp-content/plugins/b/readme.txt /wp-includes/css/a.php?a"
	if p := a.Report().Probes; p == nil || p.Requests != 6 || strings.Join(p.Paths, " ") != want {
		t.Errorf("probes %+v, want 6: %s", p, want)
	}
}

// A negative number is no bound of its own: it means the default.
func TestOptions_Negative(t *testing.T) {
	line := "192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0\"\n"
	read := func(o audit.Options) string {
		a := audit.New(o)
		mustRead(t, a, strings.Repeat(line, 40))
		told, err := json.Marshal(a.Report())
		if err != nil {
			t.Fatal(err)
		}
		return string(told)
	}
	negative := audit.Options{
		Rapid: -1, HumanPace: -1, Slower: -1, Disorder: -1, Pause: -1, MaxRobots: -1, MaxClients: -1,
		MaxAgents: -1, MaxURLs: -1, MaxEvidence: -1, MaxAddresses: -1, MaxSteps: -1, MaxNetworks: -1, TopNetworks: -1, MaxMinutes: -1,
	}
	if got, want := read(negative), read(audit.Options{}); got != want {
		t.Errorf("with negative options it reports %s, with the defaults %s", got, want)
	}
}
