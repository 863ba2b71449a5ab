package warc_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// BenchmarkArchive_Record archives the texts of packages, each with another ending; compressed is what
// share of the bytes is left.
func BenchmarkArchive_Record(b *testing.B) {
	var bodies []string
	names, _ := filepath.Glob("../../*/*.go")
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && len(text) > 4<<10 {
			bodies = append(bodies, string(text))
		}
	}
	if len(bodies) == 0 {
		b.Skip("nothing to archive")
	}
	dir := b.TempDir()
	a, err := warc.Open(dir, warc.Options{Prefix: "bench", IndexDir: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: \"x\"\r\nContent-Length: %d\r\n\r\n"
	size, n := int64(0), 0
	for b.Loop() {
		body := bodies[n%len(bodies)] + fmt.Sprint(n)
		n++
		head := fmt.Sprintf(head, len(body))
		x := &storage.Exchange{
			URL: fmt.Sprintf("http://www.example/%d.html", n), Purpose: "page", Via: "http://www.example/", Start: time.Now(),
			End: time.Now(), Protocol: "http/1.1", Request: []byte("GET / HTTP/1.1\r\nHost: www.example\r\nUser-Agent: x/1.0\r\n\r\n"),
			Response: io.NewSectionReader(strings.NewReader(head+body), 0, int64(len(head)+len(body))),
			HeadLen:  int64(len(head)), RobotsAllowed: true, RobotsRule: "no-rule",
		}
		size += int64(len(head) + len(body))
		if err := a.Record(b.Context(), x); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(size / int64(n))
	filetest.Close(b, a)
	written := int64(0)
	files, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			written += info.Size()
		}
	}
	b.ReportMetric(float64(written)/float64(size), "compressed")
}
