// Command pace compares a whole crawl with cybermapper to other ways of fetching the same pages: a bare loop of GET and goquery
// over URLs that are known beforehand, which promises nothing and keeps nothing, and the crawler fetchbot. The web is served by
// another process, and of each way the whole command is counted, from its start to its exit: its user and system time, what its
// clock says, and the most memory it held. The ways take turns, and what is told are medians over the rounds.
//
//	go run -C cmd/cybermapper/testdata/pace .                    200 hosts, 50 pages each of 20 KB with 40 links
//	go run -C cmd/cybermapper/testdata/pace . -hosts 1 -pages 5000
//	go run -C cmd/cybermapper/testdata/pace . -latency 50ms -workers 64
//	go run -C cmd/cybermapper/testdata/pace . -sites FOLDER      real pages: a host for each folder in FOLDER
//
// It is a module of its own, so that fetchbot is no dependency of cybermapper.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	hosts, pages, bytes, links int
	latency                    time.Duration
	sites                      string
	workers, rounds            int
	ways                       string
	trees                      trees
	work                       string
	args                       string
	removed                    int
	jobs                       []string // folders of the crawls so far
}

// trees are source trees to build cybermapper from, by name.
type trees []struct{ name, dir string }

func (t *trees) String() string { return "" }

func (t *trees) Set(s string) error {
	name, dir, ok := strings.Cut(s, "=")
	if !ok {
		return errors.New("want NAME=DIR")
	}
	*t = append(*t, struct{ name, dir string }{name, dir})
	return nil
}

func main() {
	var o options
	flag.IntVar(&o.hosts, "hosts", 200, "hosts")
	flag.IntVar(&o.pages, "pages", 50, "pages of each")
	flag.IntVar(&o.bytes, "bytes", 20_000, "bytes of a page")
	flag.IntVar(&o.links, "links", 40, "links of a page")
	flag.DurationVar(&o.latency, "latency", 0, "time before each answer")
	flag.StringVar(&o.sites, "sites", "", "serve the folders in this one instead, each as a host")
	flag.IntVar(&o.workers, "workers", 0, "of cybermapper (0: its default) and of the bare loop (0: one per host)")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	flag.StringVar(&o.ways, "ways", "bare,fetchbot,cybermapper", "which of these, and keep: a loop that writes pages to files and does not look at them")
	flag.Var(&o.trees, "tree", "NAME=DIR: build another cybermapper from a source tree, and let it take part; may be repeated")
	flag.StringVar(&o.work, "work", "", "folder for jobs; removed files leave traces in a file system (default: a temporary one)")
	flag.StringVar(&o.args, "args", "", "further flags of cybermapper crawl")
	flag.IntVar(&o.removed, "removed", 0, "make and remove so many files on the disk of the jobs before each crawl")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := do(ctx, &o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "pace:", err)
		os.Exit(1)
	}
}

// do is one of the processes: the first starts the others, which are this program again with a word on its command line.
func do(ctx context.Context, o *options, role string) error {
	switch role {
	case "":
		return compare(ctx, o)
	case "serve":
		return serve(ctx, o)
	case "bare":
		return bare(ctx, os.Stdin, o.workers)
	case "keep":
		return keep(ctx, os.Stdin, o.workers)
	case "fetchbot":
		return crawlFetchbot(os.Stdin)
	}
	return fmt.Errorf("no role %q", role)
}

// compare lets the ways take turns.
func compare(ctx context.Context, o *options) error {
	if o.work == "" {
		dir, err := os.MkdirTemp("", "pace")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.work = dir
	}
	ways, err := o.entrants(ctx)
	if err != nil {
		return err
	}
	web, err := startWeb(ctx)
	if err != nil {
		return err
	}
	defer web.stop()
	defer func() {
		for _, job := range o.jobs {
			os.RemoveAll(job)
		}
	}()
	fmt.Printf("%s, %d cores, GOMAXPROCS %d\n", runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	t := newTable(ways)
	for round := range o.rounds {
		for i := range ways {
			w := ways[(i+round)%len(ways)]
			c, err := w.run(ctx, web)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			t.add(w.name, c)
			fmt.Printf("round %d %-12s %s\n", round+1, w.name, c)
		}
	}
	t.print(os.Stdout)
	return nil
}
