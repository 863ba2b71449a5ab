package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
)

// TestExportSite_Applications: a page of a copy shows what the server said, though its scripts, which know it by its address, would
// show another one or lead away; those of other pages are run, and what a page says of that is obeyed.
func TestExportSite_Applications(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	t.Parallel()
	const again = `<script src=/app.js></script>`
	site := map[string]string{
		"/":       `<title>Start</title><a href=next>n</a><a href=stream>s</a><a href=gatsby>g</a><a href=vue>v</a><a href=plain>p</a>`,
		"/next":   `<!DOCTYPE html><html><head><title>Next</title></head><body><div id="__next">words</div>` + again,
		"/gatsby": `<title>Gatsby</title><div id="___gatsby">words</div><noscript>, and more</noscript>` + again,
		"/vue":    `<!DOCTYPE html><title>Vue</title><div id=app data-server-rendered=true>words</div>` + again,
		"/plain":  `<title>Plain</title><p>words<noscript>, and more</noscript>` + again,
		"/stream": `<html><title>Stream</title><p id=b><!--$?-->wait<!--/$--></p><div hidden id=s>words</div><script>b.innerHTML = s.innerHTML</script>` + again,
		"/app.js": `document.body.innerHTML = "not found at " + location.pathname`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := site[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		io.WriteString(w, body)
	}))
	defer server.Close()
	dir := t.TempDir()
	runSplit(t, "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --requisites --job "+dir+"/job "+server.URL+"/")
	for _, c := range []struct{ flag, page, shown string }{
		{"auto", "next", "words"},
		{"auto", "gatsby", "words, and more"},
		{"auto", "vue", "words"},
		{"auto", "stream", "words"},
		{"auto", "plain", "not found"},
		{"none", "plain", "words, and more"},
		{"all", "next", "not found"},
	} {
		runSplit(t, "export site --scripts "+c.flag+" --job "+dir+"/job "+dir+"/copy")
		files, err := filepath.Glob(dir + "/copy/*/" + c.page + "~.html")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		p := startBrowser(t).Open(t, "file://"+(&url.URL{Path: filepath.ToSlash(files[0])}).EscapedPath(), browsertest.View{})
		var shown string
		p.Eval(t, `document.body.innerText.replace(/\n+/g, "")`, &shown)
		if !strings.HasPrefix(shown, c.shown) {
			t.Errorf("--scripts %s: %s shows %q, want %q", c.flag, c.page, shown, c.shown)
		}
	}
	_, out := runCommand(t.Context(), "export site --job "+dir+"/job "+dir+"/copy")
	if !strings.Contains(out, "the script files of 4 pages are not run") {
		t.Errorf("it is not told that scripts are not run: %s", out)
	}
	if code, out := runCommand(t.Context(), "export site --scripts some --job "+dir+"/job "+dir+"/copy"); code != 2 ||
		!strings.Contains(out, "auto, all or none") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
