package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// leavePage makes the page of a run whose stores are closed: whoever does not want to wait for it can stop the program and loses
// nothing else. That it cannot be made is no failure of the crawl.
func (p *Session) leavePage(ctx context.Context, r *progress.Report) {
	ctx, cancel := afterRun(ctx, r.End, reportTime)
	defer cancel()
	var err error
	if p.Page, err = writePage(ctx, p.Dir, r); errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(p.Screen, "cybermapper: the report would take longer: cybermapper report --job %s\n", say.Argument(p.Dir))
	} else if err != nil {
		fmt.Fprintf(p.Screen, "cybermapper: warning: %v\n", err)
	} else if !p.Quiet {
		fmt.Fprintf(p.Screen, "cybermapper: report: %s\n", p.Page)
	}
}

// writePage leaves the report of a run that has ended in the job, and returns where. What it finds out on the way about twins it
// notes in status.
func writePage(ctx context.Context, dir string, status *progress.Report) (string, error) {
	name := filepath.Join(dir, job.PageFile)
	f, err := report.Gather(ctx, dir, status, report.Options{})
	var b bytes.Buffer
	if err == nil {
		for _, t := range f.Stored.Twins.Rows {
			status.Twins = append(status.Twins,
				progress.Twin{Origin: t.Name, Of: t.Group, Pages: t.Count, Sample: t.Sample, Setting: t.Rule})
		}
		err = report.WriteHTML(&b, f, ".")
	}
	if err == nil {
		err = job.WriteDerived(name, b.Bytes())
	}
	if err != nil {
		return "", fmt.Errorf("make %s: %w", name, err)
	}
	return name, nil
}
