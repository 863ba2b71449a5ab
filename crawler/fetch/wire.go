package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"sync"
)

// WireOptions say where exchanges are kept as they are on the wire. Zero and negative numbers mean the default.
type WireOptions struct {
	Memory int    // bytes of one response that are kept in memory: 64 KiB; what is more lies in a file while it is needed
	Dir    string // for these files: that of the system for temporary files
}

func (o WireOptions) withDefaults() WireOptions {
	o.Memory = cmp.Or(max(o.Memory, 0), 64<<10)
	return o
}

// A Wire is an exchange as it was on the wire. Over HTTP/1 its bytes are those that went over the connection, without interim
// responses (RFC 9110 section 15.2) and empty lines before a status line. HTTP/2 has no such bytes: there they are the same
// messages in the form of HTTP/1.1, the fields of the head in the order of their names, and the body without frames. It is good
// until the Response is released.
type Wire struct {
	Protocol string // "http/1.1", "http/1.0" or "h2"
	TLS      string // "tls/1.3" and so on; "" when the connection was not encrypted
	Cipher   string // the suite, by its name in the IANA registry; "" likewise

	request  bytes.Buffer
	response spool
	start    int64 // of the response among the bytes received
	end      int64 // behind its last byte
	head     int64 // bytes of its head
	err      error // of the spool
}

// Request returns the request as sent.
func (w *Wire) Request() []byte { return w.request.Bytes() }

// Response returns the response as received: its head and as much of its body as came, transfer coding and content coding kept.
func (w *Wire) Response() *io.SectionReader {
	return io.NewSectionReader(&w.response, w.start, w.end-w.start)
}

// HeadLen returns how many bytes of the response are its head, with the empty line behind it.
func (w *Wire) HeadLen() int64 { return w.head }

// A spool holds bytes, the first ones in memory and the others in a file. It is written by one goroutine at a time, and not while
// it is read.
type spool struct {
	dir    string
	memory []byte // its capacity is the bound
	file   *os.File
	size   int64
}

func (s *spool) Write(p []byte) (int, error) {
	n := min(len(p), cap(s.memory)-len(s.memory))
	s.memory = append(s.memory, p[:n]...)
	s.size += int64(n)
	if n == len(p) {
		return n, nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "cybermapper-spool-*")
		if err != nil {
			return n, err
		}
		s.file = f
		os.Remove(f.Name()) // where a file can be removed while it is open, nothing is left of it whatever happens
	}
	m, err := s.file.Write(p[n:])
	s.size += int64(m)
	return n + m, err
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(p []byte, off int64) (n int, err error) {
	if off < int64(len(s.memory)) {
		n = copy(p, s.memory[off:])
	}
	if n == len(p) {
		return n, nil
	}
	if s.file == nil {
		return n, io.EOF
	}
	m, err := s.file.ReadAt(p[n:], off+int64(n)-int64(len(s.memory)))
	return n + m, err
}

// reset forgets all bytes.
func (s *spool) reset() error {
	s.memory, s.size = s.memory[:0], 0
	if s.file == nil {
		return nil
	}
	err := s.file.Truncate(0)
	if err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	return err
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name()) // where it could not be removed at first; elsewhere there is none
		s.file = nil
	}
}

// wires lends the memory that exchanges are kept in.
type wires struct {
	options WireOptions
	pool    sync.Pool // of *[]byte
	heads   sync.Pool // of *bufio.Reader, to look for the end of a head with
}

// newWires returns nil for nil.
func newWires(o *WireOptions) *wires {
	if o == nil {
		return nil
	}
	w := &wires{options: o.withDefaults()}
	w.pool.New = func() any {
		b := make([]byte, 0, w.options.Memory)
		return &b
	}
	w.heads.New = func() any { return bufio.NewReader(nil) }
	return w
}

// begin returns the place for one exchange, nil from nil.
func (ws *wires) begin() *Wire {
	if ws == nil {
		return nil
	}
	return &Wire{response: spool{dir: ws.options.Dir, memory: (*ws.pool.Get().(*[]byte))[:0]}}
}

// end takes the place back.
func (ws *wires) end(w *Wire) {
	if w == nil || w.response.memory == nil {
		return
	}
	w.response.close()
	memory := w.response.memory
	w.response.memory = nil
	ws.pool.Put(&memory)
}

// sent and received note bytes. Once something could not be noted, nothing more is.
func (w *Wire) sent(p []byte) { w.request.Write(p) }

func (w *Wire) received(p []byte) {
	if w.err == nil {
		_, w.err = w.response.Write(p)
	}
}

// restart forgets what was noted, for another attempt on another connection.
func (w *Wire) restart() {
	w.request.Reset()
	w.err = errors.Join(w.err, w.response.reset())
}
