package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// What a killed run left unfinished is cut off, said, and written down.
func TestCrawl_TellsWhatItRepairs(t *testing.T) {
	site := webtest.New(t).Site(webtest.Page{Body: "<p>hello"})
	dir := filepath.Join(t.TempDir(), "job")
	crawl := func() string {
		var stdout, stderr bytes.Buffer
		args := []string{"crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "0s", site.URL + "/"}
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != cli.ExitDone {
			t.Fatalf("exit code %d\n%s", code, &stderr)
		}
		return stderr.String()
	}
	if got := crawl(); strings.Contains(got, "killed") {
		t.Errorf("the first run says %q", got)
	}
	filetest.Append(t, filepath.Join(dir, "ledger", "ledger-000001.jsonl"), `{"seq":`)
	if got := crawl(); !strings.Contains(got, "cybermapper: the last run was killed: cut off 7 bytes of unfinished records") {
		t.Errorf("the second run says %q", got)
	}
	var torn int64
	for _, r := range recordsOf(t, dir) {
		torn += r.Torn
	}
	if torn != 7 {
		t.Errorf("the ledger says %d bytes, want 7", torn)
	}
}

// A job that was in order before a repair is as it was after it: the ledger does not say that it was damaged, and verify does not
// say that a run was killed.
func TestRepair_SaysNothingOfSoundJob(t *testing.T) {
	site := webtest.New(t).Site(webtest.Page{Body: "<p>hello"})
	dir := filepath.Join(t.TempDir(), "job")
	mustRun(t, "crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "0s", site.URL+"/")
	for _, c := range []struct {
		name    string
		lost    string
		isSound bool
	}{
		{"nothing", "nothing", true},
		{"an index that is built from the list", "pages/.store/index", true},
		{"the queue", "frontier", false},
	} {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(c.lost))); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"repair"}, {"verify"}} {
			out := mustRun(t, args[0], "--job", dir)
			if strings.Contains(out, "the last run has no end") || args[0] == "verify" && strings.Contains(out, "was damaged") == c.isSound {
				t.Errorf("lost %s: verify says\n%s", c.name, out)
			}
		}
	}
}

// What a later version of the program wrote is named as that, and neither gone on with nor repaired.
func TestRepair_LeavesWhatIsNewer(t *testing.T) {
	site := webtest.New(t).Site(webtest.Page{Body: "<p>hello"})
	whole := filepath.Join(t.TempDir(), "job")
	crawl := []string{"crawl", "--allow-private", "--quiet", "--delay", "0s", site.URL + "/"}
	mustRun(t, append(crawl, "--job", whole)...)
	for name, age := range map[string]func(dir string) error{
		"ledger": func(dir string) error {
			name := filepath.Join(dir, "ledger", "ledger-000001.jsonl")
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, bytes.Replace(data, []byte(`"format":1`), []byte(`"format":2`), 1), 0o644)
		},
		"queue": func(dir string) error {
			markers, err := filepath.Glob(filepath.Join(dir, "frontier", "marker.format-version.*"))
			if err != nil {
				return err
			}
			return os.Rename(markers[0], strings.TrimSuffix(markers[0], filepath.Ext(markers[0]))+".999")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "job")
			filetest.Copy(t, dir, whole)
			if err := age(dir); err != nil {
				t.Fatal(err)
			}
			if code, out := runArgs(t, "check", "--job", dir); code != cli.ExitUsage || !strings.Contains(out, "newer version") {
				t.Errorf("check ends with %d\n%s", code, out)
			}
			for _, args := range [][]string{crawl, {"repair"}, crawl} {
				code, out := runArgs(t, append(args, "--job", dir)...)
				if code != cli.ExitDisk || !strings.Contains(out, "newer version") || !strings.Contains(out, "nothing was changed") {
					t.Errorf("%s ends with %d\n%s", args[0], code, out)
				}
			}
		})
	}
}
