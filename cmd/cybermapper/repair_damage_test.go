package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// Whatever is done to a file of a job, the next crawl either goes on soundly, or ends with an error that says what helps; and after
// repair, which asks for nothing, it goes on, with every page and without asking again for what is there.
func TestDamage_IsNeverSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other, many times")
	}
	t.Parallel()
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 2, Pages: 15, PageBytes: 2000, Links: 20})
	shy := web.Site(webtest.Pages{"/": {Body: "leave me alone"}})
	optedOut, whole := filepath.Join(t.TempDir(), "optout.txt"), filepath.Join(t.TempDir(), "job")
	filetest.Write(t, optedOut, shy.Addr.Addr().String()+"\n")
	args := append([]string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}, bench.Seeds()...)
	mustRun(t, append(args, "--job", whole, "--opt-out", optedOut, "--warc")...)
	args = append(args, shy.URL+"/")
	for _, store := range []string{
		"frontier", "frontier/*.log", "frontier/MANIFEST-*", "ledger/ledger-000001.jsonl", "ledger/ledger.head", "pages/pages.jsonl",
		"pages/*/d0/p3.html", "pages/.store/index/MANIFEST-*", "pages/.store/index", "seeds.txt", "job.yaml", "reach.json",
		"status.json", "report.json", "robots/*", "optout.txt", "archive/*.warc.gz", "indexes/*.cdxj",
	} {
		for name, damage := range damages {
			t.Run(store+" "+name, func(t *testing.T) {
				job := filepath.Join(t.TempDir(), "job")
				filetest.Copy(t, job, whole)
				files, err := filepath.Glob(filepath.Join(job, store))
				if err != nil || len(files) == 0 {
					t.Fatalf("no file %s: %v", store, err)
				}
				if err := damage(files[0]); errors.Is(err, errors.ErrUnsupported) {
					t.Skip("not a thing to be done to a directory")
				} else if err != nil {
					t.Fatal(err)
				}
				mustComeBack(t, bench, job, store, args)
				if n := len(shy.Hits()); n > 0 {
					t.Fatalf("an owner who opted out was asked %d times", n)
				}
			})
		}
	}
}

// Whatever is gone of a job at once, but its pages, no crawl starts over unasked, and after repair no page is asked for again.
func TestDamage_OfSeveralStores(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other, many times")
	}
	t.Parallel()
	bench, whole, args := crawled(t)
	served := bench.Served()
	for _, gone := range [][]string{
		{"ledger"}, {"frontier"}, {"ledger", "frontier"}, {"ledger", "frontier", "pages/.store"}, {"frontier", "pages/.store"},
		{"frontier", "ledger/ledger.head", "status.json", "reach.json"},
	} {
		job := filepath.Join(t.TempDir(), "job")
		filetest.Copy(t, job, whole)
		for _, name := range gone {
			if err := os.RemoveAll(filepath.Join(job, name)); err != nil {
				t.Fatal(err)
			}
		}
		if code, out := runArgs(t, "check", "--job", job); code != cli.ExitFailure {
			t.Errorf("%v: check: exit code %d, want %d\n%s", gone, code, cli.ExitFailure, out)
		}
		if code, out := runArgs(t, append(args, "--job", job)...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
			t.Errorf("%v: exit code %d, want %d and a word of what helps\n%s", gone, code, cli.ExitDisk, out)
		}
		mustRun(t, "repair", "--job", job)
		mustRun(t, append(args, "--job", job)...)
		mustRun(t, "check", "--job", job)
		if code, out := runArgs(t, "verify", "--job", job); code == cli.ExitFailure || strings.Contains(out, "refuted") {
			t.Errorf("%v: verify after repair: exit code %d\n%s", gone, code, out)
		}
		if again := bench.Served() - served; again > 0 {
			t.Errorf("%v: %d pages were asked for again", gone, again)
			served = bench.Served()
		}
	}
}

// A ledger that lost its end is no lie: after repair, what it does not tell of any more is not shown. What is signed from then on
// is what it has, also when it grows beyond what it had.
func TestDamage_OfSignedLedger(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	bench, dir := webtest.New(t).Bench(webtest.BenchShape{Hosts: 2, Pages: 15, PageBytes: 2000, Links: 20}), t.TempDir()
	job, key, config := filepath.Join(dir, "job"), filepath.Join(dir, "key"), filepath.Join(dir, "config.yaml")
	mustRun(t, "key", "new", "--name", "crawler.example", key)
	text := fmt.Sprintf("evidence:\n  key: %s\n  publish: %s\n", key, filepath.Join(dir, "tiles"))
	filetest.Write(t, config, text)
	args := []string{"crawl", "--job", job, "--config", config, "--allow-private", "--quiet", "--delay", "1ms"}
	args = append(append(args, "--delay-factor", "0"), bench.Seeds()...)
	mustRun(t, args...)
	kept := filepath.Join(dir, "kept")
	if data, err := os.ReadFile(filepath.Join(job, "ledger", "checkpoints")); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(kept, data, 0o644); err != nil {
		t.Fatal(err)
	}
	err := change(filepath.Join(job, "ledger", "ledger-000001.jsonl"), func(b []byte) []byte {
		end := min(len(b)*3/4, bytes.LastIndex(b, []byte(`"type":"request"`))) // on a busy machine all outcomes may come last
		return b[:1+bytes.LastIndexByte(b[:end], '\n')]
	})
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "repair", "--job", job)
	for range 3 {
		mustRun(t, append(args, "--again=all")...)
		mustRun(t, "check", "--job", job)
		code, out := runArgs(t, "verify", "--job", job)
		if code != cli.ExitNotShown || !strings.Contains(out, "beside the ledger is of records that are lost") ||
			!strings.Contains(out, "when the ledger lost its end") {
			t.Errorf("verify: exit code %d, want that what was lost is not shown\n%s", code, out)
		}
	}
	if code, out := runArgs(t, "verify", "--job", job, "--checkpoint", kept); code != cli.ExitFailure ||
		!strings.Contains(out, "says that the job was damaged, and put in order") {
		t.Errorf("verify of what somebody kept: exit code %d, want that it is refuted, and what the ledger says\n%s", code, out)
	}
}

// Whatever of the pages is gone at once, or of the end of their list, no crawl goes on as if nothing were: also not the second one.
// After repair, the pages that are lost are asked for again, and no others.
func TestDamage_OfPages(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other, many times")
	}
	t.Parallel()
	bench, whole, args := crawled(t)
	list := func(job string) string { return filepath.Join(job, "pages", "pages.jsonl") }
	remove := func(name string) error { return os.RemoveAll(name) }
	for name, damage := range map[string]func(job string) error{
		"all":  func(job string) error { return remove(filepath.Join(job, "pages")) },
		"list": func(job string) error { return remove(list(job)) },
		"list and index": func(job string) error {
			return errors.Join(remove(list(job)), remove(filepath.Join(job, "pages", ".store")))
		},
		"end of list": func(job string) error { return change(list(job), func(b []byte) []byte { return b[:len(b)*9/10] }) },
		"begin of list": func(job string) error {
			return change(list(job), func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			job := filepath.Join(t.TempDir(), "job")
			if err := errors.Join(os.CopyFS(job, os.DirFS(whole)), damage(job)); err != nil {
				t.Fatal(err)
			}
			before, kept := bench.Served(), len(storedURLs(t, job))
			for range 2 {
				if code, out := runArgs(t, append(args, "--job", job)...); code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
					t.Errorf("exit code %d, want %d and a word of what helps\n%s", code, cli.ExitDisk, out)
				}
			}
			for _, command := range [][]string{{"repair"}, args, {"check"}, {"verify"}, args} {
				mustRun(t, append(command, "--job", job)...)
			}
			stored := len(storedURLs(t, job))
			if want := len(storedURLs(t, whole)); stored != want {
				t.Errorf("%d pages are stored, want %d", stored, want)
			}
			if again := int(bench.Served() - before); again != stored-kept {
				t.Errorf("%d pages were asked for again, want the %d that were lost", again, stored-kept)
			}
		})
	}
}

// A file that neither the list nor the ledger knows, as a loss of power leaves where it kept the name of a page and not what was
// noted of it before, is put aside, and then the job is in order.
func TestDamage_ByAFileWithoutALine(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	_, whole, args := crawled(t)
	job := filepath.Join(t.TempDir(), "job")
	if err := os.CopyFS(job, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("nobody.example", "half")
	file := filepath.Join(job, "pages", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("<title>"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if code, out := runArgs(t, "check", "--job", job); code != cli.ExitFailure {
		t.Errorf("check: exit code %d, want %d\n%s", code, cli.ExitFailure, out)
	}
	const says = "1 file that the list does not name"
	if code, out := runArgs(t, "repair", "--job", job); code != cli.ExitDone || !strings.Contains(out, says) {
		t.Errorf("repair: exit code %d, want a word on the file\n%s", code, out)
	}
	if b, err := os.ReadFile(filepath.Join(job, "pages.damaged", name)); string(b) != "<title>" {
		t.Errorf("%q is kept: %v", b, err)
	}
	for _, command := range [][]string{{"check"}, {"verify"}, args} {
		mustRun(t, append(command, "--job", job)...)
	}
}

// A folder of pages that is a link, as to a larger disk, is no file without a line, and pages that are listed stay where they are
// when one is put aside from there; so does a folder in it that is a link.
func TestDamage_OfLinkedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	_, whole, args := crawled(t)
	for name, base := range map[string]string{"same disk": "", "memory": "/dev/shm"} {
		elsewhere, err := os.MkdirTemp(cmp.Or(base, t.TempDir()), "cybermapper-test-")
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		defer os.RemoveAll(elsewhere)
		job := filepath.Join(t.TempDir(), "job")
		host, moved := filepath.Join(elsewhere, "pages", "nobody.example"), filepath.Join(elsewhere, "nobody.example")
		if err := errors.Join(os.CopyFS(job, os.DirFS(whole)), os.CopyFS(filepath.Join(elsewhere, "pages"),
			os.DirFS(filepath.Join(job, "pages"))), os.RemoveAll(filepath.Join(job, "pages")), os.Mkdir(moved, 0o755)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(elsewhere, "pages"), filepath.Join(job, "pages")); err != nil {
			t.Skip(err) // no such links here
		}
		mustRun(t, "check", "--job", job)
		half := filepath.Join(elsewhere, "pages", "half")
		if err := errors.Join(os.WriteFile(half, []byte("<title>"), 0o644), os.Symlink(moved, host)); err != nil {
			t.Fatal(err)
		}
		const says = "1 file that the list does not name"
		if code, out := runArgs(t, "repair", "--job", job); code != cli.ExitDone || !strings.Contains(out, says) {
			t.Errorf("%s: repair: exit code %d, want a word on the file\n%s", name, code, out)
		}
		if b, err := os.ReadFile(filepath.Join(job, "pages.damaged", "half")); string(b) != "<title>" {
			t.Errorf("%s: %q is kept: %v", name, b, err)
		}
		if _, err := os.Lstat(half); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file is there still: %v", name, err)
		}
		if err := os.Remove(host); err != nil {
			t.Errorf("%s: the link of a folder is gone: %v", name, err)
		}
		for _, command := range [][]string{{"check"}, {"verify"}, args} {
			mustRun(t, append(command, "--job", job)...)
		}
	}
}

// Of pages with several versions, and of one that is gone by now, no crawl says after a repair that their list has lost lines; nor
// does it of pages that were removed.
func TestDamage_OfVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	var visits atomic.Int64
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := visits.Add(1); {
		case r.URL.Path == "/robots.txt", r.URL.Path == "/gone" && n > 8:
			http.NotFound(w, r)
		case r.URL.Path == "/banned" && n > 8:
			fmt.Fprintf(w, `<title>%d</title><meta name="robots" content="noindex">`, n)
		default:
			fmt.Fprintf(w, `<title>%d</title><a href="/a">a</a> <a href="/gone">gone</a> <a href="/banned">banned</a>`, n)
		}
	}))
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--job", job, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", site.URL + "/"}
	mustRun(t, args...)
	for range 2 {
		visits.Store(8)
		mustRun(t, append(args, "--again=all", "--purge")...)
	}
	mustRun(t, args...)
	filetest.Remove(t, filepath.Join(job, "pages", "pages.jsonl"))
	if code, out := runArgs(t, args...); code != cli.ExitDisk {
		t.Errorf("exit code %d, want %d\n%s", code, cli.ExitDisk, out)
	}
	for _, command := range [][]string{{"repair", "--job", job}, args, {"check", "--job", job}, args} {
		mustRun(t, command...)
	}
	if code, out := runArgs(t, "verify", "--job", job); code == cli.ExitDone || strings.Contains(out, "refuted") {
		t.Errorf("verify: exit code %d, want that not all is shown\n%s", code, out)
	}
	if stored := storedURLs(t, job); stored[site.URL+"/"] == 0 || stored[site.URL+"/a"] == 0 {
		t.Errorf("stored: %v", stored)
	}
}

// crawled crawls a small web, and returns it, the job, and the command that goes on with a copy of that.
func crawled(t *testing.T) (bench *webtest.Bench, job string, args []string) {
	t.Helper()
	bench = webtest.New(t).Bench(webtest.BenchShape{Hosts: 2, Pages: 15, PageBytes: 2000, Links: 20})
	job = filepath.Join(t.TempDir(), "job")
	args = append([]string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}, bench.Seeds()...)
	mustRun(t, append(args, "--job", job)...)
	return bench, job, args
}

// What is kept in the archive only is asked for again when a file of it is gone or damaged, and nothing else is: what is whole in a
// damaged file stays, and nothing refers to what is not there.
func TestDamage_OfArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	bench, whole := webtest.New(t).Bench(webtest.BenchShape{Hosts: 1, Pages: 30, PageBytes: 2000, Links: 20}),
		filepath.Join(t.TempDir(), "job")
	args := append([]string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--warc", "--pages=false"}, bench.Seeds()...)
	mustRun(t, append(args, "--job", whole)...)
	for name, tt := range map[string]struct {
		least, most int // pages that are asked for again
	}{"removed": {30, 30}, "cut": {10, 20}, "flipped": {1, 2}} {
		job := filepath.Join(t.TempDir(), "job")
		filetest.Copy(t, job, whole)
		files, err := filepath.Glob(filepath.Join(job, "archive", "*.warc.gz"))
		if err != nil || len(files) != 1 {
			t.Fatalf("files %q, %v", files, err)
		}
		if err := damages[name](files[0]); err != nil {
			t.Fatal(err)
		}
		if code, out := runArgs(t, "check", "--job", job); code != cli.ExitFailure || !strings.Contains(out, "archive: "+filepath.Base(files[0])) {
			t.Errorf("%s: check: exit code %d\n%s", name, code, out)
		}
		mustRun(t, "repair", "--job", job)
		mustRun(t, "check", "--job", job)
		if out := mustRun(t, "repair", "--job", job); !strings.Contains(out, "\nlost     0 pages") {
			t.Errorf("%s: repair says once more\n%s", name, out)
		}
		before := bench.Served()
		_, out := runArgs(t, append(args, "--job", job)...)
		if n := bench.Served() - before; n < tt.least || n > tt.most {
			t.Errorf("%s: %d pages are asked for again, want %d to %d\n%s", name, n, tt.least, tt.most, out)
		}
		mustRun(t, "check", "--job", job)
		for url := range bench.URLs() {
			if mustRun(t, "archive", "extract", "--job", job, "--url", url) == "" {
				t.Errorf("%s: %s is lost", name, url)
			}
		}
		if r := proofOf(t, "--job", job); r.Verdict != verify.Proven {
			t.Errorf("%s: after repair the job is %s", name, r.Verdict)
		}
		if out := mustRun(t, "status", "--job", job); !strings.Contains(out, "; 30 pages of 1 site") {
			t.Errorf("%s: status says\n%s", name, out)
		}
	}
}

// A WARC file of another program that someone has put into the archive gets its index, and stays as it is, also when its records
// cannot be read alone.
func TestRepair_LeavesForeignArchives(t *testing.T) {
	t.Parallel()
	job := filepath.Join(t.TempDir(), "job")
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "hello"}})
	mustRun(t, "crawl", "--job", job, "--allow-private", "--quiet", "--warc", site.URL+"/")
	files, err := filepath.Glob(filepath.Join(job, "archive", "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	r, err := gzip.NewReader(strings.NewReader(mustRead(t, files[0])))
	if err != nil {
		t.Fatal(err)
	}
	var asOne bytes.Buffer
	w := gzip.NewWriter(&asOne)
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, w)
	foreign := filepath.Join(job, "archive", "foreign.warc.gz")
	filetest.Write(t, foreign, asOne.Bytes())
	if code, out := runArgs(t, "check", "--job", job); code != cli.ExitFailure || !strings.Contains(out, "foreign.warc.gz: it is missing") {
		t.Errorf("check: exit code %d\n%s", code, out)
	}
	mustRun(t, "repair", "--job", job)
	mustRun(t, "check", "--job", job)
	if mustRead(t, foreign) != asOne.String() {
		t.Error("the file has changed")
	}
}

// A queue that was built anew does not know sitemaps, which robots.txt is to name again: the crawl goes on, and reads them. What
// crawl says of a queue, check says before.
func TestDamage_OfQueueWithSitemaps(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "Sitemap: http://%s/map.txt\n", r.Host)
		case "/map.txt":
			for i := range 9 {
				fmt.Fprintf(w, "http://%s/%d.html\n", r.Host, i)
			}
		default:
			fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
		}
	}))
	dir := t.TempDir()
	before, whole := filepath.Join(dir, "before"), filepath.Join(dir, "job")
	args := []string{"crawl", "--sitemaps", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", site.URL + "/"}
	if code, out := runArgs(t, append(args, "--job", whole, "--max-pages", "1")...); code != cli.ExitLimit {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	filetest.Copy(t, before, filepath.Join(whole, "frontier"))
	args = append(args, "--max-pages", "0")
	mustRun(t, append(args, "--job", whole)...)
	for name, damage := range map[string]func(queue string) error{
		"removed":  os.RemoveAll,
		"manifest": func(queue string) error { return removeAll(filepath.Join(queue, "MANIFEST-*")) },
		"older":    func(queue string) error { return errors.Join(os.RemoveAll(queue), os.CopyFS(queue, os.DirFS(before))) },
	} {
		t.Run(name, func(t *testing.T) {
			job := filepath.Join(t.TempDir(), "job")
			if err := errors.Join(os.CopyFS(job, os.DirFS(whole)), damage(filepath.Join(job, "frontier"))); err != nil {
				t.Fatal(err)
			}
			code, out := runArgs(t, append(args, "--job", job)...)
			if code != cli.ExitDisk || !strings.Contains(out, "repair --job") {
				t.Errorf("exit code %d, want %d and a word of what helps\n%s", code, cli.ExitDisk, out)
			}
			if code, out := runArgs(t, "check", "--job", job); code == cli.ExitDone || strings.Contains(out, "no job") {
				t.Errorf("check: exit code %d\n%s", code, out)
			}
			mustRun(t, "repair", "--job", job)
			for _, command := range [][]string{append(args, "--job", job), {"check", "--job", job}, {"verify", "--job", job}} {
				mustRun(t, command...)
			}
			if stored := len(storedURLs(t, job)); stored != 10 {
				t.Errorf("%d pages are stored, want 10", stored)
			}
		})
	}
}

// A line of the list of pages that is a line, but not the one that was written, does not stay.
func TestDamage_OfLinesOfPages(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	site := webtest.New(t).Site(webtest.Page{Body: `<title>all</title><a href="/a">a</a>`})
	whole := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", site.URL + "/"}
	mustRun(t, append(args, "--job", whole)...)
	for from, to := range map[string]string{
		`"final_url":"http`: `"final_url":"htap`, `/a","final_url":"http://127`: `/a","final_url":"http://128`,
		`"bytes":`: `"bytes":1`, `"digest":"sha256:`: `"digest":"sha256:0`,
	} {
		t.Run(from, func(t *testing.T) {
			job := filepath.Join(t.TempDir(), "job")
			filetest.Copy(t, job, whole)
			if err := change(filepath.Join(job, "pages", "pages.jsonl"), func(b []byte) []byte {
				return bytes.Replace(b, []byte(from), []byte(to), 1)
			}); err != nil {
				t.Fatal(err)
			}
			if code, out := runArgs(t, "check", "--job", job); code != cli.ExitFailure {
				t.Fatalf("check: exit code %d\n%s", code, out)
			}
			for _, command := range [][]string{{"repair"}, args, {"check"}, {"verify"}} {
				mustRun(t, append(command, "--job", job)...)
			}
			if stored := len(storedURLs(t, job)); stored != 2 {
				t.Errorf("%d pages are stored, want 2", stored)
			}
		})
	}
}

func removeAll(pattern string) error {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// damages are what can happen to a file.
var damages = map[string]func(name string) error{
	"removed": os.RemoveAll,
	"emptied": func(name string) error { return change(name, func([]byte) []byte { return nil }) },
	"cut":     func(name string) error { return change(name, func(b []byte) []byte { return b[:len(b)/2] }) },
	"flipped": func(name string) error {
		return change(name, func(b []byte) []byte {
			for i := len(b) / 3; i < len(b)/3+40 && i < len(b); i++ {
				b[i] ^= 0x55
			}
			return b
		})
	},
}

func change(name string, f func([]byte) []byte) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return errors.Join(errors.ErrUnsupported, err)
	}
	return os.WriteFile(name, f(b), 0o644)
}

// mustComeBack goes on with a damaged job, and repairs it when told to.
func mustComeBack(t *testing.T, bench *webtest.Bench, job, damaged string, args []string) {
	t.Helper()
	before := bench.Served()
	code, out := runArgs(t, append(args, "--job", job)...)
	if again := bench.Served() - before; code != cli.ExitDone && again > 0 {
		t.Errorf("a crawl that failed asked for %d pages", again)
	} else if again > 2 {
		t.Errorf("%d pages were asked for again, and nothing was said\n%s", again, out)
	}
	if code == cli.ExitDone {
		if code, out := runArgs(t, "check", "--job", job); code == cli.ExitDone {
			return
		} else if strings.Contains(out, "ledger:") {
			return // the middle of the ledger is damaged: check says so, the crawl can go on
		}
	}
	if code != cli.ExitDone && (strings.Contains(out, "job.yaml") || strings.Contains(out, "not a job")) {
		return // an error that names what the operator wrote
	}
	if code != cli.ExitDone && !strings.Contains(out, "repair --job") {
		t.Errorf("exit code %d without a word of what helps\n%s", code, out)
	}
	before = bench.Served()
	code, out = runArgs(t, "repair", "--job", job)
	stays := strings.HasPrefix(damaged, "ledger") && strings.Contains(out, "nothing mends that") // in the middle of it
	if code != cli.ExitDone && !(code == cli.ExitFailure && stays) {
		t.Errorf("repair: exit code %d\n%s", code, out)
	}
	if n := bench.Served() - before; n > 0 {
		t.Errorf("repair asked for %d pages", n)
	}
	mustRun(t, append(args, "--job", job)...)
	for url := range bench.URLs() {
		if storedURLs(t, job)[url] == 0 {
			t.Errorf("%s is lost", url)
		}
	}
	if strings.HasPrefix(damaged, "ledger") || strings.HasPrefix(damaged, "robots") {
		return // what is lost cannot be proven any more
	}
	mustRun(t, "check", "--job", job)
	if code, out := runArgs(t, "verify", "--job", job); code == cli.ExitFailure && strings.Contains(out, "refuted") {
		t.Errorf("verify: exit code %d\n%s", code, out)
	}
}

// TestDamage_InTheMiddleOfTheLedger: what nothing mends is said, with a code that is not that of a job in order; the crawl goes on.
func TestDamage_InTheMiddleOfTheLedger(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 1, Pages: 8, PageBytes: 500, Links: 5})
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--job", job, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0"}
	args = append(args, bench.Seeds()...)
	mustRun(t, args...)
	err := change(filepath.Join(job, "ledger", "ledger-000001.jsonl"), func(b []byte) []byte {
		at := bytes.Index(b[len(b)/2:], []byte(`"status":200`)) + len(b)/2
		copy(b[at:], `"status":201`)
		return b
	})
	if err != nil {
		t.Fatal(err)
	}
	code, out := runArgs(t, "repair", "--job", job)
	if code != cli.ExitFailure || !strings.Contains(out, "was altered") || !strings.Contains(out, "nothing mends that") {
		t.Errorf("repair: exit code %d\n%s", code, out)
	}
	mustRun(t, args...)
	for _, command := range []string{"check", "verify"} {
		if code, out := runArgs(t, command, "--job", job); code != cli.ExitFailure || !strings.Contains(out, "was altered") {
			t.Errorf("%s: exit code %d\n%s", command, code, out)
		}
	}
}
