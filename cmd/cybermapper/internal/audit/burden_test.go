package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestAuditBurden: what is measured of a site that was overloaded is printed, with what can be done about it.
func TestAuditBurden(t *testing.T) {
	var log strings.Builder
	dir := t.TempDir()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, s := range []struct {
		people, robot int
		taken         string
	}{{30, 0, "0.050"}, {60, 60, "0.060"}, {60, 540, "0.400"}} {
		for range 4 { // minutes
			for k := range s.people + s.robot {
				client, agent := fmt.Sprintf("203.0.113.%d", k%9), "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
				if k >= s.people {
					client, agent = "192.0.2.1", "FastBot/1.0"
				}
				second := at.Add(time.Duration(k*60/(s.people+s.robot)) * time.Second)
				fmt.Fprintf(&log, "%s - - [%s] \"GET /%d HTTP/1.1\" 200 100 \"-\" \"%s\" %s\n", client, second.Format("02/Jan/2006:15:04:05 -0700"), k, agent, s.taken)
			}
			at = at.Add(time.Minute)
		}
	}
	var stdout, stderr strings.Builder
	if code := cli.Run(context.Background(), NewCommand(), []string{"-"}, strings.NewReader(log.String()), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	for _, want := range []string{
		`
What the site bore: up to 2 requests/s were answered in 60 ms on average, as usual; from 10 on it took 400 ms
  requests/s        minutes  mean time  19 of 20 within   errors     open
  0.5                     4       50ms             64ms    0.0 %     0.03
  2                       4       60ms             64ms    0.0 %     0.12
  10                      4      400ms            512ms    0.0 %     4.00  slow
  at most 4 requests were open at once, on average in the minute of 2026-03-01 12:08:00 (response times by time)
  people need up to 1 requests/s, half of what they leave is 0.5 for all robots together: a Crawl-delay of 2s, with up to 1 at once

Was it a problem?
  FastBot: while it was there: others were answered in 400 ms against 56.7 ms, 7.1 times as long
    its busiest 4 minutes from 2026-03-01 12:08:00: 10 requests/s, others answered in 400ms, 0.0 % errors for others, 4 requests open; 2,160 requests of it
    the other 8 minutes: 1.25 requests/s, others answered in 57ms, 0.0 % errors for others, 0.0725 requests open
`,
		"  all robots: people need up to 1 requests/s, half of what they leave is 0.5 for all robots together: a Crawl-delay of 2s, with up to 1 at once\n",
		"      Crawl-delay: 2\n",
		"      limit_req_zone $limited_robots zone=robots:1m rate=30r/m;\n",
		"      limit_req zone=robots burst=5 nodelay;\n",
		"\n  203.0.113.0/24: 600 requests of 9 clients, 600 documents, 60.0 kB; up to 10 in a second, 60 in a minute (1/s), rapid fire in 24 seconds\n",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %s\nin\n%s", want, &stdout)
		}
	}

	rules, bundle := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "incident.zip")
	filetest.Write(t, rules, "User-agent: *\nDisallow: /1\n")
	if code := cli.Run(context.Background(), NewCommand(), []string{"--robots", rules, "--robots-since", "2026-01-01", "--bundle", bundle, "-"}, strings.NewReader(log.String()), &stdout, &stderr); code != cli.ExitFailure {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	if letter, want := unzip(t, bundle)["FastBot/letter.txt"], "\n- while it was there: others were answered in 400 ms"; !strings.Contains(letter, want) {
		t.Errorf("the letter does not say %q: %s", want, letter)
	}
}

// TestCommand_Brief: robots that are told of in a line are not said to have kept rules against which they went.
func TestCommand_Brief(t *testing.T) {
	rules, log := filepath.Join(t.TempDir(), "robots.txt"), &strings.Builder{}
	filetest.Write(t, rules, "User-agent: *\nDisallow: /private/\n")
	for app := range 7 {
		for i := range 9 - app {
			fmt.Fprintf(log, "192.0.2.%d - - [01/Mar/2026:12:00:%02d +0000] \"GET /private/%d HTTP/1.1\" 200 5 \"-\" \"%c/1.0\"\n", app, i, i,
				'P'+rune(app))
		}
	}
	var stdout, stderr strings.Builder
	args := []string{"--robots", rules, "--robots-since", "2026-01-01", "-"}
	code := cli.Run(context.Background(), NewCommand(), args, strings.NewReader(log.String()), &stdout, &stderr)
	const want = "\nRobots that are not blamed for anything (--all tells of them in full)\n" +
		"  U: 4 requests (9.5 %), 20 bytes, from 192.0.2.5, 4 of them for what is disallowed to robots, as /private/0; "
	if code != 0 || !strings.Contains(stdout.String(), want) {
		t.Errorf("exit code %d, no %s\nin\n%s%s", code, want, &stdout, &stderr)
	}
}
