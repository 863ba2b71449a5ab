package exportcmd

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// NewCommand returns the command export with all of its family.
func NewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write links, pages, a database or a browsable copy of a crawl",
		Long: `Reads a job and writes what it holds in forms that other programs read. The job
is not changed (but for graph.db, which graph makes), and may be one that is
running; then what is there so far is written.

Parquet is not among the forms: the library for it would make this program 15 MB
larger. DuckDB makes it of any of the others:

  cybermapper export pages --job JOB > pages.jsonl
  duckdb -c "copy (from 'pages.jsonl') to 'pages.parquet'"
`,
		Example: `  cybermapper export links --job JOB --format csv > links.csv
  cybermapper export pages --job JOB --text > pages.jsonl
  cybermapper export graph --job JOB > site.gexf
  cybermapper export sqlite --job JOB crawl.db
  cybermapper export site --job JOB copy/`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newLinksCommand(), newDeadLinksCommand(), newPagesCommand(), newGraphCommand(), newSQLiteCommand(),
		newSiteCommand())
	return cmd
}

// timeForm is RFC 3339 in UTC, to the microsecond: what DuckDB, pandas and SQLite take for a time.
const timeForm = "2006-01-02T15:04:05.000000Z"

// stamp writes a time; nothing for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeForm)
}

// buffered calls f with a buffer before w.
func buffered(w io.Writer, f func(*bufio.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	return errors.Join(f(b), b.Flush())
}
