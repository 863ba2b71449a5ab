package archivecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// NewCommand returns the command archive with all of its family.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Check, index, list, take apart and pack web archives (WARC, WACZ)",
		Long: `Works on WARC files, plain or compressed by gzip or zstd, whoever wrote them, on
all that lie in a directory, and on those of a job that was crawled with --warc.
`,
		Example: `  cybermapper archive check --job JOB
  cybermapper archive index a.warc.gz b.warc.gz > index.cdxj
  cybermapper archive list a.warc.gz
  cybermapper archive extract a.warc.gz --url https://example.org/ > page.html
  cybermapper archive wacz --job JOB site.wacz`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newCheckCommand(), newIndexCommand(), newListCommand(), newExtractCommand(), newWACZCommand())
	return cmd
}

// fileFlags declares --job for a command that works on the archives of jobs as well as on files.
func fileFlags(cmd *cobra.Command, dirs *[]string) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(dirs, "job", nil, "directory of a crawl, whose archive is meant; may be repeated")
}

// filesOf returns the files that a command line means: those given and those in a directory that is given, or all of the jobs in
// dirs.
func filesOf(args, dirs []string) (files []string, err error) {
	switch {
	case len(dirs) == 0 && len(args) == 0:
		return nil, cli.UsageError("cybermapper archive check a.warc.gz, or --job JOB", "no WARC file is given")
	case len(dirs) == 0:
		return expanded(args)
	case len(args) > 0:
		return nil, cli.UsageError("", "either files or --job")
	}
	for _, dir := range dirs {
		found, err := filesOfJob(dir)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesOfJob returns the files of the archive of a job.
func filesOfJob(dir string) ([]string, error) {
	if _, err := job.KindOf(dir); err != nil {
		return nil, cli.JobError(err)
	}
	files, err := warcsIn(filepath.Join(dir, job.ArchiveDir))
	if err == nil && len(files) == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil, cli.WithHint(fmt.Errorf("%s has no archive that is finished", dir),
			"crawl --warc makes one; what a crawl is writing gets its name when it ends")
	}
	return files, err
}

// expanded returns names with the WARC files that lie in it in the place of each directory.
func expanded(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			files = append(files, name) // that it cannot be read is told when it is read
			continue
		}
		found, err := warcsIn(name)
		if err == nil && len(found) == 0 {
			err = fmt.Errorf("no WARC file lies in %s", name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// warcsIn returns the WARC files that lie in a directory, by name.
func warcsIn(dir string) ([]string, error) {
	files, err := warc.Files(dir)
	if err != nil {
		return nil, fmt.Errorf("list WARC files: %w", err)
	}
	for i, name := range files {
		files[i] = filepath.Join(dir, name)
	}
	return files, nil
}

// records calls visit for each record of the files, which passes over what it does not read if skim, until ctx is done. Damage is
// told to w and counted.
func records(
	ctx context.Context, files []string, skim bool, w io.Writer, visit func(rec *warc.Record) error,
) (damaged int, err error) {
	for _, name := range files {
		n, err := recordsOf(ctx, name, skim, w, visit)
		damaged += n
		if err != nil {
			return damaged, err
		}
	}
	return damaged, nil
}

func recordsOf(
	ctx context.Context, name string, skim bool, w io.Writer, visit func(rec *warc.Record) error,
) (damaged int, err error) {
	shared := false
	r, err := warc.OpenFile(name)
	if err == nil {
		defer r.Close()
		r.Until(ctx)
		if skim {
			r.Skim()
		}
	}
	for err == nil || isDamage(err) {
		if err != nil {
			if again := shared && errors.Is(err, warc.ErrShared); !again {
				damaged++
				fmt.Fprintf(w, "cybermapper: warning: skipped: %v\n", err)
			}
			shared = shared || errors.Is(err, warc.ErrShared)
		}
		if r == nil {
			return damaged, nil
		}
		if ctx.Err() != nil {
			return damaged, ctx.Err()
		}
		var rec *warc.Record
		if rec, err = r.Next(); err == nil {
			err = visit(rec)
		}
	}
	if errors.Is(err, io.EOF) {
		return damaged, nil
	}
	return damaged, err
}

func isDamage(err error) bool {
	return errors.As(err, new(*warc.FormatError))
}

// damagedError says that something was skipped, of which each place has been told.
func damagedError(w io.Writer, n int) error {
	if n == 0 {
		return nil
	}
	fmt.Fprintf(w, "cybermapper: skipped damage in %s; all else was read\n", say.Plural(int64(n), "place"))
	return &cli.Error{Code: cli.ExitFailure, Hint: "cybermapper archive check tells all that is wrong with a file"}
}

// damageHelp ends the help of commands that go on behind damage.
const damageHelp = `
Exit codes:
  0    done
  1    done, but something was damaged and skipped; stderr says where
  2    error
  4    disk full
`
