package graph

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

//go:embed schema.sql
var schema string

//go:embed indexes.sql
var indexes string

// What tells such a file from other databases, and its version from others.
const (
	applicationID = 0x434d4752 // "CMGR"
	version       = 5
)

// Errors of this package.
var (
	// ErrUnusable says that the file must be made again: it is damaged, of another version, or of another job. To View it is also
	// one whose Sync has read many pages and was not finished; the next one does that.
	ErrUnusable = errors.New("graph: to be made again")
	// ErrConflict says that another process brings it up to date.
	ErrConflict = errors.New("graph: another process brings it up to date")
)

// A Graph is open. Reading it is safe for concurrent use; Sync is not.
type Graph struct {
	dir   string // of the job
	db    *sql.DB
	apart string // directory of the file when it is not that of the job, removed by Close
}

// File returns where the graph of the job in dir lies.
func File(dir string) string { return filepath.Join(dir, job.GraphFile) }

// Open opens the graph of the job in dir, to bring it up to date. One that is unusable is made anew, empty. Where nothing may be
// written, the error says so in the words of the system.
func Open(ctx context.Context, dir string) (*Graph, error) {
	f, err := os.OpenFile(File(dir), os.O_RDWR|os.O_CREATE, 0o666) // the database's own error would not tell why
	if err == nil {
		err = f.Close() // before the database has locks, which that would give up
	}
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	g, err := open(ctx, dir, File(dir), toWrite()...)
	if errors.Is(err, ErrUnusable) {
		if err := Remove(dir); err != nil {
			return nil, err
		}
		return Open(ctx, dir)
	}
	return g, err
}

// OpenApart makes a graph of the job in dir that lies elsewhere, and is gone when it is closed: of a job that nothing may be
// written into.
func OpenApart(ctx context.Context, dir string) (*Graph, error) {
	apart, err := os.MkdirTemp("", "cybermapper-graph-*")
	if err != nil {
		return nil, fmt.Errorf("make a directory for temporary files, as TMPDIR says: %w", err)
	}
	g, err := open(ctx, dir, File(apart), toWrite()...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(apart))
	}
	g.apart = apart
	return g, nil
}

// toWrite returns the parameters of a database that is brought up to date.
func toWrite() []string {
	return []string{"_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)",
		cli.CacheSize(16<<20, cli.MaxMemory()), "_pragma=temp_store(file)"}
}

// View opens the graph of the job in dir to look at it. The errors are fs.ErrNotExist, ErrUnusable, or what the file system says.
func View(ctx context.Context, dir string) (*Graph, error) {
	if _, err := os.Stat(File(dir)); err != nil {
		return nil, err
	}
	g, err := open(ctx, dir, File(dir), toRead()...)
	if err != nil && !errors.Is(err, ErrUnusable) { // where nothing can be written there is no place for locks
		return open(ctx, dir, File(dir), slices.Concat(toRead(), []string{"immutable=1"})...)
	}
	return g, err
}

// toRead returns the parameters of a database that is looked at.
func toRead() []string {
	return []string{"mode=ro", "_pragma=query_only(1)", cli.CacheSize(8<<20, cli.MaxMemory()), "_pragma=temp_store(file)"}
}

// Remove removes the graph of the job in dir, if there is one.
func Remove(dir string) error {
	var errs []error
	for _, end := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(File(dir) + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Discard removes the graph of the job in dir if err, of whatever was asked of it, says that it is damaged: the next Open makes it
// anew. The error then is ErrUnusable too.
func Discard(dir string, err error) error {
	if !isDamaged(err) || errors.Is(err, ErrUnusable) {
		return err
	}
	return errors.Join(fmt.Errorf("%w: it was damaged, and is gone: %w", ErrUnusable, err), Remove(dir))
}

// isDamaged reports whether an error says that a file is not what was written.
func isDamaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_NOTADB || e.Code()&0xff == sqlite3.SQLITE_CORRUPT)
}

func open(ctx context.Context, dir, file string, parameters ...string) (*Graph, error) {
	db, err := sqlfile.Open(file, 4, parameters...)
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	g := &Graph{dir: dir, db: db}
	if err := g.prepare(ctx, parameters[0] != "mode=ro"); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), g.db.Close())
	}
	return g, nil
}

// prepare makes the tables of an empty file, and looks whether those of another are ours.
func (g *Graph) prepare(ctx context.Context, mayMake bool) error {
	var tables, made, id, found int
	err := g.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sqlite_schema),
		(SELECT count(*) FROM sqlite_schema WHERE `+isIndex+`),
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version)`).Scan(&tables, &made, &id, &found)
	switch {
	case isDamaged(err):
		return fmt.Errorf("%w: %w", ErrUnusable, err)
	case err != nil:
		return err
	case tables == 0 && mayMake:
		return g.change(ctx, func(tx *sql.Tx) error {
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables > 0 {
				return err
			}
			_, err := tx.ExecContext(ctx, fmt.Sprintf("%s; %s; PRAGMA application_id = %d; PRAGMA user_version = %d", schema,
				indexes, applicationID, version))
			return err
		})
	case id != applicationID || found != version:
		return fmt.Errorf("%w: format %d, now %d", ErrUnusable, found, version)
	case made == 0 && !mayMake:
		return fmt.Errorf("%w: it was not finished", ErrUnusable)
	}
	return nil
}

// Close closes the graph.
func (g *Graph) Close() error {
	err := g.db.Close()
	if g.apart != "" {
		err = errors.Join(err, os.RemoveAll(g.apart))
	}
	return err
}

// change lets f change the graph as a whole or not at all.
func (g *Graph) change(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := g.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return sqlfile.Cause(ctx, errors.Join(err, tx.Rollback()))
	}
	return sqlfile.Cause(ctx, tx.Commit())
}

// idOf is the name of a URL in the tables; 0 for none.
func idOf(url string) int64 {
	if url == "" {
		return 0
	}
	return int64(xxhash.Sum64String(url))
}

// HostOf returns the host of a URL, with its port if it has one.
func HostOf(raw string) string {
	_, rest, _ := strings.Cut(raw, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}
