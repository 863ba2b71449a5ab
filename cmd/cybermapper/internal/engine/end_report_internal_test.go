package engine

import (
	"os"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

// Ensure that a run whose report cannot be written ends as one with a disk in trouble.
func TestRun_WriteReport(t *testing.T) {
	for _, name := range []string{job.ReportFile, job.StatusFile} {
		j, err := job.Open(t.TempDir(), job.Crawl)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(j.Path(name), 0o700); err != nil {
			t.Fatal(err)
		}
		told := &progress.Report{}
		told.Total.Pages = 1
		err = (&run{Session: &Session{}, job: j, stores: &stores{}}).writeReport(t.Context(), told)
		if cli.CodeOf(err) != cli.ExitDisk {
			t.Errorf("%s: exit code %d of %v, want %d", name, cli.CodeOf(err), err, cli.ExitDisk)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}
