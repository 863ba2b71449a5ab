package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// Whatever is done to a file of a job that has pages left to ask for, and one that somebody submitted, all of it comes after
// repair, once, and what is asked for from then on can be verified.
func TestDamage_UnderWay(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other, many times")
	}
	t.Parallel()
	web := webtest.New(t)
	pages := webtest.Pages{"/submitted": {Body: "<p>common, and given by hand"}}
	for i := range 12 {
		pages[fmt.Sprintf("/%d", i)] = webtest.Page{Body: fmt.Sprintf(`<p>common, and of page %d<a href="/%d">on</a>`, i, i+1)}
	}
	pages["/12"] = webtest.Page{Body: "<p>common, and the last"}
	site, whole := web.Site(pages), filepath.Join(t.TempDir(), "job")
	flags := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--index", "--max-pages", "0"}
	if code, out := runArgs(t, append(flags, "--job", whole, "--max-pages", "5", site.URL+"/0")...); code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	mustRun(t, "submit", "--job", whole, site.URL+"/submitted")
	if code, out := runArgs(t, "care", "--job", whole); code > cli.ExitFailure {
		t.Fatalf("care: exit code %d\n%s", code, out)
	}
	for _, store := range []string{
		"frontier", "frontier/*.log", "frontier/MANIFEST-*", "ledger", "ledger/ledger-000001.jsonl", "ledger/ledger.head",
		"seeds.txt", "job.yaml", "status.json", "reach.json", "index.db", "graph.db",
	} {
		for name, damage := range map[string]func(string) error{
			"removed": damages["removed"], "emptied": damages["emptied"], "flipped": damages["flipped"], "tail zeroed": zeroTail,
		} {
			t.Run(store+" "+name, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "job")
				if store == "seeds.txt" && name == "flipped" {
					t.Skip("it may name another host, which nobody can tell from one that was given")
				}
				filetest.Copy(t, dir, whole)
				mustDamage(t, dir, store, damage)
				code, out := runArgs(t, append(flags, "--job", dir)...)
				if code == cli.ExitUsage && store == "job.yaml" {
					return // an error that names it
				}
				checked, found := runArgs(t, "check", "--job", dir)
				if code != cli.ExitDone && !strings.Contains(out, "repair --job") && store != "job.yaml" {
					t.Errorf("exit code %d without a word of what helps\n%s", code, out)
				}
				if strings.Contains(out, "stack trace") || strings.Contains(out, "carrier") {
					t.Errorf("not in words of the job:\n%s", out)
				}
				if store == "job.yaml" && checked == cli.ExitDone && code != cli.ExitDone {
					t.Errorf("check: sound, of a job that cannot go on\n%s", found)
				}
				if code != cli.ExitDone || checked != cli.ExitDone {
					goOn(t, flags, dir, store)
				}
				comesAfter(t, site, dir, store)
			})
		}
	}
}

func mustDamage(t *testing.T, dir, store string, damage func(string) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, store))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file %s: %v", store, err)
	}
	info, err := os.Stat(files[0])
	if err == nil && info.IsDir() && fmt.Sprintf("%p", damage) != fmt.Sprintf("%p", damages["removed"]) {
		t.Skip("not a thing to be done to a directory")
	}
	if err == nil {
		err = damage(files[0])
	}
	if err != nil {
		t.Fatal(err)
	}
}

// zeroTail makes the last third of a file zero bytes, as a file system may leave it after a loss of power.
func zeroTail(name string) error {
	return change(name, func(b []byte) []byte {
		clear(b[len(b)*2/3:])
		return b
	})
}

// goOn repairs a job, and crawls on.
func goOn(t *testing.T, flags []string, dir, store string) {
	t.Helper()
	if store == "job.yaml" {
		config := filepath.Join(t.TempDir(), "config.yaml")
		filetest.Write(t, config, "log:\n  level: info\n")
		flags = append(flags, "--config", config)
	} else if code, out := runArgs(t, "repair", "--job", dir); code != cli.ExitDone && !strings.Contains(out, "nothing mends that") {
		t.Errorf("repair: exit code %d\n%s", code, out)
	}
	mustRun(t, append(flags, "--job", dir)...)
}

// comesAfter makes sure that a job has all pages of a site, and is in order.
func comesAfter(t *testing.T, site *webtest.Site, dir, store string) {
	t.Helper()
	stored := storedURLs(t, dir)
	want := []string{site.URL + "/submitted"}
	for i := range 13 {
		want = append(want, fmt.Sprintf("%s/%d", site.URL, i))
	}
	for _, url := range want {
		if stored[url] != 1 {
			t.Errorf("%s is stored %d times", url, stored[url])
		}
	}
	if code, out := runArgs(t, "search", "common", "--job", dir); code != cli.ExitDone || !strings.Contains(out, "14 pages") {
		t.Errorf("search: exit code %d, want 14 pages\n%s", code, out)
	}
	if code, out := runArgs(t, "care", "--job", dir); code > cli.ExitFailure {
		t.Errorf("care: exit code %d\n%s", code, out)
	}
	if strings.HasPrefix(store, "ledger") {
		return // what is altered in the middle of it stays so
	}
	mustRun(t, "check", "--job", dir)
	if code, out := runArgs(t, "verify", "--job", dir); code == cli.ExitFailure {
		t.Errorf("verify: exit code %d\n%s", code, out)
	}
}

// After repair of a job whose ledger is gone, robots.txt is asked for again: what is asked for from then on has a reason that can
// be shown.
func TestRepair_LedgerGoneUnderWay(t *testing.T) {
	t.Parallel()
	site, dir := webtest.New(t).Site(webtest.Pages{
		"/": {Body: `<a href="/a">a</a><a href="/b">b</a>`}, "/a": {Body: "a"}, "/b": {Body: "b"},
	}), filepath.Join(t.TempDir(), "job")
	flags := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--max-pages", "0", "--job", dir}
	if code, out := runArgs(t, append(flags, "--max-pages", "1", site.URL+"/")...); code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "ledger")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "repair", "--job", dir)
	mustRun(t, flags...)
	code, out := runArgs(t, "verify", "--job", dir)
	if code == cli.ExitFailure || !strings.Contains(out, "every request had a decision") || strings.Contains(out, "refuted") {
		t.Errorf("verify: exit code %d\n%s", code, out)
	}
}

// A crawl does not go on with an older ledger that was put back beside a newer queue, as it would tell of it as if the requests
// since had not been made. After repair nothing is asked for twice, and what came after can be shown.
func TestRepair_OlderLedger(t *testing.T) {
	t.Parallel()
	web, dir := webtest.New(t), filepath.Join(t.TempDir(), "job")
	pages := webtest.Pages{"/9": {Body: "the last"}}
	for i := range 9 {
		pages[fmt.Sprintf("/%d", i)] = webtest.Page{Body: fmt.Sprintf(`page %d<a href="/%d">on</a>`, i, i+1)}
	}
	site, later := web.Site(pages), web.Site(pages)
	flags := []string{"crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}
	flags = append(flags, "--max-pages", "0")
	if code, out := runArgs(t, append(flags, "--max-pages", "3", site.URL+"/0")...); code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	ledger, old := filepath.Join(dir, job.LedgerDir), filepath.Join(t.TempDir(), "old")
	filetest.Copy(t, old, ledger)
	if code, out := runArgs(t, append(flags, "--max-pages", "9", later.URL+"/0")...); code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	if err := os.RemoveAll(ledger); err != nil {
		t.Fatal(err)
	}
	filetest.Copy(t, ledger, old)
	if code, out := runArgs(t, flags...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
		t.Errorf("crawl: exit code %d, want %d and a word of what helps\n%s", code, cli.ExitDisk, out)
	}
	if out := mustRun(t, "repair", "--job", dir); !strings.Contains(out, "its end is gone") {
		t.Errorf("repair says\n%s", out)
	}
	mustRun(t, flags...)
	for _, s := range []*webtest.Site{site, later} {
		for _, url := range webtest.Repeated(s.Hits()) {
			if !strings.HasSuffix(url, "/robots.txt") {
				t.Errorf("%s is asked for more than once", url)
			}
		}
	}
	if n := len(storedURLs(t, dir)); n != 20 {
		t.Errorf("%d pages are stored, want 20", n)
	}
	mustRun(t, "check", "--job", dir)
	if code, out := runArgs(t, "verify", "--job", dir); code != cli.ExitNotShown {
		t.Errorf("verify: exit code %d, want %d\n%s", code, cli.ExitNotShown, out)
	}
	if out := mustRun(t, "repair", "--job", dir); strings.Contains(out, "its end is gone") {
		t.Errorf("a second repair says\n%s", out)
	}
}

// A crawl does not go on with an older ledger and list of pages that were put back beside a newer queue, however often it is
// tried: they agree with each other, and what came since would be missed. After repair it is asked for again, but not where a site,
// as only the queue knows, has asked to be left alone.
func TestRepair_OlderBackup(t *testing.T) {
	t.Parallel()
	web, dir := webtest.New(t), filepath.Join(t.TempDir(), "job")
	pages := webtest.Pages{"/9": {Body: "the last"}}
	for i := range 9 {
		pages[fmt.Sprintf("/%d", i)] = webtest.Page{Body: fmt.Sprintf(`page %d<a href="/%d">on</a>`, i, i+1)}
	}
	site := web.Site(pages)
	resting := web.Site(webtest.Pages{"/": {Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3600"}}})
	flags := []string{"crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}
	flags = append(flags, "--patience", "0s", "--max-pages", "0")
	if code, out := runArgs(t, append(flags, "--max-pages", "3", site.URL+"/0")...); code != cli.ExitLimit {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	old := t.TempDir()
	for _, part := range []string{job.LedgerDir, job.PagesDir} {
		filetest.Copy(t, filepath.Join(old, part), filepath.Join(dir, part))
	}
	if code, out := runArgs(t, append(flags, resting.URL+"/")...); code != cli.ExitWaiting || len(storedURLs(t, dir)) != 10 {
		t.Fatalf("crawl: exit code %d\n%s", code, out)
	}
	for _, part := range []string{job.LedgerDir, job.PagesDir} {
		if err := os.RemoveAll(filepath.Join(dir, part)); err != nil {
			t.Fatal(err)
		}
		filetest.Copy(t, filepath.Join(dir, part), filepath.Join(old, part))
	}
	asked := len(resting.Hits())
	for range 2 {
		if code, out := runArgs(t, flags...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
			t.Errorf("crawl: exit code %d, want %d and a word of what helps\n%s", code, cli.ExitDisk, out)
		}
	}
	if code, out := runArgs(t, "check", "--job", dir); code != cli.ExitFailure || !strings.Contains(out, "its end is gone") {
		t.Errorf("check: exit code %d, want %d and a word of the ledger\n%s", code, cli.ExitFailure, out)
	}
	if out := mustRun(t, "repair", "--job", dir); !strings.Contains(out, "its end is gone") ||
		!strings.Contains(out, "built anew") {
		t.Errorf("repair says\n%s", out)
	}
	if code, out := runArgs(t, flags...); code != cli.ExitWaiting || len(resting.Hits()) != asked {
		t.Errorf("crawl: exit code %d, want %d, and %d requests to a site that rests\n%s", code, cli.ExitWaiting,
			len(resting.Hits())-asked, out)
	}
	if n := len(storedURLs(t, dir)); n != 10 {
		t.Errorf("%d pages are stored, want 10", n)
	}
	mustRun(t, "check", "--job", dir)
	mustRun(t, "verify", "--job", dir)
}

// Debts that cannot be read are owed to every site, for as long as any can have asked for.
func TestRepair_Debts(t *testing.T) {
	t.Parallel()
	site, dir := webtest.New(t).Site(webtest.Pages{"/": {Body: "hello"}}), filepath.Join(t.TempDir(), "job")
	flags := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--max-pages", "0", "--job", dir}
	mustRun(t, append(flags, site.URL+"/")...)
	debts := filepath.Join(dir, job.DebtsFile)
	filetest.Write(t, debts, `{"some.example": {"until": "20`)
	asked := len(site.Hits())
	again := append(flags, "--again=all")
	for _, args := range [][]string{again, append(flags, "--fresh", site.URL+"/")} {
		if code, out := runArgs(t, args...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
			t.Errorf("%q: exit code %d, want %d and a word of what helps\n%s", args, code, cli.ExitDisk, out)
		}
	}
	if code, out := runArgs(t, "check", "--job", dir); code != cli.ExitFailure || !strings.Contains(out, job.DebtsFile) {
		t.Errorf("check: exit code %d, want %d\n%s", code, cli.ExitFailure, out)
	}
	if out := mustRun(t, "repair", "--job", dir); !strings.Contains(out, "each site is left alone until") {
		t.Errorf("repair says\n%s", out)
	}
	mustRun(t, "check", "--job", dir)
	if code, out := runArgs(t, again...); code != cli.ExitWaiting || len(site.Hits()) != asked {
		t.Errorf("exit code %d, want %d and no request; there were %d\n%s", code, cli.ExitWaiting, len(site.Hits())-asked, out)
	}
	old := time.Now().Add(-25 * time.Hour) // longer ago than any site can ask for
	filetest.Write(t, debts, `{"some.example"`)
	if err := os.Chtimes(debts, old, old); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "repair", "--job", dir)
	if b, err := os.ReadFile(debts); err != nil || !strings.Contains(string(b), `"*"`) {
		t.Errorf("debts: %q, %v", b, err)
	}
}

// Where the seeds of a job are gone, no crawl goes on with others, which would make the scope another one. After repair both count.
func TestRepair_SeedsGone(t *testing.T) {
	t.Parallel()
	web, dir := webtest.New(t), filepath.Join(t.TempDir(), "job")
	first, second := web.Site(webtest.Pages{"/": {Body: "one"}}), web.Site(webtest.Pages{"/": {Body: "two"}})
	flags := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--job", dir}
	mustRun(t, append(flags, first.URL+"/")...)
	seeds := filepath.Join(dir, job.SeedsFile)
	for _, damaged := range []string{"", "not a seed\n"} {
		filetest.Write(t, seeds, damaged)
		if code, out := runArgs(t, append(flags, second.URL+"/")...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
			t.Errorf("seeds %q: exit code %d, want %d and a word of what helps\n%s", damaged, code, cli.ExitDisk, out)
		}
		if n := len(second.Hits()); n > 0 {
			t.Errorf("seeds %q: the other site was asked %d times", damaged, n)
		}
		mustRun(t, "repair", "--job", dir)
		if b, err := os.ReadFile(seeds); err != nil || string(b) != first.URL+"/\n" {
			t.Errorf("seeds %q: repair found %q, %v", damaged, b, err)
		}
		if b, err := os.ReadFile(seeds + ".damaged"); err != nil || string(b) != damaged {
			t.Errorf("seeds %q: repair kept %q, %v", damaged, b, err)
		}
	}
	mustRun(t, append(flags, second.URL+"/")...)
	if stored := storedURLs(t, dir); stored[first.URL+"/"] != 1 || stored[second.URL+"/"] != 1 {
		t.Errorf("stored: %v", stored)
	}
}

// What crawl --fresh is deleting, or was when it was killed, is no job: nothing is said to be wrong with it, repair does not delete
// the rest, and index makes nothing there that the crawl that begins anew would find.
func TestRepair_WhatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	site, dir := webtest.New(t).Site(webtest.Pages{"/": {Body: "hello"}}), filepath.Join(t.TempDir(), "job")
	flags := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--job", dir, site.URL + "/"}
	mustRun(t, flags...)
	filetest.Write(t, filepath.Join(dir, "clearing"), "")
	if err := os.RemoveAll(filepath.Join(dir, job.PagesDir)); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"repair", "check", "verify", "status", "index", "care", "explain " + site.URL, "export pages",
	} {
		code, out := runArgs(t, append(strings.Fields(command), "--job", dir)...)
		if code != cli.ExitUsage || !strings.Contains(out, "it is being deleted, to start over") {
			t.Errorf("%s: exit code %d, want %d and why\n%s", command, code, cli.ExitUsage, out)
		}
	}
	for name, want := range map[string]bool{job.LedgerDir: true, job.PagesDir: false, job.IndexFile: false, job.GraphFile: false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
	mustRun(t, flags...)
	mustRun(t, "check", "--job", dir)
}
