package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A web is the process that serves, as the others see it.
type web struct {
	seeds, urls []string
	stop        func()
}

// startWeb starts this program again to serve, and reads what there is.
func startWeb(ctx context.Context) (*web, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, append(os.Args[1:], "serve")...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &web{stop: func() { stdin.Close(); cmd.Wait() }}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		switch kind, u, _ := strings.Cut(lines.Text(), " "); kind {
		case "seed":
			w.seeds = append(w.seeds, u)
		case "url":
			w.urls = append(w.urls, u)
		case "ready":
			return w, nil
		}
	}
	w.stop()
	return nil, fmt.Errorf("the web did not start")
}

// serve is the process that serves, until its standard input ends.
func serve(ctx context.Context, o *options) error {
	life := &life{}
	defer life.end()
	out := bufio.NewWriter(os.Stdout)
	if o.sites != "" {
		if err := serveFolders(life, o, out); err != nil {
			return err
		}
	} else {
		bench := webtest.New(life).Bench(webtest.BenchShape{
			Hosts: o.hosts, Pages: o.pages, PageBytes: o.bytes, Links: o.links, Latency: o.latency,
		})
		for _, u := range bench.Seeds() {
			fmt.Fprintln(out, "seed", u)
		}
		for u := range bench.URLs() {
			fmt.Fprintln(out, "url", u)
		}
	}
	fmt.Fprintln(out, "ready")
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// serveFolders serves each folder in o.sites as a host. Seeds are its topmost pages named index.html, or all its topmost pages.
func serveFolders(life *life, o *options, out io.Writer) error {
	folders, err := filepath.Glob(filepath.Join(o.sites, "*"))
	if err != nil {
		return err
	}
	w := webtest.New(life)
	for _, dir := range folders {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return err
		}
		tree := webtest.OpenTree(life, dir)
		site := w.Site(webtest.Quiet(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(o.latency)
			tree.ServeHTTP(w, r)
		})))
		for _, name := range []string{"index.html", "*.html"} {
			paths, err := topmost(dir, name)
			if err != nil {
				return err
			}
			for _, path := range paths {
				fmt.Fprintln(out, "seed", site.URL+(&url.URL{Path: path}).EscapedPath())
			}
			if len(paths) > 0 {
				break
			}
		}
	}
	return nil
}

// topmost returns the paths of the files that match name in the topmost folders that have some.
func topmost(dir, name string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(folder string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(folder, name))
		if err != nil || len(files) == 0 {
			return err
		}
		for _, file := range files {
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				return err
			}
			paths = append(paths, "/"+strings.TrimSuffix(filepath.ToSlash(rel), "index.html"))
		}
		return fs.SkipDir
	})
	return paths, err
}

// life stands in for a test, which webtest wants.
type life struct{ ends []func() }

func (l *life) Helper()          {}
func (l *life) Cleanup(f func()) { l.ends = append(l.ends, f) }
func (l *life) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "pace: "+format+"\n", args...)
	os.Exit(1)
}

func (l *life) end() {
	for i := range l.ends {
		l.ends[len(l.ends)-1-i]()
	}
}
