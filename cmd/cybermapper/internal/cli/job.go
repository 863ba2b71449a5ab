package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

// LookAt opens the job in dir to look at it.
func LookAt(dir string) (*job.View, error) {
	v, err := job.Look(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, WithHint(fmt.Errorf("there is no job in %s", dir), "--job DIR names the directory of a crawl")
	}
	if errors.Is(err, job.ErrDamaged) {
		err = &Error{Code: ExitDisk, Err: err, Hint: "cybermapper repair --job " + dir + " puts it in order, without a request"}
	}
	if errors.Is(err, job.ErrNotRegular) {
		err = JobError(err)
	}
	return v, err
}

// JobFlag declares --job for a command that looks at a job.
func JobFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVarP(dir, "job", "o", "cybermapper-job", "directory of the crawl")
}
