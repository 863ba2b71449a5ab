package clustercmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

func newStatusCommand() *cobra.Command {
	var s source
	var asJSON bool
	var sites int
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Tell how a crawl stands, partition by partition",
		Long: `Tells which nodes share a crawl, how far they are together, and of each partition
who owns it, what is queued in it, and how the brokers keep its log. It takes no
part in the crawl.

OWNER is empty while a partition goes from one node to another. EPOCH grows with
each owner, LEASE is how long ago its lease was renewed. URLS/S are settled, of
late. INBOX says whether links of other nodes wait to be taken in. LOG is what
the brokers keep for it. NOTE names brokers that are away, or behind.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  3    wrong configuration, or the brokers cannot be reached
`,
		Example: "  cybermapper cluster status --config cluster.yaml\n" +
			"  cybermapper cluster status --job JOB --json | jq '.total.pages'",
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.connect(cmd.Context(), func(ctx context.Context, b *stream.Brokers, c config.Config) error {
				i, err := cluster.Inspect(ctx, b, c.Frontier.Cluster.Crawl)
				if err != nil {
					return err
				}
				if sites > 0 {
					if i.Busiest, err = cluster.BusiestSites(ctx, b, i.Partitions, sites); err != nil {
						return err
					}
				}
				if asJSON {
					return cli.EncodeJSON(cmd.OutOrStdout(), i)
				}
				return printStatus(cmd.OutOrStdout(), i)
			})
		},
	}
	s.declare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().IntVar(&sites, "sites", 0, "name so many of the sites that have most in their queues")
	return cmd
}

func printStatus(w io.Writer, i *cluster.Inspection) error {
	state := ""
	if i.Paused {
		state = ", paused"
	}
	names := ""
	if len(i.Nodes) > 0 {
		names = ": " + strings.Join(i.Nodes, ", ")
	}
	fmt.Fprintf(w, "crawl %s, begun %s, on %s%s%s\n", i.Crawl, i.Begun.Local().Format(time.DateTime),
		say.Plural(len(i.Nodes), "node"), state, names)
	t := i.Total
	fmt.Fprintf(w, "%s of %s; %s URLs known: %s done, %s queued, %s to be tried again%s\n\n", say.Plural(t.Pages, "page"),
		say.Plural(t.Sites, "site"), say.Count(t.Known), say.Count(t.Done), say.Count(t.Queued), say.Count(t.Retrying), untold(i))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PARTITION\tOWNER\tEPOCH\tLEASE\tQUEUED\tDONE\tURLS/S\tINBOX\tLOG\tNOTE")
	for _, p := range i.Partitions {
		epoch, lease, queued, done, rate, inbox := "-", "-", "-", "-", "-", "empty"
		if o := p.Owned; o != nil {
			epoch, lease, rate = fmt.Sprint(o.Epoch), fmt.Sprintf("%.1f s", o.LeaseAge), fmt.Sprintf("%.1f", o.Rate)
		}
		if p.Stats != nil {
			queued, done = say.Count(p.Stats.Queued+p.Stats.Retrying), say.Count(p.Stats.Done)
		}
		if p.Unread {
			inbox = "unread"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", p.Partition, p.Owner, epoch, lease, queued, done, rate,
			inbox, say.Bytes(int64(p.Stream.Bytes)), say.Printable(note(p)))
	}
	if err := table.Flush(); err != nil || len(i.Busiest) == 0 {
		return err
	}
	fmt.Fprintln(table, "\nSITE\tPARTITION\tOWNER\tQUEUED\tDONE\tDUE")
	for _, s := range i.Busiest {
		due := "-"
		if !s.Due.IsZero() {
			due = s.Due.Local().Format(time.DateTime)
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", say.Printable(s.Site), s.Partition, s.Owner, say.Count(s.Queued),
			say.Count(s.Done), due)
	}
	return table.Flush()
}

// untold says that the totals are not of all, if they are not.
func untold(i *cluster.Inspection) string {
	n := i.Untold()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; that is without %d of %s, of which no node tells", n, say.Plural(len(i.Partitions), "partition"))
}

// note says what an operator should know of a partition.
func note(p cluster.PartitionState) string {
	var notes []string
	if q := p.Quarantine; q != nil {
		notes = append(notes, "left alone by all nodes (cybermapper cluster repair): "+q.Reason)
	}
	if p.Problem != "" {
		notes = append(notes, p.Problem)
	}
	if p.Stream.Leader == "" && p.Problem == "" {
		notes = append(notes, "no leader at the brokers")
	}
	if len(p.Stream.Offline) > 0 {
		notes = append(notes, "away: "+strings.Join(p.Stream.Offline, ", "))
	}
	if len(p.Stream.Behind) > 0 {
		notes = append(notes, "behind: "+strings.Join(p.Stream.Behind, ", "))
	}
	if p.Stream.MaxBytes > 0 && p.Stream.Bytes > uint64(p.Stream.MaxBytes)/10*8 {
		notes = append(notes, "its log is nearly full")
	}
	switch {
	case len(notes) == 0 && p.Quiet:
		return "nothing to do"
	case len(notes) == 0 && p.Owner == "" && p.Stats == nil:
		return "no node has it"
	}
	return strings.Join(notes, "; ")
}
