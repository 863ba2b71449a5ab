package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// NewCommand returns the command demo.
func NewCommand() *cobra.Command {
	var dir, accessLog, lang string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Crawl a built-in web on loopback that shows every rule at work",
		Long: `Starts a few small sites on loopback, crawls them with the engine of crawl, and
tells what it does and why, naming file and line. Then it compares what it claims
with what the servers saw. It needs no network and takes less than a minute. The
job directory stays, to look at; a second demo replaces it. --access-log also
writes what the servers saw as an access log, for audit.

Exit codes:
  0    the demo ran, and every rule was kept
  1    error, or the servers saw something that should not have happened
  2    wrong usage, or --job is not the job of a demo
`,
		Example: `  cybermapper demo
  cybermapper demo --job /tmp/demo
  cybermapper demo --access-log access.log && cybermapper audit --history cybermapper-demo access.log`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := cli.LanguageOf(lang)
			if err != nil {
				return err
			}
			return run(cmd.Context(), dir, accessLog, in, cmd.OutOrStdout(), progress.NewScreen(cmd.ErrOrStderr(), true))
		},
	}
	cmd.AddCommand(newServeCommand())
	cmd.Flags().StringVar(&dir, "job", "cybermapper-demo", "directory for the job of the demo")
	cmd.Flags().StringVar(&accessLog, "access-log", "",
		"file to write the access log of the sites to: combined, with the host in front")
	cmd.Flags().StringVar(&lang, "lang", "", "language of the story: "+strings.Join(translate.Names(), ", ")+
		"; by default that of the system")
	return cmd
}

// settings is the configuration of the demo: as polite as ever in kind, faster in degree, for the sites are ours.
func settings() config.Config {
	c := config.Default()
	c.Fetch.AllowPrivate = true
	c.Politeness.Delay = config.Duration(250 * time.Millisecond)
	c.Traps.EndlessSample, c.Traps.ScoutDepth = 6, 2 // its sites are small
	c.Politeness.LongDelay = config.Duration(2500 * time.Millisecond)
	c.Robots.TDMRepFile = true
	c.Crawl.RetryDelay = config.Duration(2 * time.Second)
	c.Crawl.Patience = config.Duration(4 * time.Second)
	c.Politeness.MaxDelay = c.Crawl.Patience / 2 // a busy machine answers slowly
	c.Crawl.Sitemaps = true
	c.Search.Index = true
	c.Robots.MinLife = config.Duration(time.Second)
	c.Log.Level = "warn"
	return c
}

// run serves the sites, crawls them, and judges the crawl by what the servers saw.
func run(ctx context.Context, dir, accessLog string, in translate.Language, w io.Writer, out *progress.Screen) error {
	if err := job.Require(dir, job.Demo); err != nil {
		return cli.JobError(err) // before anything is said
	}
	web, err := demosite.Start()
	if err != nil {
		return fmt.Errorf("start the sites of the demo: %w", err)
	}
	defer web.Close()
	introduce(w, web, in)
	list, err := writeOptOuts()
	if err != nil {
		return fmt.Errorf("write the opt-outs of the demo: %w", err)
	}
	defer os.Remove(list)

	n := newNarrator(w, web, in)
	running, stop := context.WithCancel(ctx)
	defer stop()
	visitor := newVisitor(dir, web, n.submitted)
	p := &engine.Session{
		Kind: job.Demo, Config: settings(), Dir: dir, Fresh: true, Quiet: true, Screen: out, Language: in,
		Events: []crawler.Events{n.events(), visitor.events(running)},
	}
	p.Config.OptOut = list
	for _, s := range web.Sites {
		u, err := frontier.ParseURL(s.URL)
		if err != nil {
			return err
		}
		p.Seeds = append(p.Seeds, seed.Seed{URL: u, Note: s.About})
	}
	r, err := p.Run(ctx)
	stop()
	if err := errors.Join(err, visitor.wait()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &cli.Error{Code: cli.ExitInterrupted, Err: errors.New("demo interrupted")}
	}
	if accessLog != "" {
		if err := job.WriteFile(accessLog, web.AccessLog()); err != nil {
			return fmt.Errorf("write the access log: %w", err)
		}
	}
	fmt.Fprintf(w, "\n%s\n\n", in.Say("The job, as crawl would sum it up"))
	r.Print(w, in)
	v, err := newVerdicts(w, web, dir, in)
	if err != nil {
		return err
	}
	v.judge(p.Config)
	closing(w, web, dir, p.Page, in)
	if v.bad > 0 {
		return fmt.Errorf("%s that should not have happened", say.Plural(v.bad, "thing"))
	}
	return nil
}

// writeOptOuts writes the list of those who asked to be left alone, and returns the name of the file.
func writeOptOuts() (string, error) {
	f, err := os.CreateTemp("", "cybermapper-opt-out-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(demosite.OptOut)
	return f.Name(), errors.Join(err, f.Close())
}

// introduce presents the sites and their robots.txt files.
func introduce(w io.Writer, web *demosite.Web, in translate.Language) {
	fmt.Fprintln(w, in.Say("Cybermapper visits small sites on this machine, %d of them. This is what they ask of robots:",
		len(web.Sites)))
	for _, s := range web.Sites {
		fmt.Fprintf(w, "\n%s (%s): %s\n", s.Name, s.URL, in.Text(s.About))
		number := 0
		for line := range strings.Lines(s.Robots) {
			number++
			fmt.Fprintf(w, "%6d  %s", number, line)
		}
	}
	fmt.Fprintf(w, "\n%s\n\n", in.Say("The crawl: what is asked for, what is not, and why"))
}

// closing says what can be done with the job, and where its page is, if there is one.
func closing(w io.Writer, web *demosite.Web, dir, page string, in translate.Language) {
	fmt.Fprintf(w, "\n%s\n%s\n", in.Say("The job lies in %s: pages/ as fetched, robots/ by digest,", dir),
		in.Say("ledger/ with every request and refusal, report.json with the numbers. Ask it:"))
	fmt.Fprintf(w, `
  %[2]s explain --job %[1]s %[3]stmp/draft.html
  %[2]s status --job %[1]s
  %[2]s verify --job %[1]s
  %[2]s robots history --job %[1]s %[4]s
  %[2]s search --job %[1]s standard robots
  %[2]s serve --job %[1]s
`, dir, ownName(), web.Sites[0].URL, strings.Trim(strings.TrimPrefix(web.Sites[len(web.Sites)-1].URL, "http:"), "/"))
	if page != "" {
		fmt.Fprintf(w, "\n%s\n", in.Say("Or look at it, in a browser: %s", page))
	}
}

// ownName returns how this program was called, as far as that can be repeated.
func ownName() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		return "go run ./cmd/cybermapper" // the binary is gone when it ends
	}
	return "cybermapper"
}
