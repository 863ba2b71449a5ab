package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler/verify"
)

// rulesBySite reads the files of --robots, each HOST=FILE.
func rulesBySite(args []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, arg := range args {
		host, name, ok := strings.Cut(arg, "=")
		if !ok || host == "" || name == "" {
			return nil, cli.UsageError("--robots example.org=robots.txt", "--robots %q is not HOST=FILE", arg)
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, cli.UsageError("", "--robots: %w", err)
		}
		site, err := cli.ParseSite(host)
		if err != nil {
			return nil, err
		}
		files[site] = append([]byte{}, body...)
	}
	return files, nil
}

// maxReplayed bounds the decisions of a kind that --json lists; in words the first ones do.
const maxReplayed = 1_000_000

// replayed takes the decisions of the job again and prints what would change.
func (o *verifyOptions) replayed(ctx context.Context, e *evidence, w io.Writer) error {
	files, err := rulesBySite(o.robots)
	if err != nil {
		return err
	}
	options := verify.ReplayOptions{Robots: files}
	if o.asJSON {
		options.Samples = maxReplayed
	}
	r, err := verify.Replay(ctx, e.Job, options)
	if unknown, ok := errors.AsType[*verify.UnknownSiteError](err); ok {
		return cli.UsageError(siteHint(unknown), "the job in %s knows nothing of %s", o.dir, unknown.Site)
	}
	if err != nil {
		return err
	}
	err = cli.Tell(w, o.asJSON, r, func(w io.Writer) { printReplay(w, r) })
	return errors.Join(err, replayCode(r))
}

// replayCode ends the command with the exit code for what would change.
func replayCode(r *verify.Replayed) error {
	switch {
	case r.Counts[verify.NowClosed]+r.Counts[verify.NowOpen]+r.Counts[verify.OtherLine] > 0:
		return &cli.Error{Code: cli.ExitFailure}
	case r.Counts[verify.CannotTell] > 0 || r.Broken != "":
		return &cli.Error{Code: cli.ExitNotShown}
	}
	return nil
}

func printReplay(w io.Writer, r *verify.Replayed) {
	for _, s := range r.Samples {
		fmt.Fprintf(w, "%s (record %d): %s: was %s, now %s\n", say.Printable(s.URL), s.Seq, s.Change, say.Printable(s.Was),
			say.Printable(s.Now))
	}
	fmt.Fprintf(w, "%s taken again: %s the same", say.Plural(r.Decisions, "decision"), say.Count(r.Counts[verify.Same]))
	for _, c := range verify.Changes() {
		if n := r.Counts[c]; n > 0 {
			fmt.Fprintf(w, "; %s %s", say.Count(n), c)
		}
	}
	fmt.Fprintln(w)
	if r.Broken != "" {
		fmt.Fprintf(w, "the ledger was read as far as its chain holds: %s\n", r.Broken)
	}
}
