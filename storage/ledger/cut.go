package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/durable"
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
	if !errors.As(err, &bad) || errors.Is(err, ErrNewer) {
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
	if err := os.RemoveAll(filepath.Join(dir, contentsName)); err != nil { // of files that are about to be others
		return Loss{}, fmt.Errorf("ledger: cut: %w", err)
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
		size, err := cutSegment(dir, n, at)
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
		return loss, errors.Join(head.Close(), durable.SyncDir(dir))
	}
	return loss, errors.Join(c.mark().write(head), head.Sync(), head.Close(), durable.SyncDir(dir))
}

// cutSegment moves what lies behind at in the text of the nth file into a file beside it, and returns how much of the disk that
// was.
func cutSegment(dir string, n int, at int64) (size int64, err error) {
	name, packed := filepath.Join(dir, segmentName(n)), filepath.Join(dir, packedName(n))
	switch {
	case !isPacked(dir, n): // and if it is both, the plain one counts
		if err := os.Remove(packed); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	case at == 0:
		info, err := os.Stat(packed)
		if err != nil {
			return 0, err
		}
		return info.Size(), os.Rename(packed, packed+cutSuffix)
	case at == textSize(dir, n):
		return 0, nil
	default:
		if err := unpack(dir, n); err != nil {
			return 0, err
		}
	}
	return cutFile(name, at)
}

// cutFile moves what lies behind at into a file beside it; nothing is left of a file that is cut at 0.
func cutFile(name string, at int64) (size int64, err error) {
	if size, err = copyTail(name, at, name+cutSuffix); err != nil || size == 0 {
		return 0, err
	}
	if at == 0 {
		return size, os.Remove(name)
	}
	return size, os.Truncate(name, at)
}

// copyTail appends what lies behind at in a file to another, and brings that to stable storage.
func copyTail(name string, at int64, to string) (size int64, err error) {
	from, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil || info.Size() <= at {
		return 0, err
	}
	tail, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(tail, io.NewSectionReader(from, at, info.Size()-at))
	return size, errors.Join(err, tail.Sync(), tail.Close())
}
