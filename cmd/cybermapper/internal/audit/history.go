package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
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
		body, err := cli.ReadInput(cmd, o.robots, 2*robots.MaxBytes)
		if err != nil {
			return nil, err
		}
		return []audit.Copy{{Name: o.robots, File: robots.Parse(body, robots.RFC9309)}}, nil
	case o.history == "":
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(o.history, job.LedgerDir)); err == nil {
		return copiesOfJob(o.history)
	}
	return copiesOfDir(o.history)
}

// copyLayouts are how the time from which a copy was served may be written in its name.
var copyLayouts = []string{"2006-01-02", "2006-01-02T1504Z", "2006-01-02T150405Z", "20060102T150405Z", "20060102", time.RFC3339}

// copiesOfDir reads a directory of files that are named by time.
func copiesOfDir(dir string) ([]audit.Copy, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	var copies []audit.Copy
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		c := audit.Copy{Name: e.Name()}
		if c.From, err = copyTime(e.Name()); err != nil {
			return nil, err
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		c.File = robots.Parse(body, robots.RFC9309)
		copies = append(copies, c)
	}
	if len(copies) == 0 {
		return nil, cli.UsageError("", "%s: there is no copy of robots.txt", dir)
	}
	return copies, nil
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
	match := func(line []byte) bool { return bytes.Contains(line, []byte(`"purpose":"robots"`)) }
	for r, err := range ledger.Read(filepath.Join(dir, job.LedgerDir), ledger.ReadOptions{Match: match}) {
		if err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
		_, host, _ := strings.Cut(r.Origin, "://")
		c := audit.Copy{Host: strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443"), From: r.Start, Name: r.Origin + "/robots.txt"}
		switch robots.Outcome(r.Outcome) {
		case robots.Found:
			body, err := bodies.Get(r.Digest)
			if err != nil {
				return nil, fmt.Errorf("read history: robots.txt of %s: %w", r.Origin, err)
			}
			c.File = robots.Parse(body, robots.RFC9309)
		case robots.Unavailable:
		default:
			if c.Closed = r.Status >= 500; !c.Closed {
				continue // a time-out, which may have been ours only, or on the way to where a redirect leads
			}
		}
		copies = append(copies, c)
	}
	return copies, nil
}
