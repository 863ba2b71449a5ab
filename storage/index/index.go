package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cybermapper/cybermapper/storage/index/term"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// Errors of this package.
var (
	// ErrVersion says that another version made the index, or that it was made for another mode: it must be made again.
	ErrVersion = errors.New("index: made otherwise")
	// ErrNewer says that a later version of this program made the index.
	ErrNewer = errors.New("index: made by a newer version")
	// ErrDamaged says that the file is no index, or broken: it must be made again.
	ErrDamaged = errors.New("index: damaged")
	// ErrConflict says that another process changed the index meanwhile.
	ErrConflict = errors.New("index: changed by another process")
	// ErrLog says that the last changes are in a log beside the file, left by a writer that died, or copied with it, that cannot be
	// read here, as no file can be made: what has been taken out since would be found.
	ErrLog = errors.New("index: its log cannot be read where no file can be made")
	// ErrNothing says that a query holds nothing that can be searched for: only operators, or only what is not to be there.
	ErrNothing = errors.New("nothing to search for")
)

// A Mode says which parts of pages are searched.
type Mode string

// The modes: how robots decided what to index, as the FAQ of 1997 has it.
const (
	Words Mode = "words" // all words, weighted by the part they stand in
	Title Mode = "title" // titles only
	Lead  Mode = "lead"  // titles and first paragraphs
	Meta  Mode = "meta"  // titles, and what META elements say
)

// Modes returns all modes, the usual one first.
func Modes() []Mode { return []Mode{Words, Title, Lead, Meta} }

// Options are those of Open. The zero value means the defaults.
type Options struct {
	ReadOnly  bool          // to search only; the index must exist
	Mode      Mode          // of an index that is made; empty means Words, or that of the index if there is one
	MaxTime   time.Duration // that a query may take; default 2s
	MaxRanked int           // matches that are ranked for a query, those first put in; default 50,000
	// Memory is what an index may hold, in bytes: what the writer and the readers keep of the file, what is to be written, and what
	// Apply remembers follow from it. Default, and at most, 96 MiB; at least 4 MiB. SQLite's allocator needs up to as
	// much again. With less, changes are slower.
	Memory int64
}

// Bounds of Options.Memory, in bytes.
const (
	MaxMemory = 96 << 20
	MinMemory = 4 << 20
)

// memory returns Memory within its bounds.
func (o Options) memory() int64 { return min(max(cmp.Or(o.Memory, MaxMemory), MinMemory), MaxMemory) }

// Parts of Options.Memory.
const (
	writerPart  = 6   // that of the file which the writer keeps
	readerPart  = 12  // likewise each reader
	pendingPart = 12  // of the terms for each full-text table that are kept before they are written; it takes several times as much
	anchorPart  = 192 // entries of writer.anchors
)

// cacheSize returns the setting of what a connection keeps of the file, in bytes.
func cacheSize(bytes int64) string { return fmt.Sprintf("_pragma=cache_size(-%d)", bytes>>10) }

// checkpointed is how many pages of the file are in its log before they are moved into the file: those that were written several
// times by then are moved once.
const checkpointed = 4096

// walSuffix ends the name of the log that changes are in before they are in the file. It is there while somebody changes it.
const walSuffix = "-wal"

// An Index is open. It is safe for concurrent use.
type Index struct {
	path    string
	mode    Mode
	memory  int64 // Options.Memory
	maxTime time.Duration
	ranked  int     // at most
	write   *sql.DB // nil when read-only
	read    *sql.DB
	codec   codec
	frozen  fs.FileInfo // of the file, if it was opened as one that cannot change; else nil
	hadLog  bool        // beside frozen

	writing sync.Mutex // held by Apply and Refresh; guards writer
	writer  writer

	analyzersMu sync.Mutex
	analyzers   []*term.Analyzer // none uses now: what they remember of words is worth more than a pool that forgets

	langsMu  sync.Mutex // guards those below
	langs    []string   // of at least a twentieth of the pages, the most frequent first
	allLangs []string   // those of any page, likewise
	langsAt  time.Time
}

// Open opens the index in a file, and makes an empty one if there is none, or nothing in it. The errors are [fs.ErrNotExist] if
// there is none to read, ErrVersion, ErrNewer, ErrDamaged, ErrLog, or what the file system says.
func Open(path string, o Options) (*Index, error) {
	if _, err := os.Stat(path); o.ReadOnly && err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x := &Index{path: path, maxTime: cmp.Or(o.MaxTime, 2*time.Second), ranked: cmp.Or(o.MaxRanked, 50_000),
		memory: o.memory(), codec: newCodec()}
	x.writer.reset()
	if err := x.open(o); err != nil {
		return nil, errors.Join(fmt.Errorf("open index %s: %w", path, classify(reason(path, o.ReadOnly, err))), x.Close())
	}
	return x, nil
}

// reason returns why a file cannot be read or written, which the database does not say; err if it can. It is not asked of one that
// could be opened: to close a file gives up all locks that a process has on it, those of other parts of it too.
func reason(path string, readOnly bool, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || !slices.Contains([]int{sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}, e.Code()&0xff) {
		return err
	}
	access := os.O_RDWR | os.O_CREATE
	if readOnly {
		access = os.O_RDONLY
	}
	f, reason := os.OpenFile(path, access, 0o666)
	if reason != nil {
		return reason
	}
	return errors.Join(err, f.Close())
}

func (x *Index) open(o Options) (err error) {
	ctx := context.Background()
	if !o.ReadOnly {
		if x.write, err = sqlfile.Open(x.path, 1, "_txlock=immediate", "_pragma=auto_vacuum(2)", "_pragma=journal_mode(WAL)",
			"_pragma=synchronous(NORMAL)", fmt.Sprintf("_pragma=wal_autocheckpoint(%d)", checkpointed),
			cacheSize(x.memory/writerPart)); err != nil {
			return err
		}
		if err := x.create(ctx, cmp.Or(o.Mode, Words)); err != nil {
			return err
		}
	}
	kept := cacheSize(x.memory / readerPart)
	if x.read, err = sqlfile.Open(x.path, 4, "mode=ro", "_pragma=query_only(1)", kept); err != nil {
		return err
	}
	if err := x.read.PingContext(ctx); err != nil && o.ReadOnly { // where nothing can be written there is no place for locks
		x.read.Close()
		if x.frozen, err = os.Stat(x.path); err != nil {
			return err
		}
		info, missing := os.Stat(x.path + walSuffix)
		if x.hadLog = missing == nil; x.hadLog && info.Size() > 0 {
			return ErrLog
		}
		if x.read, err = sqlfile.Open(x.path, 4, "mode=ro", "immutable=1", kept); err != nil {
			return err
		}
	}
	if err := x.check(ctx, o.Mode); err != nil || o.ReadOnly {
		return err
	}
	return x.bound(ctx)
}

// bound lets the full-text tables keep as much before it is written as this index may: the file has the setting of who wrote last.
func (x *Index) bound(ctx context.Context) error {
	for _, table := range []string{"fts", "heads"} {
		var size int64
		err := x.read.QueryRowContext(ctx, "SELECT v FROM "+table+"_config WHERE k = 'hashsize'").Scan(&size)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if want := x.memory / pendingPart; size != want {
			if _, err := x.write.ExecContext(ctx, setting(table, "hashsize", int(want))); err != nil {
				return err
			}
		}
	}
	return nil
}

// create makes the tables of an empty file.
func (x *Index) create(ctx context.Context, mode Mode) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var tables int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables > 0 {
		return err
	}
	for _, statement := range schema() {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for key, value := range map[string]string{analyzerMark: analyzerName(), modeMark: string(mode)} {
		if _, err := tx.ExecContext(ctx, `INSERT INTO meta(key, value) VALUES(?, ?)`, key, value); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// check finds out whether the file is an index that can be used.
func (x *Index) check(ctx context.Context, mode Mode) error {
	var id, version int
	if err := x.read.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id); err != nil {
		return err
	}
	if err := x.read.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	var tables int
	if err := x.read.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	switch {
	case tables == 0: // whoever was to make it is about to, or was killed
		return fs.ErrNotExist
	case id != applicationID:
		return fmt.Errorf("%w: a database of something else", ErrDamaged)
	case version > schemaVersion:
		return fmt.Errorf("%w: format %d, this one knows %d", ErrNewer, version, schemaVersion)
	case version < schemaVersion:
		return fmt.Errorf("%w: format %d, now %d", ErrVersion, version, schemaVersion)
	}
	analyzer, err := x.Mark(ctx, analyzerMark)
	if err != nil {
		return err
	}
	if analyzer != analyzerName() {
		return fmt.Errorf("%w: by %q, now %q", ErrVersion, analyzer, analyzerName())
	}
	made, err := x.Mark(ctx, modeMark)
	if err != nil {
		return err
	}
	if x.mode = Mode(made); mode != "" && mode != x.mode {
		return fmt.Errorf("%w: for mode %s, not %s", ErrVersion, made, mode)
	}
	return nil
}

// IsOutdated reports whether somebody has changed the file, or is about to, though it was opened as one that cannot change, as
// happens to a reader who may not write there. It must be opened anew then: it would answer from what is no longer there.
func (x *Index) IsOutdated() bool {
	if x.frozen == nil {
		return false
	}
	info, err := os.Stat(x.path)
	if err != nil || !os.SameFile(info, x.frozen) || info.Size() != x.frozen.Size() || !info.ModTime().Equal(x.frozen.ModTime()) {
		return true
	}
	return x.hasLog() && !x.hadLog
}

func (x *Index) hasLog() bool {
	_, err := os.Stat(x.path + walSuffix)
	return err == nil
}

// Mode returns which parts are searched.
func (x *Index) Mode() Mode { return x.mode }

// Mark returns a mark; empty when it is not set.
func (x *Index) Mark(ctx context.Context, key string) (value string, err error) {
	err = x.read.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = ?`, key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, classify(err)
}

// Close closes the index. Closing twice does no harm.
func (x *Index) Close() error {
	var errs []error
	for _, db := range []*sql.DB{x.read, x.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Optimize merges what many changes have left in pieces, so that queries are faster, and gives the room back that this leaves in
// the file. It takes about a second for 20,000 pages.
func (x *Index) Optimize(ctx context.Context) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	for _, statement := range []string{
		`INSERT INTO fts(fts) VALUES('optimize')`, `INSERT INTO heads(heads) VALUES('optimize')`, `PRAGMA optimize`,
		`PRAGMA incremental_vacuum`, `PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		if _, err := x.write.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("optimize index: %w", classify(err))
		}
	}
	return nil
}

// Check looks for damage. It reads all of the file.
func (x *Index) Check(ctx context.Context) error {
	var found string
	if err := x.read.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return fmt.Errorf("check index: %w", classify(err))
	}
	if found != "ok" {
		return fmt.Errorf("check index: %w: %s", ErrDamaged, found)
	}
	if x.write == nil {
		return nil
	}
	for _, table := range []string{"fts", "heads"} {
		if _, err := x.write.ExecContext(ctx, "INSERT INTO "+table+"("+table+") VALUES('integrity-check')"); err != nil {
			return fmt.Errorf("check index: %w", classify(err))
		}
	}
	return nil
}

// Remove deletes the index in a file, so that it can be made again. Who reads it goes on with what was there.
func Remove(path string) error {
	for _, suffix := range []string{walSuffix, "-shm", "-journal", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove index: %w", err)
		}
	}
	return nil
}

// classify says of an error of SQLite that it means damage, if so.
func classify(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite3.SQLITE_ERROR: // of this package's own statements, or of a table that holds something else than it did
		for _, what := range []string{"no such table", "no such column", "invalid fts5 file format", "vtable constructor failed"} {
			if strings.Contains(err.Error(), what) {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
		}
	}
	return err
}

// unix returns a moment as it stands in the database; 0 for none.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func fromUnix(s int64) time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}
