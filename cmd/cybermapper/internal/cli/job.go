package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// LookAt opens the job in dir to look at it.
func LookAt(dir string) (*job.View, error) {
	v, err := job.Look(dir)
	switch {
	case errors.Is(err, job.ErrDamaged): // also when it is a file of the queue that does not exist
		err = &Error{Code: ExitDisk, Err: err,
			Hint: "cybermapper repair --job " + say.Argument(dir) + " puts it in order, without a request"}
	case errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*job.MissingError)):
		return nil, UsageError("--job DIR names the directory of a crawl", "there is no job in %s", dir)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, job.ErrNotRegular), errors.Is(err, job.ErrNoJob),
		errors.Is(err, job.ErrNewer):
		err = JobError(err)
	case job.IsOfSystem(err):
		err = DiskError(err)
	}
	return v, err
}

// WarnNoPages says so if the job in dir keeps no pages, for a command that tells what they say.
func WarnNoPages(dir string, w io.Writer) {
	if _, err := job.KindOf(dir); err != nil {
		return
	}
	c, err := config.Read(filepath.Join(dir, job.ConfigFile))
	if err == nil && !c.Storage.Pages {
		fmt.Fprintln(w, "cybermapper: warning: what pages say is missing: --pages=false kept none in the last run")
	}
}

// JobFlag declares --job for a command that looks at a job.
func JobFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVarP(dir, "job", "o", "cybermapper-job", "directory of the crawl")
}

// JobsFlag declares --job for a command that looks at one job or at several that are one crawl.
func JobsFlag(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().StringArrayVarP(dirs, "job", "o", []string{"cybermapper-job"},
		"directory of the crawl, or one that holds several; may be repeated")
}

// Jobs returns the jobs that --job names or that lie in what it names.
func Jobs(dirs []string) ([]string, error) {
	found, err := job.Find(dirs)
	if errors.Is(err, job.ErrTwice) {
		err = UsageError("name each job once", "%w", err)
	}
	return found, err
}

// EachJob lets visit look at one job after another, and goes on when one of them cannot be looked at: the errors, which then name
// the job, come last.
func EachJob(dirs []string, visit func(*job.View) error) error {
	var errs []error
	for _, dir := range dirs {
		v, err := LookAt(dir)
		if err == nil {
			err = errors.Join(visit(v), v.Close())
		}
		if err != nil && len(dirs) > 1 {
			err = inJob(dir, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// inJob says which of several jobs an error is about, unless it says so itself.
func inJob(dir string, err error) error {
	if err == nil || wordsOf(err) == nil || strings.Contains(err.Error(), dir) {
		return err
	}
	return &Error{Code: CodeOf(err), Err: fmt.Errorf("%s: %w", dir, err), Hint: hintOf(err)}
}
