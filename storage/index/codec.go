package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A codec packs texts into blobs, and unpacks them. It is safe for concurrent use.
type codec struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// maxBlob bounds what a blob unpacks to.
const maxBlob = 2*MaxBody + 8*MaxField

func newCodec() codec {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<17),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // of options that are constants
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlob),
		zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return codec{enc, dec}
}

var errBlob = errors.New("a text that cannot be read")

// pack returns a text, without its title, and the numbers of names, which it sorts, as a blob. raw is room to work in; it is
// returned to be used again.
func (c codec) pack(t *Text, names []int64, raw []byte) (blob, room []byte) {
	raw = slices.Grow(raw[:0], len(t.Body)+len(t.Emphasis)+len(t.Lead)+len(t.Description)+len(t.Keywords)+64)
	for _, s := range []string{t.Body, t.Emphasis, t.Lead, t.Description, t.Keywords} {
		raw = binary.AppendUvarint(raw, uint64(len(s)))
		raw = append(raw, s...)
	}
	raw = binary.AppendUvarint(raw, uint64(len(names)))
	slices.Sort(names)
	last := int64(0)
	for _, id := range names {
		raw = binary.AppendUvarint(raw, uint64(id-last))
		last = id
	}
	for _, h := range t.Headings {
		raw = binary.AppendUvarint(raw, uint64(h.Level))
		raw = binary.AppendUvarint(raw, uint64(h.At))
		for _, s := range []string{h.ID, h.Text} {
			raw = binary.AppendUvarint(raw, uint64(len(s)))
			raw = append(raw, s...)
		}
	}
	return c.enc.EncodeAll(raw, nil), raw
}

// unpack returns the text in a blob, and the numbers of names.
func (c codec) unpack(blob []byte) (t Text, names []int64, err error) {
	raw, err := c.dec.DecodeAll(blob, nil)
	if err != nil {
		return t, nil, fmt.Errorf("%w: %w: %w", ErrDamaged, errBlob, err)
	}
	u := unpacker{raw: raw}
	for _, s := range []*string{&t.Body, &t.Emphasis, &t.Lead, &t.Description, &t.Keywords} {
		*s = u.text()
	}
	last := int64(0)
	for n := u.number(); n > 0 && !u.bad; n-- {
		last += int64(u.number())
		names = append(names, last)
	}
	for len(u.raw) > 0 && !u.bad {
		t.Headings = append(t.Headings, Heading{Level: int(u.number()), At: int(u.number()), ID: u.text(), Text: u.text()})
	}
	if u.bad {
		return Text{}, nil, fmt.Errorf("%w: %w", ErrDamaged, errBlob)
	}
	return t, names, nil
}

// An unpacker reads numbers and texts.
type unpacker struct {
	raw []byte
	bad bool
}

func (u *unpacker) number() uint64 {
	n, size := binary.Uvarint(u.raw)
	if size <= 0 {
		u.bad = true
		u.raw = nil
		return 0
	}
	u.raw = u.raw[size:]
	return n
}

func (u *unpacker) text() string {
	n := u.number()
	if u.bad || n > uint64(len(u.raw)) {
		u.bad = true
		return ""
	}
	s := string(u.raw[:n])
	u.raw = u.raw[n:]
	return s
}
