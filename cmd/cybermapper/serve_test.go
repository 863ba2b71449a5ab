package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/serve"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// hostile is a page that tries all that a page may try when its copy is shown.
const hostile = `<!doctype html><title>Hostile <b>page</b> &#x202e;txt</title>
<meta http-equiv="refresh" content="0; url=http://elsewhere.example/refreshed">
<script>document.title = "owned"; parent.document.title = "owned"; fetch("/api/jobs")</script>
<img src="http://elsewhere.example/pixel.gif" onerror="document.title='owned'">
<link rel="stylesheet" href="http://elsewhere.example/style.css">
<iframe src="http://elsewhere.example/frame"></iframe>
<form id="f" action="/submit" method="post"><input name="urls" value="http://evil.example/"></form>
<body onload="document.getElementById('f').submit()"><p>The hostile page speaks of walruses.</p></body>`

// servedJob crawls a small site and returns the directory of the job, with a search index, and the origin of the site.
func servedJob(t *testing.T) (dir, origin string) {
	t.Helper()
	site := webtest.New(t).Site(webtest.Pages{
		"/robots.txt": {Body: "User-agent: *\nDisallow: /private/\n"},
		"/":           {Body: `<title>Front page</title><p>Walruses live here. <a href="/hostile">hostile</a> <a href="/private/x">no</a> <a href="/secret">s</a>`},
		"/hostile":    {Body: hostile},
		"/secret":     {Body: `<title>Kept from copies</title><p>A walrus that must not be copied.`},
	})
	dir = filepath.Join(t.TempDir(), "job")
	list := filepath.Join(filepath.Dir(dir), "optout.txt")
	filetest.Write(t, list, "")
	mustRun(t, strings.Fields("crawl --quiet --allow-private --delay 1ms --opt-out "+list+" --job "+dir+" "+site.URL+"/")...)
	x, err := index.Open(filepath.Join(dir, "index.db"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	change := index.Change{Refusals: []index.Refusal{{URL: site.URL + "/noindex", Reason: index.NoIndex, Rule: "noindex"}}}
	for _, l := range linesOf(t, dir) {
		change.Documents = append(change.Documents, index.Document{
			URL: l.URL, File: l.File, Type: l.Type, Lang: "en", Fetched: l.Fetched, MaxSnippet: -1, NoArchive: strings.HasSuffix(l.URL, "/secret"),
			Text: index.Text{Title: l.Title, Body: "About walruses: <script>alert(1)</script> " + l.URL},
		})
	}
	if err := x.Apply(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	return dir, site.URL
}

// startServing serves a job on loopback for the time of the test.
func startServing(t *testing.T, o serve.Options) string {
	t.Helper()
	s, err := serve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// ask makes a request that follows no redirect.
func ask(t *testing.T, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(data)
}

// An index that cannot be asked is told, with what helps, where pages are searched; what the crawl knows is shown without.
func TestServe_IndexOfNoUse(t *testing.T) {
	version := func(n byte) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			data := []byte(mustRead(t, file))
			data[63] = n // the last byte of what SQLite calls user_version
			filetest.Write(t, file, string(data))
		}
	}
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, file string)
		want  string
	}{
		"older": {version(1), "The command &#34;cybermapper index&#34; makes it again"},
		"newer": {version(255), "The version that made it can read it"},
		"log": {func(t *testing.T, file string) {
			filetest.Write(t, file+"-wal", "left")
			if err := os.Symlink("no/where", file+"-shm"); err != nil { // the file that the log is read with cannot be made
				t.Skip(err)
			}
		}, "Make room on its disk"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "log" && runtime.GOOS == "windows" {
				t.Skip("a log is read in another way there")
			}
			dir, site := servedJob(t)
			tt.spoil(t, filepath.Join(dir, "index.db"))
			at := startServing(t, serve.Options{Jobs: []string{dir}})
			for path, want := range map[string]string{
				"/": tt.want, "/?q=walruses": tt.want,
				"/explain?url=" + url.QueryEscape(site+"/private/x"):     "Disallow: /private/",
				"/api/explain?url=" + url.QueryEscape(site+"/private/x"): "Disallow: /private/",
			} {
				if resp, body := ask(t, "GET", at+path, ""); resp.StatusCode != 200 || !strings.Contains(body, want) {
					t.Errorf("%s: %s, without %q", path, resp.Status, want)
				}
			}
			resp, body := ask(t, "GET", at+"/api/search?q=walruses", "")
			var answer struct{ Error string }
			if err := json.Unmarshal([]byte(body), &answer); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != 503 || !strings.Contains(answer.Error, html.UnescapeString(tt.want)) {
				t.Errorf("/api/search: %s %q, without %q", resp.Status, answer.Error, tt.want)
			}
		})
	}
}

func TestServe_Answers(t *testing.T) {
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	for _, tt := range []struct {
		path   string
		status int
		want   []string
	}{
		{"/", 200, []string{"Search 3 pages", `name="q"`}},
		{"/?q=walruses", 200, []string{"3 pages in", "<mark>walruses</mark>", "Front page", "/cached?job=job&amp;url="}},
		{"/?q=walruses+site:nowhere.example", 200, []string{"No page has all of these words"}},
		{"/?q=walrusses", 200, []string{"On no page at all: <b>walrusses</b>"}},
		{"/?q=" + url.QueryEscape(`"`+"\x00\x1b]0;x\a"+strings.Repeat("(", 5000)), 200, nil},
		{"/?q=walrus&page=-3", 200, nil},
		{"/?q=walrus&page=999999999999999999999", 200, nil},
		{"/?q=walrus&month=9999-99", 200, []string{"month is not one such as 2026-01"}},
		{"/api/search?q=walruses&month=2026-13", 400, []string{`"error": "month is not one such as 2026-01"`}},
		{"/?job=other", 404, []string{"There is no job other here"}},
		{"/explain?url=" + url.QueryEscape(site+"/private/x"), 200, []string{"robots.txt", "Disallow: /private/"}},
		{"/explain?url=" + url.QueryEscape(site+"/"), 200, []string{"It can be found.", "<b class=\"good\""}},
		{"/explain?url=" + url.QueryEscape(site+"/noindex"), 200, []string{"It is kept out", "<code>noindex</code>"}},
		{"/explain?url=javascript:alert(1)", 200, []string{"That is no URL of a page"}},
		{"/site?path=/private/y&host=" + strings.TrimPrefix(site, "http://"), 200, []string{"Forbidden", "because of line 2", "Disallow: /private/"}},
		{"/site?host=never.example", 200, []string{"The job knows nothing of this site"}},
		{"/site?host=%2F%2F", 400, []string{"That is no host"}},
		{"/live", 200, []string{`<span id="tile-pages">3</span>`, "robots.txt", "Sites that wait"}},
		{"/cached?url=" + url.QueryEscape(site+"/hostile"), 200, []string{"<iframe class=\"copy\" sandbox src="}},
		{"/cached?url=" + url.QueryEscape(site+"/secret"), 403, []string{"noarchive"}},
		{"/copy?url=" + url.QueryEscape(site+"/secret"), 403, nil},
		{"/copy?url=" + url.QueryEscape("../../job.yaml"), 404, nil},
		{"/api/search?q=walruses", 200, []string{`"total": 3`}},
		{"/api/search?q=", 400, []string{"nothing to search for"}},
		{"/api/explain?url=" + url.QueryEscape(site+"/"), 200, []string{`"state": "done"`, `"state": "indexed"`}},
		{"/api/site?host=never.example", 404, []string{`"error"`}},
		{"/api/status", 200, []string{`"state": "ended"`}},
		{"/api/jobs", 200, []string{`"job": "job"`}},
		{"/metrics", 200, []string{"# TYPE cybermapper_pages gauge\ncybermapper_pages{job=\"job\"} 3\n", `cybermapper_responses_total{job="job",status="200"}`}},
		{"/readyz", 200, nil},
		{"/opensearch.xml", 200, []string{"{searchTerms}"}},
		{"/ledger", 200, []string{"run: stop", "refused: ", "Disallow: /private/, line 2", "request for the page: 200 OK"}},
		{"/ledger?type=refusal", 200, []string{"/private/x"}},
		{"/ledger?text=no+such+text", 200, []string{"No record here is like that"}},
		{"/ledger?after=0&type=run&text=start", 200, []string{"<td class=\"num\">1</td>", "run: start"}},
		{"/ledger?after=99999999999999999999999", 400, []string{"That is no number of a record"}},
		{"/ledger?after=123456", 200, []string{"No record here is like that"}},
		{"/api/ledger?after=2", 200, []string{`"seq": 3`}},
		{"/api/ledger?after=1000000", 200, []string{`"records": []`}},
		{"/ledger?type=purge", 200, []string{"No record here is like that"}},
		{"/api/ledger?type=refusals", 400, []string{`"error": "That is no type of records: refusals"`}},
		{"/api/care?kind=dead-links", 400, []string{`"error": "There is no kind of faults dead-links."`}},
		{"/care", 200, []string{"Site care", "Read the pages of the job"}},
		{"/care.csv", 404, nil},
		{"/api/care", 404, []string{`"error"`}},
		{"/submit", 200, []string{"optout.txt", "The crawl is not running"}},
		{"/no-such-page", 404, []string{"There is no such page here.", "Not Found"}},
	} {
		resp, body := ask(t, "GET", at+tt.path, "")
		if resp.StatusCode != tt.status {
			t.Errorf("%s: status %d, want %d\n%s", tt.path, resp.StatusCode, tt.status, body)
		}
		for _, want := range tt.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in\n%s", tt.path, want, body)
			}
		}
		if strings.Contains(body, "<script>alert") || strings.ContainsRune(body, '\u202e') && !strings.HasPrefix(tt.path, "/api/") {
			t.Errorf("%s: what a page says is not escaped\n%s", tt.path, body)
		}
		if p := resp.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") {
			t.Errorf("%s: policy %q", tt.path, p)
		}
	}
}

// The ledger is leafed through to its end: each record once.
func TestServe_LedgerPages(t *testing.T) {
	at := startServing(t, serve.Options{Jobs: []string{largeJob(t, 230)}})
	var seqs []uint64
	for after := "0"; after != ""; {
		var page struct {
			Records []struct{ Seq uint64 }
			After   *uint64
		}
		_, body := ask(t, "GET", at+"/api/ledger?text=page1&after="+after, "")
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			seqs = append(seqs, r.Seq)
		}
		if after = ""; page.After != nil {
			after = fmt.Sprint(*page.After)
		}
	}
	if want := 1 + 10 + 100 + 1; len(seqs) != want || !slices.IsSorted(seqs) || len(slices.Compact(seqs)) != want {
		t.Errorf("%d records, want %d, of which the last came from page100: %v", len(seqs), want, seqs)
	}
}

// What may be put right in a site is shown when somebody had its pages read.
func TestServe_Care(t *testing.T) {
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	if resp, _ := ask(t, "POST", at+"/graph", "back=/care", "Sec-Fetch-Site", "cross-site"); resp.StatusCode != http.StatusForbidden {
		t.Errorf("POST of another site: status %d", resp.StatusCode)
	}
	if resp, _ := ask(t, "POST", at+"/graph", "back=//evil.example/"); resp.StatusCode != 303 || resp.Header.Get("Location") != "/care?job=job" {
		t.Errorf("status %d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	for path, want := range map[string]string{
		"/care":                          "/care?job=job&amp;kind=linked-disallowed",
		"/care?kind=linked-disallowed":   site + "/private/x",
		"/care?kind=odd&page=-1":         "no-description",
		"/care.csv?kind=no-description":  "kind,url,detail,page\nno-description," + site + "/,,\n",
		"/api/care":                      `"linked-disallowed": 1`,
		"/api/care?kind=no-description":  `"total": 3`,
		"/api/care?kind=double-title":    `"faults": []`,
		"/care?kind=no-title&page=99999": "Nothing is wrong here",
	} {
		if resp, body := ask(t, "GET", at+path, ""); resp.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, %q is not in\n%s", path, resp.StatusCode, want, body)
		}
	}
	at = startServing(t, serve.Options{Jobs: []string{dir}, MaxTime: time.Nanosecond}) // of which a file has more
	for path, want := range map[string]int{"/care": 503, "/care.csv": 200, "/map.gexf": 200} {
		if resp, _ := ask(t, "GET", at+path, ""); resp.StatusCode != want {
			t.Errorf("%s that takes longer than a page may: status %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// What changes something is for a form of ours, and for nobody else's page; a GET changes nothing.
func TestServe_Changes(t *testing.T) {
	t.Parallel()
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	spool := func() int {
		list, err := os.ReadDir(filepath.Join(dir, "submit"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(list)
	}
	form := "urls=" + url.QueryEscape(site+"/new\n") + "&note=by+hand"
	for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "http://evil.example"}} {
		if resp, _ := ask(t, "POST", at+"/submit", form, header...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("POST with %v: status %d", header, resp.StatusCode)
		}
	}
	if resp, _ := ask(t, "GET", at+"/submit?"+form, ""); resp.StatusCode != 200 || spool() != 0 {
		t.Errorf("GET: status %d, %d submissions", resp.StatusCode, spool())
	}
	for form, want := range map[string]string{
		"urls=":                             "There is no URL in that",
		"urls=http://x.example/%0Afoo":      "Nothing was submitted: line",
		"as_seed=1&urls=https://x.example/": "names no contact",
	} {
		if resp, body := ask(t, "POST", at+"/submit", form); resp.StatusCode != 400 || !strings.Contains(body, want) || spool() != 0 {
			t.Errorf("%s: status %d, %d submissions, %q is not in\n%s", form, resp.StatusCode, spool(), want, body)
		}
	}
	resp, body := ask(t, "POST", at+"/submit", form, "Sec-Fetch-Site", "same-origin")
	if resp.StatusCode != 200 || !strings.Contains(body, "The submission is not lost") || spool() != 1 {
		t.Errorf("status %d, %d submissions\n%s", resp.StatusCode, spool(), body)
	}

	list := filepath.Join(filepath.Dir(dir), "optout.txt")
	for entry, status := range map[string]int{"*.example.org": 200, "": 400, "a%0Ab": 400, "not a host!": 400} {
		if resp, body := ask(t, "POST", at+"/opt-out", "entry="+strings.ReplaceAll(entry, " ", "+")); resp.StatusCode != status {
			t.Errorf("opt-out %q: status %d, want %d\n%s", entry, resp.StatusCode, status, body)
		}
	}
	if text, err := os.ReadFile(list); err != nil || string(text) != "*.example.org\n" {
		t.Errorf("list of opt-outs %q, %v", text, err)
	}
}

// A job that is gone cannot be read, and nothing of it is made again.
func TestServe_JobIsGone(t *testing.T) {
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	if err := os.Rename(dir, dir+".moved"); err != nil {
		t.Fatal(err)
	}
	if resp, body := ask(t, "GET", at+"/readyz", ""); resp.StatusCode != 503 {
		t.Errorf("/readyz: status %d: %s", resp.StatusCode, body)
	}
	if _, body := ask(t, "GET", at+"/metrics", ""); !strings.Contains(body, `cybermapper_up{job="job"} 0`) {
		t.Errorf("/metrics: %s", body)
	}
	if resp, body := ask(t, "POST", at+"/submit", "urls="+site+"/new"); resp.StatusCode != 500 {
		t.Errorf("/submit: status %d: %s", resp.StatusCode, body)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory was made in place of the job: %v", err)
	}
	if err := os.Rename(dir+".moved", dir); err != nil {
		t.Fatal(err)
	}
	if resp, body := ask(t, "GET", at+"/readyz", ""); resp.StatusCode != 200 {
		t.Errorf("/readyz of the job that is there again: status %d: %s", resp.StatusCode, body)
	}
}

// Who does not know the token sees the sign-in page, and a name that is not ours is not answered at all.
func TestServe_LetsIn(t *testing.T) {
	dir, _ := servedJob(t)
	const token = "0123456789abcdef"
	at := startServing(t, serve.Options{Jobs: []string{dir}, Token: token, Hosts: []string{"crawl.example"}})
	for _, path := range []string{"/", "/live", "/copy?url=x", "/explain"} {
		if resp, _ := ask(t, "GET", at+path, ""); resp.StatusCode != 303 || resp.Header.Get("Location") != "/sign-in?to="+url.QueryEscape(path) {
			t.Errorf("%s: status %d to %q", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, path := range []string{"/care.csv", "/map.gexf", "/map.graphml", "/live/events", "/opensearch.xml"} {
		if resp, _ := ask(t, "GET", at+path, ""); resp.StatusCode != 401 {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	if resp, _ := ask(t, "GET", at+"/", "", "Authorization", "Bearer "+token+"x"); resp.StatusCode != 401 {
		t.Errorf("with another token: status %d", resp.StatusCode)
	}
	if resp, _ := ask(t, "GET", at+"/", "", "Authorization", "Basic dTpw"); resp.StatusCode != 303 {
		t.Errorf("with a password for a proxy: status %d", resp.StatusCode)
	}
	for value, want := range map[string]int{"bearer " + token: 200, "bearer x": 401, "Bearer": 401} {
		if resp, _ := ask(t, "GET", at+"/live", "", "Authorization", value); resp.StatusCode != want {
			t.Errorf("with Authorization: %s: status %d, want %d", value, resp.StatusCode, want)
		}
	}
	for _, path := range []string{"/api/status", "/metrics"} {
		resp, body := ask(t, "GET", at+path, "")
		if resp.StatusCode != 401 || strings.HasPrefix(body, "{") != strings.HasPrefix(path, "/api/") {
			t.Errorf("%s: status %d: %s", path, resp.StatusCode, body)
		}
		if resp, _ := ask(t, "GET", at+path, "", "Authorization", "Bearer "+token); resp.StatusCode != 200 {
			t.Errorf("%s with the token: status %d", path, resp.StatusCode)
		}
		if resp, _ := ask(t, "GET", at+path, "", "Authorization", "Bearer "+token+"x"); resp.StatusCode != 401 {
			t.Errorf("%s with another token: status %d", path, resp.StatusCode)
		}
	}
	if resp, _ := ask(t, "GET", at+"/healthz", ""); resp.StatusCode != 200 {
		t.Errorf("/healthz: status %d", resp.StatusCode)
	}
	if resp, _ := ask(t, "GET", at+"/readyz", ""); resp.StatusCode != 200 {
		t.Errorf("/readyz: status %d", resp.StatusCode)
	}
	filetest.Write(t, filepath.Join(dir, "status.json"), "{")
	if resp, body := ask(t, "GET", at+"/readyz", ""); resp.StatusCode != 503 || body != "not ready\n" {
		t.Errorf("/readyz of a job that cannot be read: status %d: %s", resp.StatusCode, body)
	}
	if _, body := ask(t, "GET", at+"/readyz", "", "Authorization", "Bearer "+token); !strings.HasPrefix(body, "job: ") {
		t.Errorf("/readyz with the token: %s", body)
	}
	if resp, _ := ask(t, "POST", at+"/sign-in", "token=wrong"); resp.StatusCode != 403 || len(resp.Cookies()) != 0 {
		t.Errorf("sign-in with another token: status %d, cookies %v", resp.StatusCode, resp.Cookies())
	}
	resp, _ := ask(t, "POST", at+"/sign-in", "token="+token)
	if resp.StatusCode != 303 || len(resp.Cookies()) != 1 {
		t.Fatalf("sign-in: status %d, cookies %v", resp.StatusCode, resp.Cookies())
	}
	for to, want := range map[string]string{
		"": "/", "/?q=a&page=2": "/?q=a&page=2", "/explain?url=http%3A%2F%2Fx%2F": "/explain?url=http%3A%2F%2Fx%2F",
		"//evil.example/": "/", `/\evil.example/`: "/", "/\t/evil.example/": "/",
		`/./\evil.example/`: "/", `/a/../\evil.example/`: "/", `/#/../\evil.example/`: "/", "/live#x": "/",
		"https://evil.example/": "/", "evil": "/", "javascript:x": "/",
	} {
		_, body := ask(t, "GET", at+"/sign-in?to="+url.QueryEscape(to), "")
		resp, _ := ask(t, "POST", at+"/sign-in", url.Values{"token": {token}, "to": {to}}.Encode())
		if got := resp.Header.Get("Location"); got != want || !strings.Contains(body, `name="to" value="`+html.EscapeString(want)+`"`) {
			t.Errorf("sign-in on the way to %q leads to %q, want %q", to, got, want)
		}
	}
	cookie := resp.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
		t.Errorf("cookie %v", cookie)
	}
	if resp, _ := ask(t, "GET", at+"/", "", "Cookie", cookie.Name+"="+cookie.Value); resp.StatusCode != 200 {
		t.Errorf("signed in: status %d", resp.StatusCode)
	}
	later := "20990101T000000Z" + cookie.Value[strings.Index(cookie.Value, "."):]
	if resp, _ := ask(t, "GET", at+"/", "", "Cookie", cookie.Name+"="+later); resp.StatusCode != 303 {
		t.Errorf("forged cookie: status %d", resp.StatusCode)
	}
	for host, status := range map[string]int{"evil.example": 421, "crawl.example": 200, "CRAWL.example.:8480": 200, "localhost": 200, "[::1]:80": 200} {
		if resp, _ := ask(t, "GET", at+"/healthz", "", "Host", host); resp.StatusCode != status {
			t.Errorf("Host %s: status %d, want %d", host, resp.StatusCode, status)
		}
	}
}

func TestServe_Exposure(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	for args, want := range map[string]string{
		"serve --listen :8480 --job " + dir:                    "there is no --token",
		"serve --listen 0.0.0.0:8480 --token x --job " + dir:   "would cross the network in the clear",
		"serve --listen nowhere --job " + dir:                  "--listen: ",
		"serve --listen 127.0.0.1:0 --job " + dir:              "there is no job in",
		"serve --listen 127.0.0.1:0 --tls-cert x --job " + dir: "tls-key",
		"serve --host crawl.test:8480 --job " + dir:            "a name has no port",
	} {
		if code, out := runCommand(t.Context(), args); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %q is not in %s", args, code, want, out)
		}
	}
}

// The live view hears of what changes.
func TestServe_LiveEvents(t *testing.T) {
	dir, _ := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}, Viewers: 1})
	if resp, _ := ask(t, "HEAD", at+"/live/events", ""); resp.StatusCode != http.StatusOK { // which takes no place
		t.Errorf("HEAD: status %d", resp.StatusCode)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", at+"/live/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering: %q, so nginx keeps the events", got)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	next := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		t.Fatalf("the events ended: %v", lines.Err())
		return ""
	}
	if text := next(); !strings.Contains(text, `"key":"pages","label":"Pages","value":"3"`) {
		t.Errorf("first event %s", text)
	}
	status := filepath.Join(dir, "status.json")
	filetest.Write(t, status, strings.ReplaceAll(mustRead(t, status), `"pages": 3`, `"pages": 4`))
	if err := os.Chtimes(status, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if text := next(); !strings.Contains(text, `"key":"pages","label":"Pages","value":"4"`) {
		t.Errorf("second event %s", text)
	}
	if resp, _ := ask(t, "GET", at+"/live/events", ""); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("one viewer too many: status %d", resp.StatusCode)
	}
}

// A browser that looks at the live view sees what is refused by which gate, and hears of more without asking again.
func TestServe_LiveInABrowser(t *testing.T) {
	t.Parallel()
	dir, _ := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	b := startBrowser(t)
	p := b.Open(t, at+"/live", browsertest.View{})
	const row = `[...document.querySelectorAll("#refusals tr")].map((r) => r.innerText.trim().replace(/\s+/g, " ")).join("|")`
	var shown string
	var none string
	p.Eval(t, `document.getElementById("no-reasons").innerText + document.getElementById("no-refusals").innerText`, &none)
	if none != "Nothing so far." {
		t.Errorf("of what did not happen the page says %q", none)
	}
	p.Eval(t, row, &shown)
	if want := "2 scope outside the scope of the crawl|1 robots robots.txt does not allow it"; shown != want {
		t.Errorf("refusals %q, want %q", shown, want)
	}
	status := filepath.Join(dir, "status.json")
	filetest.Write(t, status, strings.ReplaceAll(mustRead(t, status), `"robots-disallow": 1`, `"robots-disallow": 7000, "too-deep": 2, "<b>": 3`))
	if err := os.Chtimes(status, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	p.Eval(t, `new Promise((done) => { const look = () => refusals.rows.length > 2 ? done(`+row+
		` + "|" + reasons.innerText.trim().replace(/\s+/g, " ")) : setTimeout(look, 50); look(); })`, &shown)
	if want := "2 scope outside the scope of the crawl|2 limit too many links from a seed|7,000 robots robots.txt does not allow it|3 <b>"; shown != want {
		t.Errorf("after an event %q, want %q", shown, want)
	}
	var led string
	p.Eval(t, `refusals.rows[2].querySelector("a").href`, &led)
	if _, page := ask(t, "GET", led, ""); !strings.Contains(page, "/private/x") {
		t.Errorf("%s does not show what was refused", led)
	}
	if c := complaints(p); len(c) > 0 {
		t.Error(c)
	}
}

// servedPages are the pages of a server, by name.
func servedPages(site string) map[string]string {
	return map[string]string{
		"front": "/", "search": "/?q=walruses", "none": "/?q=walrusses", "explain": "/explain?url=" + url.QueryEscape(site+"/private/x"),
		"live": "/live", "site": "/site?path=/private/y&host=" + strings.TrimPrefix(site, "http://"), "submit": "/submit", "care": "/care", "ledger": "/ledger",
		"faults": "/care?kind=linked-disallowed", "map": "/map", "cached": "/cached?url=" + url.QueryEscape(site+"/"),
	}
}

// complaints are those of a page, but for what a browser without a graphics card has to say of drawing.
func complaints(p *browsertest.Page) []string {
	return slices.DeleteFunc(p.Complaints(), func(c string) bool {
		return strings.Contains(c, "software WebGL") || strings.Contains(c, "GL Driver Message")
	})
}

// TestServe_Axe lets axe-core look for what keeps people from reading the pages, as TestCertificate_Axe does.
func TestServe_Axe(t *testing.T) {
	source, err := os.ReadFile(os.Getenv("AXE"))
	if err != nil {
		t.Skip("AXE does not name axe.min.js: npm pack axe-core has it")
	}
	b := startBrowser(t)
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	ask(t, "POST", at+"/graph", "back=/care")
	guarded := startServing(t, serve.Options{Jobs: []string{dir}, Token: "0123456789abcdef"})
	pages := map[string]string{"sign-in": guarded + "/sign-in", "lost": at + "/nowhere"}
	for name, path := range servedPages(site) {
		pages[name] = at + path
	}
	for name, page := range pages {
		for _, view := range []browsertest.View{{}, {Dark: true}, {Width: 360, Height: 740}} {
			p := b.Open(t, page, view)
			p.Eval(t, string(source)+";0", nil)
			var violations []string
			p.Eval(t, `axe.run({ iframes: false }).then(r => r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.map(n => n.html).slice(0, 3).join(" ")))`, &violations)
			for _, v := range violations {
				t.Errorf("%s %+v: %s", name, view, v)
			}
		}
	}
}

// A browser shows every page without a complaint, and a hostile copy does nothing.
func TestServe_InABrowser(t *testing.T) {
	t.Parallel()
	dir, site := servedJob(t)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	ask(t, "POST", at+"/graph", "back=/care")
	b := startBrowser(t)
	shots := os.Getenv("CYBERMAPPER_SCREENSHOTS")
	for name, path := range servedPages(site) {
		for _, view := range []browsertest.View{{Width: 1280, Height: 900}, {Width: 360, Height: 740, Dark: true}, {Width: 800, Height: 600, NoScript: true}} {
			p := b.Open(t, at+path, view)
			if c := complaints(p); len(c) > 0 {
				t.Errorf("%s: %v", path, c)
			}
			var wide bool
			p.Eval(t, "document.documentElement.scrollWidth > innerWidth", &wide)
			if wide {
				t.Errorf("%s: wider than %d pixels", path, view.Width)
			}
			if shots != "" {
				p.Screenshot(t, filepath.Join(shots, name+map[bool]string{true: "-dark", false: ""}[view.Dark]+".png"))
			}
		}
	}
	p := b.Open(t, at+"/cached?url="+url.QueryEscape(site+"/hostile"), browsertest.View{})
	var title string
	p.Eval(t, "new Promise(r => setTimeout(() => r(document.title), 500))", &title)
	if strings.Contains(title, "owned") {
		t.Error("the script of a copy ran")
	}
	for _, asked := range p.Requests() {
		if !strings.HasPrefix(asked, at) || strings.Contains(asked, "/api/") || strings.HasSuffix(asked, "/submit") {
			t.Errorf("a copy made the browser ask for %s", asked)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "submit")); err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() }) {
		t.Error("a copy submitted a form")
	}
	p = b.Open(t, at+"/?q=walruses", browsertest.View{})
	var focused string
	p.Eval(t, `document.activeElement.blur(), document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true})), document.activeElement.id`, &focused)
	if focused != "q" {
		t.Errorf("the slash focuses %q", focused)
	}
}

// The copy of a page is read by a browser as the crawl read it, also where only the header of the answer said how.
func TestServe_CopyInItsCharset(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/":        {Body: `<title>Front page</title><a href="/euc">euc</a> <a href="/utf.txt">utf</a>`},
		"/euc":     {Type: "text/html; charset=euc-jp", Body: "<title>\xc6\xfc\xcb\xdc\xb8\xec</title><p>\xc6\xfc\xcb\xdc\xb8\xec</p>"},
		"/utf.txt": {Type: "text/plain; charset=utf-8", Body: "日本語の全文検索エンジンです。"},
	})
	dir := filepath.Join(t.TempDir(), "job")
	mustRun(t, strings.Fields("crawl --index --quiet --allow-private --delay 1ms --job "+dir+" "+site.URL+"/")...)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	for path, want := range map[string]string{"/euc": "text/html; charset=euc-jp", "/utf.txt": "text/plain; charset=utf-8"} {
		resp, body := ask(t, "GET", at+"/copy?url="+url.QueryEscape(site.URL+path), "")
		if got := resp.Header.Get("Content-Type"); got != want {
			t.Errorf("%s: Content-Type %q, want %q\n%s", path, got, want, body)
		}
	}
}

// That the newest records hold nothing of a text does not say that none does, and the answer says so.
func TestServe_LedgerIsLong(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	dir, _ := servedJob(t)
	long := "http://a.example/" + strings.Repeat("x", 2000)
	many := slices.Repeat([]ledger.Record{{Type: ledger.Refusal, URL: long, Reason: "out-of-scope"}}, 8000)
	ledgertest.Write(t, filepath.Join(dir, "ledger"), ledger.Options{Plain: true}, many...)
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	for path, want := range map[string]string{
		"/ledger?text=private":              "These are of the records from number ",
		"/api/ledger?text=private":          `"since": `,
		"/ledger?after=0&text=private":      "Disallow: /private/, line 2",
		"/api/ledger?after=0&text=/private": `"rule": "Disallow: /private/"`,
	} {
		if _, body := ask(t, "GET", at+path, ""); !strings.Contains(body, want) {
			t.Errorf("%s: no %q in\n%s", path, want, body)
		}
	}
	if _, body := ask(t, "GET", at+"/api/ledger?text=out-of-scope", ""); strings.Contains(body, `"since"`) {
		t.Errorf("the newest 50: %s", body)
	}
}

// Counts of the best pages are not taken for those of all, and there is a way to the next hits where there are some, and only
// there.
func TestServe_ManyHits(t *testing.T) {
	dir, _ := servedJob(t)
	x, err := index.Open(filepath.Join(dir, "index.db"), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var c index.Change
	for n := range index.MaxHits + 20 {
		text := "An otter"
		if n < 20 {
			text += " and a beaver"
		}
		c.Documents = append(c.Documents, index.Document{
			URL: fmt.Sprintf("http://%d.example/%d", n%2, n), Type: "text/html",
			Text: index.Text{Title: fmt.Sprint("Page ", n), Body: text},
		})
	}
	if err := errors.Join(x.Apply(t.Context(), c), x.Close()); err != nil {
		t.Fatal(err)
	}
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	const counted, next = "Counted in the best 1,000 pages.", `<a rel="next"`
	for _, tt := range []struct {
		path      string
		want, not []string
	}{
		{"/?q=otter", []string{"1,020 pages", counted, next}, nil},
		{"/?q=otter&page=100", []string{"no more can be paged through"}, []string{next}},
		{"/?q=beaver", []string{"20 pages", next}, []string{counted}},
		{"/?q=beaver&page=2", []string{"20 pages"}, []string{next}},
		{"/?q=beaver&page=3", []string{"There are no hits behind those before"}, []string{next, "No page has all of these words"}},
	} {
		_, body := ask(t, "GET", at+tt.path, "")
		for _, want := range tt.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", tt.path, want)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(body, not) {
				t.Errorf("%s: %q", tt.path, not)
			}
		}
	}
}

// Ensure that whoever finds nothing hears that the index lacks pages, there as at the command line, until it has them.
func TestServe_IndexBehind(t *testing.T) {
	dir, _ := servedJob(t) // whose index nobody has derived from its pages
	at := startServing(t, serve.Options{Jobs: []string{dir}})
	const notice = "stored pages that are not in the index yet: 3; cybermapper index --job "
	want := func(is bool) {
		t.Helper()
		_, page := ask(t, "GET", at+"/?q=absent", "")
		_, answer := ask(t, "GET", at+"/api/search?q=absent", "")
		_, out := runArgs(t, "search", "--job", dir, "absent")
		for _, text := range []string{page, answer, out} {
			if strings.Contains(text, notice) != is {
				t.Errorf("the notice is there: %v, want %v\n%s", !is, is, text)
			}
		}
	}
	want(true)
	mustRun(t, "index", "--job", dir)
	want(false)
}

// The metrics are in the format of Prometheus, whatever a job is called: a label knows the escapes of backslash, quotation mark and
// line feed, and no other.
func TestServe_MetricLabels(t *testing.T) {
	dir, _ := servedJob(t)
	odd := filepath.Join(filepath.Dir(dir), "a\tb\\c\"d\ne\u200bf\xff")
	if err := os.Rename(dir, odd); err != nil {
		t.Skip(err) // not every file system knows such names
	}
	at := startServing(t, serve.Options{Jobs: []string{odd}})
	_, body := ask(t, "GET", at+"/metrics", "")
	if want := "cybermapper_up{job=\"a\tb\\\\c\\\"d\\ne\u200bf\uFFFD\"} 1\n"; !strings.Contains(body, want) {
		t.Errorf("no %q in\n%s", want, body)
	}
}

// What a page tells its script to ask for is about the job and the part of the site that it shows, whatever their names.
func TestServe_NamesInScripts(t *testing.T) {
	dir, site := servedJob(t)
	odd := filepath.Join(filepath.Dir(dir), "c++ & more #1")
	if err := os.Rename(dir, odd); err != nil {
		t.Fatal(err)
	}
	at := startServing(t, serve.Options{Jobs: []string{odd}})
	job := "?job=" + url.QueryEscape("c++ & more #1")
	if resp, body := ask(t, "POST", at+"/graph"+job, "back=/map"); resp.StatusCode != 303 {
		t.Fatalf("graph: status %d: %s", resp.StatusCode, body)
	}
	told := regexp.MustCompile(` data-[a-z]+="([^"]*)"`)
	for _, page := range []string{"/live" + job, "/map" + job + "&under=" + url.QueryEscape(site+"/c++/?a=1&b=2#x")} {
		_, body := ask(t, "GET", at+page, "")
		links := told.FindAllStringSubmatch(body, -1)
		if len(links) < 3 {
			t.Fatalf("%s: %d links for scripts", page, len(links))
		}
		for _, m := range links {
			u, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			if got := u.Query().Get("job"); got != "c++ & more #1" {
				t.Errorf("%s: %s is about the job %q", page, m[1], got)
			}
			if got := u.Query().Get("under"); strings.HasPrefix(m[1], "/api/map") && got != site+"/c++/?a=1&b=2#x" {
				t.Errorf("%s: %s is about %q", page, m[1], got)
			}
		}
	}
}
