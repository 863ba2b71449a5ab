package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// Most of these tests wait, for processes and for pauses: without -parallel, more of them than processors run at the same time.
func TestMain(m *testing.M) {
	brokertest.Main()
	collector := map[string]string{"GOGC": "100", "GOMEMLIMIT": "off"} // as they are
	if filepath.Base(os.Args[0]) != "cybermapper" {
		for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} { // tests read English; scripts say what they want
			os.Unsetenv(name)
		}
		for name, value := range collector { // crawls within the process of the tests leave its collector alone
			os.Setenv(name, value)
		}
	} else {
		for name := range collector { // and those in one of their own set it up as usual
			os.Unsetenv(name)
		}
	}
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"cybermapper": main})
}

// TestScripts runs testdata/script/*.txtar against the real main. Besides the usual commands of testscript there are
//
//	serve NAME DIR   serves DIR on a loopback address of its own and sets $NAME to the site's URL and $NAME_HOST to its host
//	walled NAME DIR  serves DIR likewise, to whoever sends back the cookie that the site sets first; see cookieWall
//	endless NAME KIND  serves the site with the endless place of that kind (webtest.EndlessKinds)
//	hits NAME        prints the requests that the site has seen, one "METHOD /path" per line, in order
//	order NAME...    prints the requests that the sites have seen together, one "NAME /path" per line, in order
//	sent NAME FIELD  prints the field of each request that the site has seen, one "/path: value" per line, in order
//	take NAME RE     sets $NAME to what the first group of the regular expression RE matches in the last standard output
//
// With -short, as with the race detector, which makes each start of a command dear, only those run in which much happens at the
// same time that happens nowhere else.
func TestScripts(t *testing.T) {
	web := webtest.New(t)
	sites := &scriptSites{web: web, byName: map[string]*webtest.Site{}}
	dir, files := "testdata/script", []string(nil)
	if testing.Short() {
		dir = ""
		for _, name := range []string{"crawl", "crawl_ends", "network", "recrawl", "submit", "warc"} {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":   sites.serve,
			"walled":  sites.walled,
			"endless": sites.endless,
			"hits":    sites.hits,
			"order":   sites.order,
			"sent":    sites.sent,
			"take":    take,
			"later":   later,
		},
	})
}

// scriptSites are the sites of all scripts, which run at the same time.
type scriptSites struct {
	web *webtest.Web

	mu     sync.Mutex // guards byName
	byName map[string]*webtest.Site
}

func (s *scriptSites) serve(ts *testscript.TestScript, neg bool, args []string) {
	s.serveBehind(ts, neg, args, func(h http.Handler) http.Handler { return h })
}

func (s *scriptSites) walled(ts *testscript.TestScript, neg bool, args []string) {
	s.serveBehind(ts, neg, args, cookieWall)
}

// cookieWall sends visitors without a cookie to where they get one, and from there back: below /self/ to the same URL, which sets
// it, elsewhere to /enter.
func cookieWall(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := "/enter?to=" + url.QueryEscape(r.URL.Path)
		switch c, err := r.Cookie("visitor"); {
		case r.URL.Path == "/robots.txt", err == nil && c.Value == "7":
			h.ServeHTTP(w, r)
			return
		case strings.HasPrefix(r.URL.Path, "/self/"):
			to = r.URL.Path
		case r.URL.Path == "/enter":
			to = r.FormValue("to")
		default:
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "7", Path: "/"})
		http.Redirect(w, r, to, http.StatusFound)
	})
}

func (s *scriptSites) serveBehind(ts *testscript.TestScript, neg bool, args []string, wall func(http.Handler) http.Handler) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve NAME DIR")
	}
	site := s.web.Site(wall(directorySite(ts.MkAbs(args[1]))))
	s.mu.Lock()
	s.byName[ts.Name()+" "+args[0]] = site
	s.mu.Unlock()
	ts.Setenv(args[0], site.URL)
	ts.Setenv(args[0]+"_HOST", site.Addr.String())
}

func (s *scriptSites) endless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: endless NAME KIND")
	}
	for _, e := range webtest.EndlessKinds() {
		if e.Name == args[1] {
			ts.Setenv(args[0], s.web.Site(webtest.Quiet(e.Site)).URL)
			return
		}
	}
	ts.Fatalf("there is no endless place of the kind %s", args[1])
}

func (s *scriptSites) hits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hits NAME")
	}
	s.mu.Lock()
	site := s.byName[ts.Name()+" "+args[0]]
	s.mu.Unlock()
	if site == nil {
		ts.Fatalf("no site %s is served", args[0])
	}
	for _, h := range site.Hits() {
		fmt.Fprintf(ts.Stdout(), "%s %s\n", h.Method, h.Path)
	}
}

func (s *scriptSites) order(ts *testscript.TestScript, neg bool, args []string) {
	type seen struct {
		at   time.Time
		line string
	}
	var all []seen
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range args {
		for _, h := range s.byName[ts.Name()+" "+name].Hits() {
			all = append(all, seen{h.Start, name + " " + h.Path})
		}
	}
	slices.SortStableFunc(all, func(a, b seen) int { return a.at.Compare(b.at) })
	for _, h := range all {
		fmt.Fprintln(ts.Stdout(), h.line)
	}
}

func (s *scriptSites) sent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sent NAME FIELD")
	}
	s.mu.Lock()
	site := s.byName[ts.Name()+" "+args[0]]
	s.mu.Unlock()
	if site == nil {
		ts.Fatalf("no site %s is served", args[0])
	}
	for _, h := range site.Hits() {
		fmt.Fprintf(ts.Stdout(), "%s: %s\n", h.Path, strings.Join(h.Header.Values(args[1]), ", "))
	}
}

// take lets a script go on with what a command has said.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: take NAME RE")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	found := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("no match, or no group, for %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// later puts a time of the day that is not now, an hour that begins in six, into a file, in place of LATER.
func later(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: later FILE")
	}
	from := time.Now().UTC().Add(6 * time.Hour).Truncate(time.Hour)
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "LATER", from.Format("1504-")+from.Add(time.Hour).Format("1504"))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// directorySite answers from the files below it; a path that ends in a slash is index.html there. A file that begins with
// a status line, as in HTTP, is the whole response, in which {site} stands for the URL of the site without the final slash.
type directorySite string

func (dir directorySite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Clean(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	f, err := os.Open(filepath.Join(string(dir), filepath.FromSlash(name)))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	head, _ := bufio.NewReader(f).Peek(5)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		panic(err)
	}
	if string(head) != "HTTP/" {
		http.ServeFileFS(w, r, os.DirFS(string(dir)), strings.TrimPrefix(name, "/"))
		return
	}
	response, err := http.ReadResponse(bufio.NewReader(f), r)
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	defer response.Body.Close()
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	io.WriteString(w, strings.ReplaceAll(string(body), "{site}", "http://"+r.Host))
}
