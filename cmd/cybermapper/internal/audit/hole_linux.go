package audit

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// skipHole leaves a file where its first data is, and returns that place. Where a log was cut off while its server went on writing
// at the old place, as copytruncate of logrotate does to one that does not append, it begins with a hole as long as all that was
// there before, in which there is nothing to read.
func skipHole(f *os.File) (int64, error) {
	at, err := f.Seek(0, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO): // there is none
		return f.Seek(0, io.SeekEnd)
	case err != nil: // the file system does not tell
		return f.Seek(0, io.SeekStart)
	}
	return at, nil
}
