package verify_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// BenchmarkProve proves a crawl of 2,000 sites, and that its ledger continues a checkpoint of it. VERIFY_REQUESTS says how many
// requests it made, 100,000 if it does not; each page has an outcome and a line in the list of pages, as in life, and each site a
// robots.txt of its own. VERIFY_DIR keeps it there, for the command: cybermapper verify --quick --job DIR.
func BenchmarkProve(b *testing.B) {
	requests := 100_000
	if n, err := strconv.Atoi(os.Getenv("VERIFY_REQUESTS")); err == nil {
		requests = n
	}
	dir := os.Getenv("VERIFY_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	j := generate(b, dir, requests, 2000)
	var peak uint64
	for b.Loop() {
		r := prove(b, j, verify.Options{SkipFiles: true})
		if r.Requests != int64(requests) || r.Promise(verify.Gaps).Verdict != verify.Proven || r.Promise(verify.Allowed).Verdict != verify.Proven ||
			r.Promise(verify.Continues).Verdict != verify.Proven || r.Promise(verify.Listed).Verdict != verify.Proven {
			b.Fatalf("%+v", r)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapSys)
	}
	b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(peak)/(1<<20), "MiB")
}

// generate writes the evidence of a crawl, but for the files of its pages.
func generate(b *testing.B, dir string, requests, sites int) verify.Job {
	b.Helper()
	j := verify.Job{Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots"), Pages: filepath.Join(dir, "pages")}
	if err := os.MkdirAll(j.Pages, 0o755); err != nil {
		b.Fatal(err)
	}
	list, err := os.Create(filepath.Join(j.Pages, "pages.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(list)
	l, err := ledger.Open(j.Ledger, ledger.Options{})
	if err != nil {
		b.Fatal(err)
	}
	add := func(r ledger.Record) {
		if err := l.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	name := filepath.Join(b.TempDir(), "key")
	secret, err := checkpoint.GenerateKey("crawler.example")
	if err == nil {
		err = os.WriteFile(name, []byte(secret), 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	key, err := checkpoint.ReadKey(name)
	if err != nil {
		b.Fatal(err)
	}
	start := story()[0]
	start.Key = key.Verifier
	add(start)
	digests := make([]string, sites)
	for i := range requests {
		n, round := i%sites, i/sites
		start := float64(round)*3 + float64(n)/float64(sites)
		origin := fmt.Sprintf("https://www.site-%d.example", n)
		r := request("", start)
		if round == 0 {
			r = robotsRequest(start)
			digests[n], err = robots.DirBodies(j.Robots).Put([]byte(file + "Disallow: /" + origin + "\n"))
			if err != nil {
				b.Fatal(err)
			}
			r.Origin, r.Digest, r.URL = origin, digests[n], origin+"/robots.txt"
		} else {
			r.URL = fmt.Sprintf("%s/a/path/of/some/length/page-%d.html?round=%d", origin, i, round)
			r.Via, r.Depth, r.RobotsDigest = origin+"/", 3, digests[n]
		}
		r.Expires = at(1e6)
		if round > 0 {
			r.Kept, r.Owed = secs(2.9), r.Gap
		}
		r.Site, r.Address = origin[len("https://"):], fmt.Sprintf("10.0.%d.%d:443", n/250, n%250)
		add(r)
		if round > 0 {
			body := storage.DigestOf([]byte(r.URL))
			name := fmt.Sprintf("www.site-%d.example/a/path/of/some/length/page-%d.html", n, i)
			line, err := json.Marshal(pages.Line{URL: r.URL, FinalURL: r.URL, File: name, Fetched: r.End, Status: 200, Type: "text/html",
				Charset: "utf-8", Bytes: 12_345, Digest: body, Title: fmt.Sprint("The page number ", i), Depth: 3, Via: r.Via, Lang: "en"})
			if err != nil {
				b.Fatal(err)
			}
			out.Write(append(line, '\n'))
			add(ledger.Record{Type: ledger.Outcome, Time: r.End, URL: r.URL, Via: r.Via, Outcome: "done", Status: 200, LinksFound: 40, LinksNew: 3,
				File: name, Digest: string(body), Listing: string(storage.DigestOf(line))})
		}
	}
	add(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(1).Add(time.Hour)})
	if err := errors.Join(l.Close(), out.Flush(), list.Close()); err != nil {
		b.Fatal(err)
	}
	if _, err := checkpoint.OpenLog(j.Ledger, key).Sign(); err != nil {
		b.Fatal(err)
	}
	return j
}
