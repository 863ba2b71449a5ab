package warc

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// IndexSuffix is added to the name of a WARC file for its index.
const IndexSuffix = ".cdxj"

// RevisitType is the media type that an index gives to a revisit record.
const RevisitType = "warc/revisit"

// stampForm is how indexes write a time.
const stampForm = "20060102150405"

// A Capture is a line of a CDXJ index: where the record is that holds what a URL answered.
type Capture struct {
	Key      string // the SURT of URL, and of what was posted
	Time     time.Time
	URL      string
	Type     string // media type; "warc/revisit" of a revisit record
	Status   int
	Digest   string // of the payload
	Length   int64  // in the file
	Offset   int64
	Filename string

	Method string // of the request, unless it is a GET
	Posted string // what that sent, as a query
}

// captureJSON is the part of a line behind key and time. Numbers are texts, as pywb and cdxj-indexer have it.
type captureJSON struct {
	URL      string   `json:"url"`
	Type     string   `json:"mime,omitempty"`
	Status   flexible `json:"status,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Length   flexible `json:"length"`
	Offset   flexible `json:"offset"`
	Filename string   `json:"filename"`
	Method   string   `json:"method,omitempty"`
	Posted   string   `json:"requestBody,omitempty"`
}

// flexible is a number that may be written as one, or as a text.
type flexible string

func (f *flexible) UnmarshalJSON(data []byte) error {
	*f = flexible(strings.Trim(string(data), `"`))
	return nil
}

// AppendTo appends the line, without a newline.
func (c *Capture) AppendTo(b []byte) []byte {
	b = append(append(b, c.Key...), ' ')
	b = append(c.Time.UTC().AppendFormat(b, stampForm), ' ')
	b = jsonline.AppendString(append(b, `{"url":`...), c.URL)
	m := jsonline.Members{Buf: b}
	m.Text("mime", c.Type)
	if c.Status > 0 {
		m.Text("status", strconv.Itoa(c.Status))
	}
	m.Text("digest", c.Digest)
	m.Key("length")
	m.Buf = append(strconv.AppendInt(append(m.Buf, '"'), c.Length, 10), '"')
	m.Key("offset")
	m.Buf = append(strconv.AppendInt(append(m.Buf, '"'), c.Offset, 10), '"')
	m.Key("filename")
	m.Buf = jsonline.AppendString(m.Buf, c.Filename)
	m.Text("method", c.Method)
	m.Text("requestBody", c.Posted)
	return append(m.Buf, '}')
}

// ErrNoCapture says that a line is none of a CDXJ index.
var ErrNoCapture = errors.New("no line of a CDXJ index")

// ParseCapture reads a line of a CDXJ index. The error is ErrNoCapture, with what it is for.
func ParseCapture(line []byte) (Capture, error) {
	key, rest, _ := bytes.Cut(line, []byte(" "))
	stamp, data, ok := bytes.Cut(rest, []byte(" "))
	if !ok {
		return Capture{}, fmt.Errorf("%w: it has no time", ErrNoCapture)
	}
	at, err := time.Parse(stampForm, string(stamp))
	if err != nil {
		return Capture{}, fmt.Errorf("%w: its time is %.20q", ErrNoCapture, stamp)
	}
	var j captureJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return Capture{}, fmt.Errorf("%w: %w", ErrNoCapture, err)
	}
	c := Capture{Key: string(key), Time: at, URL: j.URL, Type: j.Type, Digest: j.Digest, Filename: j.Filename,
		Method: j.Method, Posted: j.Posted}
	c.Status, _ = strconv.Atoi(string(j.Status))
	c.Length, _ = strconv.ParseInt(string(j.Length), 10, 64)
	c.Offset, _ = strconv.ParseInt(string(j.Offset), 10, 64)
	return c, nil
}

// ReadIndex returns the captures of an index, in its order. A line that is none comes with ErrNoCapture, and the next one follows;
// any other error is the last it yields.
func ReadIndex(name string) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		r, err := openLines(name)
		if err != nil {
			yield(Capture{}, err)
			return
		}
		defer r.Close()
		for {
			line, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Capture{}, fmt.Errorf("read %s: %w", name, err))
				return
			}
			if !yield(ParseCapture(line)) {
				return
			}
		}
	}
}

// lines are those of an index.
type lines struct {
	*os.File
	r *bufio.Reader
}

func openLines(name string) (*lines, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &lines{f, bufio.NewReaderSize(f, 64<<10)}, nil
}

// next returns the next line, which is good until the one after it, and io.EOF after the last.
func (l *lines) next() ([]byte, error) { return readLine(l.r, maxIndexLine) }

// ErrShared says that a record cannot be found by an index.
var ErrShared = errors.New("several records are compressed as one: such a file has to be compressed again, record by record")

// CaptureOf reads a record to its end and returns the line for it; ok is false when the record is none of those that indexes list.
// The error is that of Record.Finish, or says that the record cannot be read alone.
func CaptureOf(rec *Record, filename string) (c Capture, ok bool, err error) {
	switch rec.Type() {
	case TypeResponse, TypeRevisit, TypeResource:
	default:
		return c, false, finishAlone(rec)
	}
	uri := rec.URI()
	if scheme, _, _ := strings.Cut(uri, ":"); uri == "" || strings.EqualFold(scheme, "dns") {
		return c, false, finishAlone(rec)
	}
	c = Capture{
		Key: SURT(uri), URL: uri, Time: rec.Date(), Offset: rec.Offset, Filename: filename,
		Digest: rec.Header.Get("WARC-Payload-Digest"), Type: "unk",
	}
	if err := c.readBlock(rec); err != nil {
		return c, false, err
	}
	if rec.Type() == TypeRevisit {
		c.Type = RevisitType
	}
	c.Length, err = rec.Finish()
	if err == nil && rec.Shared {
		err = &FormatError{File: rec.File, Offset: rec.Offset, Want: "one record in each member", Err: ErrShared}
	}
	return c, err == nil, err
}

func finishAlone(rec *Record) error {
	_, err := rec.Finish()
	return err
}

// readBlock fills in what the block tells. An error is that of reading, not of what was read.
func (c *Capture) readBlock(rec *Record) error {
	payload := rec.Block
	if rec.IsHTTP() {
		m, err := ReadMessage(rec.Block)
		if _, ok := errors.AsType[*FormatError](err); ok {
			return err
		}
		if err != nil {
			return nil // listed without what its head would tell
		}
		c.Status, payload = m.Status, m.Payload
		if t := m.Type(); t != "" {
			c.Type = t
		}
	} else if t, _, _ := strings.Cut(rec.Header.Get("Content-Type"), ";"); t != "" {
		c.Type = strings.ToLower(strings.TrimSpace(t))
	}
	if c.Digest != "" || rec.Type() == TypeRevisit {
		return nil
	}
	h := sha1.New()
	if _, err := io.Copy(h, payload); err != nil {
		return err
	}
	c.Digest = sha1Digest(h.Sum(nil))
	return nil
}
