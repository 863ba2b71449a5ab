package clustercmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// Bounds of what is healthy.
const (
	drifts    = 100 * time.Millisecond // of clocks: more than verify takes for granted
	slowWrite = 50 * time.Millisecond  // the median of writes: pages wait for them
	fullParts = 0.8                    // of what the brokers may keep
)

// A finding is what doctor says of one thing.
type finding struct {
	State string `json:"state"` // ok, warn or bad
	About string `json:"about"`
	Text  string `json:"text"`
}

func newDoctorCommand() *cobra.Command {
	var s source
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with the brokers of a crawl",
		Long: `Connects to the brokers as a node would, before a crawl begins or while it runs,
and says what is good, odd (warn) and bad: their version, how many they are,
whether what goes over the wire is encrypted, how long a write takes, how far
clocks differ, how much room is left, and whether each partition has a leader,
all its copies and an owner.

What a client cannot see it cannot check: brokers must sync each write
(jetstream { sync_interval: always }), or a power failure takes acknowledged
pages with it.

Exit codes:
  0    nothing is bad
  1    error, or something is bad
  2    wrong usage, or there is no job
  3    wrong configuration, or the brokers cannot be reached
`,
		Example: "  cybermapper cluster doctor --config cluster.yaml",
		Args:    cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.load()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), askPatience)
			defer cancel()
			found, err := examine(ctx, &c.Frontier.Cluster)
			if err != nil {
				return err
			}
			return tellFindings(cmd.OutOrStdout(), found, asJSON)
		},
	}
	s.declare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func tellFindings(w io.Writer, found []finding, asJSON bool) error {
	var err error
	if asJSON {
		err = cli.EncodeJSON(w, found)
	} else {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, f := range found {
			fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.About, say.Printable(f.Text))
		}
		err = table.Flush()
	}
	for _, f := range found {
		if f.State == "bad" && err == nil {
			return &cli.Error{Code: cli.ExitFailure}
		}
	}
	return err
}

// examine returns what there is to say. An error means that the brokers cannot be asked.
func examine(ctx context.Context, c *config.Cluster) ([]finding, error) {
	o := engine.StreamOptions(c)
	o.Probe = true
	probe, err := stream.Connect(ctx, o)
	if err != nil {
		return nil, engine.BrokerError(err)
	}
	defer probe.Close()
	service, err := probe.Service(ctx)
	if err != nil {
		return nil, engine.BrokerError(err)
	}
	found := ofService(service, c)
	if service.Write == 0 {
		found = append(found, ofNeeds(service, c)...)
	}
	o.Probe, o.Existing = false, true
	b, err := stream.Connect(ctx, o)
	if err != nil {
		if service.Write == 0 {
			return append(found, finding{"ok", "crawl", c.Crawl + " has not begun"}), nil
		}
		return append(found, finding{"bad", "crawl", err.Error()}), nil
	}
	defer b.Close()
	i, err := cluster.Inspect(ctx, b, c.Crawl)
	if err != nil {
		return append(found, finding{"bad", "crawl", err.Error()}), nil
	}
	return append(found, ofCrawl(i)...), nil
}

func ofService(s stream.Service, c *config.Cluster) (found []finding) {
	tell := func(state, about, format string, args ...any) {
		found = append(found, finding{state, about, fmt.Sprintf(format, args...)})
	}
	tell("ok", "brokers", "%s runs version %s, answers in %v", s.Server, s.Version, s.RTT.Round(time.Microsecond))
	switch peers := max(len(s.Peers), len(c.Servers)); {
	case s.Cluster == "" && c.Replicas > 1:
		tell("bad", "brokers", "it is no cluster: %d replicas cannot be kept", c.Replicas)
	case s.Cluster == "":
		tell("warn", "brokers", "a single broker: what it loses is lost")
	case peers < c.Replicas:
		tell("warn", "brokers", "cluster %s: %d are named, %d replicas are asked for", s.Cluster, peers, c.Replicas)
	default:
		tell("ok", "brokers", "cluster %s, %d named", s.Cluster, peers)
	}
	if c.Replicas < 3 {
		tell("warn", "replicas", "%d: a broker that is lost takes acknowledged pages with it, or stops the crawl", c.Replicas)
	}
	if !s.Secure && !areLoopback(c.Servers) {
		tell("warn", "encryption", "links and credentials go over the wire in the clear: use tls:// servers")
	}
	if s.Most > 0 {
		tell(state(float64(s.Used) > fullParts*float64(s.Most)), "room", "%s of %s are used",
			say.Bytes(int64(s.Used)), say.Bytes(s.Most))
	} else {
		tell("ok", "room", "%s are used; the account has no limit, the disks of the brokers have", say.Bytes(int64(s.Used)))
	}
	if s.Write > 0 {
		tell(state(s.Write > slowWrite), "writes", "%v, the slowest of 20 %v",
			s.Write.Round(time.Microsecond), s.Slowest.Round(time.Microsecond))
		tell(state(s.Drift.Abs() > drifts), "clock", "that of the brokers differs by about %v", s.Drift.Round(time.Millisecond))
	}
	tell("ok", "cannot be seen", "whether brokers sync each write: jetstream { sync_interval: always }")
	return found
}

// ofNeeds returns what a crawl that has not begun needs, and what of it the account lacks.
func ofNeeds(s stream.Service, c *config.Cluster) []finding {
	each := int64(c.Partitions) * int64(c.Log)
	need, streams := each*int64(max(c.Replicas, 1)), c.Partitions+stream.OtherStreams
	text := fmt.Sprintf("%s at each of %s: %s, with a log of %s each", say.Bytes(each), say.Plural(c.Replicas, "broker"),
		say.Plural(c.Partitions, "partition"), say.Bytes(int64(c.Log)))
	found := []finding{{"ok", "needs", text}}
	if s.Free >= 0 && need > s.Free {
		found[0] = finding{"bad", "needs", fmt.Sprintf("%s; the account has %s of %s", text, say.Bytes(s.Free), say.Bytes(need))}
	}
	if s.Streams >= 0 && streams > s.Streams {
		found = append(found, finding{"bad", "needs", fmt.Sprintf("%s; the account may have %d more",
			say.Plural(streams, "stream"), s.Streams)})
	}
	return found
}

func state(isOdd bool) string {
	if isOdd {
		return "warn"
	}
	return "ok"
}

func areLoopback(servers []string) bool {
	for _, s := range servers {
		u, err := url.Parse(s)
		if err != nil {
			return false
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}

// ofCrawl returns what there is to say of the partitions, the same of many at once.
func ofCrawl(i *cluster.Inspection) []finding {
	t := i.Total
	found := []finding{{"ok", "crawl", fmt.Sprintf("%s, %s: %s, %s queued%s", i.Crawl, say.Plural(len(i.Nodes), "node"),
		say.Plural(t.Pages, "page"), say.Count(t.Queued+t.Retrying), untold(i))}}
	if i.Paused {
		found = append(found, finding{"warn", "crawl", "it is paused: cybermapper cluster resume"})
	}
	at := map[string][]string{}
	var order []string
	for _, p := range i.Partitions {
		text := note(p)
		if text == "" || text == "nothing to do" {
			continue
		}
		if at[text] == nil {
			order = append(order, text)
		}
		at[text] = append(at[text], fmt.Sprint(p.Partition))
	}
	for _, text := range order {
		level := "warn"
		if strings.Contains(text, "no leader") || strings.Contains(text, "full") || strings.Contains(text, "left alone") {
			level = "bad"
		}
		found = append(found, finding{level, "partitions", text + ": " + cli.SomeOf(at[text], 8)})
	}
	if len(order) == 0 {
		found = append(found, finding{"ok", "partitions", fmt.Sprintf("all %d have a leader and all copies", len(i.Partitions))})
	}
	return found
}
