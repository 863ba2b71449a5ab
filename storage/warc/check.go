package warc

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"hash"
	"io"
)

// A Result is what Check has found in a file.
type Result struct {
	File     string         `json:"file"`
	Bytes    int64          `json:"bytes"`
	Records  map[string]int `json:"records"`  // by type
	Digests  int            `json:"digests"`  // that were computed again
	Unknown  int            `json:"unknown"`  // digests of a kind that is not known here, as blake3, which show nothing
	Problems int            `json:"problems"` // damage, and digests that differ
	Notes    int            `json:"notes"`    // what could be better
}

// A Finding is one thing that Check has to say.
type Finding struct {
	File    string `json:"file"`
	Offset  int64  `json:"offset"`
	Problem bool   `json:"problem"` // or else a note
	Text    string `json:"text"`
}

// Check reads a whole file, unless ctx ends before, and tells of all that is wrong with it. The error is that of reading the
// file, of found, or of ctx.
func Check(ctx context.Context, name string, found func(Finding) error) (Result, error) {
	c := checker{found: found}
	return c.check(ctx, name)
}

type checker struct {
	result Result
	found  func(Finding) error
	sound  func(begin, end int64) error // is told of each record that is sound; may be nil
}

func (c *checker) check(ctx context.Context, name string) (Result, error) {
	c.result = Result{File: name, Records: map[string]int{}}
	r, err := OpenFile(name)
	if bad, ok := errors.AsType[*FormatError](err); ok {
		return c.result, c.damage(bad)
	}
	if err != nil {
		return c.result, err
	}
	defer r.Close()
	r.Until(ctx)
	c.result.Bytes = r.file.size
	for {
		if ctx.Err() != nil {
			return c.result, ctx.Err()
		}
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		before := c.result.Problems
		if err == nil {
			err = c.record(rec)
		}
		if err == nil && c.sound != nil && c.result.Problems == before && rec.Lax == "" && !rec.Shared {
			err = c.sound(rec.Offset, r.place())
		}
		if bad, ok := errors.AsType[*FormatError](err); ok {
			err = c.damage(bad)
		}
		if err != nil {
			return c.result, err
		}
	}
	if len(c.result.Records) == 0 && c.result.Problems == 0 {
		return c.result, c.problem(0, "expected a WARC record: the file is empty")
	}
	return c.result, nil
}

func (c *checker) damage(e *FormatError) error {
	text := "expected " + e.Want
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return c.problem(e.Offset, "%s", text)
}

func (c *checker) problem(offset int64, format string, args ...any) error {
	c.result.Problems++
	return c.found(Finding{c.result.File, offset, true, fmt.Sprintf(format, args...)})
}

func (c *checker) note(rec *Record, format string, args ...any) error {
	c.result.Notes++
	return c.found(Finding{rec.File, rec.Offset, false, fmt.Sprintf(format, args...)})
}

// record checks one record.
func (c *checker) record(rec *Record) error {
	block := tally{want: rec.Header.Get("WARC-Block-Digest")}
	block.hash = newHash(block.want)
	data := io.Reader(rec.Block)
	if block.hash != nil {
		data = io.TeeReader(data, block.hash)
	}
	payload, raw, err := c.payload(rec, data)
	if err == nil {
		_, err = io.Copy(io.Discard, data)
	}
	if err == nil {
		_, err = rec.Finish()
	}
	if err != nil {
		return err
	}
	c.result.Records[rec.Type()]++
	err = c.mandatory(rec)
	if rec.Type() == TypeRevisit && block.hash != nil && sameDigest(block.want, newHash(block.want).Sum(nil)) && !block.same() {
		err = errors.Join(err, c.note(rec, "the block digest is that of no bytes, as wget writes it for a revisit record"))
	} else {
		err = errors.Join(err, c.compare(rec, "block", block))
	}
	switch {
	case raw.hash != nil && !payload.same() && raw.same():
		err = errors.Join(err, c.note(rec,
			"the payload digest is that of the body as chunked; WARC tools compute it without the chunks"))
	default:
		err = errors.Join(err, c.compare(rec, "payload", payload))
	}
	switch {
	case rec.Lax == "":
	case rec.Shared || rec.reader.isPlain():
		err = errors.Join(err, c.problem(rec.Offset, "%s", rec.Lax))
	default: // the end of the member is an end
		err = errors.Join(err, c.note(rec, "%s", rec.Lax))
	}
	if rec.Shared {
		err = errors.Join(err, c.note(rec, "several records are compressed as one: an index cannot point at this one"))
	}
	return err
}

// A tally is a digest and what it should be.
type tally struct {
	want string
	hash hash.Hash // nil when there is nothing to compare
}

func (t tally) same() bool { return sameDigest(t.want, t.hash.Sum(nil)) }

// payload reads the payload of a record, and computes its digest: without chunks, and with them.
func (c *checker) payload(rec *Record, data io.Reader) (payload, raw tally, err error) {
	want := rec.Header.Get("WARC-Payload-Digest")
	if want == "" || rec.Type() == TypeRevisit || rec.Header.Get("WARC-Segment-Number") != "" {
		return tally{}, tally{}, nil // the digest of what is elsewhere, or of all segments together (WARC 1.1 section 5.9)
	}
	payload = tally{want, newHash(want)}
	if payload.hash == nil {
		return payload, raw, nil
	}
	if !rec.IsHTTP() {
		_, err = io.Copy(payload.hash, data)
		return payload, raw, err
	}
	raw = tally{want, newHash(want)}
	body := &behindHead{w: raw.hash}
	m, err := ReadMessage(io.TeeReader(data, body))
	if _, ok := errors.AsType[*FormatError](err); ok {
		return payload, raw, err
	}
	if err != nil {
		return tally{}, tally{}, c.problem(rec.Offset, "expected an HTTP message in the block of %s: %v", rec.URI(), err)
	}
	body.skip(m.HeadLen)
	if _, err = io.Copy(payload.hash, m.Payload); err == nil {
		_, err = io.Copy(io.Discard, io.TeeReader(data, body))
	}
	return payload, raw, err
}

// behindHead passes on what it is given, without the head of the message, whose length is known later.
type behindHead struct {
	w     io.Writer
	early []byte
	known bool
}

func (b *behindHead) Write(p []byte) (int, error) {
	if !b.known {
		b.early = append(b.early, p...)
		return len(p), nil
	}
	return b.w.Write(p)
}

// skip says how long the head is.
func (b *behindHead) skip(n int64) {
	b.known = true
	b.w.Write(b.early[min(n, int64(len(b.early))):])
	b.early = nil
}

// compare tells of a digest that differs, and counts each.
func (c *checker) compare(rec *Record, what string, t tally) error {
	if t.want == "" {
		return nil
	}
	if t.hash == nil {
		c.result.Unknown++
		return nil
	}
	c.result.Digests++
	if t.same() {
		return nil
	}
	sum := t.hash.Sum(nil)
	got := fmt.Sprintf("%x", sum)
	if len(sum) == sha1.Size {
		got = sha1Digest(sum)
	}
	return c.problem(rec.Offset, "%s digest of the %s record of %s: expected %s, got %s", what, rec.Type(), rec.URI(),
		t.want, got)
}

// mandatory looks for the fields that every record has (WARC 1.1 section 5), and for those that two readers would read differently,
// as they are there twice (section 5.1).
func (c *checker) mandatory(rec *Record) error {
	var errs []error
	for _, name := range []string{"WARC-Record-ID", "WARC-Date", "WARC-Type"} {
		if rec.Header.Get(name) == "" {
			errs = append(errs, c.problem(rec.Offset, "expected the field %s", name))
		}
	}
	for _, name := range []string{"WARC-Record-ID", "WARC-Date", "WARC-Type", "Content-Length", "WARC-Target-URI"} {
		if n := rec.Header.count(name); n > 1 {
			errs = append(errs, c.problem(rec.Offset, "expected the field %s once: it is there %d times", name, n))
		}
	}
	if date := rec.Header.Get("WARC-Date"); date != "" {
		if _, ok := parseDate(date); !ok {
			errs = append(errs, c.problem(rec.Offset, "expected a date like 2006-01-02T15:04:05Z: WARC-Date is %.40q", date))
		}
	}
	switch rec.Type() {
	case TypeResponse, TypeResource, TypeRequest, TypeRevisit:
		if rec.URI() == "" {
			errs = append(errs, c.problem(rec.Offset, "expected the field WARC-Target-URI"))
		}
	}
	return errors.Join(errs...)
}
