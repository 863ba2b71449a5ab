package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// File is where a ledger keeps its checkpoints; stateFile remembers the tree of the last, to be made anew when it is lost.
const (
	File      = "checkpoints"
	stateFile = "tree.json"
	maxFile   = 64 << 20 // bytes that are read of a file
)

// A Log signs checkpoints of one ledger. It is not safe for concurrent use.
type Log struct {
	dir    string
	key    *Key
	origin string
	tree   Tree
	last   Checkpoint
	opened bool // the tree is known to be that of the ledger
}

// OpenLog opens the log of the ledger in dir. Nothing is read yet.
func OpenLog(dir string, key *Key) *Log {
	l := &Log{dir: dir, key: key}
	data, err := readFile(filepath.Join(dir, stateFile))
	if err != nil || json.Unmarshal(data, &l.tree) != nil || !l.signed() {
		l.tree = Tree{} // it is made anew from the ledger
	}
	return l
}

// signed reports whether the tree is that of a checkpoint beside the ledger: a file that was damaged must not be signed.
func (l *Log) signed() bool {
	all, err := Read(l.dir)
	return err == nil && slices.ContainsFunc(all, func(c Checkpoint) bool {
		return c.Size == l.tree.Size() && c.Root == l.tree.Root()
	})
}

// Sign signs a checkpoint of all that has reached the files of the ledger, and appends it to the checkpoints, durably. It signs
// nothing when nothing is new.
func (l *Log) Sign() (Checkpoint, error) {
	if l.origin == "" {
		origin, err := Origin(l.dir, l.key.Name)
		if err != nil {
			return Checkpoint{}, err
		}
		l.origin = origin
	}
	if !l.opened {
		is, err := l.tree.continuedBy(l.dir)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("checkpoint: read the ledger: %w", err)
		}
		if l.opened = true; !is {
			l.tree = Tree{}
		}
	}
	if err := l.tree.Follow(l.dir, 0); err != nil {
		return Checkpoint{}, fmt.Errorf("checkpoint: read the ledger: %w", err)
	}
	if l.tree.Size() == 0 || l.tree.Size() == l.last.Size {
		return l.last, nil
	}
	c, err := l.tree.Checkpoint(l.origin).Sign(l.key)
	if err == nil {
		err = Append(l.dir, c)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	l.last = c
	return c, l.save()
}

// save remembers the tree. That it cannot be read later costs time and nothing else.
func (l *Log) save() error {
	data, err := json.Marshal(&l.tree)
	if err == nil {
		err = replace(filepath.Join(l.dir, stateFile), data)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: remember the tree: %w", err)
	}
	return nil
}

// Append appends a checkpoint to those beside a ledger, durably.
func Append(dir string, c Checkpoint) error {
	return appendDurably(filepath.Join(dir, File), append(slices.Clone(c.Text()), '\n'))
}

func appendDurably(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("checkpoint: append: %w", err)
	}
	return nil
}

// Origin returns the name of the log of a ledger: that of the key and the beginning of the hash of the first line, so that one key
// never speaks of two logs by one name.
func Origin(dir, name string) (string, error) {
	for line, err := range ledger.Lines(dir, 0) {
		if err != nil {
			return "", fmt.Errorf("checkpoint: read the ledger: %w", err)
		}
		h := tlog.RecordHash(line)
		return fmt.Sprintf("%s/%x", name, h[:8]), nil
	}
	return "", errors.New("checkpoint: the ledger has no records yet")
}

// Read returns the checkpoints that lie beside a ledger; none when there are none. An unfinished one at the end is left out.
func Read(dir string) ([]Checkpoint, error) { return ReadFile(filepath.Join(dir, File)) }

// ReadFile returns the checkpoints of a file.
func ReadFile(name string) ([]Checkpoint, error) {
	data, err := readFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return Parse(data)
}

// readFile reads a regular file of at most maxFile bytes: opening a pipe would wait for ever, and a device has no end.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", name, maxFile)
	}
	return os.ReadFile(name)
}
