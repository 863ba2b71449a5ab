package audit

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestAuditBundle: the bundle of an interval has its lines and no others, the report, and a letter that names the evidence.
func TestAuditBundle(t *testing.T) {
	dir := t.TempDir()
	log, rules, bundle := filepath.Join(dir, "access.log"), filepath.Join(dir, "robots.txt"), filepath.Join(dir, "incident.zip")
	for name, text := range map[string]string{
		rules: "User-agent: *\nDisallow: /private/\n",
		log: `192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET /private/before HTTP/1.1" 200 5 "-" "HastyBot/1 (+http://h.example/)"
192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "HastyBot/1 (+http://h.example/)"
192.0.2.2 - - [01/Mar/2026:12:00:01 +0000] "GET /private/y HTTP/1.1" 200 5 "-" "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
192.0.2.1 - - [01/Mar/2026:13:00:00 +0000] "GET /private/after HTTP/1.1" 200 5 "-" "HastyBot/1 (+http://h.example/)"
`,
	} {
		filetest.Write(t, name, text)
	}
	var stdout, stderr strings.Builder
	args := []string{"--robots", rules, "--robots-since", "2026-01-01", "--from", "2026-03-01T12:00", "--to", "2026-03-01 13:00", "--bundle", bundle, log}
	if code := cli.Run(context.Background(), NewCommand(), args, strings.NewReader(""), &stdout, &stderr); code != cli.ExitFailure {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	parts := unzip(t, bundle)
	if want := "2\t192.0.2.1 "; !strings.Contains(parts["HastyBot/access.log.txt"], want) || strings.Contains(parts["HastyBot/access.log.txt"], "before") || strings.Contains(parts["HastyBot/access.log.txt"], "after") {
		t.Errorf("the lines of the log are %q", parts["HastyBot/access.log.txt"])
	}
	_, google, _ := strings.Cut(parts["README.txt"], "\nGoogle\n")
	if google, _, _ = strings.Cut(google, "\n\n"); !strings.Contains(google, "1. check the name") || strings.Contains(google, "block") {
		t.Errorf("to do about a name that was not checked: %q", google)
	}
	for name, want := range map[string]string{
		"HastyBot/letter.txt": "access.log:2  2026-03-01 12:00:00  192.0.2.1  /private/x  200", "HastyBot/report.txt": "1 request, whoever reads it", "HastyBot/report.json": `"token": "HastyBot"`, "README.txt": "1. HastyBot: http://h.example/",
	} {
		if !strings.Contains(parts[name], want) {
			t.Errorf("%s does not say %q: %s", name, want, parts[name])
		}
	}
}

// unzip returns the files of an archive.
func unzip(t *testing.T, name string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	parts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Modified.Year() < 2000 {
			t.Errorf("%s is of %v", f.Name, f.Modified)
		}
		parts[f.Name] = string(text)
	}
	return parts
}

// A report says of how many requests it does not know whose they are among others.
func TestPrintReport_MoreClientsThanAreKnown(t *testing.T) {
	r := audit.New(audit.Options{}).Report()
	r.Total.Requests, r.Untracked = 2000, 1234
	var out strings.Builder
	printReport(&out, r, false)
	if !strings.Contains(out.String(), "\nBeyond    1,234 requests of clients who came when there was no room for more") {
		t.Errorf("the report does not say so:\n%s", out.String())
	}
}

// TestAuditInterrupted: a signal ends the reading of a log.
func TestAuditInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr strings.Builder
	line := `192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"
	if code := cli.Run(ctx, NewCommand(), []string{"-"}, strings.NewReader(line), &stdout, &stderr); code != cli.ExitInterrupted || stdout.Len() > 0 {
		t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
	}
}

// fakeDNS are the names of addresses, and the addresses of names.
type fakeDNS map[string]string

func (d fakeDNS) LookupAddr(_ context.Context, addr string) ([]string, error) {
	switch name, ok := d[addr]; {
	case name == "broken":
		return nil, errors.New("no answer")
	case ok:
		return []string{name}, nil
	}
	return nil, &net.DNSError{IsNotFound: true}
}

func (d fakeDNS) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	addr, err := netip.ParseAddr(d[host])
	return []netip.Addr{addr}, err
}

func TestDNSCheck(t *testing.T) {
	dns := fakeDNS{
		"192.0.2.1": "crawl-1.googlebot.com.", "crawl-1.googlebot.com.": "192.0.2.1",
		"192.0.2.2": "crawl-2.googlebot.com.", "crawl-2.googlebot.com.": "192.0.2.99",
		"192.0.2.3": "notgooglebot.com.", "192.0.2.4": "broken",
	}
	for _, c := range []struct {
		token, client string
		want          audit.Identity
	}{
		{"Googlebot", "192.0.2.1", audit.Confirmed},
		{"Googlebot", "192.0.2.2", audit.Disproved},
		{"Googlebot", "192.0.2.3", audit.Disproved},
		{"Googlebot", "192.0.2.5", audit.Disproved},
		{"Googlebot", "192.0.2.4", audit.Unchecked},
		{"Googlebot", "a.example", audit.Unchecked},
		{"UnknownBot", "192.0.2.1", audit.Unchecked},
	} {
		d := newDNSCheck(context.Background(), roster.NewList(roster.Bundled()), nil)
		d.lookup = dns
		if got := d.identify(c.token, c.client); got != c.want {
			t.Errorf("%s at %s is %q, want %q", c.token, c.client, got, c.want)
		}
		d.before = func(string, string) audit.Identity { return audit.Confirmed }
		if got := d.identify(c.token, c.client); got != audit.Confirmed {
			t.Errorf("%s at %s is %q although its range is known", c.token, c.client, got)
		}
		d.before, d.most = nil, 0
		if got := d.identify(c.token, c.client); got != audit.Unchecked {
			t.Errorf("%s at %s is looked up beyond the bound", c.token, c.client)
		}
	}
}

// TestAudit_OwnersInFull: who runs a robot is not cut short where there is room.
func TestAudit_OwnersInFull(t *testing.T) {
	const log = `192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "archive.org_bot"
192.0.2.2 - - [01/Mar/2026:12:00:00 +0000] "GET /b HTTP/1.1" 200 5 "-" "heritrix/3.4 (+http://h.example/)"
`
	var stdout, stderr strings.Builder
	cli.Run(context.Background(), NewCommand(), []string{"-"}, strings.NewReader(log), &stdout, &stderr)
	for _, owner := range []string{" Internet Archive ", " whoever runs it "} {
		if !strings.Contains(stdout.String(), owner) {
			t.Errorf("the verdict has no %q: %s%s", owner, &stdout, &stderr)
		}
	}
}
