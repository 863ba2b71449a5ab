package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// recordVersion is the first byte of every value.
const recordVersion = 1

// maxReason bounds the reason codes that are kept, in bytes; a longer one is cut.
const maxReason = 255

var errRecord = errors.New("malformed record")

// A seenRecord says what became of a URL. Which fields are kept depends on status.
type seenRecord struct {
	status   frontier.Status
	position        // Queued, Retrying; the depth always
	due      int64  // Retrying
	code     int    // all but Queued
	reason   string // all but Queued
	settled  int64  // Done, Refused, Failed
}

// queued reports whether the URL has an entry in the queue or among the retries.
func (r *seenRecord) queued() bool {
	return r.status == frontier.Queued || r.status == frontier.Retrying
}

func (r *seenRecord) append(b []byte) []byte {
	b = append(b, recordVersion, byte(r.status))
	b = binary.AppendUvarint(b, uint64(r.depth))
	if r.queued() {
		b = binary.AppendUvarint(append(b, r.rank), r.seq)
	}
	if r.status == frontier.Queued {
		return b
	}
	if r.status == frontier.Retrying {
		b = binary.AppendVarint(b, r.due)
	} else {
		b = binary.AppendVarint(b, r.settled)
	}
	b = binary.AppendVarint(b, int64(r.code))
	return appendString(b, r.reason[:min(len(r.reason), maxReason)])
}

func decodeSeen(b []byte) (r seenRecord, err error) {
	d := newDecoder(b)
	r.status = frontier.Status(d.byte())
	r.depth = d.uint32()
	switch r.status {
	case frontier.Queued, frontier.Retrying:
		r.rank, r.seq = d.byte(), d.uvarint()
	case frontier.Done, frontier.Refused, frontier.Failed:
	default:
		return r, fmt.Errorf("seen record of status %d: %w", r.status, errRecord)
	}
	switch r.status {
	case frontier.Queued:
		return r, d.end("seen record")
	case frontier.Retrying:
		r.due = d.varint()
	default:
		r.settled = d.varint()
	}
	r.code = int(d.varint())
	r.reason = d.string()
	return r, d.end("seen record")
}

// appendEntry encodes an entry; its ID is in the key. URLs of the site called name are cut down to what follows it.
func appendEntry(b []byte, name string, e *frontier.Entry) []byte {
	b = append(b, recordVersion, byte(clampPriority(e.Priority)))
	b = binary.AppendUvarint(b, uint64(clampDepth(e.Depth)))
	b = binary.AppendUvarint(b, clampAttempts(e.Excused)<<attemptBits|clampAttempts(e.Attempt))
	b = binary.AppendVarint(b, e.Added.UnixNano())
	b = appendURL(b, name, e.URL)
	b = appendURL(b, name, e.Via)
	b = appendHops(b, name, e.Hops)
	if e.Kind != 0 || !e.Modified.IsZero() || len(e.State) > 0 || e.Every > 0 { // few have them
		b = binary.AppendVarint(append(b, e.Kind), e.Modified.Unix())
	}
	if len(e.State) > 0 || e.Every > 0 {
		b = appendString(b, string(e.State))
	}
	if e.Every > 0 {
		b = appendEvery(b, e.Every)
	}
	return b
}

func decodeEntry(b []byte, name string) (e frontier.Entry, err error) {
	d := newDecoder(b)
	e.Priority = int8(d.byte())
	e.Depth = int(d.uint32())
	attempts := d.uint32()
	e.Attempt, e.Excused = int(attempts&maxAttempts), int(attempts>>attemptBits)
	e.Added = time.Unix(0, d.varint()).UTC()
	e.URL = d.url(name)
	e.Via = d.url(name)
	e.Hops = d.hops(name)
	if len(d.b) > 0 {
		e.Kind, e.Modified = d.byte(), d.modified()
	}
	if len(d.b) > 0 {
		if state := d.bytes(); len(state) > 0 {
			e.State = bytes.Clone(state)
		} else if len(d.b) == 0 {
			d.bad = true
		}
		if len(d.b) > 0 {
			e.Every = d.every()
		}
	}
	if e.URL.IsZero() {
		d.bad = true
	}
	return e, d.end("entry record")
}

// appendReturn encodes what is remembered of a URL of the site called name.
func appendReturn(b []byte, name string, r *frontier.Return) []byte {
	b = binary.AppendVarint(append(b, recordVersion), nanos(r.Due))
	return appendEntry(b, name, &frontier.Entry{Link: r.Link, Added: time.Unix(0, 0)})
}

func decodeReturn(b []byte, name string) (r frontier.Return, err error) {
	d := newDecoder(b)
	due := d.varint()
	if d.bad {
		return r, d.end("record of what is remembered")
	}
	e, err := decodeEntry(d.b, name)
	if err == nil && len(e.State) == 0 {
		err = fmt.Errorf("record of what is remembered: %w", errRecord)
	}
	return frontier.Return{Link: e.Link, Due: wallTime(due)}, err
}

// Attempts at an entry, and above them those that are excused, which few have, are one number.
const (
	attemptBits = 16
	maxAttempts = 1<<attemptBits - 1
)

func clampAttempts(n int) uint64 { return uint64(min(max(n, 0), maxAttempts)) }

// clampDepth brings a depth into the range that keys can hold.
func clampDepth(depth int) uint32 { return uint32(min(max(int64(depth), 0), math.MaxUint32)) }

// A siteRecord is what changes with a site's every page.
type siteRecord struct {
	seq      uint64   // last sequence number given
	head     position // no queued entry comes before
	queued   int64
	retrying int64
	done     int64
	refused  int64
	failed   int64
	pages    int64
	bytes    int64
	lastEnd  int64 // when the last request ended; 0 if none is known
	gap      int64 // owed since
	blocked  int64 // no request leaves before
	since    int64 // when the queue was last empty, up to then
	retry    int64 // due time of the first retry, if retrying is not 0
	due      int64 // the key of the site in the schedule, not after its turn among sites; 0 if it has no work
}

func (r *siteRecord) fields() []*int64 {
	return []*int64{
		&r.queued, &r.retrying, &r.done, &r.refused, &r.failed, &r.pages, &r.bytes,
		&r.lastEnd, &r.gap, &r.blocked, &r.since, &r.retry, &r.due,
	}
}

// waiting returns the number of URLs that are not settled, known the number of all.
func (r *siteRecord) waiting() int64 { return r.queued + r.retrying }
func (r *siteRecord) known() int64   { return r.waiting() + r.done + r.refused + r.failed }

// ready returns when the first entry could be fetched if politeness did not ask for more patience.
func (r *siteRecord) ready() int64 {
	if r.queued > 0 {
		return r.since
	}
	return r.retry
}

// lead returns by how much earlier than it is due the site counts as due: by the priority of what it has next.
func (r *siteRecord) lead() time.Duration {
	if r.queued == 0 {
		return 0
	}
	return time.Duration(r.head.priority()) * frontier.PriorityLead
}

func (r *siteRecord) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordVersion), r.seq)
	b = binary.AppendUvarint(b, uint64(r.head.depth))
	b = binary.AppendUvarint(append(b, r.head.rank), r.head.seq)
	for _, v := range r.fields() {
		b = binary.AppendVarint(b, *v)
	}
	return b
}

func decodeSite(b []byte) (r siteRecord, err error) {
	d := newDecoder(b)
	r.seq = d.uvarint()
	r.head = position{depth: d.uint32(), rank: d.byte(), seq: d.uvarint()}
	for _, v := range r.fields() {
		*v = d.varint()
	}
	return r, d.end("site record")
}

// A policyRecord is what changes with a site's robots.txt: rarely.
type policyRecord struct {
	name string
	frontier.SitePolicy
}

func (r *policyRecord) append(b []byte) []byte {
	b = appendString(append(b, recordVersion), r.name)
	b = binary.AppendVarint(b, int64(r.Delay))
	b = binary.AppendVarint(b, int64(r.Connections))
	b = binary.AppendVarint(b, int64(r.Failures))
	b = binary.AppendVarint(b, nanos(r.BlockedUntil))
	b = appendString(b, r.BlockReason)
	return appendString(b, string(r.State))
}

func decodePolicy(b []byte) (r policyRecord, err error) {
	d := newDecoder(b)
	r.name = d.string()
	r.Delay = time.Duration(d.varint())
	r.Connections = int(d.varint())
	r.Failures = int(d.varint())
	r.BlockedUntil = wallTime(d.varint())
	r.BlockReason = d.string()
	if s := d.string(); s != "" {
		r.State = []byte(s)
	}
	return r, d.end("policy record")
}

// totals are the sums over all sites.
type totals struct {
	known, queued, retrying, done, refused, failed, pages, bytes int64
	sites                                                        int64
	active                                                       int64 // sites with work
}

func (t *totals) fields() []*int64 {
	return []*int64{&t.known, &t.queued, &t.retrying, &t.done, &t.refused, &t.failed, &t.pages, &t.bytes, &t.sites, &t.active}
}

func (t *totals) append(b []byte) []byte {
	b = append(b, recordVersion)
	for _, v := range t.fields() {
		b = binary.AppendVarint(b, *v)
	}
	return b
}

func decodeTotals(b []byte) (t totals, err error) {
	d := newDecoder(b)
	for _, v := range t.fields() {
		*v = d.varint()
	}
	return t, d.end("totals")
}

// count adds n to the number of URLs of a status.
func (r *siteRecord) count(s frontier.Status, n int64) {
	switch s {
	case frontier.Queued:
		r.queued += n
	case frontier.Retrying:
		r.retrying += n
	case frontier.Done:
		r.done += n
	case frontier.Refused:
		r.refused += n
	case frontier.Failed:
		r.failed += n
	}
}
