package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A crawl is shown while it runs: to who asks in its midst, by the rules of serve; and no longer when it has ended.
func TestCrawl_Serve(t *testing.T) {
	asked, answered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	site := webtest.New(t).Site(webtest.Pages{
		"/": {Body: `<title>Front</title><a href="/held">held</a>`},
		"/held": {Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			once.Do(func() { close(asked) })
			<-answered
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<title>Held</title>"))
		})},
	})
	dir, at := filepath.Join(t.TempDir(), "job"), webtest.FreeAddress(t)
	type ending struct {
		code int
		out  string
	}
	ended := make(chan ending, 1)
	go func() {
		code, out := runCommand(t.Context(), "crawl --allow-private --delay 1ms --index --serve "+at+" --job "+dir+" "+site.URL+"/")
		ended <- ending{code, out}
	}()
	select {
	case <-asked:
	case e := <-ended:
		t.Fatalf("the crawl ended with %d: %s", e.code, e.out)
	}
	for path, want := range map[string]string{
		"/live":                          "Running since",
		"/api/status":                    `"state": "running"`,
		"/explain?url=" + site.URL + "/": "200 OK, 44 bytes",
		"/site?host=" + strings.TrimPrefix(site.URL, "http://"): "robots.txt in force",
		"/submit": "URLs",
	} {
		resp, body := ask(t, "GET", "http://"+at+path, "")
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, %q is not in\n%s", path, resp.StatusCode, want, body)
		}
	}
	if resp, _ := ask(t, "GET", "http://"+at+"/live", "", "Host", "evil.example"); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a foreign name: status %d", resp.StatusCode)
	}
	if resp, _ := ask(t, "POST", "http://"+at+"/submit", "urls="+site.URL+"/more", "Sec-Fetch-Site", "cross-site"); resp.StatusCode != 403 {
		t.Errorf("a form of another site: status %d", resp.StatusCode)
	}
	resp, body := ask(t, "POST", "http://"+at+"/submit", "urls="+site.URL+"/more%0Ahttps://beyond.example/")
	if resp.StatusCode != 200 || !strings.Contains(body, "<td>queued") || !strings.Contains(body, "</b>: outside the scope") {
		t.Errorf("a submission: status %d\n%s", resp.StatusCode, body)
	}
	close(answered)
	e := <-ended
	if e.code != 0 || !strings.Contains(e.out, "cybermapper: serving "+dir+" on http://"+at+"/ until the crawl ends") {
		t.Errorf("exit code %d: %s", e.code, e.out)
	}
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("the port is still open after the crawl")
	}
}

// A crawl that cannot be shown, or not there, does not begin.
func TestCrawl_ServeRefused(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "front"}})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "job")
	for address, want := range map[string]string{
		taken.Addr().String():           "address already in use",
		"0.0.0.0:8480":                  "there is no --serve-token",
		"0.0.0.0:8480 --serve-token x":  "would cross the network in the clear",
		"nowhere":                       "--serve: ",
		"127.0.0.1:0 --serve-tls-key x": "serve-tls-cert",
	} {
		code, out := runCommand(t.Context(), "crawl --allow-private --serve "+address+" --job "+dir+" "+site.URL+"/")
		if code == 0 || !strings.Contains(out, want) {
			t.Errorf("--serve %s: exit code %d, %q is not in %s", address, code, want, out)
		}
	}
	if n := len(site.Hits()); n > 0 {
		t.Errorf("%d requests left", n)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a job was made")
	}
}

// A flag of the server without one is a mistake: whoever gives a token believes that something is shown.
func TestCrawl_ServeMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	for _, flag := range []string{"host=a.example", "token=x", "behind-proxy", "tls-cert=x --serve-tls-key=y"} {
		code, out := runCommand(t.Context(), "crawl --allow-private --serve-"+flag+" --job "+dir+" http://127.0.0.1:1/")
		if code != cli.ExitUsage || !strings.Contains(out, "needs --serve") {
			t.Errorf("--serve-%s: exit code %d: %s", flag, code, out)
		}
	}
}
