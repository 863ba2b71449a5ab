package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditLetter_Address: the letter goes to whom the notes, the User-Agent or the owners of networks name, in that order.
func TestAuditLetter_Address(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	line := func(client, agent string) string {
		return client + ` - - [01/Mar/2026:12:00:00 +0000] "GET /private/x HTTP/1.1" 200 5 "-" "` + agent + "\"\n"
	}
	bundle := filepath.Join(dir, "incident.zip")
	args := []string{
		"audit", "--robots", file("robots.txt", "User-agent: *\nDisallow: /private/\n"), "--bundle", bundle,
		"--notes", file("notes", "robot-id: noted\nrobot-owner-email: n@example.org\nrobot-notes: was kind\n"),
		"--ranges", file("ranges", `{"gptbot": ["203.0.113.0/24"]}`),
		file("access.log", line("192.0.2.1", "Noted/1 (+http://own.example/)")+line("192.0.2.2", "Own/1 (+http://own.example/)")+
			line("192.0.2.3", "Silent/1")+line("192.0.2.4", "GPTBot/1")),
	}
	var stdout, stderr strings.Builder
	if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code != exitFailure {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	letter := unzip(t, bundle)["letter.txt"]
	for _, want := range []string{
		"To: n@example.org  for Noted\n", "To: http://own.example/  for Own\n", "To: (no address is known)  for Silent\n",
		"To: (no address is known)  for GPTBot (claims to be: not its address)\n", "to be taken out: our notes of Noted)\n  noted       was kind\n",
	} {
		if !strings.Contains(letter, want) {
			t.Errorf("the letter does not say %q:\n%s", want, letter)
		}
	}
}
