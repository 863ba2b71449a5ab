package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
)

// newServeCommand returns the command demo serve.
func newServeCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the web of the demo, for those who write robots",
		Long: `Serves the sites of the demo on loopback until it is interrupted, so that any robot can be tried on them. It
writes an access log, and each robots.txt as it was served over time, from which audit makes the marks of the robot:
what it asked for that was closed to it, whether it asked for robots.txt, and whether it kept the Crawl-delay.

--dir gets access.log and the directory robots. Both are begun anew.

Exit codes:
  0    it was interrupted
  1    error
  2    wrong usage, or --dir has an access.log that is none of the demo
`,
		Example: `  cybermapper demo serve --dir /tmp/web &
  wget --recursive --execute robots=off http://127.19.94.1:8094/
  cybermapper audit --history /tmp/web/robots /tmp/web/access.log
  cybermapper audit --history /tmp/web/robots --follow /tmp/web/access.log   # while it crawls`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), dir, cmd.OutOrStdout()) },
	}
	cmd.Flags().StringVar(&dir, "dir", "cybermapper-web", "directory for the access log and the copies of robots.txt")
	return cmd
}

// serve serves the sites until ctx is done.
func serve(ctx context.Context, dir string, w io.Writer) (err error) {
	n, err := newNotes(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.log.Close()) }()
	failed := make(chan error, 1)
	web, err := demosite.StartNoting(func(h demosite.Hit) {
		if err := n.add(h); err != nil {
			select {
			case failed <- err:
			default:
			}
		}
	})
	if err != nil {
		return fmt.Errorf("start the sites of the demo: %w", err)
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	if err := n.addSites(web.Sites); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d sites for robots:\n\n", len(web.Sites))
	for _, s := range web.Sites {
		fmt.Fprintf(w, "  %-30s %s: %s\n", s.URL, s.Name, s.About)
	}
	fmt.Fprintf(w, "\nThe marks of a robot that visits them:\n\n  %s audit --history %s %s\n\nCtrl-C ends this.\n",
		ownName(), filepath.Join(dir, robotsDir), filepath.Join(dir, logName))
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return fmt.Errorf("write what was asked for: %w", err)
	}
}

// Names in the directory of demo serve.
const (
	logName   = "access.log"
	robotsDir = "robots"
	marker    = ".cybermapper-web" // says that the directory is ours
)

// notes are what is written of the requests.
type notes struct {
	dir    string
	log    *os.File
	robots map[string][]byte // as last served, by host
}

// newNotes makes the directory, and begins the log.
func newNotes(dir string) (*notes, error) {
	own := filepath.Join(dir, marker)
	if _, err := os.Stat(filepath.Join(dir, logName)); err == nil {
		if _, err := os.Stat(own); err != nil {
			return nil, cli.UsageError("give another directory", "--dir %s has an %s that is not of the demo", dir, logName)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the directory: %w", err)
	}
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		return nil, fmt.Errorf("make the directory: %w", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, robotsDir)); err != nil {
		return nil, fmt.Errorf("remove old copies of robots.txt: %w", err)
	}
	log, err := os.Create(filepath.Join(dir, logName))
	if err != nil {
		return nil, fmt.Errorf("begin the access log: %w", err)
	}
	return &notes{dir: dir, log: log, robots: map[string][]byte{}}, nil
}

// addSites notes what each site asks of robots in the beginning.
func (n *notes) addSites(sites []*demosite.Site) error {
	now := time.Now()
	for _, s := range sites {
		if s.Robots == "" && !s.IsDown() {
			continue
		}
		if err := n.addCopy(s, []byte(s.Robots), now); err != nil {
			return err
		}
	}
	return nil
}

// add notes a request.
func (n *notes) add(h demosite.Hit) error {
	if h.Status == 200 && len(h.Robots) > 0 {
		if err := n.addCopy(h.Site, h.Robots, h.Start); err != nil {
			return err
		}
	}
	_, err := n.log.WriteString(h.LogLine())
	return err
}

// addCopy notes a robots.txt from a moment on, unless it is the same as before. That of a site that is down is empty.
func (n *notes) addCopy(s *demosite.Site, body []byte, from time.Time) error {
	host := s.Host()
	before, ok := n.robots[host]
	if ok && bytes.Equal(before, body) {
		return nil
	}
	n.robots[host] = bytes.Clone(body)
	dir := filepath.Join(n.dir, robotsDir, host)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	end := ".txt"
	if s.IsDown() {
		end = ".closed"
	}
	return os.WriteFile(filepath.Join(dir, from.UTC().Format("2006-01-02T150405Z")+end), body, 0o644)
}
