package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// crawlOptions are the flags of crawl that are no settings.
type crawlOptions struct {
	seeds  string
	job    string
	config string
	fresh  bool
	again  string
	yes    bool
	quiet  bool

	verbose bool
	asJSON  bool

	serve serveOptions
}

func newCrawlCommand() *cobra.Command {
	var o crawlOptions
	cmd := &cobra.Command{
		Use:   "crawl [URL...]",
		Short: "Crawl from seeds, or continue a crawl",
		Long:  crawlHelp,
		Example: `  cybermapper crawl --contact you@example.org https://example.org/
  cybermapper crawl --contact https://example.org/bot --seeds seeds.txt --job big --scope domain
  cybermapper crawl --contact you@example.org --sitemaps https://example.org/
  cybermapper crawl --job big                     # continue it
  cybermapper crawl --job big --index --serve 127.0.0.1:8480
  cybermapper crawl --job big --again             # come back for what may have changed
  cybermapper crawl --job local --allow-private http://127.0.0.1:8000/`,
		RunE: func(cmd *cobra.Command, args []string) error { return crawl(cmd, o, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.seeds, "seeds", "", "file with one seed per line, a URL or a JSON object; - is stdin")
	f.StringVarP(&o.job, "job", "o", "cybermapper-job", "directory that holds the crawl")
	f.StringVarP(&o.config, "config", "c", "", "configuration file; config.example.yaml shows all settings")
	f.BoolVar(&o.fresh, "fresh", false, "start over: delete what an earlier crawl left in the job directory")
	f.StringVar(&o.again, "again", "", "visit pages another time: those that are due, or all")
	f.Lookup("again").NoOptDefVal = string(engine.AgainDue)
	f.BoolVar(&o.yes, "yes", false, "with --fresh: do not ask")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print no progress and no summary")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log each request: --log-level debug")
	f.BoolVar(&o.asJSON, "json", false, "print progress, log and summary as JSON")
	crawlFlags(f)
	o.serve.declare(f, "serve", "serve-", "", "address to show the crawl on while it runs, as 127.0.0.1:8480")
	cmd.MarkFlagsRequiredTogether("serve-tls-cert", "serve-tls-key")
	completeCrawl(cmd)
	cli.CompleteValues(cmd, "again", "due", "all")
	return cmd
}

const crawlHelp = `Crawls from the URLs given, and from those of --seeds, into the job directory.
Run again with the same job directory, it continues where the crawl was
stopped, however that happened; seeds are not needed then, and settings that
are not given are those of the run before. With other seeds, a wider scope or
higher limits it takes up what it had turned away for the old ones.

A line of --seeds is a URL, or a JSON object like
{"url": "https://example.org/", "depth": 2, "priority": 5, "note": "from the list of servers"}
where depth is how many links from a seed it counts as, priority (-100 to 100)
how early it comes, as in the configuration, and note, which explain shows,
where it is from. Lines may be mixed; bad ones are reported.

With --sitemaps, the sitemaps named by robots.txt of a visited site, or given as
seeds, bring URLs besides links. They are fetched under the same rules and pauses
as pages, and are not stored.

With --serve, the crawl is shown in a browser while it runs, as serve does: live
view, search (with --index), why, submitting URLs; the flags that begin with
--serve- are those of serve, and need it. The port is bound before anything is fetched.

With --again, pages are asked for another time that are due: under a condition,
so that a server sends only what has changed. How soon a page is due follows from
how often it changes: see topic recrawl, and "cybermapper changes". A stored
page that now asks not to be kept (noindex), or that robots.txt forbids now,
stays, and is told of; with --purge it is removed when the run ends.

With --requisites, what pages need to be shown is fetched as well: images and
srcset, styles and what they name, scripts, fonts, icons, media. All of it is
asked for under robots.txt and at the pace of its site, right after the page and
beyond --max-pages, but is no page: it is not searched, and brings no links. From
other hosts only that is taken for which --requisite-hosts has a name, as
cdn.example.org or *.example.org, or the word any.

With --check-links, dead links are listed at the end, each with the pages that
have it. Links that lead out of scope are asked for as well, and images, styles
and scripts, once, for the head of the answer only, under robots.txt and at the
pace of their sites.

With --warc, requests and answers are kept as they went over the wire, robots.txt
and sitemaps too, in the files of web archives: see topic archive.

A host that fails is left alone, for longer each time, and then asked again. When
nothing else is left, the crawl waits for it, at most --patience; not for one
whose name does not exist, whose certificate is not good, or whose port refuses
the connection and never answered, which is most likely mistyped.

The first Ctrl-C, SIGTERM or SIGHUP, or that nobody reads what is printed any
more, finishes the requests in flight, cuts those that take too long, and saves;
the second one ends the program at once, which loses nothing but those requests.

Exit codes:
  0    done: nothing is left to fetch
  1    error
  2    wrong usage
  3    wrong configuration
  4    disk full, or the job directory cannot be written, or is in use
  5    a limit (--max-pages, --max-time, ...) ended the crawl
  6    hosts were left waiting longer than --patience; run again later
  8    no seed gave a page; the summary says why, seed by seed
  9    --check-links found dead links
  130  interrupted; everything is saved, run again to continue
`

// crawlFlags declares the flags that are settings.
func crawlFlags(f *pflag.FlagSet) {
	config.Flag(f, "contact", "agent.contact", "URL or mail address where site owners reach you; required beyond loopback")
	config.Flag(f, "product", "agent.product", "product token: our name in robots.txt")
	config.Flag(f, "scope", "crawl.scope", "where links may lead: host, domain, prefix or any")
	config.Flag(f, "include", "crawl.include", "visit only URLs that match this regular expression; repeatable")
	config.Flag(f, "exclude", "crawl.exclude",
		"do not visit URLs that match this regular expression; repeatable, \"\" empties the list")
	config.Flag(f, "accept", "crawl.accept", "store only these media types and extensions: html,pdf,image/*; repeatable")
	config.Flag(f, "reject", "crawl.reject", "do not store these, and follow no link that ends in one; repeatable")
	config.Flag(f, "max-body", "fetch.max_body", "cut files that are longer")
	config.Flag(f, "release", "traps.release",
		"take up what was parked for looking endless where this regular expression matches; repeatable")
	config.Flag(f, "purge", "recrawl.purge", "remove stored pages that noindex, robots.txt or an opt-out forbids now")
	config.Flag(f, "sitemaps", "crawl.sitemaps", "read the sitemaps that robots.txt names, or that are seeds")
	config.Flag(f, "requisites", "crawl.requisites", "fetch images, styles, scripts and fonts that pages need, too")
	config.Flag(f, "requisite-hosts", "crawl.requisite_hosts", "other hosts to fetch them from: NAME, *.NAME or any; repeatable")
	config.Flag(f, "check-links", "crawl.check_links", "find dead links, also those that lead out of scope; exit code 9 if any")
	config.Flag(f, "index", "search.index", "make the pages searchable while crawling (see search)")
	config.Flag(f, "depth", "crawl.depth", "links from a seed; -1: no limit")
	config.FlagP(f, "max-pages", "n", "crawl.max_pages", "end after this many pages of the job; 0: no limit")
	config.Flag(f, "max-pages-per-host", "crawl.max_pages_per_host", "the same for each host")
	config.Flag(f, "max-bytes-per-host", "crawl.max_bytes_per_host", "end a host after receiving this much of it; 0: no limit")
	config.Flag(f, "max-time-per-host", "crawl.max_time_per_host", "end a host after this long, pauses included; 0s: no limit")
	config.Flag(f, "max-time", "crawl.max_time", "end after this long; 0s: no limit")
	config.Flag(f, "max-bytes", "crawl.max_bytes", "end after receiving this much; 0: no limit")
	config.Flag(f, "opt-out", "opt_out", "file of hosts, *.domains and addresses to leave alone; may change while the crawl runs")
	config.Flag(f, "delay", "politeness.delay", "shortest pause between two requests to a site")
	config.Flag(f, "delay-factor", "politeness.delay_factor", "the pause is at least this many times the last response time")
	config.Flag(f, "max-delay", "politeness.max_delay", "upper bound of what --delay-factor asks for")
	config.Flag(f, "workers", "crawl.workers", "sites visited at once")
	config.Flag(f, "retries", "crawl.retries", "further attempts at a URL after an error")
	config.Flag(f, "retry-delay", "crawl.retry_delay", "pause before the first of them, doubling")
	config.Flag(f, "hours", "crawl.hours", "when requests are made, as 22:00-06:00 Europe/Berlin")
	config.Flag(f, "priority", "priority",
		"what comes first: a number and a regular expression of URLs, as \"10 /news/\"; repeatable")
	config.Flag(f, "patience", "crawl.patience", "end when nothing can be fetched for this long")
	config.Flag(f, "warc", "archive.warc",
		"keep what goes over the wire as WARC files in JOB/archive, with an index in JOB/indexes")
	config.Flag(f, "pages", "storage.pages", "keep pages as files in JOB/pages; --pages=false does not")
	config.Flag(f, "allow-private", "fetch.allow_private", "visit loopback and private addresses too")
	config.Flag(f, "ca", "fetch.ca_file", "PEM file of certificate authorities to trust besides those of the system")
	config.Flag(f, "proxy", "fetch.proxy",
		"http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT; HTTP_PROXY is not used")
	config.Flag(f, "proxy-login", "fetch.proxy_login", "env:NAME or file:NAME, which holds user:password for the proxy")
	config.Flag(f, "resolve", "fetch.resolve",
		"HOST:PORT:ADDRESS: the address of a host, which is not looked up; repeatable")
	config.Flag(f, "bind", "fetch.bind", "address of this machine to connect from")
	config.Flag(f, "limit-rate", "fetch.limit_rate", "receive at most this much per second, from all sites together")
	config.Flag(f, "dialect", "robots.dialect", "how robots.txt is read: cautious, rfc9309 or std1994")
	config.Flag(f, "log-level", "log.level", "debug, info, warn or error")
	config.Flag(f, "log-format", "log.format", "console, json, or auto: json with --json")
	config.Flag(f, "log-file", "log.file", "append log and progress to this file, which is opened anew at SIGUSR1")
}

// completeCrawl lets a shell complete the values of flags that know theirs.
func completeCrawl(cmd *cobra.Command) {
	cli.CompleteValues(cmd, "scope", "host", "domain", "prefix", "any")
	cli.CompleteValues(cmd, "dialect", "cautious", "rfc9309", "std1994")
	cli.CompleteValues(cmd, "log-level", "debug", "info", "warn", "error")
	cli.CompleteValues(cmd, "log-format", "auto", "console", "json")
}

// crawl runs the command: it gathers what is wanted, takes the job directory, and lets the engine run.
func crawl(cmd *cobra.Command, o crawlOptions, args []string) error {
	ctx, screen, ended := whileRead(cmd.Context(), cmd.ErrOrStderr())
	cmd.SetContext(ctx)
	out := progress.NewScreen(screen, o.quiet)
	if err := job.Require(o.job, job.Crawl); err != nil {
		return cli.JobError(err)
	}
	var early bytes.Buffer
	c, err := loadConfig(cmd.Flags(), o, &early)
	if err == nil {
		err = out.Log(c.Log.Format == "json" || c.Log.Format == "auto" && o.asJSON, c.Log.File)
		if err != nil && !cli.IsDiskFull(err) {
			err = &cli.Error{Code: cli.ExitConfig, Err: err, Hint: "--log-file, or log.file, names a file that may be written to"}
		}
	}
	early.WriteTo(out)
	if err != nil {
		return err
	}
	defer reopenOnSignal(out)()
	return logged(out, crawlWith(cmd, o, c, args, out, ended))
}

// logged lets an error be a line like all others, where lines are JSON or go to a file.
func logged(out *progress.Screen, err error) error {
	if err == nil || !out.IsJSON() && !out.HasFile() {
		return err
	}
	told := cli.PrintError(out.Errors(), err)
	if cerr := out.Close(); cerr != nil || !out.IsJSON() || out.HasFile() {
		return errors.Join(err, cerr) // for whoever started us, besides
	}
	return &cli.Error{Code: told}
}

// crawlWith crawls as the configuration wants, and calls ended when the crawl has.
func crawlWith(cmd *cobra.Command, o crawlOptions, c config.Config, args []string, out *progress.Screen, ended func()) error {
	seeds, more, err := gatherSeeds(cmd, o, args, out, engine.MaxHeldSeeds)
	if err != nil {
		return err
	}
	if more != nil {
		defer more.Close()
	}
	if err := checkSeeds(c, o, seeds, len(args) > 0 || o.seeds != ""); err != nil {
		return err
	}
	if err := confirmFresh(cmd, o); err != nil {
		return err
	}
	warn(out, c, seeds)
	again, err := againOf(o, c)
	if err != nil {
		return err
	}
	watched, err := openLookout(&o.serve, out)
	if err != nil {
		return err
	}
	session := &engine.Session{
		Kind: job.Crawl, Config: c, Seeds: seeds, Dir: o.job, Fresh: o.fresh, Again: again, Quiet: o.quiet, Screen: out,
		Language: cli.Language(), Begun: func(log *zap.Logger) error { return watched.begin(o.job, log, out) },
	}
	if more != nil {
		session.More = more
	}
	var r *progress.Report
	err = out.Busy(cmd.CommandPath(), cmd.OutOrStdout(), func(io.Writer) (err error) { // a large job begins and ends slowly
		r, err = session.Run(cmd.Context())
		return err
	})
	ended()
	err = errors.Join(err, watched.close())
	if r != nil && !o.quiet {
		if lost := printSummary(cmd.OutOrStdout(), r, o.asJSON); lost != nil {
			err = errors.Join(err, &cli.Error{Code: cmp.Or(r.ExitCode, cli.ExitDisk), Err: lost})
		}
	}
	switch {
	case cli.IsDiskFull(err):
		return cli.WithHint(err, cli.RoomHint(err)+", then run the same command again")
	case err != nil:
		return err
	}
	if len(r.Seeds) > 0 || !o.quiet {
		r.PrintSeeds(out, cli.Language())
	}
	if err := deadLinks(cmd, o, c, r); err != nil {
		return err
	}
	return exitFor(r)
}

// againOf returns what is to be visited another time.
func againOf(o crawlOptions, c config.Config) (engine.Again, error) {
	again := engine.Again(o.again)
	switch again {
	case engine.AgainNone:
		if c.Recrawl.Always {
			again = engine.AgainDue
		}
	case engine.AgainDue, engine.AgainAll:
	default:
		return "", cli.UsageError("--again visits what is due, --again=all everything", "--again=%s is not known", o.again)
	}
	if o.again != "" && o.fresh {
		return "", cli.UsageError(translate.Key("--fresh starts over, --again goes on"),
			"--fresh and --again contradict each other")
	}
	return again, nil
}

// warn says what in a configuration may not be what was meant.
func warn(out io.Writer, c config.Config, seeds []seed.Seed) {
	for _, s := range seeds {
		if engine.IsWithheld(s.URL, c) {
			fmt.Fprintf(out, "cybermapper: warning: what hosts: gives for %s is not sent over http; "+
				"cleartext: true there sends it\n", s.URL.Site())
			break
		}
	}
	for _, s := range seeds {
		site, name := s.URL.Site(), s.URL.Hostname()
		_, own := c.Hosts[site]
		if _, other := c.Hosts[name]; other && !own {
			fmt.Fprintf(out, "cybermapper: warning: %s in hosts: is the site of that name at the usual port; %s is another, "+
				"and needs an entry of its own\n", name, site)
			break
		}
	}
	isSecure := func(s seed.Seed) bool { return s.URL.Scheme() == "https" }
	if c.Fetch.CAFile == "" && slices.ContainsFunc(seeds, isSecure) && !engine.HasAuthorities() {
		fmt.Fprintln(out, "cybermapper: warning: this machine knows no certificate authority, so that no site with https can be "+
			"visited; install ca-certificates, or name a PEM file with --ca")
	}
	if c.Search.Index && !c.Storage.Pages {
		fmt.Fprintln(out, "cybermapper: warning: the search index is made from stored pages, of which --pages=false keeps none")
	}
	if len(c.Crawl.RequisiteHosts) > 0 && !c.Crawl.Requisites {
		fmt.Fprintln(out, "cybermapper: warning: other hosts are asked for what pages need with --requisites only")
	}
	if c.Fetch.ProxyLogin != "" && !c.UsesProxy() {
		fmt.Fprintln(out, "cybermapper: warning: there is a login for a proxy, and no proxy: requests go out directly")
	}
	if names := c.Unbounded(); len(names) > 0 {
		fmt.Fprintf(out, "cybermapper: warning: nothing ends this crawl where a site has no end; unbounded: %s\n",
			strings.Join(names, ", "))
	}
}

// confirmFresh asks on a terminal whether what --fresh deletes may go.
func confirmFresh(cmd *cobra.Command, o crawlOptions) error {
	if o.yes && !o.fresh {
		return cli.UsageError("without --fresh the crawl goes on, and nothing is deleted", "--yes needs --fresh")
	}
	in := cmd.InOrStdin()
	if _, err := job.KindOf(o.job); err != nil || !o.fresh || o.yes || !progress.IsTerminal(in) {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "cybermapper: --fresh deletes the crawl in %s: its queue, its pages, its archive and its "+
		"ledger. Delete them? [y/N] ", o.job)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if a := strings.ToLower(strings.TrimSpace(answer)); a == "y" || a == "yes" {
		return nil
	}
	return cli.UsageError(translate.Key("without --fresh the crawl goes on; --yes answers"), "nothing was deleted")
}

// loadConfig puts the configuration together. A job that exists stands in for the file that is not given.
func loadConfig(flags *pflag.FlagSet, o crawlOptions, warnings io.Writer) (config.Config, error) {
	l := config.NewLoader()
	name := o.config
	isNamed := flags.Changed("config") // "", as of a variable that is not set, is no file: its opt_out would be missing
	if _, err := job.KindOf(o.job); name == "" && !isNamed && !o.fresh && err == nil {
		name = filepath.Join(o.job, job.ConfigFile)
	}
	if name != "" || isNamed {
		if err := l.File(name); err != nil {
			hint := ""
			if errors.Is(err, fs.ErrNotExist) {
				hint, _ = cli.HintAbroad(flags, "c"+name) // -cs of katana is -c s here
			}
			return config.Config{}, &cli.Error{Code: cli.ExitConfig, Err: err, Hint: hint}
		}
	}
	l.Environment(os.Environ())
	if o.verbose && !flags.Changed("log-level") {
		if err := flags.Set("log-level", "debug"); err != nil {
			return config.Config{}, err
		}
	}
	l.Flags(flags)
	for _, w := range l.Warnings() {
		fmt.Fprintf(warnings, "cybermapper: warning: %s\n", w)
	}
	c, err := l.Finish()
	if err != nil && o.config == "" && name != "" && strings.Contains(err.Error(), name+":") {
		return c, cli.WithHint(err, "if another version wrote "+name+", take out the lines that this one does not know")
	}
	if err != nil {
		return c, err
	}
	if name := proxyVariable(os.LookupEnv); name != "" && c.Fetch.Proxy == "" {
		fmt.Fprintf(warnings, "cybermapper: %s is not used: --proxy names a proxy, and the ledger then says so\n", name)
	}
	return c, c.Anchor()
}

// proxyVariable returns the variable that would give other programs a proxy; "" when none is set.
func proxyVariable(lookup func(string) (string, bool)) string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if text, _ := lookup(name); text != "" {
			return name
		}
	}
	return ""
}
