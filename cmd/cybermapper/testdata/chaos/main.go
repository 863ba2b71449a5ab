// Command chaos lets nodes share a crawl of a synthetic web on loopback while they and their three brokers are killed, frozen and
// bereft of their files, at random, and judges from the log of the web's servers: that every page was asked for and nothing that
// robots.txt forbids, that no site was asked twice at once or too soon, how many pages were asked for again, and how long all stood
// still. In the end verify must prove the ledgers of all nodes. Its exit status is 1 when anything is wrong.
//
//	go run -C cmd/cybermapper/testdata/chaos .                     10 minutes, 400 hosts, 250 pages each, 3 nodes
//	go run -C cmd/cybermapper/testdata/chaos . -seed 7 -minutes 3  what was drawn in another run
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"
	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

func main() {
	broker.Main()
	r := chaos.Run{Out: os.Stdout}
	flag.Uint64Var(&r.Seed, "seed", uint64(time.Now().UnixNano()), "of what is drawn (default: the time)")
	minutes := flag.Float64("minutes", 10, "for which there are faults")
	flag.IntVar(&r.Hosts, "hosts", 400, "hosts")
	flag.IntVar(&r.Pages, "pages", 250, "pages of each")
	flag.IntVar(&r.Nodes, "nodes", 3, "nodes at the beginning; at most twice as many take part")
	flag.IntVar(&r.Partitions, "partitions", 12, "partitions")
	flag.DurationVar(&r.Lease, "lease", 20*time.Second, "lease of a node")
	flag.DurationVar(&r.Delay, "delay", 0, "between two requests to a site (default: so that the crawl takes as long as there are faults)")
	flag.DurationVar(&r.Rest, "rest", 15*time.Second, "between two faults, at most")
	flag.StringVar(&r.Work, "work", "", "folder for jobs, brokers and logs, which stays (default: a temporary one, which stays on failure)")
	flag.Parse()
	r.Time = time.Duration(*minutes * float64(time.Minute))
	if r.Delay == 0 {
		r.Delay = (r.Time / time.Duration(r.Pages) * 3 / 5).Round(time.Millisecond)
	}
	r.Patience = 10*time.Minute + r.Time
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, &r)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if !ok {
		os.Exit(1)
	}
}

// stepClock is Run.StepClock, where the clocks of nodes can be set.
var stepClock func(in, by time.Duration) string

// run builds the command, crawls and tells what came of it.
func run(ctx context.Context, r *chaos.Run) (ok bool, err error) {
	if r.Work == "" {
		if r.Work, err = os.MkdirTemp("", "chaos"); err != nil {
			return false, err
		}
		defer func() {
			if ok {
				os.RemoveAll(r.Work)
			}
		}()
	}
	if err := os.MkdirAll(r.Work, 0o777); err != nil {
		return false, err
	}
	r.Command = filepath.Join(r.Work, "cybermapper")
	r.StepClock = stepClock
	build := exec.CommandContext(ctx, "go", "build", "-tags", "clocktest", "-o", r.Command,
		"github.com/cybermapper/cybermapper/cmd/cybermapper")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return false, err
	}
	fmt.Printf("seed %d: %d hosts, %d pages each, %d nodes, %d partitions, lease %v, delay %v, work in %s\n",
		r.Seed, r.Hosts, r.Pages, r.Nodes, r.Partitions, r.Lease, r.Delay, r.Work)
	v, err := r.Do(ctx)
	if err != nil {
		return false, err
	}
	v.Print(os.Stdout)
	return !v.Failed(), nil
}
