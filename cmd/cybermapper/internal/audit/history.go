package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// readCopies reads the robots.txt files by which is judged.
func readCopies(cmd *cobra.Command, o options) ([]audit.Copy, error) {
	switch {
	case o.robots != "" && o.history != "":
		return nil, cli.UsageError("a history may consist of one file", "--robots and --history exclude each other")
	case o.robots != "":
		return presentCopy(cmd, o)
	case o.robotsSince != "":
		return nil, cli.UsageError("", "--robots-since is of --robots")
	case o.history == "":
		return nil, nil
	}
	info, err := os.Stat(o.history)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	if _, err := os.Stat(filepath.Join(o.history, job.LedgerDir)); err == nil {
		return copiesOfJob(o.history)
	}
	if !info.IsDir() {
		return copiesOfGit(cmd.Context(), filepath.Dir(o.history), filepath.Base(o.history))
	}
	if _, err := os.Stat(filepath.Join(o.history, ".git")); err == nil {
		return copiesOfGit(cmd.Context(), o.history, "robots.txt")
	}
	return copiesOfDir(o.history)
}

// presentCopy reads a robots.txt, which counts from when it is said to have been in force, or else presumably from when it was
// written.
func presentCopy(cmd *cobra.Command, o options) ([]audit.Copy, error) {
	if strings.Contains(o.robots, "://") {
		return nil, cli.UsageError("curl -o robots.txt "+say.Argument(o.robots)+", then --robots robots.txt",
			"--robots names a file; audit fetches nothing")
	}
	body, err := cli.ReadInput(cmd, o.robots, 2*robots.MaxBytes)
	if err != nil {
		return nil, err
	}
	c := audit.Copy{Name: o.robots, File: robots.Parse(body, robots.RFC9309), Size: int64(len(body))}
	if o.robotsSince != "" {
		c.From, err = cli.Moment("robots-since", o.robotsSince, time.Now(), time.UTC)
		return []audit.Copy{c}, err
	}
	c.From, c.Presumed = time.Now().UTC().Truncate(time.Second), true
	if info, err := os.Stat(o.robots); err == nil && info.Mode().IsRegular() {
		c.From = info.ModTime().UTC()
	}
	return []audit.Copy{c}, nil
}

// copiesOfGit reads the versions of a file from a git repository.
func copiesOfGit(ctx context.Context, dir, name string) ([]audit.Copy, error) {
	git := func(args ...string) ([]byte, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = errors.New(strings.TrimSpace(string(failed.Stderr)))
		}
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("read history of %s with git: %w", filepath.Join(dir, name), err),
				"--history is a directory of copies named by time, the directory of a crawl, or a robots.txt in a git repository")
		}
		return out, nil
	}
	list, err := git("log", "--no-show-signature", "--format=%H %ct", "--", name)
	if err != nil {
		return nil, err
	}
	var copies []audit.Copy
	for line := range strings.Lines(string(list)) {
		commit, seconds, _ := strings.Cut(strings.TrimSpace(line), " ")
		at, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read history with git: %q is no time", seconds)
		}
		c := audit.Copy{Name: name + "@" + commit[:min(len(commit), 12)], From: time.Unix(at, 0).UTC()}
		if there, err := git("ls-tree", "--name-only", commit, "--", name); err != nil {
			return nil, err
		} else if len(there) > 0 { // otherwise it was taken away
			body, err := git("show", commit+":./"+name)
			if err != nil {
				return nil, err
			}
			c.File, c.Size = robots.Parse(body, robots.RFC9309), int64(len(body))
		}
		copies = append(copies, c)
	}
	if len(copies) == 0 {
		return nil, cli.UsageError("commit it, or give it as --robots", "git knows no version of %s", filepath.Join(dir, name))
	}
	return copies, nil
}

// copyLayouts are how the time from which a copy was served may be written in its name.
var copyLayouts = []string{"2006-01-02", "2006-01-02T1504Z", "2006-01-02T150405Z", "20060102T150405Z", "20060102", time.RFC3339}

// copiesOfDir reads a directory of files that are named by time, and of such directories that are named by hosts.
func copiesOfDir(dir string) ([]audit.Copy, error) {
	copies, err := copiesIn(dir, "")
	if err == nil && len(copies) == 0 {
		err = cli.UsageError("", "%s: there is no copy of robots.txt", dir)
	}
	return copies, err
}

// copiesIn reads the copies in a directory that host served; with "" it is not said who did, and each folder in it is named so.
func copiesIn(dir, host string) (copies []audit.Copy, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	for _, e := range entries {
		var more []audit.Copy
		switch name := filepath.Join(dir, e.Name()); {
		case strings.HasPrefix(e.Name(), "."), e.IsDir() && host != "":
			continue
		case e.IsDir():
			more, err = copiesIn(name, strings.ToLower(e.Name()))
		default:
			more = make([]audit.Copy, 1)
			more[0], err = copyOfFile(name, host)
		}
		if err != nil {
			return nil, err
		}
		copies = append(copies, more...)
	}
	return copies, nil
}

// copyOfFile reads a copy. One whose name ends with .closed says that robots.txt could not be had then.
func copyOfFile(name, host string) (c audit.Copy, err error) {
	base := filepath.Base(name)
	c = audit.Copy{Host: host, Name: base}
	if host != "" {
		c.Name = host + "/" + base
	}
	if c.From, err = copyTime(base); err != nil {
		return c, err
	}
	if c.Closed = strings.HasSuffix(base, ".closed"); c.Closed {
		return c, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return c, fmt.Errorf("read history: %w", err)
	}
	c.File, c.Size = robots.Parse(body, robots.RFC9309), int64(len(body))
	return c, nil
}

func copyTime(name string) (time.Time, error) {
	text, _, _ := strings.Cut(name, ".")
	for _, layout := range copyLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, cli.UsageError("name it by the time from which it was served, as in 2026-03-01.txt or 2026-03-01T1200Z.txt",
		"history: %s names no time", name)
}

// copiesOfJob reads from the ledger of a crawl when it got which robots.txt from which host.
func copiesOfJob(dir string) ([]audit.Copy, error) {
	bodies := robots.DirBodies(filepath.Join(dir, job.RobotsDir))
	var copies []audit.Copy
	looked := map[string]time.Time{} // at an origin before: what is found now may have been there since
	fetches := ledger.ReadOptions{Types: []ledger.Type{ledger.Request}, Purposes: []string{"robots"}}
	for r, err := range ledger.Read(filepath.Join(dir, job.LedgerDir), fetches) {
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		_, host, _ := strings.Cut(r.Origin, "://")
		c := audit.Copy{Host: strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443"), From: r.Start,
			Earliest: looked[r.Origin], Name: r.Origin + "/robots.txt"}
		switch robots.Outcome(r.Outcome) {
		case robots.Found:
			body, err := bodies.Get(r.Digest)
			if err != nil {
				return nil, fmt.Errorf("read history: robots.txt of %s: %w", r.Origin, err)
			}
			c.File, c.Size = robots.Parse(body, robots.RFC9309), int64(len(body))
		case robots.Unavailable:
		default:
			if c.Closed = r.Status >= 500; !c.Closed {
				continue // a time-out, which may have been ours only, or on the way to where a redirect leads
			}
		}
		looked[r.Origin] = r.Start
		copies = append(copies, c)
	}
	return copies, nil
}
