package exportcmd

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// schema says what is in the database.
//
//go:embed schema.sql
var schema string

// indexes are made when all rows are there.
const indexes = `
CREATE INDEX pages_final_url ON pages (final_url); CREATE INDEX pages_digest ON pages (digest);
CREATE INDEX pages_host ON pages (host);
CREATE INDEX links_target ON links (target); CREATE INDEX links_page ON links (page);
CREATE INDEX requests_url ON requests (url); CREATE INDEX requests_host ON requests (host);
CREATE INDEX refusals_url ON refusals (url); CREATE INDEX refusals_reason ON refusals (gate, reason);
ANALYZE;`

// batch is how many rows are written at once.
const batch = 5000

func newSQLiteCommand() *cobra.Command {
	var dir string
	var text, printSchema bool
	cmd := &cobra.Command{
		Use:   "sqlite FILE",
		Short: "Write pages, links, requests and refusals into a SQLite database",
		Long: `Writes a database that sqlite3, Datasette, DuckDB and pandas open: the tables
pages, links, requests and refusals, and views for what is asked most: hosts,
latest (pages has a row for each version), dead_links, redirects, duplicates,
refused, external_links. --schema prints all of them with what each column
means.

FILE is replaced if there is one, when the new one is whole. What is no export
of a crawl is not replaced.

Exit codes:
  0    done
  1    error
  2    wrong usage, or there is no job
  4    disk full
`,
		Example: `  cybermapper export sqlite --job JOB crawl.db
  sqlite3 -header crawl.db 'SELECT * FROM dead_links LIMIT 10'
  cybermapper export sqlite --schema`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 && !printSchema {
				return cli.UsageError("cybermapper export sqlite --job JOB crawl.db", "one FILE to write is needed")
			}
			if len(args) == 1 && args[0] == "-" {
				return cli.UsageError("name a file", "a database is no stream, and cannot go to standard output")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if printSchema {
				_, err := io.WriteString(cmd.OutOrStdout(), schema)
				return err
			}
			return exportSQLite(cmd.Context(), dir, args[0], text, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.JobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&text, "text", false, "the visible text of pages, too")
	cmd.Flags().BoolVar(&printSchema, "schema", false, "print the tables and views, and do nothing")
	return cmd
}

func exportSQLite(ctx context.Context, dir, name string, text bool, w, warnings io.Writer) error {
	s, err := openSource(dir, warnings)
	if err != nil {
		return err
	}
	if err := mayReplace(ctx, name); err != nil {
		return err
	}
	x := database{source: s, text: text}
	if err := job.Replace(name, func(f *os.File) error { return x.write(ctx, f.Name()) }); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	fmt.Fprintf(w, "%s: %s, %s, %s, %s\n", name, say.Plural(x.pages, "page"), say.Plural(x.links, "link"),
		say.Plural(x.requests, "request"), say.Plural(x.refusals, "refusal"))
	return nil
}

// tables are those by which an export is known.
const tables = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('pages', 'links', 'requests', 'refusals')`

// mayReplace refuses a file that holds something, but no export: it is named by mistake, and may be one of the job.
func mayReplace(ctx context.Context, name string) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // job.Replace tells what is wrong, if anything is
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	f.Close()
	db, err := sqlfile.Open(name, 1, "mode=ro", "immutable=1")
	if err != nil {
		return err
	}
	defer db.Close()
	var found int
	if err := db.QueryRowContext(ctx, tables).Scan(&found); err != nil || found < 4 {
		return cmp.Or(ctx.Err(), cli.UsageError("choose a new one", "%s is there, and is no export of a crawl", name))
	}
	return nil
}

// openDatabase opens a database file that nobody else uses.
func openDatabase(name string) (*sql.DB, error) {
	return sqlfile.Open(name, 1, "_pragma=journal_mode(off)", "_pragma=synchronous(off)", "_pragma=temp_store(file)",
		cli.CacheSize(16<<20, cli.MaxMemory()))
}

// A database is one that is being written.
type database struct {
	source *source
	text   bool
	db     *sql.DB

	pages, links, requests, refusals int64
}

func (x *database) write(ctx context.Context, name string) (err error) {
	if x.db, err = openDatabase(name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.db.Close()) }()
	if _, err := x.db.ExecContext(ctx, schema); err != nil {
		return err
	}
	for key, value := range map[string]string{
		"format": "1", "program": "cybermapper/" + cli.ReadBuild().Version, "job": x.source.dir, "exported": stamp(time.Now()),
	} {
		if _, err := x.db.ExecContext(ctx, "INSERT INTO meta VALUES (?, ?)", key, value); err != nil {
			return err
		}
	}
	if err := x.writePages(ctx); err != nil {
		return err
	}
	if err := x.writeLedger(ctx); err != nil {
		return err
	}
	_, err = x.db.ExecContext(ctx, indexes)
	return err
}

// writePages writes pages and their links.
func (x *database) writePages(ctx context.Context) (err error) {
	rows := &rows{db: x.db}
	defer func() { err = errors.Join(err, rows.end()) }()
	for l, err := range x.source.lines(ctx) {
		if err != nil {
			return err
		}
		body, err := x.source.body(l)
		if err != nil {
			return err
		}
		var text string
		if x.text && isHTML(l) {
			if text, err = x.source.text(ctx, l, body); err != nil {
				return err
			}
		}
		x.pages++
		if err := rows.insert(ctx, "pages", pageRow(x.pages, l, text)...); err != nil {
			return err
		}
		if !l.IsPage() {
			continue
		}
		links, err := x.source.links(ctx, l, body)
		if err != nil {
			return err
		}
		for _, k := range links {
			x.links++
			err := rows.insert(ctx, "links", x.pages, k.From, k.To, k.Kind, null(k.Rel), k.Follow, null(k.Text), k.Place)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func pageRow(id int64, l pages.Line, text string) []any {
	return []any{
		id, null(string(l.Kind)), l.URL, l.FinalURL, graph.HostOf(l.FinalURL), l.File, stamp(l.Fetched), l.Status,
		null(l.Type), null(l.Charset), l.Bytes, string(l.Digest),
		null(l.Title), null(l.Description), null(l.Lang), l.Depth, null(l.Via), null(l.Canonical), null(l.SameAs), null(l.Near),
		null(stamp(l.LastMod)), null(l.Truncated), null(string(l.Robots.Digest)), null(l.Robots.Line), null(l.Robots.Rule),
		asJSON(l.Directives), asJSON(l.Header), null(text),
	}
}

// writeLedger writes requests and refusals.
func (x *database) writeLedger(ctx context.Context) (err error) {
	rows := &rows{db: x.db}
	defer func() { err = errors.Join(err, rows.end()) }()
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Refusal}}
	for r, err := range ledger.Read(x.source.path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if r.Type == ledger.Refusal {
			x.refusals++
			err = rows.insert(ctx, "refusals", int64(r.Seq), r.URL, null(r.Via), stamp(r.Time), r.Gate, r.Reason, null(r.Rule),
				null(r.Line), null(r.Digest))
		} else {
			x.requests++
			err = rows.insert(ctx, "requests", int64(r.Seq), r.URL, graph.HostOf(r.URL), r.Purpose, stamp(r.Start),
				time.Duration(r.Took).Seconds()*1e3, null(r.Status), r.Bytes, null(r.Location), null(r.Error), null(r.ErrorText),
				null(r.Truncated), null(r.RobotsDigest), null(r.RobotsLine), null(r.RobotsRule))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rows writes rows, many in one transaction.
type rows struct {
	db         *sql.DB
	tx         *sql.Tx
	statements map[string]*sql.Stmt // by their text
	n          int
}

// insert adds a row to a table.
func (r *rows) insert(ctx context.Context, table string, values ...any) error {
	marks := strings.TrimSuffix(strings.Repeat("?,", len(values)), ",")
	return r.exec(ctx, "INSERT OR REPLACE INTO "+table+" VALUES ("+marks+")", values...)
}

// exec changes rows by a statement.
func (r *rows) exec(ctx context.Context, statement string, values ...any) (err error) {
	if r.tx == nil {
		if r.tx, err = r.db.BeginTx(ctx, nil); err != nil {
			return err
		}
		r.statements = map[string]*sql.Stmt{}
	}
	brief, err := sqlfile.Brief(ctx)
	if err != nil {
		return err
	}
	s := r.statements[statement]
	if s == nil {
		if s, err = r.tx.PrepareContext(ctx, statement); err != nil {
			return err
		}
		r.statements[statement] = s
	}
	if _, err := s.ExecContext(brief, values...); err != nil {
		return err
	}
	if r.n++; r.n%batch == 0 {
		return r.end()
	}
	return nil
}

// end makes what was inserted last permanent.
func (r *rows) end() error {
	if r.tx == nil {
		return nil
	}
	tx := r.tx
	r.tx = nil
	err := tx.Commit()
	if errors.Is(err, sql.ErrTxDone) {
		return context.Canceled // then it has ended by itself
	}
	return err
}

// null returns a value, or nil for the zero value, which is not known.
func null[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// asJSON returns a list or an object as JSON text, nil for an empty one.
func asJSON[T []string | map[string][]string](v T) any {
	if len(v) == 0 {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil // texts can always be written
	}
	return string(b)
}
