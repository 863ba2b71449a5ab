package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

const (
	// skimHead is how many bytes of a member are decompressed to read the headers of its record.
	skimHead = 2 << 10
	// skimWaste is how many bytes may be looked through in vain, besides as many as the file had until there. Behind that no end is
	// looked for.
	skimWaste = 64 << 20
)

// Skim lets the Reader pass over what nobody reads of the records from now on, if it can tell where they end: in a file that is
// compressed by gzip, where a member ends with the length that the header of its record tells, and another record or the end of
// the file follows. What is passed over is neither decompressed nor checked: what is damaged there is not seen, and whoever has
// made the payload of a record on purpose can let the records in it pass for records of the file.
func (r *Reader) Skim() { r.skims = true }

// skim goes to the end of a record, of which only the head has been decompressed, and reports whether it has found that.
func (r *Reader) skim(rec *Record) bool {
	b, ok := rec.Block.(*block)
	if !ok || r.head == nil || r.head.full != nil || r.count != 1 {
		return false
	}
	size := r.at() + b.left + int64(len("\r\n\r\n"))
	next, ok := r.head.source.endOf(r.begin, size)
	if !ok {
		r.wasted += next - r.begin
		r.skims = r.wasted <= skimWaste+r.begin
		return false
	}
	r.current, r.member, r.next = nil, nil, next
	return true
}

// A headReader reads a member, of which it has decompressed the beginning only; what is behind that, when it is asked for.
type headReader struct {
	source *gzipSource
	start  int64 // of the member
	head   []byte
	read   int // of head
	full   io.Reader
}

// openHead opens the member at off. The headReader is nil if the member is so small that it has been opened as any.
func (s *gzipSource) openHead(off int64) (io.Reader, *headReader, error) {
	if off >= s.size {
		return nil, nil, errEnd
	}
	s.stand(off)
	packed, err := s.buffered.Peek(skimHead)
	if err == nil {
		s.head, err = s.glance(packed, s.head[:0])
	}
	if err != nil || len(s.head) == 0 { // it is whole, or short, or damaged
		data, err := s.open(off)
		return data, nil, err
	}
	h := &headReader{source: s, start: off, head: s.head}
	return h, h, nil
}

// glance appends what the first bytes of a member hold, and nothing if they are all of it.
func (s *gzipSource) glance(packed, to []byte) ([]byte, error) {
	s.glanced.Reset(packed)
	if err := s.glancer.Reset(&s.glanced); err != nil {
		return to, err
	}
	s.glancer.Multistream(false)
	for {
		if len(to) == cap(to) {
			to = append(to, 0)[:len(to)]
		}
		n, err := s.glancer.Read(to[len(to):cap(to)])
		to = to[:len(to)+n]
		switch {
		case errors.Is(err, io.EOF):
			return to[:0], nil
		case errors.Is(err, io.ErrUnexpectedEOF) || len(to) >= maxHeader:
			return to, nil
		case err != nil:
			return to, err
		}
	}
}

// Read implements io.Reader.
func (h *headReader) Read(p []byte) (int, error) {
	if h.read < len(h.head) {
		n := copy(p, h.head[h.read:])
		h.read += n
		return n, nil
	}
	if h.full == nil {
		full, err := h.source.open(h.start)
		if err == nil {
			_, err = io.CopyN(io.Discard, full, int64(h.read))
		}
		if err != nil {
			return 0, err
		}
		h.full = full
	}
	return h.full.Read(p)
}

// endOf looks for the end of the member at off that holds so many bytes: their number is written there, and the file ends, or
// another member follows in which a record begins. If it is not found, end is how far was looked.
func (s *gzipSource) endOf(off, size int64) (end int64, ok bool) {
	s.stand(off)
	mark := append(binary.LittleEndian.AppendUint32(nil, uint32(size)), gzipMagic...)
	most := off + size + size/8 + 4<<10 // behind that, the encoder has done what none does
	for end = off; end < most; {
		packed, _ := s.buffered.Peek(s.buffered.Buffered())
		for i := 0; ; i++ {
			n := bytes.Index(packed[i:], mark)
			if n < 0 {
				break
			}
			if i += n; s.beginsRecord(end + int64(i) + 4) {
				s.buffered.Discard(i + 4)
				return end + int64(i) + 4, true
			}
		}
		if end+int64(len(packed)) == s.size {
			if !bytes.HasSuffix(packed, mark[:4]) {
				return s.size, false
			}
			s.buffered.Discard(len(packed))
			return s.size, true
		}
		n := max(len(packed)-len(mark)+1, 0)
		s.buffered.Discard(n)
		end += int64(n)
		if _, err := s.buffered.Peek(len(mark)); err != nil {
			return end, false
		}
	}
	return end, false
}

// beginsRecord reports whether a member begins at off in which a record begins.
func (s *gzipSource) beginsRecord(off int64) bool {
	packed, err := s.peek(off, skimHead)
	if err != nil {
		return false
	}
	s.glanced.Reset(packed)
	if s.glancer.Reset(&s.glanced) != nil {
		return false
	}
	s.glancer.Multistream(false)
	var start [7]byte
	_, err = io.ReadFull(&s.glancer, start[:])
	return err == nil && isVersion(string(start[:]))
}

// isVersion reports whether a record may begin like this, in upper or lower case (RFC 5234 section 2.3).
func isVersion(start string) bool {
	start = strings.ToUpper(start)
	return strings.HasPrefix(start, "WARC/1.") || strings.HasPrefix(start, "WARC/0.")
}
