package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// gatherSeeds reads the seeds of the command line and of --seeds, and leaves what is behind the first most of --seeds to whoever
// closes the rest, which is nil when nothing is. A bad line of the file is reported and skipped.
func gatherSeeds(cmd *cobra.Command, o crawlOptions, args []string, warnings io.Writer, most int) (
	seeds []seed.Seed, rest io.ReadCloser, err error) {
	for i, arg := range args {
		u, err := cli.ParseURL(arg)
		if errors.Is(err, cli.ErrUserInfo) {
			return nil, nil, cli.UsageError(userInfoHint, "seed %d is %w", i+1, err)
		}
		if err != nil {
			hint := ""
			if a := engine.Again(arg); o.again != "" && (a == engine.AgainAll || a == engine.AgainDue) {
				hint = "--again=" + arg
			} else if info, serr := os.Stat(arg); serr == nil && info.Mode().IsRegular() {
				hint = "a file of URLs is given as --seeds " + say.Argument(arg)
			}
			return nil, nil, cli.UsageError(hint, "%w", err)
		}
		seeds = append(seeds, seed.Seed{URL: u})
	}
	if o.seeds == "" {
		return seeds, nil, nil
	}
	in, err := cli.OpenInput(cmd, o.seeds)
	if err != nil {
		return nil, nil, &cli.Error{Code: cli.ExitUsage, Err: fmt.Errorf("--seeds: %w", err)}
	}
	lines := bufio.NewReaderSize(in, seed.MaxLine) // of which Scan takes no more than it yields
	for s, err := range seed.Scan(lines, o.seeds, cli.ParseURL) {
		if bad, ok := errors.AsType[*seed.Bad](err); ok {
			fmt.Fprintf(warnings, "cybermapper: warning: skipped %s\n", bad)
			continue
		}
		if err != nil {
			return nil, nil, cli.Trouble(errors.Join(err, in.Close()))
		}
		if seeds = append(seeds, s); len(seeds) == most {
			if _, err := lines.Peek(1); err == nil {
				return seeds, &behind{lines, in}, nil
			}
		}
	}
	return seeds, nil, in.Close()
}

const userInfoHint = "leave them out; for a host that has given you credentials, hosts: in the configuration says where they are"

// behind is the rest of a list.
type behind struct {
	*bufio.Reader
	io.Closer
}

// checkSeeds reports what would make the run pointless or impolite. given says that seeds were asked for, so that finding
// none is a mistake.
func checkSeeds(c config.Config, o crawlOptions, seeds []seed.Seed, given bool) error {
	if given && len(seeds) == 0 {
		return cli.UsageError(translate.Key("a seed is an absolute http or https URL, one per line"), "no usable seed")
	}
	all := seeds
	if !o.fresh {
		if why := engine.LostSeeds(o.job); why != "" { // with those that are given now the scope would be another
			return engine.Damaged(c, "the seeds of the job", errors.New(why))
		}
		for s, err := range job.EachSeed(o.job) {
			if err != nil {
				return engine.Damaged(c, "the seeds of the job", err)
			}
			if all = append(all, s); len(all) > 2*engine.MaxHeldSeeds {
				break // they tell enough of what the others are like
			}
		}
	}
	if len(all) == 0 && c.Frontier.IsShared() {
		return nil // other nodes may have begun
	}
	if len(all) == 0 {
		own := filepath.Join(o.job, job.SeedsFile)
		if _, err := os.Stat(own); err == nil { // so o.fresh
			return cli.UsageError("those of the job so far: --seeds "+say.Argument(own), "--fresh begins anew, and needs seeds")
		}
		return cli.UsageError("cybermapper crawl --contact you@example.org https://example.org/",
			"no seeds, and no job in %s to continue", o.job)
	}
	public, private := 0, 0
	for _, s := range all {
		if cli.IsLoopback(s.URL) {
			private++
		} else {
			public++
		}
	}
	switch {
	case public > 0 && c.Agent.Contact == "":
		return cli.UsageError(
			translate.Key("--contact you@example.org, or agent.contact in the configuration, goes into User-Agent"),
			"--contact is missing: site owners must be able to reach you")
	case private > 0 && !c.Fetch.AllowPrivate && public == 0:
		return cli.UsageError(translate.Key("--allow-private lets cybermapper visit loopback and private addresses"),
			"every seed is on loopback, which is not visited unless you say so")
	}
	return nil
}
