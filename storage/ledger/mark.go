package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// markName is the file that holds the mark; markSize its constant size, so that it is overwritten in one small write.
const (
	markName = "ledger.head"
	markSize = 512
)

// A mark is the checkpoint of a ledger: it remembers the last record that is known to be on stable storage. It makes the loss or
// change of the newest records visible, which no later record names, and is where Open begins to verify.
type mark struct {
	File   int    `json:"file"` // number of the file the record lies in
	Line   int    `json:"line"`
	Offset int64  `json:"offset"` // of its first byte
	Seq    uint64 `json:"seq"`
	Prev   string `json:"prev"` // the hash it names
	Sum    string `json:"sum"`  // its own hash
}

// origin is where a ledger begins. It has no hash: no record is known to be there.
func origin() mark { return mark{File: 1, Line: 1, Seq: 1, Prev: genesis} }

// readMark returns the mark of the ledger in dir, or origin when there is none.
func readMark(dir string) (mark, error) {
	if info, err := os.Stat(filepath.Join(dir, markName)); err == nil && (!info.Mode().IsRegular() || info.Size() > 64*markSize) {
		return mark{}, &CorruptError{File: markName, Line: 1, What: "not the head of a ledger"}
	}
	data, err := os.ReadFile(filepath.Join(dir, markName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return mark{}, fmt.Errorf("ledger: read head: %w", err)
	}
	if strings.Trim(string(data), "\x00 \n") == "" {
		return origin(), nil
	}
	var m mark
	if err := json.Unmarshal(data, &m); err != nil || m.File < 1 || m.Line < 1 || m.Offset < 0 || m.Seq < 1 ||
		len(m.Sum) != len(genesis) {
		return mark{}, &CorruptError{File: markName, Line: 1, What: "not the head of a ledger"}
	}
	return m, nil
}

// write overwrites the mark in f.
func (m mark) write(f *os.File) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("%-*s\n", markSize-1, data)
	if _, err := f.WriteAt([]byte(line), 0); err != nil {
		return fmt.Errorf("ledger: write head: %w", err)
	}
	return nil
}

// replace puts the mark in the place of that of the ledger in dir, whatever is there.
func (m mark) replace(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(m.write(f), f.Sync(), f.Close())
}
