package clustercmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier/cluster/broker"
)

func newDevCommand() *cobra.Command {
	var dir string
	var nodes, brokers int
	cmd := &cobra.Command{
		Use:   "dev -- [ARGUMENTS OF crawl]",
		Short: "Try out a shared crawl: brokers and nodes on this machine",
		Long: `Starts brokers and nodes on this machine, as processes of their own, which share
one crawl. What follows -- goes to "cybermapper crawl" on each node: seeds,
--contact, --config and so on. All of it lies in DIR: brokers, node1, node2. The
same command goes on with it.

Each line of a node has its name before it. Kill a node, or start another one
with what is printed first: the others go on. The command ends when all nodes
have, also those started so; the first Ctrl-C lets its own finish what is under
way, and stops the brokers then.

Exit codes are those of crawl, the highest of all nodes.
`,
		Example: "  cybermapper cluster dev --job try -- --contact you@example.org https://example.org/\n" +
			"  cybermapper report --job try",
		RunE: func(cmd *cobra.Command, args []string) error {
			if nodes < 1 || brokers < 1 {
				return cli.UsageError("", "--nodes and --brokers must be at least 1")
			}
			switch begun := brokersOf(dir); {
			case begun > 0 && !cmd.Flags().Changed("brokers"):
				brokers = begun
			case begun > 0 && begun != brokers:
				return cli.UsageError("without --brokers it goes on with those; another --job begins another crawl",
					"the crawl in %s is kept by %s, not %d", dir, say.Plural(begun, "broker"), brokers)
			}
			return dev(cmd.Context(), dir, brokers, nodes, args, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVarP(&dir, "job", "o", "cybermapper-cluster", "directory that holds it all")
	cmd.Flags().IntVar(&nodes, "nodes", 2, "nodes to start")
	cmd.Flags().IntVar(&brokers, "brokers", 3, "brokers to start; those of before when it goes on")
	return cmd
}

// tellAfter is how long the command waits for other nodes than its own until it says so.
const tellAfter = 2 * time.Second

// brokersDir is where the brokers have their files, below the directory of all.
const brokersDir = "brokers"

// brokersOf returns how many brokers keep the crawl in a directory; 0 when none has begun there.
func brokersOf(dir string) int {
	own, _ := os.ReadDir(filepath.Join(dir, brokersDir)) // an error comes again when a broker begins
	return len(own)
}

// dev runs a crawl of several nodes on this machine.
func dev(ctx context.Context, dir string, brokers, nodes int, args []string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &cli.Error{Code: cli.ExitDisk, Err: err}
	}
	c, err := broker.Run(filepath.Join(dir, brokersDir), brokers)
	if err != nil {
		return fmt.Errorf("start brokers: %w", err)
	}
	defer c.Stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	settings := []string{
		"CYBERMAPPER_FRONTIER_MODE=cluster", "CYBERMAPPER_FRONTIER_CLUSTER_CRAWL=dev",
		"CYBERMAPPER_FRONTIER_CLUSTER_PARTITIONS=16", "CYBERMAPPER_FRONTIER_CLUSTER_LEASE=6s",
		fmt.Sprintf("CYBERMAPPER_FRONTIER_CLUSTER_REPLICAS=%d", min(brokers, 3)),
		fmt.Sprintf("CYBERMAPPER_FRONTIER_CLUSTER_ALLOW_UNSAFE=%v", brokers < 3),
		"CYBERMAPPER_FRONTIER_CLUSTER_SERVERS=" + strings.Join(c.URLs(), "\n"),
	}
	fmt.Fprintf(out, "cybermapper: %s on this machine share %s; one more, with the settings of the first:\n\n"+
		"cybermapper crawl --config %s --job %s\n\n", say.Plural(nodes, "node"), dir,
		say.Argument(filepath.Join(dir, "node1", job.ConfigFile)), say.Argument(filepath.Join(dir, fmt.Sprintf("node%d", nodes+1))))

	lines := &lineWriter{out: out}
	codes := make([]int, nodes)
	var running sync.WaitGroup
	for i := range nodes {
		name := fmt.Sprintf("node%d", i+1)
		cmd := exec.Command(self)
		cmd.Args = append([]string{"cybermapper", "crawl", "--job", filepath.Join(dir, name)}, args...)
		cmd.Env = append(os.Environ(), settings...)
		setGroup(cmd)
		if codes[i], err = 0, lines.follow(cmd, name, &running); err != nil {
			return err
		}
		defer context.AfterFunc(ctx, func() { cmd.Process.Signal(syscall.SIGTERM) })()
		running.Go(func() {
			var exit *exec.ExitError
			if err := cmd.Wait(); errors.As(err, &exit) {
				codes[i] = max(exit.ExitCode(), cli.ExitFailure)
			} else if err != nil {
				codes[i] = cli.ExitFailure
			}
		})
	}
	running.Wait()
	told := time.AfterFunc(tellAfter, func() {
		fmt.Fprintln(out, "cybermapper: brokers stay for the nodes that were started beside these; Ctrl-C stops them")
	})
	defer told.Stop()
	c.WaitForClients(ctx) // or for Ctrl-C, which is no error
	highest := 0
	for _, code := range codes {
		highest = max(highest, code)
	}
	if highest != 0 {
		return &cli.Error{Code: highest}
	}
	return nil
}

// A lineWriter writes whole lines of several processes.
type lineWriter struct {
	mu  sync.Mutex
	out io.Writer
}

// follow starts a process and writes its lines, with a name before each, until it closes its output.
func (w *lineWriter) follow(cmd *exec.Cmd, name string, running *sync.WaitGroup) error {
	r, pipe, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = pipe, pipe
	err = cmd.Start()
	pipe.Close()
	if err != nil {
		r.Close()
		return err
	}
	running.Go(func() {
		defer r.Close()
		for in := bufio.NewReader(r); ; {
			line, err := in.ReadString('\n')
			if line = strings.TrimRight(line, "\n"); line != "" {
				w.mu.Lock()
				fmt.Fprintf(w.out, "%s  %s\n", name, line)
				w.mu.Unlock()
			}
			if err != nil {
				return
			}
		}
	})
	return nil
}
