package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/spool"
	"github.com/cybermapper/cybermapper/frontier"
)

// submitOptions are the flags of submit.
type submitOptions struct {
	crawlOptions
	asSeed bool
	note   string

	priority priorityFlag
	wait     config.Duration
}

func newSubmitCommand() *cobra.Command {
	o := submitOptions{wait: config.Duration(time.Minute)}
	cmd := &cobra.Command{
		Use:   "submit [URL...]",
		Short: "Give more URLs to a crawl, running or not",
		Long: `Gives URLs, and those of --seeds, to a crawl, running or not, and says what
became of each: queued, known already and in which state, or refused, by which
gate and why. They meet the same rules as every link: scope, traps, action
links, opt-outs, robots.txt. A URL outside the scope is refused, unless
--as-seed makes it a seed, which the scope follows from then on. What robots.txt
says is shown now if it is known; otherwise it decides when the turn of the URL
comes.

A running crawl takes submissions in within a second; otherwise they are queued
for the next run. They are kept in the job directory until then: killing either
process loses none.

Exit codes:
  0    all are queued, or were known
  1    error, or something was refused
  2    wrong usage, or there is no job
  4    the job directory cannot be used
  6    no answer within --wait; the submission is not lost
`,
		Example: `  cybermapper submit --job big https://example.org/new.html
  cybermapper submit --job big --note "asked for by mail" --as-seed https://another.example/
  cybermapper submit --job big --priority 50 https://example.org/first.html
  cybermapper submit --job big --seeds more.jsonl --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return submit(cmd, o, args) },
	}
	cli.JobFlag(cmd, &o.job)
	f := cmd.Flags()
	f.StringVar(&o.seeds, "seeds", "", "file with one URL or JSON object per line, as for crawl; - is stdin")
	f.BoolVar(&o.asSeed, "as-seed", false, "make them seeds: the scope follows them")
	f.Var(&o.priority, "priority", "how early they come, from -100 to 100, if --seeds does not say")
	f.StringVar(&o.note, "note", "", "where they are from; explain shows it")
	f.Var(&durationFlag{&o.wait}, "wait", "how long to wait for an answer")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	return cmd
}

// submit runs the command.
func submit(cmd *cobra.Command, o submitOptions, args []string) error {
	kind, err := submittable(o.job)
	if err != nil {
		return err
	}
	args, isBad := wellFormed(args, cmd.ErrOrStderr())
	seeds, _, err := gatherSeeds(cmd, o.crawlOptions, args, cmd.ErrOrStderr(), 0)
	if err != nil {
		return err
	}
	if len(seeds) == 0 && isBad {
		return cli.UsageError("", "nothing to submit") // the warnings have said why
	}
	if len(seeds) == 0 {
		return cli.UsageError("usage: "+cmd.UseLine(), "nothing to submit")
	}
	if err := o.checkContact(seeds); err != nil {
		return err
	}
	results, err := o.hand(cmd.Context(), kind, o.items(seeds), progress.NewScreen(cmd.ErrOrStderr(), true))
	if err == nil {
		err = cli.Tell(cmd.OutOrStdout(), o.asJSON, results, func(w io.Writer) { printResults(w, results) })
	}
	if err == nil && (isBad || slices.ContainsFunc(results, func(r spool.Result) bool { return r.Result == "refused" })) {
		err = &cli.Error{Code: cli.ExitFailure}
	}
	return err
}

// wellFormed returns those of args that are URLs, and says what is wrong with each other one; isBad tells that there is one.
func wellFormed(args []string, warnings io.Writer) (good []string, isBad bool) {
	for i, arg := range args {
		if _, err := cli.ParseURL(arg); err != nil {
			fmt.Fprintf(warnings, "cybermapper: warning: left out URL %d: %v\n", i+1, err)
			isBad = true
			continue
		}
		good = append(good, arg)
	}
	return good, isBad
}

// submittable returns what kind of job lies in dir, if there is one.
func submittable(dir string) (job.Kind, error) {
	v, err := cli.LookAt(dir)
	if err != nil {
		return "", err
	}
	return v.Kind, v.Close()
}

// checkContact keeps a crawl that names no contact on loopback: with a public seed it could not go on.
func (o *submitOptions) checkContact(seeds []seed.Seed) error {
	c, err := config.Read((&job.View{Dir: o.job}).Path(job.ConfigFile))
	if err != nil {
		return fmt.Errorf("read job configuration: %w", err)
	}
	for _, s := range seeds {
		if o.asSeed && c.Agent.Contact == "" && !cli.IsLoopback(s.URL) {
			return cli.UsageError("cybermapper crawl --contact you@example.org goes on with the job, and names one",
				"the job names no contact, so %s cannot be a seed", s.URL)
		}
	}
	return nil
}

func (o *submitOptions) items(seeds []seed.Seed) []spool.Item {
	items := make([]spool.Item, len(seeds))
	for i, s := range seeds {
		s.Note = cmp.Or(s.Note, o.note)
		if s.Priority == 0 {
			s.Priority = int8(o.priority)
		}
		items[i] = spool.Item{Seed: s.String(), AsSeed: o.asSeed}
	}
	return items
}

// hand puts all items into the spool, and waits for what becomes of them.
func (o *submitOptions) hand(ctx context.Context, kind job.Kind, items []spool.Item, out *progress.Screen) ([]spool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(o.wait))
	defer cancel()
	dir := spool.Dir((&job.View{Dir: o.job}).Path(job.SubmitDir))
	var ids []string
	for part := range slices.Chunk(items, spool.MaxItems) {
		id, err := dir.Put(part)
		if err != nil {
			return nil, cli.DiskError(err)
		}
		ids = append(ids, id)
	}
	var all []spool.Result
	for _, id := range ids {
		results, err := o.await(ctx, kind, dir, id, out)
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

// await waits for one answer. When nobody has the job, this process takes the submission in itself.
func (o *submitOptions) await(ctx context.Context, kind job.Kind, dir spool.Dir, id string,
	out *progress.Screen) ([]spool.Result, error) {
	const pause = 50 * time.Millisecond
	for {
		results, ok, err := dir.Collect(id)
		if ok || err != nil {
			return results, err
		}
		if err := engine.TakeIn(ctx, o.job, kind, out); err == nil {
			continue
		} else if !errors.Is(err, job.ErrInUse) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, &cli.Error{Code: cli.ExitWaiting, Err: errors.New("no answer yet"),
				Hint: "the submission is kept: the crawl, or the next run, takes it in"}
		}
	}
}

// printResults says in a line what became of each URL.
func printResults(w io.Writer, results []spool.Result) {
	for _, r := range results {
		fmt.Fprintf(w, "%-8s %s%s\n", r.Result, say.Printable(r.URL), say.Printable(r.Text(cli.Language())))
	}
}

// A priorityFlag is a flag for how early a URL comes.
type priorityFlag int8

func (f *priorityFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < -frontier.MaxPriority || n > frontier.MaxPriority {
		return fmt.Errorf("it lies between %d and %d", -frontier.MaxPriority, frontier.MaxPriority)
	}
	*f = priorityFlag(n)
	return nil
}

func (f *priorityFlag) String() string { return strconv.Itoa(int(*f)) }
func (f *priorityFlag) Type() string   { return "number" }

// A durationFlag is a flag for a duration with a unit.
type durationFlag struct{ *config.Duration }

func (f *durationFlag) Set(text string) error { return f.UnmarshalText([]byte(text)) }
func (f *durationFlag) Type() string          { return "duration" }
