package audit

import (
	"errors"
	"io"
	"os"
)

// A spool keeps what can be read once only, standard input or a pipe, for the case that it has to be read again: in memory first,
// then in a temporary file.
type spool struct {
	in   io.ReadCloser
	head []byte
	file *os.File
	size int64 // of what was read so far
	err  error // that made keeping fail
	end  error // of in
}

// maxHead is how much is kept in memory.
const maxHead = 4 << 20

// errNotKept says why a second reading fails.
var errNotKept = errors.New("the lines are not in order of time, and there is no room to keep and sort them: save them to a file")

// again returns the text from its beginning.
func (s *spool) again() io.Reader { return &spoolReader{s: s} }

// keep appends what was read.
func (s *spool) keep(p []byte) {
	s.size += int64(len(p))
	if s.err != nil {
		return
	}
	if s.file == nil && len(s.head)+len(p) <= maxHead {
		s.head = append(s.head, p...)
		return
	}
	if s.file == nil {
		if s.file, s.err = os.CreateTemp("", "cybermapper-log-"); s.err != nil {
			return
		}
	}
	_, s.err = s.file.Write(p)
}

// remove closes the input and removes the temporary file.
func (s *spool) remove() error {
	err := s.in.Close()
	if s.file != nil {
		err = errors.Join(err, s.file.Close(), os.Remove(s.file.Name()))
	}
	return err
}

// A spoolReader reads what was kept, and then goes on.
type spoolReader struct {
	s  *spool
	at int64
}

func (r *spoolReader) Read(p []byte) (n int, err error) {
	switch s := r.s; {
	case r.at < int64(len(s.head)):
		n = copy(p, s.head[r.at:])
	case r.at < s.size && s.err != nil:
		return 0, errNotKept
	case r.at < s.size:
		n, err = s.file.ReadAt(p[:min(int64(len(p)), s.size-r.at)], r.at-int64(len(s.head)))
		if n > 0 {
			err = nil
		}
	case s.end != nil:
		return 0, s.end
	default:
		n, s.end = s.in.Read(p)
		s.keep(p[:n])
	}
	r.at += int64(n)
	return n, err
}
