package main

import (
	"archive/zip"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// Versions of the programs of others that judge our archives. They are had from npm, for a test only.
const (
	npmWarcio     = "warcio@2.4.11"
	npmJSWACZ     = "@harvard-lil/js-wacz@0.1.6"
	npmReplayPage = "replaywebpage@2.5.3"
)

// fromNPM returns the directory of an npm package; without npm, or without a way to it, the test is skipped and says so.
func fromNPM(t *testing.T, pkg string, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("programs of others are not fetched in short tests")
	}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s: archives are not shown to %s here", program, pkg)
		}
	}
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), "npm", append(args, pkg)...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("npm cannot be reached: archives are not shown to %s here: %v\n%s", pkg, err, out)
	}
	return dir
}

func installed(t *testing.T, pkg string) string {
	t.Helper()
	return fromNPM(t, pkg, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix", ".")
}

// archivedSite crawls a site with --warc that has what replay can get wrong, and returns its URL and the job.
func archivedSite(t *testing.T) (site, jobDir string) {
	t.Helper()
	const dot = // 3 × 2 pixels
	"iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQQxwFgBB0gX7h/C5SAAAAABJRU5ErkJggg=="
	image, err := base64.StdEncoding.DecodeString(dot)
	if err != nil {
		t.Fatal(err)
	}
	russian, err := charmap.Windows1251.NewEncoder().String("<title>Привет</title><p id=text>Страница в windows-1251</p>")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{
		"/":               `<title>Start</title><a id=next href=/second.html>second</a> <a id=moved href=/moved>m</a>`,
		"/second.html":    `<title>Second</title><a id=next href="/dir/third.html?q=1&amp;r=2">third</a><img src=/dot.png>`,
		"/dir/third.html": `<title>Third</title><p id=text>the third page</p><a id=next href=../russian.html>r</a>`,
		"/russian.html":   russian,
		"/target.html":    `<title>Target</title><p id=text>where the redirect led</p>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/target.html", http.StatusMovedPermanently)
			return
		case r.URL.Path == "/dot.png":
			w.Header().Set("Content-Type", "image/png")
			w.Write(image)
			return
		case !ok:
			http.NotFound(w, r)
			return
		case r.URL.Path == "/russian.html":
			w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		tag := fmt.Sprintf("%q", r.URL.Path)
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if r.URL.Path == "/second.html" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			io.WriteString(z, body)
			return
		}
		io.WriteString(w, body)
		w.(http.Flusher).Flush() // in chunks
	}))
	t.Cleanup(server.Close)
	jobDir = filepath.Join(t.TempDir(), "job")
	mustRun(t, "crawl", "--quiet", "--warc", "--requisites", "--allow-private", "--delay", "1ms", "--job", jobDir, server.URL+"/")
	return server.URL, jobDir
}

func warcOf(t *testing.T, jobDir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(jobDir, "archive", "*.warc.gz"))
	if err != nil || len(names) != 1 {
		t.Fatalf("archive: %q, %v", names, err)
	}
	return names[0]
}

// verifyScript computes every digest again with warcio, and indexes nothing that does not fit.
const verifyScript = `
import { createReadStream } from "fs";
import { createHash } from "crypto";
import { WARCParser } from "warcio";
const base32 = b => { const a = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"; let bits = 0, v = 0, s = "";
  for (const x of b) { v = (v << 8) | x; bits += 8; while (bits >= 5) { s += a[(v >>> (bits - 5)) & 31]; bits -= 5; v &= (1 << bits) - 1; } }
  return bits ? s + a[(v << (5 - bits)) & 31] : s; };
const sha1 = b => "sha1:" + base32(createHash("sha1").update(b).digest());
const all = async it => { const parts = []; for await (const c of it) parts.push(c); return Buffer.concat(parts); };
const unchunk = b => { const parts = []; for (let i = 0; ;) { const e = b.indexOf("\r\n", i), n = parseInt(b.toString("latin1", i,
	e), 16);
  if (!(n > 0)) return Buffer.concat(parts); parts.push(b.subarray(e + 2, e + 2 + n)); i = e + 4 + n; } };
const counts = { blocks: 0, payloads: 0 };
for (const parseHttp of [false, true]) {
  for await (const rec of new WARCParser(createReadStream(process.argv[2]), { parseHttp, keepHeadersCase: true })) {
    const field = name => rec.warcHeaders.headers.get(name);
    let data = await all(rec.reader), want = field("WARC-Block-Digest"), what = "blocks";
    if (parseHttp) {
      if (rec.warcType !== "response") continue;
      what = "payloads"; want = field("WARC-Payload-Digest");
      if ((rec.httpHeaders.headers.get("Transfer-Encoding") || "").includes("chunked")) data = unchunk(data);
    }
    if (sha1(data) !== want) throw new Error(what + " of " + field("WARC-Target-URI") + ": " + sha1(data) + ", want " + want);
    counts[what]++;
  }
}
console.log(JSON.stringify(counts));
`

// TestArchive_WarcioAgrees: every block and every payload has the digest that it is said to have, by the program of others.
func TestArchive_WarcioAgrees(t *testing.T) {
	t.Parallel()
	dir := installed(t, npmWarcio)
	_, jobDir := archivedSite(t)
	script := filepath.Join(dir, "verify.mjs")
	filetest.Write(t, script, verifyScript)
	out, err := exec.CommandContext(t.Context(), "node", script, warcOf(t, jobDir)).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != `{"blocks":25,"payloads":8}` {
		t.Errorf("warcio: %v\n%s", err, out)
	}
}

// TestArchive_JSWACZAgrees: js-wacz takes our WARC, and finds the pages in it that we find.
func TestArchive_JSWACZAgrees(t *testing.T) {
	t.Parallel()
	dir := installed(t, npmJSWACZ)
	_, jobDir := archivedSite(t)
	out, err := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "node_modules/@harvard-lil/js-wacz/bin/cli.js"),
		"create",
		"--file", warcOf(t, jobDir), "--output", filepath.Join(dir, "theirs.wacz")).CombinedOutput()
	if err != nil {
		t.Fatalf("js-wacz: %v\n%s", err, out)
	}
	ours := filepath.Join(dir, "ours.wacz")
	mustRun(t, "archive", "wacz", "--job", jobDir, ours)
	if a, b := captures(t, filepath.Join(dir, "theirs.wacz")), captures(t, ours); a != b || a == "" {
		t.Errorf("js-wacz indexes\n%s\nand we\n%s", a, b)
	}
}

// TestArchive_Replays: in ReplayWeb.page, in a browser, one gets from the seed to the third page, sees an image, follows a
// redirect, and reads a page in windows-1251; from the bare WARC as well as from the WACZ, and from that of a second visit, which
// found that no page had changed.
func TestArchive_Replays(t *testing.T) {
	t.Parallel()
	dir := fromNPM(t, npmReplayPage, "pack")
	packed, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(packed) != 1 {
		t.Fatalf("npm pack left %q", packed)
	}
	if out, err := exec.Command("tar", "-xzf", packed[0], "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("tar: %v\n%s", err, out)
	}
	site, jobDir := archivedSite(t)
	www := t.TempDir()
	if err := os.Mkdir(filepath.Join(www, "replay"), 0o755); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{"replay/sw.js": "package/sw.js", "ui.js": "package/ui.js"} {
		filetest.Write(t, filepath.Join(www, to), mustRead(t, filepath.Join(dir, from)))
	}
	filetest.Write(t, filepath.Join(www, "site.warc.gz"), mustRead(t, warcOf(t, jobDir)))
	mustRun(t, "archive", "wacz", "--job", jobDir, filepath.Join(www, "site.wacz"))
	time.Sleep(time.Second) // archives tell times by the second
	mustRun(t, "crawl", "--quiet", "--warc", "--job", jobDir, "--again=all")
	if list := mustRun(t, "archive", "list", "--job", jobDir, "--type", "revisit"); strings.Count(list, " 304 ") != 5 {
		t.Fatalf("after another visit:\n%s", list)
	}
	mustRun(t, "archive", "wacz", "--job", jobDir, filepath.Join(www, "again.wacz"))
	server := httptest.NewServer(http.FileServer(http.Dir(www)))
	defer server.Close()
	b := startBrowser(t)
	for _, source := range []string{"site.warc.gz", "site.wacz", "again.wacz"} {
		t.Run(source, func(t *testing.T) {
			page := fmt.Sprintf(`<script src="/ui.js"></script><replay-web-page replayBase="/replay/" source="/%s" url="%s/"></replay-web-page>`, source, site)
			filetest.Write(t, filepath.Join(www, source+".html"), page)
			p := b.Open(t, server.URL+"/"+source+".html", browsertest.View{})
			if !begins(t, p) { // its service worker may miss the first page that it serves
				p = b.Open(t, server.URL+"/"+source+".html", browsertest.View{})
			}
			replay(t, p, source)
		})
	}
}

// frame is the document that is replayed: in the shadow roots of two elements, and in frames.
const frame = `(() => {
  const find = root => { for (const e of root.querySelectorAll("*")) {
    if (e.tagName === "IFRAME" &&
	e.contentDocument) { const d = find(e.contentDocument); if (d) return d; if (/mp_\//.test(e.contentWindow.location.href)) return e.contentDocument; }
    if (e.shadowRoot) { const d = find(e.shadowRoot); if (d) return d; } } return null; };
  return find(document); })()`

// begins reports whether any document is replayed within ten seconds.
func begins(t *testing.T, p *browsertest.Page) (yes bool) {
	for range 100 {
		if p.Eval(t, `(() => { const d = `+frame+`; return !!d && d.readyState === "complete" && d.title !== ""; })()`, &yes); yes {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

func replay(t *testing.T, p *browsertest.Page, source string) {
	see := func(title, expression, want string) {
		t.Helper()
		var got string
		for range 150 {
			p.Eval(t, `(() => { const d = `+frame+`; return d && d.readyState === "complete" ?
				d.title + "|" + (d.title === "`+title+`" ? `+expression+` : "") : ""; })()`, &got)
			if got == title+"|"+want {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Fatalf("%s: seen %q, want %q; the browser says %q", source, got, title+"|"+want, p.Complaints())
	}
	click := func(id string) { p.Eval(t, frame+`.getElementById("`+id+`").click()`, nil) }
	see("Start", `""`, "")
	click("next")
	see("Second", `d.images[0].naturalWidth + "x" + d.images[0].naturalHeight`, "3x2")
	click("next")
	see("Third", `d.getElementById("text").textContent`, "the third page")
	click("next")
	see("Привет", `d.getElementById("text").textContent`, "Страница в windows-1251")
	p.Eval(t, frame+`.defaultView.history.go(-3)`, nil)
	see("Start", `""`, "")
	click("moved")
	see("Target", `d.getElementById("text").textContent`, "where the redirect led")
}

// captures returns what the index of a WACZ lists, a line for each capture: URL, offset and length.
func captures(t *testing.T, name string) string {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all []string
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "indexes/index.cdx") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		in := io.Reader(r)
		if strings.HasSuffix(f.Name, ".gz") {
			if in, err = gzip.NewReader(r); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if c, err := warc.ParseCapture([]byte(strings.TrimSpace(line))); err == nil {
				all = append(all, fmt.Sprintf("%s %d %d", c.URL, c.Offset, c.Length))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
