package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

func newJobsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "jobs [DIR...]",
		Short: "List jobs and how each stands",
		Long: `Lists the jobs that lie in each DIR, or the job that DIR is; without DIR, those in
the working directory. A line is what the job last said of itself, with no look
into its queue, so that hundreds take no time; status tells more of one.

Exit codes:
  0    done
  1    error
  2    wrong usage
`,
		Example: "  cybermapper jobs\n  cybermapper jobs /var/lib/cybermapper --json | jq 'select(.state == \"killed\").job'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return listJobs(cmd.OutOrStdout(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per job")
	return cmd
}

// A jobLine is what jobs says of one job.
type jobLine struct {
	Job   string     `json:"job"`
	Kind  job.Kind   `json:"kind,omitempty"`
	State string     `json:"state"`           // new, running, ended or killed
	Why   string     `json:"why,omitempty"`   // why it ended, and what to do
	Time  *time.Time `json:"time,omitempty"`  // when it last said something
	Pages int64      `json:"pages"`           // of all runs
	Left  int64      `json:"left"`            // queued, or to be tried again
	Error string     `json:"error,omitempty"` // why nothing more is known
}

func listJobs(w io.Writer, dirs []string, asJSON bool) error {
	found, err := findJobs(dirs)
	if err != nil {
		return err
	}
	if asJSON {
		encoder := json.NewEncoder(w)
		for _, l := range found {
			if err := encoder.Encode(l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(w, "no job here")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "JOB\tSTATE\tPAGES\tLEFT\tSINCE\tWHY")
	for _, l := range found {
		since := "-"
		if l.Time != nil {
			since = l.Time.Local().Format(time.DateTime)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n",
			say.Printable(l.Job), l.State, say.Count(l.Pages), say.Count(l.Left), since, say.Printable(l.Why+l.Error))
	}
	return table.Flush()
}

// findJobs returns the jobs that dirs are or hold, in the order of their names. What is in dirs and is no job is passed over.
func findJobs(dirs []string) ([]jobLine, error) {
	var found []jobLine
	for _, dir := range dirs {
		within, err := job.In(dir)
		if err != nil {
			return nil, err
		}
		for _, dir := range within {
			found = append(found, describeJob(dir))
		}
	}
	return found, nil
}

// describeJob says of a job what it last said of itself.
func describeJob(dir string) jobLine {
	l := jobLine{Job: dir, State: "new"}
	kind, err := job.KindOf(dir)
	if err != nil {
		l.State, l.Error = "unknown", err.Error()
		return l
	}
	l.Kind = kind
	running, err := job.InUse(dir)
	if err != nil {
		l.State, l.Error = "unknown", err.Error()
		return l
	}
	r, err := progress.Read(filepath.Join(dir, job.StatusFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		l.State, l.Error = "unknown", err.Error()
	default:
		l.State, l.Time, l.Pages, l.Left, l.Why = r.State, &r.Time, r.Total.Pages, r.Total.Queued+r.Total.Retrying, r.Error
		if r.End != "" {
			l.Why = r.EndText()
		}
		if l.State == progress.Running {
			l.State, l.Why = progress.Killed, ""
		}
	}
	if running {
		l.State, l.Why = progress.Running, ""
	}
	return l
}
