package explain

import (
	"fmt"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

// optedOut says that a site is left alone because somebody asked for it, from what the job has written down; empty when it is
// not. An opt-out of an address shows in what was refused.
func optedOut(v *job.View, site string) (string, error) {
	list, _, err := job.OptOuts(v.Path(job.OptOutFile))
	if err != nil {
		return "", err
	}
	entry, out := list.Host(hostOf(site))
	if !out {
		return "", nil
	}
	return fmt.Sprintf("it is left alone: the owner asked us to stay away (opted-out): %s, in %s", entry, job.OptOutFile), nil
}
