package warc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/durable"
)

// Options say how an Archive writes. Zero and negative numbers mean the default.
type Options struct {
	Prefix      string // of file names: "cybermapper"
	Compression string // Gzip, Zstd or Plain; default Gzip
	MaxFile     int64  // a new file is begun before one has more bytes, unless one exchange alone has: 1 GiB
	Noindex     bool   // keep pages that ask not to be kept
	Known       int    // payloads that are not stored again while they are known: 100,000, of some 300 bytes each
	IndexDir    string // where the CDXJ index of each file is written; "" is the directory of the archive
	Host        string // of this machine, in file names and warcinfo; "" leaves it out
	Info        Fields // further fields of warcinfo records
}

func (o Options) withDefaults(dir string) Options {
	o.Prefix = cmp.Or(o.Prefix, "cybermapper")
	o.Compression = cmp.Or(o.Compression, Gzip)
	o.MaxFile = cmp.Or(max(o.MaxFile, 0), 1<<30)
	o.Known = cmp.Or(max(o.Known, 0), 100_000)
	o.IndexDir = cmp.Or(o.IndexDir, dir)
	return o
}

// openSuffix marks a file that is being written.
const openSuffix = ".open"

// ErrClosed is returned after Close.
var ErrClosed = errors.New("warc: the archive is closed")

// An Archive keeps exchanges in a directory of WARC files. It is safe for concurrent use. A nil one, which has nothing to bring to
// stable storage or to finish, can be synced and closed.
type Archive struct {
	dir      string
	options  Options
	encoders *encoders
	syncDir  func(dir string) error // durable.SyncDir
	large    sync.Mutex             // held while a large record is in memory: one at a time is
	torn     int64                  // bytes that Open cut off

	mu     sync.Mutex // guards the following
	known  known
	begun  map[[sha1.Size]byte]chan struct{} // payloads that are being written, closed when each is
	out    *output                           // nil until there is something to write
	serial int
	closed bool
}

// Open opens a directory, which is created if there is none, to add to it.
func Open(dir string, o Options) (*Archive, error) { return open(dir, o, durable.SyncDir) }

func open(dir string, o Options, syncDir func(string) error) (*Archive, error) {
	a := &Archive{dir: dir, options: o.withDefaults(dir), syncDir: syncDir, begun: map[[sha1.Size]byte]chan struct{}{}}
	a.known.most = a.options.Known
	var err error
	if a.encoders, err = newEncoders(a.options.Compression); err != nil {
		return nil, fmt.Errorf("warc: %w", err)
	}
	for _, d := range []string{dir, a.options.IndexDir} {
		if err := errors.Join(os.MkdirAll(d, 0o755), syncDir(filepath.Dir(d))); err != nil {
			return nil, fmt.Errorf("warc: %w", err)
		}
	}
	if err := a.recover(); err != nil {
		return nil, fmt.Errorf("warc: recover %s: %w", dir, err)
	}
	if err := a.known.load(dir, a.options.IndexDir); err != nil {
		return nil, fmt.Errorf("warc: %w", err)
	}
	return a, nil
}

// Torn returns how many bytes Open cut off behind the last whole record of files that a killed process had left.
func (a *Archive) Torn() int64 {
	if a == nil {
		return 0
	}
	return a.torn
}

// largeBlock is from where on a record counts as large.
const largeBlock = 1 << 20

// Record implements storage.Archive.
func (a *Archive) Record(_ context.Context, x *storage.Exchange) error {
	if x.Noindex && !a.options.Noindex {
		return nil
	}
	if x.Response == nil {
		return fmt.Errorf("warc: the exchange of %s has no response", x.URL)
	}
	if x.Response.Size() > largeBlock {
		a.large.Lock()
		defer a.large.Unlock()
	}
	response := content{section: x.Response}
	if size := x.Response.Size(); size <= largeBlock {
		b := a.encoders.buffer()
		defer a.encoders.putBuffer(b)
		b.Grow(int(size))
		response = content{data: b.AvailableBuffer()[:size]}
		if n, err := x.Response.ReadAt(response.data, 0); n < len(response.data) {
			return fmt.Errorf("warc: read the response of %s: %d of %d bytes: %w", x.URL, n, size, err)
		}
	}
	s, err := a.encoders.look(response)
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	if s.payloadSize > 0 {
		defer a.begin(s.payload)()
	}
	g, err := a.encode(x, response, s)
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	defer a.encoders.putBuffer(g.data)
	return a.append(g)
}

// begin waits until nobody else writes payload, so that of two at once the later is a revisit of the earlier. The caller calls
// end when it is written.
func (a *Archive) begin(payload [sha1.Size]byte) (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for other := a.begun[payload]; other != nil; other = a.begun[payload] {
		a.mu.Unlock()
		<-other
		a.mu.Lock()
	}
	mine := make(chan struct{})
	a.begun[payload] = mine
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.begun, payload)
		close(mine)
	}
}

// append writes a group to the file at hand.
func (a *Archive) append(g *group) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if a.out != nil && a.out.records > 0 && a.out.size+int64(g.data.Len()) > a.options.MaxFile {
		if err := a.finishLocked(); err != nil {
			return err
		}
	}
	if a.out == nil {
		if err := a.beginLocked(); err != nil {
			return err
		}
	}
	c := &g.capture
	c.Offset, c.Length, c.Filename = a.out.size, g.first, filepath.Base(a.out.name)
	if err := a.out.write(g.data.Bytes()); err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	a.out.records++
	a.known.add(g)
	return a.out.list(c)
}

// beginLocked begins a file.
func (a *Archive) beginLocked() error {
	a.serial++
	name := fmt.Sprintf("%s-%s-%05d", a.options.Prefix,
		strings.Replace(time.Now().UTC().Format("20060102150405.000"), ".", "", 1), a.serial)
	if a.options.Host != "" {
		name += "-" + a.options.Host
	}
	name += a.encoders.extension()
	f, err := os.OpenFile(filepath.Join(a.dir, name+openSuffix), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	a.out = &output{f: f, name: filepath.Join(a.dir, name), lines: &Sorter{Dir: a.options.IndexDir}}
	head := newHeader(TypeWarcinfo, time.Now())
	head.Add("WARC-Filename", name)
	head.Add("Content-Type", "application/warc-fields")
	var block, member bytes.Buffer
	info := Fields{{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"}}
	info.Add("hostname", a.options.Host)
	append(info, a.options.Info...).appendTo(&block)
	_, err = a.encoders.add(&member, head, content{data: block.Bytes()}, &a.encoders.packing)
	if err == nil {
		err = a.out.write(member.Bytes())
	}
	if err == nil {
		err = a.syncDir(a.dir) // what Sync brings to stable storage is lost with the name of the file
	}
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	return nil
}

// finishLocked finishes the file at hand: it gets its index, and its name.
func (a *Archive) finishLocked() error {
	if a.out == nil {
		return nil
	}
	out := a.out
	a.out = nil
	err := out.f.Sync()
	if err == nil {
		err = a.writeIndex(filepath.Base(out.name), out.lines)
	}
	err = errors.Join(err, out.lines.Close(), out.f.Close())
	if err == nil {
		err = a.nameFinished(out.name)
	}
	if err != nil {
		return fmt.Errorf("warc: finish %s: %w", out.name, err)
	}
	return nil
}

// nameFinished gives a finished file its name, durably.
func (a *Archive) nameFinished(name string) error {
	if err := os.Rename(name+openSuffix, name); err != nil {
		return err
	}
	return a.syncDir(a.dir)
}

// Sync implements storage.Syncer.
func (a *Archive) Sync() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	out := a.out
	a.mu.Unlock()
	if out == nil {
		return nil
	}
	if err := out.f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) { // finished meanwhile, and synced then
		return fmt.Errorf("warc: %w", err)
	}
	return nil
}

// Close finishes the file at hand. Closing twice does nothing.
func (a *Archive) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return a.finishLocked()
}

// An output is a file that is being written.
type output struct {
	f       *os.File
	name    string // that it gets when it is finished
	size    int64
	records int // besides warcinfo
	lines   *Sorter
	line    []byte
}

// write appends whole members. What could not be written whole is taken back.
func (o *output) write(data []byte) error {
	if _, err := o.f.WriteAt(data, o.size); err != nil {
		return errors.Join(err, o.f.Truncate(o.size))
	}
	o.size += int64(len(data))
	return nil
}

// list notes a line of the index.
func (o *output) list(c *Capture) error {
	o.line = c.AppendTo(o.line[:0])
	return o.lines.Add(o.line)
}

// usualFields are as many as a record has as a rule.
const usualFields = 16

// newHeader returns the fields that every record begins with.
func newHeader(kind string, at time.Time) Fields {
	f := make(Fields, 0, usualFields)
	return append(f, Field{"WARC-Type", kind}, Field{"WARC-Record-ID", newID()}, Field{"WARC-Date", at.UTC().Format(time.RFC3339)})
}

// newID returns a random UUID (RFC 9562 section 5.4) as a URN, in angle brackets.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	const pattern = "<urn:uuid:00000000-0000-4000-8000-000000000000>"
	id := [len(pattern)]byte([]byte(pattern))
	at := id[len("<urn:uuid:"):]
	for _, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		at = at[hex.Encode(at, part)+1:]
	}
	return string(id[:])
}
