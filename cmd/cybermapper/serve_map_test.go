package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// largeJob makes the job of a site with many pages, as far as its ledger goes.
func largeJob(t testing.TB, pages int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "large")
	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	var records []ledger.Record
	via := ""
	for i := range pages {
		r := ledger.Record{Type: ledger.Request, Purpose: "page", Via: via, Depth: i % 7, Status: 200,
			URL: fmt.Sprintf("https://h%d.example/%c/part%d/page%d.html", i%5, 'a'+i%11, i%97, i)}
		switch {
		case i%41 == 0:
			r.Status = 404
		case i%43 == 0:
			r.Type, r.Purpose, r.Status, r.Gate, r.Reason, r.Rule = ledger.Refusal, "", 0, "robots", "robots-disallow", "Disallow: /"
		}
		if records = append(records, r); i%100 == 0 {
			via = r.URL
		}
	}
	ledgertest.Write(t, j.Path(job.LedgerDir), ledger.Options{}, records...)
	if err := errors.Join(j.WriteConfig(nil), j.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A browser draws a map of 20,000 pages without a complaint, and a click on it leads on.
func TestServe_MapInABrowser(t *testing.T) { // not beside others: to draw so much takes a browser minutes then
	const pages = 20_000
	if raceEnabled {
		t.Skip("the race detector makes the server too slow for a browser")
	}
	b := startBrowser(t)
	dir := largeJob(t, pages)
	g, err := graph.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Sync(t.Context(), nil), g.Close()); err != nil { // else the page comes back when it is done
		t.Fatal(err)
	}
	at := startServing(t, serve.Options{Jobs: []string{dir}, MaxTime: time.Minute})
	p := b.Open(t, at+"/map", browsertest.View{})
	var drawn struct{ Nodes, Took int }
	p.Eval(t, `new Promise((done) => { const look = () => map.dataset.nodes
		? done({ Nodes: +map.dataset.nodes, Took: +map.dataset.took }) : setTimeout(look, 50); look(); })`, &drawn)
	if drawn.Nodes < pages {
		t.Errorf("%d dots are drawn", drawn.Nodes)
	}
	mustBeApart(t, b.Open(t, at+"/map", browsertest.View{Width: 420}))
	t.Logf("%d dots drawn in %d ms", drawn.Nodes, drawn.Took)
	if shots := os.Getenv("CYBERMAPPER_SCREENSHOTS"); shots != "" {
		p.Screenshot(t, filepath.Join(shots, "map-large.png"))
	}
	if c := complaints(p); len(c) > 0 {
		t.Errorf("the browser complains: %v", c)
	}
	var led string
	p.Eval(t, `new Promise((done) => {
		const r = map.getBoundingClientRect(), top = map.querySelector(".sigma-mouse");
		let i = 0;
		addEventListener("pagehide", () => 0);
		navigation.addEventListener("navigate", (e) => { e.preventDefault(); done(e.destination.url); });
		const click = () => {
			const x = r.left + r.width * (0.2 + 0.6 * (i % 20) / 20), y = r.top + r.height * (0.2 + 0.6 * Math.floor(i / 20) / 20);
			for (const type of ["mousemove", "mousedown", "mouseup", "click"])
				top.dispatchEvent(new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, view: window }));
			if (i++ < 400) setTimeout(click, 20); else done("nowhere");
		};
		click();
	})`, &led)
	if !strings.Contains(led, "/explain?job=large&url=https%3A%2F%2Fh") && !strings.Contains(led, "/map?job=large&under=https%3A%2F%2Fh") {
		t.Errorf("a click leads to %s", led)
	}
}

// mustBeApart checks that no label of the map that a page shows is drawn over another.
func mustBeApart(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var labels []struct{ X, Y, Width float64 }
	p.Eval(t, `new Promise((done) => {
		const plain = CanvasRenderingContext2D.prototype.fillText, seen = [];
		CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
			seen.push({ X: x, Y: y, Width: this.measureText(text).width });
			plain.call(this, text, x, y);
		};
		const look = () => {
			if (!map.dataset.nodes) return setTimeout(look, 50);
			seen.length = 0;
			dispatchEvent(new Event("resize"));
			setTimeout(() => { CanvasRenderingContext2D.prototype.fillText = plain; done(seen); }, 1000);
		};
		look();
	})`, &labels)
	if len(labels) < 5 {
		t.Errorf("%d labels are drawn", len(labels))
	}
	const height = 12
	for i, a := range labels {
		for _, b := range labels[:i] {
			if a.X < b.X+b.Width && b.X < a.X+a.Width && math.Abs(a.Y-b.Y) < height {
				t.Errorf("labels are drawn over one another: %v and %v", a, b)
			}
		}
	}
}

// A map has everything once, in its place; of more pages than can be drawn, the hosts and directories.
func TestServe_MapOf(t *testing.T) {
	t.Parallel()
	const pages = 3000
	dir := largeJob(t, pages)
	g, err := graph.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]graph.MapOptions{
		"all": {}, "boxes": {MaxDots: 2000}, "few boxes": {MaxDots: 60}, "a sample": {MaxURLs: 1000}, "a part": {Under: "https://h3.example/d/"},
		"nothing": {Under: "https://nowhere.example/"},
	} {
		m, err := g.Map(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		dots, seen := 0, map[string]bool{}
		for _, n := range m.Nodes {
			if n.X < 0 || n.X > graph.Wide || n.Y < 0 || n.Y > 1 || math.IsNaN(n.X+n.Y+n.Size) || n.Size <= 0 {
				t.Fatalf("%s: %+v is not on the plane", name, n)
			}
			if key := fmt.Sprint(n.URL, n.Pages > 0); seen[key] {
				t.Fatalf("%s: %s is there twice", name, n.URL)
			} else {
				seen[key] = true
			}
			if n.Pages == 0 {
				dots++
			}
			if !strings.HasPrefix(n.URL, o.Under) && n.Pages == 0 {
				t.Errorf("%s: %s lies elsewhere", name, n.URL)
			}
		}
		if m.Dots && dots != m.Drawn || !m.Dots && dots > 0 || len(m.Nodes) > dots+max(o.MaxDots, 25_000) {
			t.Errorf("%s: %d dots, %d nodes of %d of %d URLs", name, dots, len(m.Nodes), m.Drawn, m.URLs)
		}
		if name == "all" && (m.URLs != pages || m.States["refused"] == 0 || m.States["dead"] == 0) {
			t.Errorf("%+v", m.States)
		}
		if name == "few boxes" && len(m.Nodes) > 60 {
			t.Errorf("%d boxes", len(m.Nodes))
		}
	}
	for _, format := range []string{"gexf", "graphml"} {
		code, out := runCommand(t.Context(), "export graph --job "+dir+" --format "+format)
		if n, err := countElements(out, "node"); code != 0 || err != nil || n != pages {
			t.Errorf("%s: exit code %d, %d nodes, %v", format, code, n, err)
		}
	}
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	if resp, body := ask(t, "GET", at+"/map.gexf", ""); resp.StatusCode != 200 || !strings.Contains(resp.Header.Get("Content-Disposition"), "site.gexf") {
		t.Errorf("status %d\n%.300s", resp.StatusCode, body)
	} else if n, err := countElements(body, "node"); err != nil || n != pages {
		t.Errorf("downloaded: %d nodes, %v", n, err)
	}
	var m graph.Map
	if _, body := ask(t, "GET", at+"/api/map?under=https://h3.example/d/", ""); json.Unmarshal([]byte(body), &m) != nil || m.Drawn == 0 {
		t.Errorf("API: %.300s", body)
	}
	if _, body := ask(t, "GET", at+"/api/map?under=https://none.example/", ""); !strings.Contains(body, `"nodes": []`) {
		t.Errorf("API: %.300s", body)
	}
}

// countElements counts the elements of a name in a well-formed document.
func countElements(doc, name string) (n int, err error) {
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == name {
			n++
		}
	}
}

// What draws maps is what the npm registry has: sigma 3.0.3 and graphology 0.26.0, unchanged, and their licences go with it.
func TestServe_SigmaIsTheReleasedOne(t *testing.T) {
	for name, want := range map[string]string{
		"sigma.min.js":          "58e30383ab428f832068d9d16a5215c65ba12430d438ed091c5703f398de9e16",
		"graphology.umd.min.js": "dc337efa23903f61e064c8e7e7f93a429e6855dccfc2458802b4ed30c621c087",
	} {
		data := mustRead(t, filepath.Join("internal", "serve", "sigma", name))
		if sum := sha256.Sum256([]byte(data)); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has SHA-256 %x, want %s", name, sum, want)
		}
	}
	at := startServing(t, serve.Options{Jobs: []string{largeJob(t, 1)}})
	_, script := ask(t, "GET", at+"/sigma.js", "")
	licence, err := os.ReadFile(filepath.Join("internal", "serve", "sigma", "LICENSE"))
	if err != nil || !strings.Contains(script, string(bytes.TrimSpace(licence))) {
		t.Errorf("the licences are not in what is served: %v", err)
	}
}
