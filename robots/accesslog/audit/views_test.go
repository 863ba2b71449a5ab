package audit_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestReport_Referrals: people whom engines sent are set against what the robots of these took; what comes from elsewhere, or is
// only named like an engine, is not, and neither is what a robot says, or a picture.
func TestReport_Referrals(t *testing.T) {
	var log strings.Builder
	line := func(path, referrer, agent string) {
		fmt.Fprintf(&log, "192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] \"GET %s HTTP/1.1\" 200 5 \"%s\" \"%s\"\n", path, referrer, agent)
	}
	for _, referrer := range []string{
		"https://chatgpt.com/", "https://chat.openai.com/c/1", "https://www.google.de/search?q=x", "https://www.google.co.uk", "http://www.bing.com/?q=y",
		"https://google.phish.example/", "https://notchatgpt.com/", "-", "https://www.example.org/", "chatgpt.com",
	} {
		line("/page", referrer, browser)
		line("/picture.png", referrer, browser)
		line("/page", referrer, "SomeBot/1.0 (+http://some.example/)")
	}
	for i := range 60 {
		line(fmt.Sprintf("/%d", i), "-", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
		line(fmt.Sprintf("/%d", i), "-", "CCBot/2.0 (https://commoncrawl.org/faq/)")
	}
	r := run(t, log.String(), audit.Options{})
	want := []audit.Referral{{Operator: "Google", Visits: 2}, {Operator: "OpenAI", Visits: 2, Taken: 60}, {Operator: "Microsoft", Visits: 1}, {Operator: "Common Crawl Foundation", Taken: 60}}
	slices.SortStableFunc(want, func(x, y audit.Referral) int { return int(y.Visits - x.Visits) })
	if len(r.Referrals) != len(want) {
		t.Fatalf("referrals %+v, want %+v", r.Referrals, want)
	}
	for _, one := range want {
		if !slices.Contains(r.Referrals, one) {
			t.Errorf("referrals %+v lack %+v", r.Referrals, one)
		}
	}
}

// TestSuggestion_Nginx: nginx takes the limit for all robots that is suggested, beside the locations that a server has.
func TestSuggestion_Nginx(t *testing.T) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("nginx is not installed")
		}
	}
	text := run(t, stretches(overload...), audit.Options{}).Suggestions[0].Nginx
	http, server, ok := strings.Cut(text, "# in server\n")
	if !ok {
		t.Fatalf("no part for the server: %s", text)
	}
	dir := t.TempDir()
	config := fmt.Sprintf("pid %[1]s/pid; error_log %[1]s/log;\nevents {}\nhttp { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%[2]s\nserver { listen 127.0.0.1:1; location / { } location = /robots.txt { }\n%[3]s } }\n", dir, http, server)
	file := filepath.Join(dir, "config")
	filetest.Write(t, file, config)
	if out, err := exec.Command(program, "-t", "-c", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, text)
	}
}
