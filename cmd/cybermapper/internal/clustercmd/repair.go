package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A repairOptions is what repair is asked for.
type repairOptions struct {
	source
	partition int
	from      string
	release   bool
	empty     bool
}

func newRepairCommand() *cobra.Command {
	var o repairOptions
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Put partitions in order that nodes leave alone",
		Long: `Without --partition, lists the partitions that all nodes leave alone, and why: their
log at the brokers contradicts what was read of it, or is lost.

With --partition, rebuilds one from its newest snapshot that is whole, or from
the files of a node (--from JOB/partitions/0003, of a node that does not run),
with what can be used of its log, and lets nodes go on with it. What the log had
after that is lost: pages are fetched again, and links that only those had are
found again. Crawls go on meanwhile.

When neither a snapshot nor the whole log is left, nothing is done without the
files of a node. With --empty the partition begins with nothing then: all that
was known of its sites is lost, their pages are fetched again, and their seeds
come back when a node is started again.

With --release, the partition is given back as it is: for one whose cause is
gone. If it is not, nodes leave it alone again.

Exit codes:
  0    nothing is left alone, or the partition is in order
  1    error, or partitions are left alone
  2    wrong usage, or there is no job
  3    wrong configuration, or the brokers cannot be reached
`,
		Example: "  cybermapper cluster repair --config cluster.yaml\n" +
			"  cybermapper cluster repair --config cluster.yaml --partition 3",
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.partition < 0 && (o.from != "" || o.release || o.empty) {
				return cli.UsageError("", "--from, --empty and --release are about one --partition")
			}
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	o.declare(cmd)
	cmd.Flags().IntVar(&o.partition, "partition", -1, "partition to put in order")
	cmd.Flags().StringVar(&o.from, "from", "", "directory of the partition at a node, instead of a snapshot")
	cmd.Flags().BoolVar(&o.release, "release", false, "give the partition back as it is")
	cmd.Flags().BoolVar(&o.empty, "empty", false, "begin the partition with nothing, if nobody has files of it")
	cmd.MarkFlagsMutuallyExclusive("from", "release", "empty")
	return cmd
}

func (o *repairOptions) run(ctx context.Context, w io.Writer) error {
	c, err := o.load()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cybermapper-repair-*")
	if err != nil {
		return &cli.Error{Code: cli.ExitDisk, Err: err}
	}
	defer os.RemoveAll(dir)
	op, err := operate(ctx, c, dir)
	if err != nil {
		return engine.BrokerError(err)
	}
	defer op.Close()
	switch {
	case o.partition < 0:
		return listQuarantined(ctx, op, w)
	case o.partition >= c.Frontier.Cluster.Partitions:
		return cli.UsageError("", "--partition %d: there are %d, from 0 on", o.partition, c.Frontier.Cluster.Partitions)
	case o.release:
		err = op.Release(ctx, o.partition)
	default:
		err = o.repair(ctx, op, w)
	}
	if errors.Is(err, cluster.ErrNothingLeft) {
		return &cli.Error{Code: cli.ExitFailure, Err: err, Hint: fmt.Sprintf(
			"cybermapper cluster repair names a node that had it; --from JOB/partitions/%04d rebuilds it from there, "+
				"--empty begins it with nothing", o.partition)}
	}
	if errors.Is(err, cluster.ErrNotQuarantined) {
		return cli.UsageError("cybermapper cluster repair lists those that are left alone", "partition %d needs no repair",
			o.partition)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "nodes go on with partition %d\n", o.partition)
	}
	return err
}

// operate connects to the brokers of a crawl that has begun.
func operate(ctx context.Context, c config.Config, dir string) (*cluster.Operator, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	options := engine.JoinOptions(&c.Frontier.Cluster, "operator", dir, disk.Options{
		Memory: int64(c.Frontier.Memory), DefaultDelay: time.Duration(c.Politeness.Delay),
	})
	options.Stream.Existing = true
	return cluster.Operate(ctx, options)
}

func listQuarantined(ctx context.Context, op *cluster.Operator, w io.Writer) error {
	all, err := op.Quarantined(ctx)
	if err != nil {
		return err
	}
	for _, q := range all {
		files := ""
		if q.Place > 0 {
			files = fmt.Sprintf(", whose files go up to place %d", q.Place)
		}
		fmt.Fprintf(w, "partition %d, since %s, found by %s%s: %s\n", q.Partition, q.Since.Local().Format(time.DateTime), q.Node,
			files, say.Printable(q.Reason))
	}
	if len(all) > 0 {
		return &cli.Error{Code: cli.ExitFailure, Err: fmt.Errorf("%s left alone by all nodes", say.Plural(len(all), "partition")),
			Hint: "cybermapper cluster repair --partition N puts one in order"}
	}
	_, err = fmt.Fprintln(w, "no partition is left alone")
	return err
}

func (o *repairOptions) repair(ctx context.Context, op *cluster.Operator, w io.Writer) error {
	if o.empty {
		if _, err := op.Restart(ctx, o.partition); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "lost: all that was known of the sites of partition %d\n", o.partition)
		return err
	}
	r, err := op.Repair(ctx, o.partition, o.from)
	if err != nil {
		return err
	}
	base := "its log"
	if r.Base != "" {
		base = r.Base
	}
	fmt.Fprintf(w, "rebuilt from %s, up to place %d\n", say.Printable(base), r.Place)
	if r.Lost != nil {
		fmt.Fprintf(w, "lost: what the log had after that: %s\n", say.Printable(r.Lost.Error()))
	}
	if r.InboxLost {
		fmt.Fprintln(w, "lost: links of other nodes that had not been taken in")
	}
	return nil
}
