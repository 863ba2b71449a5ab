package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestAuditLetter_Address: the letter goes to whom the notes, the User-Agent or the owners of networks name, in that order.
func TestAuditLetter_Address(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, text)
		return path
	}
	line := func(client, agent string) string {
		text := ""
		for _, path := range []string{"/robots.txt", "/private/x"} { // who asks for robots.txt is a robot
			text += client + ` - - [01/Mar/2026:12:00:00 +0000] "GET ` + path + ` HTTP/1.1" 200 36 "-" "` + agent + "\"\n"
		}
		return text
	}
	bundle := filepath.Join(dir, "incident.zip")
	args := []string{
		"--robots", file("robots.txt", "User-agent: *\nDisallow: /private/\n"), "--robots-since", "2026-01-01", "--bundle", bundle,
		"--notes", file("notes", "robot-id: noted\nrobot-owner-email: n@example.org\nrobot-notes: was kind\n"),
		"--ranges", file("ranges", `{"gptbot": ["203.0.113.0/24"]}`),
		"--networks", file("networks", "203.0.113.0/25\tExample Hosting\tabuse@hosting.example\n203.0.113.128/25\tNo Contact\n"),
		file("access.log", line("192.0.2.1", "Noted/1 (+http://own.example/)")+line("192.0.2.2", "Own/1 (+http://own.example/)")+
			line("192.0.2.3", "Silent/1")+line("192.0.2.4", "GPTBot/1")+line("203.0.113.1", "Hosted/1")+line("203.0.113.200", "Half/1")+line("10.0.0.1", "Inner/1")),
	}
	var stdout, stderr strings.Builder
	if code := cli.Run(context.Background(), NewCommand(), args, strings.NewReader(""), &stdout, &stderr); code != cli.ExitFailure {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	parts := unzip(t, bundle)
	letter, reports := "", ""
	for name, text := range parts {
		switch {
		case strings.HasSuffix(name, "letter.txt"):
			letter += text
		case strings.Contains(name, "report"):
			reports += text
		}
		if folder, _, ok := strings.Cut(name, "/"); ok && folder != "Hosted" && strings.Contains(text, "203.0.113.1") && !strings.Contains(text, "203.0.113.2") {
			t.Errorf("%s has what belongs to Hosted", name)
		}
	}
	if strings.Contains(letter, "GPTBot") || parts["GPTBot/letter.txt"]+parts["OpenAI/letter.txt"] != "" {
		t.Error("there is a letter for a name that is disproved")
	}
	if strings.Contains(reports, "was kind") || !strings.Contains(stdout.String(), "was kind") {
		t.Error("the reports for the owner have our notes of the robot, or ours has not")
	}
	for _, want := range []string{
		"To: n@example.org  for Noted\n", "To: http://own.example/  for Own\n", "To: (no address is known; to ask: whois 192.0.2.3)  for Silent\n",
		"To: abuse@hosting.example  for Hosted, whose address 203.0.113.1 is in the network of Example Hosting\n",
		"  network of  203.0.113.1: Example Hosting, abuse@hosting.example\n",
		"To: (no address is known)  for Half\n", "To: (no address is known)  for Inner\n",
		"to be taken out: our notes of Noted)\n  noted       was kind\n",
	} {
		if !strings.Contains(letter, want) {
			t.Errorf("the letter does not say %q:\n%s", want, letter)
		}
	}
}

// TestAuditNetworks_Gzip: a table may be compressed; half of one is an error.
func TestAuditNetworks_Gzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("192.0.2.0\t192.0.2.255\t64500\tDE\tEXAMPLE-AS Example\n")); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, z)
	log := `192.0.2.1 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"
	for _, c := range []struct {
		table          []byte
		code           int
		stdout, stderr string
	}{
		{packed.Bytes(), 0, "network of  192.0.2.1: EXAMPLE-AS Example (AS64500, DE)\n", ""},
		{packed.Bytes()[:packed.Len()-9], cli.ExitUsage, "", "unexpected EOF"},
		{packed.Bytes()[:5], cli.ExitUsage, "", "unexpected EOF"},
	} {
		name := filepath.Join(t.TempDir(), "table.gz")
		filetest.Write(t, name, c.table)
		var stdout, stderr strings.Builder
		code := cli.Run(context.Background(), NewCommand(), []string{"--networks", name, "-"}, strings.NewReader(log), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("exit code %d, want %d: %s%s", code, c.code, &stdout, &stderr)
		}
	}
}

// TestAuditLetter_LikeNames: whose names differ only in what a folder cannot be called have a folder each, and read nothing of each
// other.
func TestAuditLetter_LikeNames(t *testing.T) {
	dir := t.TempDir()
	rules, log, bundle := filepath.Join(dir, "robots.txt"), filepath.Join(dir, "access.log"), filepath.Join(dir, "incident.zip")
	text := ""
	for client, agent := range map[string]string{"192.0.2.1": "Робот/1 (+http://one.example/)", "192.0.2.2": "Паук/1 (+http://two.example/)"} {
		for _, path := range []string{"/robots.txt", "/private/x"} {
			text += client + ` - - [01/Mar/2026:12:00:00 +0000] "GET ` + path + ` HTTP/1.1" 200 36 "-" "` + agent + "\"\n"
		}
	}
	for name, text := range map[string]string{rules: "User-agent: *\nDisallow: /private/\n", log: text} {
		filetest.Write(t, name, text)
	}
	args := []string{"--robots", rules, "--robots-since", "2026-01-01", "--bundle", bundle, log}
	if code := cli.Run(context.Background(), NewCommand(), args, strings.NewReader(""), &strings.Builder{}, &strings.Builder{}); code != cli.ExitFailure {
		t.Fatalf("exit code %d", code)
	}
	letters := 0
	for name, text := range unzip(t, bundle) {
		if strings.HasSuffix(name, "letter.txt") {
			letters++
		}
		if strings.Contains(name, "/") && strings.Contains(text, "one.example") == strings.Contains(text, "two.example") {
			t.Errorf("%s is of both, or of neither:\n%s", name, text)
		}
	}
	if letters != 2 {
		t.Errorf("%d letters", letters)
	}
}
