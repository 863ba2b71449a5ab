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
// robots.txt of its own. VERIFY_JOBS says how many jobs share it, 1 if it does not: each site changes hands every hundredth round.
// VERIFY_DIR keeps it there, for the command: cybermapper verify --quick --job DIR, or --job DIR/node-0 --job DIR/node-1.
func BenchmarkProve(b *testing.B) {
	number := func(name string, usual int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return usual
	}
	requests := number("VERIFY_REQUESTS", 100_000)
	dir := os.Getenv("VERIFY_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	jobs := generate(b, dir, requests, 2000, number("VERIFY_JOBS", 1))
	var peak uint64
	for b.Loop() {
		r := proveAll(b, jobs, verify.Options{SkipFiles: true})
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

// A scribe writes the evidence of one job, but for the files of its pages.
type scribe struct {
	*testing.B
	job    verify.Job
	ledger *ledger.Ledger
	list   *os.File
	out    *bufio.Writer
	key    *checkpoint.Key
}

func newScribe(b *testing.B, dir string) *scribe {
	b.Helper()
	s := &scribe{B: b, job: verify.Job{
		Name: filepath.Base(dir), Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots"), Pages: filepath.Join(dir, "pages"),
	}}
	s.must(os.MkdirAll(s.job.Pages, 0o755))
	var err error
	s.list, err = os.Create(filepath.Join(s.job.Pages, "pages.jsonl"))
	s.must(err)
	s.out = bufio.NewWriter(s.list)
	s.ledger, err = ledger.Open(s.job.Ledger, ledger.Options{})
	s.must(err)
	name := filepath.Join(b.TempDir(), "key")
	secret, err := checkpoint.GenerateKey("crawler.example")
	s.must(err)
	s.must(os.WriteFile(name, []byte(secret), 0o600))
	s.key, err = checkpoint.ReadKey(name)
	s.must(err)
	start := story()[0]
	start.Key = s.key.Verifier
	s.add(start)
	return s
}

func (s *scribe) must(err error) {
	if s.Helper(); err != nil {
		s.Fatal(err)
	}
}

func (s *scribe) add(r ledger.Record) { s.must(s.ledger.Append(r)) }

// page adds what became of a request for the nth page, and its line.
func (s *scribe) page(r ledger.Record, n int) {
	body := storage.DigestOf([]byte(r.URL))
	name := fmt.Sprintf("%s/a/path/of/some/length/page-%d.html", r.Site, n)
	line, err := json.Marshal(pages.Line{URL: r.URL, FinalURL: r.URL, File: name, Fetched: r.End, Status: 200, Type: "text/html",
		Charset: "utf-8", Bytes: 12_345, Digest: body, Title: fmt.Sprint("The page number ", n), Depth: 3, Via: r.Via, Lang: "en"})
	s.must(err)
	s.out.Write(append(line, '\n'))
	s.add(ledger.Record{Type: ledger.Outcome, Time: r.End, URL: r.URL, Via: r.Via, Outcome: "done", Status: 200, LinksFound: 40, LinksNew: 3,
		File: name, Digest: string(body), Listing: string(storage.DigestOf(line))})
}

func (s *scribe) close() {
	s.add(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(1).Add(time.Hour)})
	s.must(errors.Join(s.ledger.Close(), s.out.Flush(), s.list.Close()))
	_, err := checkpoint.OpenLog(s.job.Ledger, s.key).Sign()
	s.must(err)
}

// generate writes the evidence of a crawl by so many jobs: in dir itself if it is one, else in folders of it.
func generate(b *testing.B, dir string, requests, sites, jobs int) []verify.Job {
	b.Helper()
	var scribes []*scribe
	for i := range jobs {
		within := dir
		if jobs > 1 {
			within = filepath.Join(dir, fmt.Sprint("node-", i))
		}
		scribes = append(scribes, newScribe(b, within))
	}
	digests := make([]string, sites)
	for i := range requests {
		n, round := i%sites, i/sites
		s := scribes[(n+round/100)%jobs]
		start := float64(round)*3 + float64(n)/float64(sites)
		origin := fmt.Sprintf("https://www.site-%d.example", n)
		r := request("", start)
		if round == 0 {
			r = robotsRequest(start)
			digest, err := robots.DirBodies(s.job.Robots).Put([]byte(file + "Disallow: /" + origin + "\n"))
			s.must(err)
			digests[n] = digest
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
		if s.add(r); round > 0 {
			s.page(r, i)
		}
	}
	var all []verify.Job
	for _, s := range scribes {
		s.close()
		all = append(all, s.job)
	}
	return all
}
