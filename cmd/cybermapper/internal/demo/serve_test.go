package demo

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A buffer is written by one and read by another.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// get asks for a page as a robot.
func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "TryBot/1.0")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestServe: the sites can be asked until the command is interrupted; each request is in the log, and each robots.txt in the
// history from when it was served first.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "web")
	ctx, stop := context.WithCancel(t.Context())
	var out buffer
	done := make(chan error, 1)
	go func() { done <- serve(ctx, dir, &out) }()
	for range 200 {
		if strings.Contains(out.String(), "Ctrl-C") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	found := regexp.MustCompile(`(http://\S+/) +changing:`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("no site: %s", out.String())
	}
	site := found[1]
	first := get(t, site+"robots.txt")
	time.Sleep(1100 * time.Millisecond) // copies are named by seconds
	if second := get(t, site+"robots.txt"); first == second {
		t.Fatal("robots.txt does not change")
	}
	get(t, site+"draft.html")
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "access.log"))
	host := strings.TrimSuffix(strings.TrimPrefix(site, "http://"), "/")
	if n := strings.Count(string(log), host+" 127."); err != nil || n != 3 || !strings.Contains(string(log), `"GET /draft.html HTTP/1.1" 200`) {
		t.Errorf("%v, %d lines of the site in\n%s", err, n, log)
	}
	copies, err := filepath.Glob(filepath.Join(dir, "robots", host, "*.txt"))
	if err != nil || len(copies) != 2 {
		t.Errorf("%v, copies of robots.txt: %s", err, copies)
	}
	closed, _ := filepath.Glob(filepath.Join(dir, "robots", "*", "*.closed"))
	if len(closed) != 1 {
		t.Errorf("%d sites are closed", len(closed))
	}
	other := t.TempDir()
	filetest.Write(t, filepath.Join(other, "access.log"), "x")
	if err := serve(t.Context(), other, io.Discard); err == nil {
		t.Error("somebody else's access log was replaced")
	}
}
