package main

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
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/audit"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	dirs   []string
	dir    string // the only one of them, or the bundle
	drift  time.Duration
	given  string // the bundle
	hasJob bool   // besides the bundle
	asJSON bool
	quick  bool

	lang     string
	language translate.Language // of the certificate

	checkpoints []string
	heads       []string
	keys        []string
	noted       []checkpoint.Checkpoint
	notedHeads  []checkpoint.Head

	host        string
	certificate string
	bundle      string
	key         string
	logs        []string
	openLogs    func(names []string) ([]accesslog.Source, func() error, error)
	replay      bool
	robots      []string
}

func newVerifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [BUNDLE]",
		Short: "Prove from the ledger that a crawl kept its promises",
		Long:  verifyHelp,
		Example: `  cybermapper verify --job big
  cybermapper verify --job big --json | jq '.promises[] | select(.verdict != "proven")'
  cybermapper verify --job big --host example.org --certificate example.org.html
  cybermapper verify --job big --host example.org --bundle example.org.zip
  cybermapper verify example.org.zip
  cybermapper verify --job big --replay --robots example.org=new-robots.txt`,
		Args: cli.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.given, o.hasJob = args[0], cmd.Flags().Changed("job")
			}
			o.openLogs = func(names []string) ([]accesslog.Source, func() error, error) { return audit.Sources(cmd, names) }
			return o.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	cli.JobsFlag(cmd, &o.dirs)
	o.declare(cmd.Flags())
	return cmd
}

const verifyHelp = `Proves or refutes what a crawl promises, from the ledger, the robots.txt files of
the time and the list of pages alone: that every request was allowed by the
robots.txt in force, that no pause was shorter than owed, that no site had two
requests in flight at once, and more. Each promise gets a verdict with counts,
the worst case, and evidence: proven, refuted, or not shown when evidence is
missing. It changes nothing, and may be used while the crawl runs; as with
--quick, the files of pages are not read then, which is not shown.

With --host it is about one site only: a host, with its port unless that is 80
or 443. --certificate writes a page for its owner: when and how often the site
was visited, how fast, under which robots.txt, and what was not requested because
of it. One file, to send or to publish, that loads nothing.

--bundle writes a zip file for that owner: the lines of the ledger about the
site, a proof that they are part of it, the robots.txt files and that page. Who
has it needs nothing else: verify BUNDLE judges it, and its README.txt says how
to do that without this program. With the operator's key, from --key or the
configuration of the job, the ledger is signed as of then.

--access-log holds the record against the log of the server of that site, both
ways: what is there that the crawler did not write down, and what the crawler
wrote down that is not there. By how much the two clocks differ is found out, and
said. Who was given a bundle has that log: verify BUNDLE --access-log LOG.

Several jobs (--job A --job B, or a folder of them) are judged as one crawl, as
when each of several machines keeps its own: no pause at a site may be too short
whichever job asked before, nor a rest be broken that another was told to keep.
Between two jobs only the clocks on the wall tell what came first. They may
differ by --clock-drift, 100ms if it does not say; what they leave open is not
shown. Certificates, bundles and what was noted earlier are of one job each.

With --checkpoint and --head the ledger is held against what was noted of it
earlier: does it continue that, or was it rewritten? Keep the checkpoints of
JOB/ledger/checkpoints, or the last hash that verify prints, elsewhere.

With --replay every decision is made again with the rules of this version, or for
one site with another robots.txt (--robots HOST=FILE), and what would change is
listed: what is closed now, what is open, and what another line decides.

Exit codes:
  0    everything is proven; with --replay, nothing would change
  1    something is refuted, or would change; or an error
  2    wrong usage: not a job, no ledger, or one of another version
  7    nothing is refuted, but something is not shown, as while the crawl runs
`

// declare declares the flags.
func (o *verifyOptions) declare(f *pflag.FlagSet) {
	f.DurationVar(&o.drift, "clock-drift", 100*time.Millisecond,
		"by how much the clocks of several jobs may differ at most")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	f.BoolVar(&o.quick, "quick", false, "read the list of pages only, not their files")
	f.StringArrayVar(&o.checkpoints, "checkpoint", nil, "file with checkpoints that were kept elsewhere; may be repeated")
	f.StringArrayVar(&o.heads, "head", nil, "hash that the ledger ended in then, or SIZE@ROOT; may be repeated")
	f.StringArrayVar(&o.keys, "operator-key", nil,
		"verifier of the operator: only it is trusted to sign, not who the ledger names; may be repeated")
	f.StringVar(&o.host, "host", "", "one site only")
	f.StringVar(&o.certificate, "certificate", "", "write a page for the owner of --host to this file")
	f.StringVar(&o.lang, "lang", "", "language of that page: "+strings.Join(translate.Names(), ", ")+
		"; by default that of the system")
	f.StringArrayVar(&o.logs, "access-log", nil,
		"log of the server of --host, to hold against the record; HOST=LOG says that it is of that site alone; - is stdin; may be "+
			"repeated")
	f.StringVar(&o.bundle, "bundle", "", "write the evidence about --host to this zip file")
	f.StringVar(&o.key, "key", "", "file of the operator's key, to sign the ledger as of the certificate or bundle")
	f.BoolVar(&o.replay, "replay", false, "take every decision again and list what would change")
	f.StringArrayVar(&o.robots, "robots", nil, "with --replay, another robots.txt for a site: HOST=FILE; may be repeated")
}

// run looks at the job and does what was asked for.
func (o *verifyOptions) run(ctx context.Context, w io.Writer) (err error) {
	if err := o.fit(); err != nil {
		return err
	}
	if o.language, err = cli.LanguageOf(o.lang); err != nil {
		return err
	}
	if o.host != "" {
		if o.host, err = cli.ParseSite(o.host); err != nil {
			return err
		}
	}
	if err := o.readNoted(); err != nil {
		return err
	}
	if o.given != "" {
		return o.runBundle(ctx, o.given, w)
	}
	if o.dirs, err = cli.Jobs(o.dirs); err != nil {
		return err
	}
	if err := o.fitSeveral(); err != nil {
		return err
	}
	if err := noCopies(o.dirs); err != nil {
		return err
	}
	var all []*evidence
	defer func() {
		for _, e := range all {
			err = errors.Join(err, e.view.Close())
		}
	}()
	for _, dir := range o.dirs {
		v, err := lookAtEvidence(dir)
		if err != nil {
			return cli.UsageError("", "%w", err)
		}
		all = append(all, evidenceOf(v))
	}
	if len(all) > 1 {
		return verifyError(o.proveAll(ctx, all, w))
	}
	e := all[0]
	o.dir = o.dirs[0]
	switch {
	case o.replay:
		return verifyError(o.replayed(ctx, e, w))
	case o.host != "":
		return verifyError(o.certify(ctx, e, w))
	}
	return verifyError(o.prove(ctx, e, w))
}

// fit says what in the command line does not fit together.
func (o *verifyOptions) fit() error {
	site := o.host != "" || o.given != ""
	switch {
	case o.given != "" && o.hasJob:
		return cli.UsageError("a bundle is all there is to look at", "--job does not go with a bundle")
	case o.given != "" && o.bundle != "":
		return cli.UsageError("a bundle is made from a job", "--bundle does not go with a bundle")
	case o.certificate != "" && !site:
		return cli.UsageError("--host says for whom", "--certificate needs --host")
	case o.bundle != "" && !site:
		return cli.UsageError("--host says for whom", "--bundle needs --host")
	case len(o.logs) > 0 && !site:
		return cli.UsageError("--host says whose log it is", "--access-log needs --host")
	case len(o.logs) > 0 && o.replay:
		return cli.UsageError("", "--access-log does not go with --replay")
	case o.key != "" && o.bundle == "" && o.certificate == "":
		return cli.UsageError("it signs the ledger as of a certificate or bundle", "--key needs --certificate or --bundle")
	case len(o.robots) > 0 && !o.replay:
		return cli.UsageError("--replay takes decisions again", "--robots needs --replay")
	case o.replay && o.host != "":
		return cli.UsageError("--robots HOST=FILE is about one site", "--replay does not go with --host")
	}
	return nil
}

// An evidence is what there is to prove anything from.
type evidence struct {
	verify.Job
	view *job.View // nil for a bundle
}

func evidenceOf(v *job.View) *evidence {
	return &evidence{verify.Job{
		Name: v.Dir, Running: v.Running,
		Ledger: v.Path(job.LedgerDir), Robots: v.Path(job.RobotsDir), Pages: v.Path(job.PagesDir),
	}, v}
}

// lookAtEvidence opens a job, or a directory that has only the evidence of one: ledger, robots and pages.
func lookAtEvidence(dir string) (*job.View, error) {
	v, err := cli.LookAt(dir)
	if !errors.Is(err, job.ErrNoJob) {
		return v, err
	}
	if info, serr := os.Stat(filepath.Join(dir, job.LedgerDir)); serr != nil || !info.IsDir() {
		return nil, err
	}
	return &job.View{Dir: dir}, nil
}

// verifyError gives errors about the evidence their exit code.
func verifyError(err error) error {
	switch {
	case errors.Is(err, verify.ErrNoLedger):
		return cli.UsageError("a job has a ledger from its first run on", "%w", err)
	case errors.Is(err, verify.ErrFormat):
		return cli.UsageError("use the version of cybermapper that wrote it", "%w", err)
	}
	return err
}

// prove checks all promises and prints the verdicts.
func (o *verifyOptions) prove(ctx context.Context, e *evidence, w io.Writer) error {
	r, err := verify.Prove(ctx, e.Job, o.options())
	if err != nil {
		return err
	}
	return o.print(r, w)
}

// proveAll checks all promises of several jobs as one crawl, or those for one site.
func (o *verifyOptions) proveAll(ctx context.Context, all []*evidence, w io.Writer) error {
	var jobs []verify.Job
	for _, e := range all {
		jobs = append(jobs, e.Job)
	}
	options := o.options()
	options.Site, options.Drift = o.host, max(o.drift, 1)
	r, err := verify.ProveAll(ctx, jobs, options)
	if err != nil {
		return err
	}
	if o.host != "" && r.Promise(verify.Decided).Checked == 0 {
		return cli.UsageError("", "no request to %s is on record in any of %d jobs", o.host, len(all))
	}
	return o.print(r, w)
}

// fitSeveral says what asks for one job, when there are several.
func (o *verifyOptions) fitSeveral() error {
	const each = "name one job at a time with --job"
	switch {
	case o.drift < 0:
		return cli.UsageError("", "--clock-drift must not be negative")
	case len(o.dirs) < 2:
		return nil
	case o.certificate != "":
		return cli.UsageError(each, "a certificate is about one job, and here are %d: write one of each", len(o.dirs))
	case o.bundle != "":
		return cli.UsageError(each, "a bundle is part of one ledger, and here are %d: write one of each", len(o.dirs))
	case len(o.logs) > 0:
		return cli.UsageError(each, "an access log is held against the record of one job, and here are %d", len(o.dirs))
	case o.replay:
		return cli.UsageError(each, "--replay is about the decisions of one job, and here are %d", len(o.dirs))
	case len(o.checkpoints) > 0 || len(o.heads) > 0:
		return cli.UsageError(each, "--checkpoint and --head are about one ledger, and here are %d", len(o.dirs))
	}
	return nil
}

// noCopies makes sure that no job is a copy of another, such as a backup beside it: both tell of the same requests, which together
// would be two of each. No two jobs begin with the same record, for it has the time to the nanosecond.
func noCopies(dirs []string) error {
	first := map[string]string{}
	for _, dir := range dirs {
		for r, err := range ledger.Read(filepath.Join(dir, job.LedgerDir), ledger.ReadOptions{}) {
			if err != nil {
				break // whoever proves says what is wrong
			}
			key := r.Boot + " " + r.Time.UTC().String() + " " + r.UserAgent
			if before, ok := first[key]; ok {
				return cli.UsageError("name one of the two",
					"the ledgers of %s and %s begin with the same record: one job is a copy of the other, and tells of the same "+
						"requests", before, dir)
			}
			first[key] = dir
			break
		}
	}
	return nil
}

// print writes the verdicts, and turns the worst into the exit code.
func (o *verifyOptions) print(r *verify.Report, w io.Writer) error {
	err := cli.Tell(w, o.asJSON, r, func(w io.Writer) { printProof(w, r) })
	return errors.Join(err, verdictCode(r.Verdict))
}

func (o *verifyOptions) options() verify.Options {
	return verify.Options{SkipFiles: o.quick, Checkpoints: o.noted, Heads: o.notedHeads, Keys: o.keys}
}

// readNoted reads what was noted of the ledger earlier.
func (o *verifyOptions) readNoted() error {
	for _, name := range o.checkpoints {
		noted, err := checkpoint.ReadFile(name)
		if err == nil && len(noted) == 0 {
			err = errors.New("there is no checkpoint in it")
		}
		if err != nil {
			return cli.UsageError("a checkpoint is a signed note, as in JOB/ledger/checkpoints", "--checkpoint %s: %w", name, err)
		}
		o.noted = append(o.noted, noted...)
	}
	for _, text := range o.heads {
		head, err := checkpoint.ParseHead(text)
		if err != nil {
			return cli.UsageError("", "--head: %w", err)
		}
		o.notedHeads = append(o.notedHeads, head)
	}
	return nil
}

// verdictCode ends the command with the exit code of a verdict.
func verdictCode(v verify.Verdict) error {
	switch v {
	case verify.Refuted:
		return &cli.Error{Code: cli.ExitFailure}
	case verify.NotShown:
		return &cli.Error{Code: cli.ExitNotShown}
	}
	return nil
}

// printProof prints the verdicts with their evidence.
func printProof(w io.Writer, r *verify.Report) {
	for _, p := range r.Promises {
		fmt.Fprintf(w, "%-9s  %s\n", p.Word(), p.Text)
		fmt.Fprintf(w, "           %s checked", say.Count(p.Checked))
		if p.Broken > 0 {
			fmt.Fprintf(w, ", %s broken", say.Count(p.Broken))
		}
		if p.Unknown > 0 {
			fmt.Fprintf(w, ", %s not known", say.Count(p.Unknown))
		}
		if p.Worst != "" {
			fmt.Fprintf(w, "; nearest to the bound: %s", say.Printable(p.Worst))
		}
		fmt.Fprintln(w)
		for _, f := range p.Findings {
			fmt.Fprintf(w, "           - %s\n", say.Printable(f.String()))
		}
	}
	fmt.Fprintf(w, "\n%s: %s records, %s requests in %s", r.Verdict, say.Count(int64(r.Records)), say.Count(r.Requests),
		say.Plural(r.Runs, "run"))
	if !r.First.IsZero() {
		fmt.Fprintf(w, ", %s to %s", say.Clock(r.First), say.Clock(r.Last))
	}
	fmt.Fprintln(w)
	for _, s := range r.Jobs {
		fmt.Fprintf(w, "%s: %s records, %s requests in %s\n", say.Printable(s.Job), say.Count(int64(s.Records)),
			say.Count(s.Requests), say.Plural(s.Runs, "run"))
	}
	for _, t := range r.Terms {
		fmt.Fprintf(w, "terms: %s\n", say.Printable(t.String()))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", say.Printable(note))
	}
	for _, s := range r.Jobs {
		fmt.Fprintf(w, "the ledger of %s ends in %s\n", say.Printable(s.Job), s.Head)
	}
	if len(r.Jobs) == 0 {
		fmt.Fprintf(w, "the ledger ends in %s\n", r.Head)
	}
}
