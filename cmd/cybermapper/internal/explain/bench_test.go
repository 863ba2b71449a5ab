package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// BenchmarkAsk asks a job about a URL, a site and a URL that it does not know, each time as a new process does, with the contents
// of ledger and list and without. EXPLAIN_REQUESTS says how many requests the job made, to 2,000 sites: 100,000 if it does not.
// EXPLAIN_DIR keeps the job there, for the command: cybermapper explain URL --job DIR.
func BenchmarkAsk(b *testing.B) {
	requests := 100_000
	if n, err := strconv.Atoi(os.Getenv("EXPLAIN_REQUESTS")); err == nil {
		requests = n
	}
	v := longJob(b, requests)
	if dir := os.Getenv("EXPLAIN_DIR"); dir != "" {
		filetest.Copy(b, dir, v.Dir)
	}
	bare := b.TempDir()
	filetest.Copy(b, bare, v.Dir)
	for _, name := range []string{"ledger/contents", "pages/.store/contents"} {
		info, err := os.Stat(filepath.Join(v.Dir, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("%s: %.1f bytes a request", name, float64(info.Size())/float64(requests))
		filetest.Remove(b, filepath.Join(bare, name))
	}
	u := longURL(b, requests/2)
	none := frontiertest.URL(b, "https://www.site-1.example/none")
	for name, dir := range map[string]string{"contents": v.Dir, "bare": bare} {
		ask := func(question string, f func(*job.View) error) {
			b.Run(question+"/"+name, func(b *testing.B) {
				for b.Loop() {
					v := &job.View{Dir: dir}
					if err := v.Contents().Sound(); err != nil {
						b.Fatal(err)
					}
					if err := f(v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		ask("URL", func(v *job.View) error { _, err := URL(b.Context(), v, u); return err })
		ask("host", func(v *job.View) error { _, _, err := Site(b.Context(), v, u.Site()); return err })
		ask("unknown", func(v *job.View) error { _, err := NearURL(b.Context(), v, none); return err })
	}
}

// longURL returns the URL of the nth request.
func longURL(b *testing.B, n int) frontier.URL {
	b.Helper()
	return frontiertest.URL(b, fmt.Sprintf("https://www.site-%d.example/a/path/of/some/length/page-%d.html?round=%d", n%2000, n, n/2000))
}

// longJob returns a look at a job of so many requests, each with an outcome, and a line in the list of pages.
func longJob(b *testing.B, requests int) *job.View {
	b.Helper()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	digest := "sha256:" + fmt.Sprintf("%064d", 7)
	var list bytes.Buffer
	v := jobOf(b, func(yield func(ledger.Record) bool) {
		for i := range requests {
			u := longURL(b, i)
			start := at.Add(time.Duration(i) * time.Millisecond)
			r := ledger.Record{Type: ledger.Request, Time: start, URL: u.String(), Site: u.Site(), Via: u.Origin() + "/", Depth: 3,
				Purpose: "page", Attempt: 1, Method: "GET", Proto: "HTTP/1.1", Address: "10.0.0.1:443", Start: start, FirstByte: start.Add(5e7),
				End: start.Add(1e8), Status: 200, Bytes: 12_345, MediaType: "text/html", Owed: 2e9, Kept: 21e8, Gap: 2e9, GapWhy: "floor",
				RobotsDigest: digest, RobotsLine: 3, RobotsRule: "Allow: /"}
			l := pages.Line{URL: r.URL, FinalURL: r.URL, File: u.Site() + u.PathQuery(), Fetched: r.End, Status: 200, Type: "text/html",
				Charset: "utf-8", Bytes: 12_345, Digest: storage.DigestOf([]byte(r.URL)), Title: fmt.Sprint("The page number ", i), Depth: 3,
				Via: r.Via, Lang: "en"}
			text, err := json.Marshal(l)
			if err != nil {
				b.Fatal(err)
			}
			list.Write(append(text, '\n'))
			done := ledger.Record{Type: ledger.Outcome, Time: r.End, URL: r.URL, Via: r.Via, Outcome: "done", Status: 200, LinksFound: 40,
				LinksNew: 3, File: l.File, Digest: string(l.Digest), Listing: string(storage.DigestOf(text))}
			if !yield(r) || !yield(done) {
				return
			}
		}
	})
	packAll(b, v.Path(job.LedgerDir), ledger.Options{})
	if err := os.MkdirAll(v.Path(job.PagesDir), 0o755); err != nil {
		b.Fatal(err)
	}
	filetest.Write(b, filepath.Join(v.Path(job.PagesDir), "pages.jsonl"), list.Bytes())
	s, err := pages.Open(v.Path(job.PagesDir), pages.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Describe(); err != nil {
		b.Fatal(err)
	}
	filetest.Close(b, s)
	return v
}
