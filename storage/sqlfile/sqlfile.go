package sqlfile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// How long somebody who finds a database locked waits, and how often a connection is tried again meanwhile.
const (
	patience = 10 * time.Second
	pause    = 5 * time.Millisecond
)

// copied is how many pages of a file Replace copies before it asks whether it is to go on.
const copied = 4096

// Open returns a pool of at most so many connections to the database in a file, which is made when it is first used if the
// parameters allow that. These are those of modernc.org/sqlite, such as "mode=ro" or "_pragma=cache_size(-8192)". What is wrong
// with the file is told when it is first used.
func Open(file string, most int, parameters ...string) (*sql.DB, error) {
	address, err := address(file, parameters...)
	if err != nil {
		return nil, err
	}
	c, err := sqlite.NewConnector(address)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(patient{c})
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// address returns how SQLite is told of the database in a file.
func address(file string, parameters ...string) (string, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	if !strings.HasPrefix(name, "/") { // a drive
		name = "/" + name
	}
	busy := fmt.Sprintf("_pragma=busy_timeout(%d)", patience.Milliseconds())
	return "file:" + name + "?" + strings.Join(append([]string{busy}, parameters...), "&"), nil
}

// Brief returns ctx for a short statement, which nothing ends once it has begun, and why ctx is done, if it is. For each statement
// that could be ended, the driver starts a goroutine, which takes longer than a short one.
func Brief(ctx context.Context) (context.Context, error) {
	return context.WithoutCancel(ctx), context.Cause(ctx)
}

// Cause returns why ctx is done, if it is, instead of the error of a change that ends by that: the database says of such a one that
// its transaction is over.
func Cause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Replace puts what is in the database in a file in the place of what is in db, as one change: who has db open finds the one or the
// other, also after a kill. The two have pages of one size.
func Replace(ctx context.Context, db *sql.DB, file string) error {
	address, err := address(file, "mode=ro")
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) error {
		b, err := c.(interface {
			NewRestore(string) (*sqlite.Backup, error)
		}).NewRestore(address)
		if err != nil {
			return err
		}
		for more := true; more && err == nil; {
			if more, err = b.Step(copied); err == nil {
				err = ctx.Err()
			}
		}
		return errors.Join(err, b.Finish()) // what is not complete is rolled back
	})
}

// A patient connector tries again while the database is locked.
type patient struct{ driver.Connector }

func (p patient) Connect(ctx context.Context) (driver.Conn, error) {
	for end := time.Now().Add(patience); ; {
		conn, err := p.Connector.Connect(ctx)
		if e, ok := errors.AsType[*sqlite.Error](err); !ok || e.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(end) {
			return conn, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
