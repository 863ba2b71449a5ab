package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/plan"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

func newPlanCommand() *cobra.Command {
	var o crawlOptions
	cmd := &cobra.Command{
		Use:   "plan [URL...]",
		Short: "Show what a crawl would meet, and how long it would take",
		Long: `Shows what crawl with the same arguments would meet: what the robots.txt of
each site says, about the seeds too; which pause is owed and why; how many
pages an hour that makes; how long the pages wanted take (--max-pages,
--max-pages-per-host); and what does not fit into --max-time. A seed that the
settings turn away, as --exclude does, is noted and not counted. It fetches
robots.txt of each site, under the same rules as crawl, and nothing else, and
keeps nothing. With --sitemaps it also reads the sitemaps that robots.txt names,
and counts the URLs in them.

With --job DIR it plans the rest of a crawl that is not running, of one process:
what waits in the queue of each site, and which site rests until when. What the
job knows of robots.txt is used as long as it is fresh. Links that are yet to be
found come on top. It changes nothing.

It takes all flags of crawl that are settings; those that matter only after
robots.txt, such as --retries, make no difference.

Exit codes:
  0    it was planned
  1    error, or nothing can be fetched now
  2    wrong usage
  3    wrong configuration
  4    the job directory cannot be read, or is in use
  130  interrupted
`,
		Example: `  cybermapper plan --contact you@example.org --max-pages-per-host 1000 https://example.org/
  cybermapper plan --contact you@example.org --seeds seeds.txt --max-time 8h --json | jq .total
  cybermapper plan --contact you@example.org --sitemaps https://example.org/
  cybermapper plan --job big`,
		RunE: func(cmd *cobra.Command, args []string) error { return planCrawl(cmd, o, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.seeds, "seeds", "", "file with one seed per line, a URL or a JSON object; - is stdin")
	f.StringVarP(&o.job, "job", "o", "", "directory of a crawl whose rest is to be planned")
	f.StringVarP(&o.config, "config", "c", "", "configuration file; config.example.yaml shows all settings")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	crawlFlags(f)
	completeCrawl(cmd)
	return cmd
}

// planCrawl runs the command.
func planCrawl(cmd *cobra.Command, o crawlOptions, args []string) (err error) {
	out := progress.NewScreen(cmd.ErrOrStderr(), true)
	view, err := lookAtRest(o.job)
	if err != nil {
		return err
	}
	if view != nil {
		defer func() { err = errors.Join(err, view.Close()) }()
	}
	o.fresh = view == nil
	c, err := loadConfig(cmd.Flags(), o, out)
	if err != nil {
		return err
	}
	seeds, _, err := gatherSeeds(cmd, o, args, out, 0)
	if err != nil {
		return err
	}
	given := len(args) > 0 || o.seeds != ""
	if view == nil && !given {
		return cli.UsageError("cybermapper plan --contact you@example.org https://example.org/",
			"no seeds, and no --job to plan the rest of")
	}
	if err := checkSeeds(c, o, seeds, given); err != nil {
		return err
	}
	p, err := engine.NewSurvey(c, view, out).Plan(cmd.Context(), seeds)
	if err != nil {
		return err
	}
	return printPlan(cmd, p, o.asJSON)
}

// lookAtRest opens the job whose rest is to be planned; nil when there is none.
func lookAtRest(dir string) (*job.View, error) {
	if dir == "" {
		return nil, nil
	}
	v, err := cli.LookAt(dir)
	if err != nil {
		return nil, err
	}
	if v.Running {
		return nil, cli.WithHint(cli.DiskError(errors.Join(fmt.Errorf("the crawl in %s is running", dir), v.Close())),
			"cybermapper status --job "+say.Argument(dir)+" tells how long it takes")
	}
	if v.IsNode {
		return nil, errors.Join(cli.UsageError("cybermapper cluster status --job "+say.Argument(dir)+" tells how much that is",
			"what is left of the crawl of %s waits at its brokers", dir), v.Close())
	}
	return v, nil
}

// printPlan writes the plan, and returns an error if there is nothing to do.
func printPlan(cmd *cobra.Command, p *plan.Plan, asJSON bool) error {
	if err := cli.Tell(cmd.OutOrStdout(), asJSON, p, p.Print); err != nil {
		return err
	}
	if p.Total.Refusing == p.Total.Hosts && (p.Total.Hosts > 0 || p.Job == "") {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}
