package chaos

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

// A Run is a crawl by nodes to which things happen.
type Run struct {
	Command      string // the program that is started as cybermapper
	Work         string // a folder for jobs, brokers and logs
	Hosts, Pages int    // of the web, and of each host
	Nodes        int    // at the beginning
	Partitions   int
	Lease, Delay time.Duration
	Faults       []Fault       // what happens, one after the other, and nothing else; if empty, it is drawn
	Seed         uint64        // what is drawn from it; if it is even, nodes stand by
	Time         time.Duration // for which faults are drawn
	Rest         time.Duration // between two faults, at most
	Patience     time.Duration // after the last fault, for the crawl to end
	Out          io.Writer     // hears of what happens

	// StepClock returns the variable for the environment of a process of Command that is started now, whose wall clock is to be set
	// by so much in so long; nil if the program was not built for that.
	StepClock func(in, by time.Duration) string

	rand     *rand.Rand
	began    time.Time
	web      *Web
	brokers  *broker.Cluster
	config   string
	nodes    []*node
	starts   int                  // of nodes, so far
	dead     map[string]time.Time // by the address that a process asked from
	outages  []span
	happened []event
	again    int      // pages that faults excuse to be asked for again
	unsure   bool     // a clock was set, or a node frozen: not all that was kept can be shown
	wrong    []string // what is wrong besides what the servers see
}

// Do crawls, and judges. The brokers are this program started again: broker.Main is the first that its main calls.
func (r *Run) Do(ctx context.Context) (v *Verdict, err error) {
	r.rand, r.began, r.dead = rand.New(rand.NewPCG(r.Seed, 0)), time.Now(), map[string]time.Time{}
	if r.web, err = NewWeb(r.Hosts, r.Pages); err != nil {
		return nil, err
	}
	defer r.web.Close()
	if r.brokers, err = broker.Run(filepath.Join(r.Work, "brokers"), 3); err != nil {
		return nil, err
	}
	defer r.brokers.Stop()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer func() {
		for _, n := range r.nodes {
			n.kill()
		}
	}()
	for range r.Nodes {
		if err := r.join(); err != nil {
			return nil, err
		}
	}
	if err := r.happen(ctx); err != nil {
		return nil, err
	}
	r.say("no more faults: %d of %d pages", r.web.Served(), r.web.Total())
	if err := r.end(ctx); err != nil {
		return nil, err
	}
	v = r.web.judge(r.Delay, r.dead, r.outages, r.happened)
	v.Wrong = append(v.Wrong, r.wrong...)
	v.decide(r.again + r.web.Total()/1000)
	r.verify(ctx, v)
	return v, nil
}

// prepare writes what the nodes read.
func (r *Run) prepare() error {
	r.config = filepath.Join(r.Work, "config.yaml")
	text := fmt.Sprintf(`
fetch: {allow_private: true}
politeness: {delay: %v, delay_factor: 0, jitter: 0%%}
frontier:
  mode: cluster
  cluster: {crawl: chaos, servers: [%s], partitions: %d, lease: %v, standby: %t}
`, r.Delay, strings.Join(r.brokers.URLs(), ", "), r.Partitions, r.Lease, r.Seed%2 == 0)
	if err := os.WriteFile(r.config, []byte(text), 0o666); err != nil {
		return err
	}
	return os.WriteFile(r.seeds(), []byte(strings.Join(r.web.seeds(), "\n")+"\n"), 0o666)
}

func (r *Run) seeds() string { return filepath.Join(r.Work, "seeds") }

func (r *Run) jobs() string { return filepath.Join(r.Work, "jobs") }

// join starts one more node.
func (r *Run) join() error {
	n := &node{run: r, name: fmt.Sprintf("node%d", len(r.nodes))}
	if err := n.start(); err != nil {
		return err
	}
	r.nodes = append(r.nodes, n)
	return nil
}

// happen lets the faults happen, until there is nothing left to crawl.
func (r *Run) happen(ctx context.Context) error {
	for r.web.Served() == 0 && !r.isOver() {
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	for i := 0; ; i++ {
		var f Fault
		switch {
		case i < len(r.Faults):
			f = r.Faults[i]
		case len(r.Faults) > 0 || time.Since(r.began) > r.Time:
			return nil
		default:
			f = r.draw()
		}
		rest := r.Rest
		if len(r.Faults) == 0 {
			rest = r.upTo(rest)
		}
		if err := sleep(ctx, rest); err != nil || r.isOver() {
			return err
		}
		r.say("%s (%d of %d pages)", f, r.web.Served(), r.web.Total())
		r.happened = append(r.happened, event{at: time.Now(), fault: f})
		if err := faults[f].do(r, ctx); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
}

// isOver reports whether a node has ended without being asked to, which all do when nothing is left.
func (r *Run) isOver() bool {
	return slices.ContainsFunc(r.nodes, (*node).hasEnded)
}

// end waits until all nodes have ended, each with 0.
func (r *Run) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	for _, n := range r.nodes {
		select {
		case <-n.done:
			if code := n.cmd.ProcessState.ExitCode(); code != 0 {
				r.mistake("%s ended with %d; see %s", n.name, code, n.log())
			}
		case <-ctx.Done():
			r.mistake("%s does not end; see %s", n.name, n.log())
			n.kill()
		}
	}
	return nil
}

// verify asks for the proof of all jobs together.
func (r *Run) verify(ctx context.Context, v *Verdict) {
	cmd := exec.CommandContext(ctx, r.Command)
	cmd.Args = []string{"cybermapper", "verify", "--job", r.jobs()}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	os.WriteFile(filepath.Join(r.Work, "verify"), out, 0o666)
	v.Proof, _, _ = strings.Cut(text, "\n")
	const notShown = 7
	if err != nil && !(r.unsure && cmd.ProcessState.ExitCode() == notShown) {
		v.Wrong = append(v.Wrong, fmt.Sprintf("verify: %v\n%s", err, text))
	}
}

func (r *Run) mistake(format string, args ...any) {
	r.say(format, args...)
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

func (r *Run) say(format string, args ...any) {
	fmt.Fprintf(r.Out, "%7.1f s  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}

// upTo draws a time of at least a quarter of d.
func (r *Run) upTo(d time.Duration) time.Duration {
	return d/4 + time.Duration(r.rand.Int64N(int64(d*3/4)))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
