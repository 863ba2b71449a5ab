package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// An entrant is one way to fetch.
type entrant struct {
	name string
	run  func(ctx context.Context, w *web) (cost, error)
}

// A cost is what a run took.
type cost struct {
	pages    int
	bytes    int64 // of the pages
	cpu      time.Duration
	wall     time.Duration
	resident int64 // at most
	disk     int64 // besides the pages
}

// entrants returns who takes part. The crawlers come before the bare loop if only they can tell which pages there are.
func (o *options) entrants(ctx context.Context) ([]entrant, error) {
	var list []entrant
	for _, name := range strings.Split(o.ways, ",") {
		switch name {
		case "bare":
			run := func(ctx context.Context, w *web) (cost, error) { return self(ctx, "bare", "", w.urls) }
			list = append(list, entrant{name, run})
		case "keep":
			list = append(list, entrant{name, func(ctx context.Context, w *web) (c cost, err error) { return o.keep(ctx, w) }})
		case "fetchbot":
			run := func(ctx context.Context, w *web) (cost, error) { return self(ctx, "fetchbot", "", w.seeds) }
			list = append(list, entrant{name, run})
		case "cybermapper":
			o.trees = append(trees{{name, filepath.Join("..", "..", "..", "..")}}, o.trees...)
		default:
			return nil, fmt.Errorf("no way %q", name)
		}
	}
	for i, t := range o.trees {
		binary := filepath.Join(o.work, fmt.Sprint("cybermapper-", i))
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/cybermapper")
		build.Dir, build.Stderr = t.dir, os.Stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("build %s: %w", t.dir, err)
		}
		crawl := entrant{t.name, func(ctx context.Context, w *web) (cost, error) { return o.crawl(ctx, binary, w) }}
		list = append([]entrant{crawl}, list...)
	}
	return list, nil
}

// keep lets the loop that only keeps pages write them where jobs are.
func (o *options) keep(ctx context.Context, w *web) (cost, error) {
	dir, err := os.MkdirTemp(o.work, "kept")
	if err != nil {
		return cost{}, err
	}
	o.jobs = append(o.jobs, dir)
	return self(ctx, "keep", dir, w.urls)
}

// self runs this program again, in a role and a folder.
func self(ctx context.Context, role, dir string, urls []string) (cost, error) {
	program, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.CommandContext(ctx, program, append(os.Args[1:], role)...)
	var out bytes.Buffer
	cmd.Dir = dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(urls, "\n")), &out, os.Stderr
	c, err := measure(cmd)
	if err == nil {
		_, err = fmt.Sscan(out.String(), &c.pages, &c.bytes)
	}
	return c, err
}

// crawl runs cybermapper with all its promises, but no pause. The job stays until all rounds are over: a file system steps over the
// traces of removed files for a minute, and the next round has folders of the same names, which it puts in the same places.
func (o *options) crawl(ctx context.Context, binary string, w *web) (c cost, err error) {
	job, err := os.MkdirTemp(o.work, "job")
	if err != nil {
		return c, err
	}
	o.jobs = append(o.jobs, job)
	if err := makeAndRemove(filepath.Join(o.work, "removed"), o.removed); err != nil {
		return c, err
	}
	args := []string{
		"crawl", "--job", job, "--seeds", "-", "--quiet", "--allow-private",
		"--delay", "0s", "--delay-factor", "0", "--depth", "-1", "--patience", "10s",
	}
	if o.workers > 0 {
		args = append(args, "--workers", fmt.Sprint(o.workers))
	}
	cmd := exec.CommandContext(ctx, binary, append(args, strings.Fields(o.args)...)...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(w.seeds, "\n")), os.Stderr
	c, err = measure(cmd)
	code := cmd.ProcessState.ExitCode()
	if code != 0 && code != 5 && code != 6 { // a bound of the crawl was reached, or places were parked
		return c, fmt.Errorf("%w, exit code %d", err, code)
	}
	return c, o.look(job, w, &c)
}

// look finds out what a crawl has stored, and where the bare loop can ask for the same.
func (o *options) look(job string, w *web, c *cost) error {
	list, err := os.Open(filepath.Join(job, "pages", "pages.jsonl"))
	if err != nil {
		return err
	}
	defer list.Close()
	var urls []string
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var page struct {
			FinalURL string `json:"final_url"`
			Bytes    int64  `json:"bytes"`
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return err
		}
		urls = append(urls, page.FinalURL)
		c.pages++
		c.bytes += page.Bytes
	}
	if o.sites != "" {
		w.urls = urls
	} else if c.pages != len(w.urls) {
		return fmt.Errorf("%d pages stored, want %d", c.pages, len(w.urls))
	}
	c.disk, err = besidesPages(job)
	return err
}

// besidesPages returns the size of all files of a job that are no pages.
func besidesPages(job string) (size int64, err error) {
	err = filepath.WalkDir(job, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(filepath.Join(job, "pages"), path)
		if err == nil && e.IsDir() && rel != "." && !strings.HasPrefix(rel, ".") {
			return fs.SkipDir
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// makeAndRemove leaves a disk as it is after many files were removed.
func makeAndRemove(dir string, n int) error {
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprint(i%200))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte("x"), 0o644); err != nil {
			return err
		}
	}
	if n > 0 {
		syscall.Sync()
	}
	return os.RemoveAll(dir)
}

// measure runs a command.
func measure(cmd *exec.Cmd) (c cost, err error) {
	start := time.Now()
	err = cmd.Run()
	c.wall = time.Since(start)
	if state := cmd.ProcessState; state != nil {
		c.cpu = state.UserTime() + state.SystemTime()
		c.resident = state.SysUsage().(*syscall.Rusage).Maxrss << 10
	}
	return c, err
}
