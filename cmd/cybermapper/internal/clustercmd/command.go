package clustercmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Look after a crawl that several machines share",
		Long: `A crawl is shared by several nodes when frontier.mode in their configuration is
cluster: see topic cluster. These commands tell how such a crawl and its brokers
stand, pause it, and start one on this machine to try it out.
`,
		Example: "  cybermapper cluster dev --job try -- --contact you@example.org https://example.org/\n" +
			"  cybermapper cluster status --config cluster.yaml",
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newDevCommand(), newDoctorCommand(), newStatusCommand(), newRepairCommand(), newPauseCommand(true),
		newPauseCommand(false))
	return cmd
}

// askPatience is how long brokers are waited for.
const askPatience = 20 * time.Second

// A source is where a command finds the configuration of a crawl.
type source struct{ config, job string }

func (s *source) declare(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&s.config, "config", "c", "", "configuration file of the nodes")
	cmd.Flags().StringVarP(&s.job, "job", "o", "", "or the job directory of a node")
	cmd.MarkFlagsMutuallyExclusive("config", "job")
	cmd.MarkFlagsOneRequired("config", "job")
}

// load returns the configuration, which must be of a crawl that is shared.
func (s *source) load() (config.Config, error) {
	name := s.config
	if name == "" {
		if _, err := job.KindOf(s.job); err != nil {
			return config.Config{}, cli.JobError(err)
		}
		name = filepath.Join(s.job, job.ConfigFile)
	}
	l := config.NewLoader()
	if err := l.File(name); err != nil {
		return config.Config{}, &cli.Error{Code: cli.ExitConfig, Err: err}
	}
	l.Environment(os.Environ())
	c, err := l.Finish()
	if err != nil {
		return c, err
	}
	if !c.Frontier.IsShared() {
		return c, &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("%s: frontier.mode is %s, not cluster", name, c.Frontier.Mode),
			Hint: "cybermapper help cluster"}
	}
	return c, nil
}

// connect calls f with a connection to the brokers of a crawl that has begun.
func (s *source) connect(ctx context.Context, f func(context.Context, *stream.Brokers, config.Config) error) error {
	c, err := s.load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	o := engine.StreamOptions(&c.Frontier.Cluster)
	o.Existing = true
	b, err := stream.Connect(ctx, o)
	if err != nil {
		return engine.BrokerError(err)
	}
	defer b.Close()
	return f(ctx, b, c)
}

func newPauseCommand(paused bool) *cobra.Command {
	var s source
	cmd := &cobra.Command{
		Use:   "pause",
		Short: "Let all nodes of a crawl wait",
		Long: `Lets all nodes of a crawl begin no further request, from a few seconds on, until
"cybermapper cluster resume". Those under way end. Nodes that are started
meanwhile wait as well.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  3    wrong configuration, or the brokers cannot be reached
`,
		Example: "  cybermapper cluster pause --config cluster.yaml",
		Args:    cli.Exactly(0, ""),
	}
	if !paused {
		cmd.Use, cmd.Short = "resume", "Let the nodes of a crawl go on"
		cmd.Long = `Lets the nodes of a crawl go on that "cybermapper cluster pause" has paused.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  3    wrong configuration, or the brokers cannot be reached
`
		cmd.Example = "  cybermapper cluster resume --config cluster.yaml"
	}
	s.declare(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return s.connect(cmd.Context(), func(ctx context.Context, b *stream.Brokers, c config.Config) error {
			if err := cluster.SetPaused(ctx, b, paused); err != nil {
				return err
			}
			says := "paused; cybermapper cluster resume lets it go on"
			if !paused {
				says = "goes on"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "crawl %s %s\n", c.Frontier.Cluster.Crawl, says)
			return err
		})
	}
	return cmd
}
