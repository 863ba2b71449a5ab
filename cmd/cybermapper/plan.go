package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/plan"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
)

func newPlanCommand() *cobra.Command {
	var o crawlOptions
	cmd := &cobra.Command{
		Use:   "plan [URL...]",
		Short: "Show what a crawl would meet, and how long it would take",
		Long: `Shows what crawl with the same arguments would meet: what the robots.txt of
each site says, about the seeds too; which pause is owed and why; how many
pages an hour that makes; how long the pages wanted take (--max-pages,
--max-pages-per-host); and what does not fit into --max-time. It fetches
robots.txt of each site, under the same rules as crawl, and nothing else, and
keeps nothing. With --sitemaps it also reads the sitemaps that robots.txt names,
and counts the URLs in them.

With --job DIR it plans the rest of a crawl that is not running: what waits in
the queue of each site, and which site rests until when. What the job knows of
robots.txt is used as long as it is fresh. Links that are yet to be found come
on top. It changes nothing.

It takes all flags of crawl that are settings; those that matter only after
robots.txt, such as --retries, make no difference.

Exit codes:
  0    it was planned
  1    error, or nothing can be fetched now
  2    wrong usage
  3    wrong configuration
  4    the job directory cannot be read
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
	f.StringVar(&o.job, "job", "", "directory of a crawl whose rest is to be planned")
	f.StringVar(&o.config, "config", "", "configuration file; config.example.yaml shows all settings")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	crawlFlags(f)
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
	seeds, err := gatherSeeds(cmd, o, args, out)
	if err != nil {
		return err
	}
	given := len(args) > 0 || o.seeds != ""
	if view == nil && !given {
		return cli.UsageError("cybermapper plan --contact you@example.org https://example.org/", "no seeds, and no --job to plan the rest of")
	}
	if err := (&crawlPlan{config: c, seeds: seeds, dir: o.job, fresh: o.fresh}).checkSeeds(given); err != nil {
		return err
	}
	s := newSurvey(c, view, newLogger(c.Log, out, false))
	p, err := s.plan(cmd.Context(), seed.URLs(seeds))
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
		return nil, cli.WithHint(errors.Join(fmt.Errorf("the crawl in %s is running", dir), v.Close()),
			"cybermapper status --job "+dir+" tells how long it takes")
	}
	return v, nil
}

// printPlan writes the plan, and returns an error if there is nothing to do.
func printPlan(cmd *cobra.Command, p *plan.Plan, asJSON bool) error {
	if !asJSON {
		p.Print(cmd.OutOrStdout())
	} else if err := cli.EncodeJSON(cmd.OutOrStdout(), p); err != nil {
		return err
	}
	if p.Total.Hosts > 0 && p.Total.Refusing == p.Total.Hosts {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}

// budgetOf returns what bounds a crawl.
func budgetOf(c config.Config) plan.Budget {
	return plan.Budget{
		MaxPages: c.Crawl.MaxPages, MaxPagesPerHost: c.Crawl.MaxPagesPerHost, MaxTime: c.Crawl.MaxTime, Depth: c.Crawl.Depth,
		Workers: c.Crawl.Workers, PerAddress: c.Politeness.PerAddress,
	}
}

// maxPlanned bounds the hosts of a plan.
const maxPlanned = 100_000

// queued puts what waits in the queue of the job into the plan, and notes what is remembered of each site.
func (s *survey) queued(ctx context.Context, p *plan.Plan) error {
	if s.view == nil || s.view.Frontier == nil {
		return nil
	}
	stats, err := s.view.Frontier.Stats(ctx)
	if err != nil {
		return fmt.Errorf("read frontier: %w", err)
	}
	p.Budget.Done = stats.Pages
	left := 0
	for info, err := range s.view.Frontier.Sites(ctx) {
		if err != nil {
			return fmt.Errorf("read frontier: %w", err)
		}
		if info.Queued+info.Retrying == 0 {
			continue
		}
		if len(s.sites) == maxPlanned {
			left++
			continue
		}
		s.remember(p.Host(info.Site), info)
	}
	if left > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s more wait in the queue; a plan has at most %s", say.Plural(left, "site"), say.Count(maxPlanned)))
	}
	return nil
}

// remember notes what is known of a site.
func (s *survey) remember(h *plan.Host, info frontier.SiteInfo) {
	now := time.Now()
	h.Waiting, h.Done = info.Queued+info.Retrying, info.Pages
	policy := info.Policy
	if policy.BlockedUntil.After(now) {
		h.RestsUntil, h.RestReason = policy.BlockedUntil, policy.BlockReason
	} else if info.Queued == 0 && info.Due.After(now) {
		h.RestsUntil, h.RestReason = info.Due, "retry"
	}
	last := info.LastEnd
	if last.IsZero() && info.Done+info.Failed > 0 {
		last = now // nobody knows when the last request ended
	}
	if owed := last.Add(policy.Delay); !last.IsZero() && owed.After(policy.BlockedUntil) {
		policy.BlockedUntil, policy.BlockReason = owed, "delay"
	}
	s.sites[info.Site] = policy
}

// notes says what the plan leaves out.
func notes(c config.Config, goesOn bool) []string {
	var notes []string
	if c.Crawl.Scope == "any" || c.Crawl.Scope == "domain" {
		notes = append(notes, "links may lead to hosts that are not in this plan (--scope "+c.Crawl.Scope+")")
	}
	if !goesOn && c.Crawl.Depth != 0 {
		notes = append(notes, "a site may have fewer pages than are asked for")
	}
	if goesOn {
		notes = append(notes, "links that are yet to be found come on top")
	}
	return notes
}

// byOrigin sorts seeds by their origin, and drops those that are given twice.
func byOrigin(seeds []frontier.URL) map[string][]frontier.URL {
	sorted := slices.Clone(seeds)
	slices.SortFunc(sorted, func(a, b frontier.URL) int { return strings.Compare(a.String(), b.String()) })
	origins := map[string][]frontier.URL{}
	for _, u := range slices.Compact(sorted) {
		origins[u.Origin()] = append(origins[u.Origin()], u)
	}
	return origins
}
