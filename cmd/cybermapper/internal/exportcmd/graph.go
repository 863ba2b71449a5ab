package exportcmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

func newGraphCommand() *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Write the site as a graph: its URLs and the links between them",
		Long: `Writes the URLs of a job as nodes, fetched or not, with title, state (page,
noindex, refused, dead, redirect, other), status and depth, and the links of
stored pages between them as edges. It is what the map of serve shows.

It asks graph.db in the job directory, which it brings up to date first.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper export graph --job JOB > site.gexf                    # for Gephi
  cybermapper export graph --job JOB --format graphml > site.graphml`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exportGraph(cmd.Context(), dir, graph.Format(format), cmd.OutOrStdout())
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().StringVar(&format, "format", string(graph.GEXF), "gexf or graphml")
	return cmd
}

func exportGraph(ctx context.Context, dir string, format graph.Format, w io.Writer) (err error) {
	if format != graph.GEXF && format != graph.GraphML {
		return cli.UsageError("", "--format %q is none of gexf and graphml", string(format))
	}
	if _, err := job.KindOf(dir); err != nil {
		return cli.JobError(err)
	}
	g, err := graph.Open(ctx, dir)
	if cli.IsReadOnly(err) {
		g, err = graph.OpenApart(ctx, dir)
	}
	if err != nil {
		return err
	}
	defer func() { err = graph.Discard(dir, errors.Join(err, g.Close())) }()
	if err := g.Sync(ctx, nil); err != nil {
		return err
	}
	return g.Write(ctx, w, format)
}
