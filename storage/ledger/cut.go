package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// cutSuffix ends the names of files that hold what Cut has cut off.
const cutSuffix = ".cut"

// A Loss is what Cut had to give up.
type Loss struct {
	Records uint64 // that ledger.head says were on stable storage; 0 when it does not say
	Bytes   int64  // behind the last record that fits
	Why     string // what was wrong
}

// Cut makes a ledger that Open refuses one that can be continued: after the last record that fits the chain. What lay behind it is
// kept in files whose names end in ".cut", which no other function reads. A ledger that Open accepts is left as it is, and the
// loss is zero. No process may be appending. Whoever cuts should say so in the next record.
func Cut(dir string) (Loss, error) {
	err := Glance(dir)
	bad := (*CorruptError)(nil)
	if !errors.As(err, &bad) {
		return Loss{}, err
	}
	loss := Loss{Why: bad.Error()}
	c := chain{}
	if err := c.follow(dir, origin()); err != nil && !errors.As(err, &bad) {
		return Loss{}, err
	}
	if known, err := readMark(dir); err == nil && known.Seq > c.seq {
		loss.Records = known.Seq - c.seq
	}
	list, err := segments(dir)
	if err != nil {
		return Loss{}, err
	}
	for _, n := range list {
		if n < c.last.segment {
			continue
		}
		at := int64(0)
		if n == c.last.segment {
			at = c.last.end
		}
		size, err := cutFile(filepath.Join(dir, segmentName(n)), at)
		if err != nil {
			return Loss{}, fmt.Errorf("ledger: cut: %w", err)
		}
		loss.Bytes += size
	}
	head, err := os.OpenFile(filepath.Join(dir, markName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return Loss{}, fmt.Errorf("ledger: cut: %w", err)
	}
	if c.last.segment == 0 { // nothing fits: a new ledger begins
		return loss, errors.Join(head.Close(), syncDir(dir))
	}
	return loss, errors.Join(c.mark().write(head), head.Sync(), head.Close(), syncDir(dir))
}

// cutFile moves what lies behind at into a file beside it; nothing is left of a file that is cut at 0.
func cutFile(name string, at int64) (size int64, err error) {
	from, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil || info.Size() <= at {
		return 0, err
	}
	to, err := os.OpenFile(name+cutSuffix, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(to, io.NewSectionReader(from, at, info.Size()-at))
	if err = errors.Join(err, to.Sync(), to.Close()); err != nil {
		return 0, err
	}
	if at == 0 {
		return size, os.Remove(name)
	}
	return size, os.Truncate(name, at)
}
