package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A crawl that finds its job in use for a moment, as while submit takes a URL in, waits for it and says so.
func TestCrawl_WaitsForWhoHasTheJobForAMoment(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "a page"}})
	dir := filepath.Join(t.TempDir(), "job")
	holder, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	stderr := &listener{word: "waiting up to", heard: make(chan struct{})}
	ended := make(chan int)
	go func() {
		var stdout bytes.Buffer
		ended <- run(t.Context(), []string{"crawl", "--job", dir, "--allow-private", "--delay", "1ms", site.URL}, nil, &stdout, stderr)
	}()
	select {
	case <-stderr.heard:
	case code := <-ended:
		t.Fatalf("ended with %d and did not wait:\n%s", code, &stderr.text)
	}
	filetest.Close(t, holder)
	if code := <-ended; code != cli.ExitDone {
		t.Errorf("exit code %d\n%s", code, &stderr.text)
	}
	if n := site.Hits().Count("/"); n != 1 {
		t.Errorf("the page was asked for %d times", n)
	}
}

// A listener closes heard when what is written contains a word.
type listener struct {
	word  string
	heard chan struct{}
	text  bytes.Buffer
}

func (l *listener) Write(p []byte) (int, error) {
	before := strings.Contains(l.text.String(), l.word)
	l.text.Write(p)
	if !before && strings.Contains(l.text.String(), l.word) {
		close(l.heard)
	}
	return len(p), nil
}
