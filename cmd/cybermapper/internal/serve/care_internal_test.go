package serve

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// While pages are taken in, faults are not counted: the page says how far it is.
func TestCare_WhilePagesAreRead(t *testing.T) {
	dir := t.TempDir()
	opened, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	yaml, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.WriteConfig(yaml); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, opened)
	g, err := graph.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, g)
	s, err := New(Options{Jobs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	page := func() string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://127.0.0.1/care", nil)
		r.RemoteAddr = "127.0.0.1:4321"
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	if got := page(); !strings.Contains(got, "<table") {
		t.Fatalf("no table of faults:\n%s", got)
	}
	s.jobs[0].graph.running, s.jobs[0].graph.read = true, 1234
	if got := page(); strings.Contains(got, "<table") || !strings.Contains(got, "1,234 pages read so far") {
		t.Errorf("while pages are read:\n%s", got)
	}
	s.jobs[0].graph.running = false
}
