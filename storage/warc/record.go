package warc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// The types of records that mean something here (WARC 1.1 section 5.5).
const (
	TypeWarcinfo = "warcinfo"
	TypeResponse = "response"
	TypeResource = "resource"
	TypeRequest  = "request"
	TypeMetadata = "metadata"
	TypeRevisit  = "revisit"
)

// The profiles of revisit records (WARC 1.1 section 6.7).
const (
	ProfileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// A Record is one record of a WARC file. It is good until the next call of Reader.Next.
type Record struct {
	File    string
	Offset  int64  // of the record; in a compressed file, of the first member it is in
	Version string // "WARC/1.1"
	Header  Fields
	Length  int64     // of the block
	Block   io.Reader // what is left of the block
	Shared  bool      // other records are in the same compressed member: it cannot be read alone
	Lax     string    // in what way the record is not as it should be, although it can be read; set by Finish

	reader *Reader
}

// Type returns the type, in lower case.
func (r *Record) Type() string { return strings.ToLower(r.Header.Get("WARC-Type")) }

// URI returns the target, without the angle brackets that some writers put around it.
func (r *Record) URI() string { return bare(r.Header.Get("WARC-Target-URI")) }

// ID returns the id of the record, without angle brackets.
func (r *Record) ID() string { return bare(r.Header.Get("WARC-Record-ID")) }

// Date returns when the capture began; the zero time when the record does not tell.
func (r *Record) Date() time.Time {
	date := r.Header.Get("WARC-Date")
	t, ok := parseDate(date)
	if !ok { // some leave out that it is in UTC
		t, _ = parseDate(date + "Z")
	}
	return t.UTC()
}

// dateForms are the levels of granularity of W3CDTF, which WARC 1.1 permits.
var dateForms = []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"}

func parseDate(date string) (t time.Time, ok bool) {
	date = strings.ToUpper(date) // T and Z may be in lower case (RFC 3339 section 5.6)
	for _, form := range dateForms {
		if t, err := time.Parse(form, date); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// IsHTTP reports whether the block is an HTTP message, or the head of one. A record that does not tell its media type is taken for
// that when it is to have one: a request, a response or a revisit of an address of http or https (WARC 1.1 section 6).
func (r *Record) IsHTTP() bool {
	if media := strings.ToLower(r.Header.Get("Content-Type")); media != "" {
		return strings.HasPrefix(media, "application/http")
	}
	switch r.Type() {
	case TypeRequest, TypeResponse, TypeRevisit:
		scheme, _, _ := strings.Cut(r.URI(), ":")
		return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	}
	return false
}

// Finish reads what is left of the record, so that everything in it has been looked at, and returns how many bytes of the file it
// takes. The error is a *FormatError when the record is damaged. Finishing twice does nothing.
func (r *Record) Finish() (length int64, err error) { return r.reader.finish(r) }

func bare(uri string) string {
	if inner, ok := strings.CutPrefix(uri, "<"); ok {
		return strings.TrimSuffix(inner, ">")
	}
	return uri
}

// A FormatError says where a file is not what it should be.
type FormatError struct {
	File   string
	Offset int64
	Want   string // what was expected there
	Err    error  // what was found instead; may be nil
}

// Error returns a line like "a.warc.gz: offset 1234: expected a gzip member: invalid header".
func (e *FormatError) Error() string {
	text := fmt.Sprintf("%s: offset %d: expected %s", e.File, e.Offset, e.Want)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns what was found instead.
func (e *FormatError) Unwrap() error { return e.Err }

// errCut says that a file ends in the middle of something.
var errCut = errors.New("the file ends here")

// cutOr returns errCut for the error of a reader that ended early.
func cutOr(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}
