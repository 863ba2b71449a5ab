package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
)

// MaxLine is how long a line may be. Servers permit requests of 8 KiB, which can be four times as long when escaped.
const MaxLine = 64 << 10

// endless is how long a line may be that is passed over: logs that were cut off while their server went on begin with many zeros.
const endless = 4 << 30

// A Reader reads the entries of a log.
//
//	r := accesslog.NewReader(f, accesslog.Auto)
//	for r.Next() {
//		auditor.Add(r.Entry(), "access.log", r.Line())
//	}
//	return r.Err()
type Reader struct {
	in     *bufio.Reader
	parser Parser
	host   []byte
	entry  Entry
	text   []byte
	err    error
	tally  Tally
	zone   int
	named  int // lines with a User-Agent so far, up to manyNamed
	bare   int // lines without in a row
	torn   int // lines without that were taken for torn ones
	clocks clocks
	echo   echo
	from   map[string]int64 // malformed lines by the address in them; nil before the first
	told   func(text []byte)
	isOpen bool // the present line has no end: the log was still written, or cut off

	looked, isAbsolute bool // whether it is known if targets name the host that was asked, and they do
	absolute           int  // the targets that did so until it was known
}

// A Tally counts what a Reader has read.
type Tally struct {
	Lines       int64     `json:"lines"`
	Bytes       int64     `json:"bytes"`
	Malformed   int64     `json:"malformed"`
	Samples     []BadLine `json:"samples"`        // the first MaxSamples of them
	From        []Refused `json:"malformed_from"` // the addresses that most of them are of, as it seems; up to MaxSamples
	ZoneChanges int64     `json:"zone_changes"`   // how often a line had another time zone than the one before
}

// Add adds what was counted elsewhere.
func (t *Tally) Add(o Tally) {
	t.Lines += o.Lines
	t.Bytes += o.Bytes
	t.Malformed += o.Malformed
	t.ZoneChanges += o.ZoneChanges
	t.Samples = append(t.Samples, o.Samples[:min(len(o.Samples), MaxSamples-len(t.Samples))]...)
	from := map[string]int64{}
	for _, r := range slices.Concat(t.From, o.From) {
		from[r.Client] += r.Lines
	}
	t.From = busiest(from)
}

// A Refused is an address that malformed lines are of, as it seems: the first that stands in them. Lines that were torn are of
// anybody; one who has many may hide what it asks for.
type Refused struct {
	Client string `json:"client"`
	Lines  int64  `json:"lines"`
}

// busiest returns the addresses with the most lines, the most first.
func busiest(from map[string]int64) []Refused {
	list := make([]Refused, 0, len(from))
	for client, lines := range from {
		list = append(list, Refused{client, lines})
	}
	slices.SortFunc(list, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), cmp.Compare(a.Client, b.Client))
	})
	return list[:min(len(list), MaxSamples)]
}

// maxRefused is for how many addresses malformed lines are counted at once.
const maxRefused = 10_000

// MaxSamples is how many malformed lines are shown.
const MaxSamples = 5

// maxSampleText is how much of a malformed line is shown.
const maxSampleText = 200

// A BadLine is a line that is no entry.
type BadLine struct {
	File string `json:"file,omitempty"`
	Line int64  `json:"line"`
	Why  string `json:"why"`
	Text string `json:"text"` // cut off if it is long, and quoted as in Go
}

// NewReader returns a Reader of log lines in that format.
func NewReader(in io.Reader, f Format) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, MaxLine), parser: Parser{Format: f}}
}

// Trust makes the Reader believe what these proxies say of the clients that asked them, in X-Forwarded-For.
func (r *Reader) Trust(proxies []netip.Prefix) { r.parser.Trusted = proxies }

// Host says of which host the log is, if its lines do not. A target in absolute form that names another keeps its Authority.
func (r *Reader) Host(name string) { r.host = []byte(name) }

// Malformed makes the Reader call do with each malformed line, which is valid until do returns and cut off if it is too long. A
// last line that has no end is not told of: it was still being written.
func (r *Reader) Malformed(do func(text []byte)) { r.told = do }

// setHost notes the host of the log in an entry that has none, or that which its target names.
func (r *Reader) setHost() {
	e := &r.entry
	if !r.looked && len(e.Target) > 0 && e.Target[0] == '/' {
		r.lookAhead()
	}
	switch {
	case len(e.Host) > 0:
	case len(r.host) > 0:
		e.Host = r.host
	case r.isAbsolute:
		e.Host, e.Authority = e.Authority, nil
	}
}

// manyAbsolute is how many targets in absolute form, and none in another, show that the server writes them so: Varnish and Squid do
// in front of a site. Else they are of clients that take it for a proxy.
const manyAbsolute = 20

// lookAhead finds out if all targets are in absolute form, as far as the lines that were read tell, and those that were read ahead:
// of a log that is being written there may be none.
func (r *Reader) lookAhead() {
	if r.looked = len(r.host) > 0 || !isAbsolute(&r.entry); r.looked {
		return
	}
	r.absolute++
	ahead, _ := r.in.Peek(r.in.Buffered())
	p := Parser{Format: r.parser.Format}
	n := r.absolute
	for {
		line, rest, isWhole := bytes.Cut(ahead, []byte("\n"))
		if !isWhole {
			r.isAbsolute = n >= manyAbsolute
			r.looked = r.isAbsolute
			return
		}
		var e Entry
		switch {
		case p.Parse(line, &e) != nil, len(e.Target) == 0 || e.Target[0] != '/':
		case !isAbsolute(&e):
			r.looked = true
			return
		default:
			n++
		}
		ahead = rest
	}
}

// isAbsolute reports whether nothing but the target says which host was asked.
func isAbsolute(e *Entry) bool { return len(e.Authority) > 0 && len(e.Host) == 0 }

// Next goes on to the next line that is an entry. It returns false at the end, and when reading fails. Malformed lines are counted
// and passed over; empty ones are passed over.
func (r *Reader) Next() bool {
	for r.err == nil {
		err := r.readLine()
		if err == nil {
			err = r.parser.Parse(r.text, &r.entry)
		}
		if err == nil {
			err = r.checkWhole()
		}
		switch {
		case err == nil:
			if r.entry.Zone != r.zone && r.tally.Lines-r.tally.Malformed > 1 {
				r.tally.ZoneChanges++
			}
			r.zone = r.entry.Zone
			r.entry.Epoch = r.clocks.epoch(&r.entry, r.parser.server)
			r.echo.add(r.text, r.entry.Time.UnixNano(), r.tally.Lines)
			r.setHost()
			return true
		case r.err == nil && !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrRemark):
			r.malformed(err)
		}
	}
	return false
}

// In a log of so many lines with a User-Agent a line without one was torn; but not so many in a row, which are another format, nor
// so many in all, which are of a server that writes two formats into one log.
const (
	manyNamed = 10
	manyBare  = 3
	manyTorn  = 20
)

// checkWhole finds lines that were torn behind the size, and look like those of a common log.
func (r *Reader) checkWhole() error {
	switch {
	case r.parser.Format != Auto:
	case r.entry.HasAgent:
		r.named, r.bare = min(r.named+1, manyNamed), 0
	case r.named == manyNamed && r.parser.bare:
		if r.bare++; r.bare < manyBare && r.torn < manyTorn {
			r.torn++
			return ErrTorn
		}
		r.named = 0
	}
	return nil
}

// readLine reads one line without its end.
func (r *Reader) readLine() error {
	line, err := r.in.ReadSlice('\n')
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull)) {
		r.err = err
		return err
	}
	r.tally.Lines++
	r.tally.Bytes += int64(len(line))
	r.text, r.isOpen = line, errors.Is(err, io.EOF)
	if !errors.Is(err, bufio.ErrBufferFull) {
		r.text = bytes.TrimRight(line, "\r\n")
		if r.tally.Lines == 1 {
			r.text = bytes.TrimPrefix(r.text, []byte("\uFEFF"))
		}
		if len(r.text) > 0 && r.text[0] == 0 { // a log that was cut off while its server went on writing begins with zeros
			r.text = bytes.TrimLeft(r.text, "\x00")
		}
		return nil
	}
	r.text = bytes.Clone(line[:maxSampleText])
	for size := int64(len(line)); errors.Is(err, bufio.ErrBufferFull); size += int64(len(line)) {
		if size > endless {
			r.err = ErrEndless
			return r.err
		}
		line, err = r.in.ReadSlice('\n')
		r.tally.Bytes += int64(len(line))
	}
	return ErrLong
}

func (r *Reader) malformed(why error) {
	r.tally.Malformed++
	r.refuse()
	if r.told != nil && !r.isOpen {
		r.told(r.text)
	}
	if len(r.tally.Samples) < MaxSamples {
		text := fmt.Sprintf("%q", r.text[:min(len(r.text), maxSampleText)])
		r.tally.Samples = append(r.tally.Samples, BadLine{Line: r.tally.Lines, Why: why.Error(), Text: text})
	}
}

// refuse counts a malformed line for the address in it. When there are too many, all lose what the least have, and those that have
// nothing left are forgotten: who is there often stays.
func (r *Reader) refuse() {
	client := firstAddress(r.text)
	switch {
	case client == nil:
		return
	case r.from == nil:
		r.from = map[string]int64{}
	}
	if r.from[string(client)]++; len(r.from) <= maxRefused {
		return
	}
	for client := range r.from {
		if r.from[client]--; r.from[client] <= 0 {
			delete(r.from, client)
		}
	}
}

// firstAddress returns the first address in a line; of two that follow each other the second, for the first is then the host's.
func firstAddress(line []byte) (found []byte) {
	line = line[:min(len(line), maxSampleText)]
	isBetween := func(c rune) bool { return c == ' ' || c == '\t' || c == '"' || c == '{' }
	for part := range bytes.FieldsFuncSeq(line, isBetween) {
		part = plainAddress(bytes.TrimRight(bytes.TrimPrefix(part, []byte("host:")), ","))
		switch {
		case isAddress(part):
			if found != nil {
				return part
			}
			found = part
		case found != nil:
			return found
		}
	}
	return found
}

// Entry returns the entry that Next has found. It is valid until Next is called again.
func (r *Reader) Entry() *Entry { return &r.entry }

// Line returns the number of its line, counted from 1.
func (r *Reader) Line() int64 { return r.tally.Lines }

// Text returns its line as it stands in the log, but for a host name in capitals and what is passed over in front of it. It is
// valid until Next is called again.
func (r *Reader) Text() []byte { return r.text }

// Tally returns the counts so far.
func (r *Reader) Tally() Tally {
	r.tally.From = busiest(r.from)
	return r.tally
}

// Err returns what made reading fail; nil at the end of the log.
func (r *Reader) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}
