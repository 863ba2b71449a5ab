package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// The exit codes are a promise to scripts. Each line is a command as a user would give it.
func TestExitCodes(t *testing.T) {
	web := webtest.New(t)
	site := web.Site(webtest.Pages{
		"/":  {Body: `<a href="/a">a</a> <a href="/b">b</a>`},
		"/a": {Body: "a"}, "/b": {Body: "b"},
	}).URL
	down := web.Site(webtest.Pages{"/robots.txt": {Status: 503}}).URL
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		filetest.Write(t, name, text)
		return name
	}
	bad, rules := write("bad.yaml", "crawl: 5\n"), write("robots.txt", "User-agent: *\nDisallow: /x\n")
	foreign := write("utf16.txt", "\xff\xfeh\x00t\x00")
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --patience 50ms "
	tests := []struct {
		args string
		want int
	}{
		{"version", cli.ExitDone},
		{"verzion", cli.ExitUsage},
		{"crawl --nonsense", cli.ExitUsage},
		{"crawl --config " + bad + " http://127.0.0.1:1/", cli.ExitConfig},
		{crawl + "--job " + dir + "/done " + site, cli.ExitDone},
		{crawl + "--job " + bad + "/sub " + site, cli.ExitDisk},
		{crawl + "--job " + dir + "/log --log-file " + bad + "/log " + site, cli.ExitConfig},
		{crawl + "--job " + dir + "/limit --max-pages 1 " + site, cli.ExitLimit},
		{crawl + "--job " + dir + "/waiting " + down, cli.ExitWaiting},
		{"check --job " + dir + "/done", cli.ExitDone},
		{"check --job " + dir + "/nothing", cli.ExitUsage},
		{"status --job " + dir + "/done", cli.ExitDone},
		{"status --job " + dir + "/nothing", cli.ExitUsage},
		{crawl + "--job " + dir + "/done --seeds " + foreign, cli.ExitUsage},
		{"submit --job " + dir + "/done --seeds " + foreign, cli.ExitUsage},
		{"plan --allow-private --seeds " + foreign, cli.ExitUsage},
		{"status --job=", cli.ExitUsage},
		{"status --job " + bad, cli.ExitUsage},
		{"search --job " + bad + " x", cli.ExitUsage},
		{"submit --job " + bad + " " + site, cli.ExitUsage},
		{crawl + "--job= " + site, cli.ExitUsage},
		{"explain --job " + dir + "/nothing " + site, cli.ExitUsage},
		{"report --job " + dir + "/nothing", cli.ExitUsage},
		{"explain --job " + dir + "/done " + site, cli.ExitDone},
		{"explain --job " + dir + "/done " + site + "/never", cli.ExitFailure},
		{"robots check --robots " + rules + " /y", cli.ExitDone},
		{"robots check --robots " + rules + " /x", cli.ExitFailure},
		{"robots check --robots " + rules + "x /x", cli.ExitUsage},
		{"inspect " + rules, cli.ExitDone},
		{"inspect " + rules + "x", cli.ExitFailure},
	}
	for _, tt := range tests {
		if got, out := runCommand(t.Context(), tt.args); got != tt.want {
			t.Errorf("cybermapper %s: exit code %d, want %d\n%s", tt.args, got, tt.want, out)
		}
	}
}

// An interrupt lets the request under way end, saves, and the same command goes on.
func TestInterruptedCrawlGoesOn(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	web := webtest.New(t)
	site := web.Site(webtest.Pages{
		"/": {Body: `<a href="/a">a</a> <a href="/b">b</a>`},
		"/a": {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			interrupt()
			fmt.Fprint(w, "a")
		})},
		"/b": {Body: "b"},
	})
	args := "crawl --allow-private --delay 1ms --delay-factor 0 --job " + filepath.Join(t.TempDir(), "job") + " " + site.URL
	code, out := runCommand(ctx, args)
	if code != cli.ExitInterrupted || !strings.Contains(out, "interrupted; run the same command again to continue") {
		t.Errorf("interrupted: exit code %d, want %d\n%s", code, cli.ExitInterrupted, out)
	}
	mustRun(t, strings.Fields(args)...)
	if again := webtest.Repeated(site.Hits()); len(again) > 0 {
		t.Errorf("asked for more than once: %q", again)
	}
	if n := len(site.Hits()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
}

// An interrupt before the first request is one as well, whatever is under way: the seeds, or what is visited again.
func TestInterruptedBeforeTheFirstRequest(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "home"}})
	dir := filepath.Join(t.TempDir(), "job")
	args := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --job " + dir + " " + site.URL
	mustRun(t, strings.Fields(args)...)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, again := range []string{"", " --again=all"} {
		if code, out := runCommand(ctx, args+again); code != cli.ExitInterrupted {
			t.Errorf("crawl%s: exit code %d, want %d\n%s", again, code, cli.ExitInterrupted, out)
		}
		runs := recordsOf(t, dir, ledger.Run)
		if last := runs[len(runs)-1]; last.Event != ledger.EventStop || last.Why != "interrupted" {
			t.Errorf("crawl%s: the ledger says %s %s", again, last.Event, last.Why)
		}
	}
	if n := len(site.Hits()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// What net/http writes with package log goes where everything goes: through the log, for who debugs.
func TestLinesOfLibrariesGoThroughTheLog(t *testing.T) {
	site := webtest.New(t).Site(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { log.Print("Unsolicited response") }))
	args := "crawl --allow-private --delay 1ms --log-format json --log-level debug --job " + t.TempDir() + " " + site.URL
	code, out := runCommand(t.Context(), args)
	if code != cli.ExitDone || !strings.Contains(out, `"msg":"Unsolicited response"`) {
		t.Errorf("exit code %d, want %d and the line as a record of the log\n%s", code, cli.ExitDone, out)
	}
}

// While a crawl runs, no other can take its job, but how it stands can be asked.
func TestJobInUse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "job")
	web := webtest.New(t)
	tests := []struct {
		command string
		code    int
		output  string
	}{
		{"crawl --job ", cli.ExitDisk, fmt.Sprintf("is in use by process %d", os.Getpid())},
		{"crawl --fresh --allow-private http://127.0.0.1:1/ --job ", cli.ExitDisk, "is in use by process"},
		{"check --job ", cli.ExitDisk, "a process works on the job in"},
		{"plan --job ", cli.ExitDisk, "is running"},
		{"status --job ", cli.ExitDone, fmt.Sprintf("running    process %d", os.Getpid())},
		{"explain http://127.0.0.1:1/ --job ", cli.ExitFailure, "it may be queued, which cannot be seen while the crawl runs"},
	}
	site := web.Site(webtest.Pages{"/": {Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		for _, tt := range tests {
			code, output := runCommand(t.Context(), tt.command+dir)
			if code != tt.code || !strings.Contains(output, tt.output) {
				t.Errorf("%s: exit code %d, want %d and %q\n%s", tt.command, code, tt.code, tt.output, output)
			}
		}
	})}})
	args := "crawl --quiet --allow-private --delay 1ms --job " + dir + " " + site.URL
	mustRun(t, strings.Fields(args)...)
	if n := len(site.Hits()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// Every request says who asks and whom to write to, robots.txt included.
func TestCrawlSaysWhoItIs(t *testing.T) {
	web := webtest.New(t)
	site := web.Site(webtest.Pages{"/": {Body: "x"}})
	args := "crawl --quiet --allow-private --delay 1ms --contact me@example.org --product testbot --job " + filepath.Join(t.TempDir(), "job") + " " + site.URL
	mustRun(t, strings.Fields(args)...)
	hits := site.Hits()
	if len(hits) != 2 {
		t.Errorf("%d requests, want 2", len(hits))
	}
	want := "testbot/" + strings.TrimPrefix(cli.ReadBuild().Version, "v") + " (+me@example.org)"
	for _, h := range hits {
		if got := h.Header.Get("User-Agent"); got != want {
			t.Errorf("%s: User-Agent %q, want %q", h.Path, got, want)
		}
		if got := h.Header.Get("From"); got != "me@example.org" {
			t.Errorf("%s: From %q, want me@example.org", h.Path, got)
		}
		if got := h.Header.Get("Cookie"); got != "" {
			t.Errorf("%s: Cookie %q, want none", h.Path, got)
		}
	}
}
