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
// kept in files whose names end in ".cut", which no other function reads. The next record is the one that note makes of the loss:
// until it is on stable storage Open goes on to refuse the ledger, so that a process that dies before leaves the loss to be told by
// the next. Of a ledger of which nothing fits nothing is left, and none is noted. A ledger that Open accepts is left as it is, and
// the loss is zero. No process may be appending.
func Cut(dir string, note func(Loss) Record) (Loss, error) {
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
	if known, err := readMark(dir); err == nil && known.Sum != "" && known.Seq > c.seq {
		loss.Records = known.Seq - c.seq
	} else if err := c.missing().replace(dir); err != nil {
		return Loss{}, fmt.Errorf("ledger: cut: %w", err)
	}
	if loss.Bytes, err = c.cut(dir); err != nil {
		return Loss{}, fmt.Errorf("ledger: cut: %w", err)
	}
	if c.last.segment == 0 { // a new ledger begins
		return loss, errors.Join(os.Remove(filepath.Join(dir, markName)), durable.SyncDir(dir))
	}
	l, err := openAfter(dir, Options{Plain: true}.withDefaults(), c.end(dir))
	if err != nil {
		return Loss{}, err
	}
	return loss, errors.Join(l.Append(note(loss)), l.Close())
}

// missing returns the mark of a record behind the last one that fitted, which no record is.
func (c *chain) missing() mark {
	return mark{File: max(c.last.segment, 1), Line: c.last.line + 1, Offset: c.last.end, Seq: c.seq + 1, Prev: c.sum, Sum: genesis}
}

// end is where the ledger is continued once it was cut.
func (c *chain) end(dir string) end {
	if isPacked(dir, c.last.segment) {
		return end{last: c.mark(), segment: c.last.segment + 1}
	}
	return end{last: c.mark(), segment: c.last.segment, line: c.last.line, size: c.last.end}
}

// cut cuts off what lies behind the last record that fitted, and returns how much of the disk that was.
func (c *chain) cut(dir string) (cut int64, err error) {
	if err := os.RemoveAll(filepath.Join(dir, contentsName)); err != nil { // of files that are about to be others
		return 0, err
	}
	list, err := segments(dir)
	if err != nil {
		return 0, err
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
			return 0, err
		}
		cut += size
	}
	return cut, nil
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
