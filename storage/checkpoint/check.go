package checkpoint

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// CheckPublished holds what Publish wrote to dir against the ledger, by one reading of it, and returns what is not as it was
// written: the checkpoint, or tiles of the ledger as of that. Tiles of earlier times are not looked at.
func CheckPublished(ledgerDir, dir string) (problems []string, err error) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	data, err := readFile(filepath.Join(dir, "checkpoint"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(ledgerDir, publishState)); errors.Is(err, fs.ErrNotExist) {
			return nil, nil // the first run was killed before it published anything, say
		}
	}
	if err != nil {
		add("the checkpoint cannot be read: %v", err)
		return problems, nil
	}
	published, err := Parse(data)
	if err != nil || len(published) != 1 {
		add("the checkpoint is none")
		return problems, nil
	}
	var tree Tree
	compare := func(level int, n int64, row []tlog.Hash) error {
		name := tileName(level, n, row)
		if got, err := readFile(filepath.Join(dir, name)); err != nil {
			add("%s cannot be read: %v", name, err)
		} else if !bytes.Equal(got, tileData(row)) {
			add("%s is not as it was published", name)
		}
		if len(problems) > maxProblems {
			return errEnough
		}
		return nil
	}
	tree.full = compare
	size := published[0].Size
	err = tree.Follow(ledgerDir, size)
	for level, row := range tree.rows {
		if err == nil && len(row) > 0 {
			err = compare(level, tree.size>>(height*(level+1)), row)
		}
	}
	switch {
	case errors.Is(err, errEnough):
		return problems, nil
	case err != nil:
		return nil, fmt.Errorf("checkpoint: read the ledger: %w", err)
	case tree.Size() < size:
		add("the checkpoint is of %d records, the ledger has %d", size, tree.Size())
	case tree.Root() != published[0].Root:
		add("the checkpoint is of another ledger: records 1 to %d are not those that it was made of", size)
	}
	return problems, nil
}

const maxProblems = 100

var errEnough = errors.New("checkpoint: enough problems")

// A Head is what somebody noted of a ledger: the SHA-256 of its last line then, or the size and the beginning of the root, as
// [Checkpoint.Short] writes it.
type Head struct {
	Sum  string // of a line; empty in the other case
	Size int64
	Root string // hexadecimal, its beginning
}

// ParseHead reads a head.
func ParseHead(text string) (h Head, err error) {
	bad := fmt.Errorf("checkpoint: %q is neither a SHA-256 in hexadecimal nor SIZE@ROOT", text)
	size, root, short := strings.Cut(text, "@")
	if !short {
		if sum, err := hex.DecodeString(text); err != nil || len(sum) != 32 {
			return h, bad
		}
		return Head{Sum: strings.ToLower(text)}, nil
	}
	h.Root = strings.ToLower(root)
	if h.Size, err = strconv.ParseInt(size, 10, 64); err != nil || h.Size < 1 || len(root) < 8 ||
		strings.Trim(h.Root, "0123456789abcdef") != "" {
		return h, bad
	}
	return h, nil
}
