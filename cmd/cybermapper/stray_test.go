package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// What a server sends beyond its answers, as one that counts characters for bytes does page by page, fills no log that is read for
// other things.
func TestCrawl_StrayBytes(t *testing.T) {
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n<stray words")
		io.Copy(io.Discard, buffered) // until the client is gone
	}))
	code, out := runCommand(t.Context(), "crawl --allow-private --delay 1ms --delay-factor 0 --patience 1s --job "+t.TempDir()+" "+site.URL)
	if code != cli.ExitDone || strings.Contains(out, "stray words") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
