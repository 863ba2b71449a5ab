package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// listLog is a log that is replayed only: the place of a record is its number.
type listLog [][]byte

func (l *listLog) Append(record []byte) (uint64, error) {
	*l = append(*l, bytes.Clone(record))
	return uint64(len(*l)), nil
}

func (l *listLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	for i := int(after); i < len(*l); i++ {
		if err := f(uint64(i+1), (*l)[i]); err != nil {
			return err
		}
	}
	return nil
}

// reprOf returns a batch of the given changes, and of keys of any kind.
func reprOf(t testing.TB, fill func(b *pebble.Batch) error) []byte {
	t.Helper()
	b := new(pebble.Batch)
	if err := fill(b); err != nil {
		t.Fatal(err)
	}
	return b.Repr()
}

// openLog opens an empty directory with a log.
func openLog(l Log) (*Frontier, error) {
	return Open("f", Options{FS: vfs.NewMem(), Memory: 1, Log: l})
}

// seedBatches returns batches as frontiers write them, and some that they do not.
func seedBatches(t testing.TB) (good, bad [][]byte) {
	log := &listLog{}
	f, err := openLog(log)
	if err != nil {
		t.Fatal(err)
	}
	frontiertest.MustAdd(t, f, frontier.Link{URL: frontiertest.URL(t, "http://a.test/1")})
	frontiertest.MustClose(t, f)
	for _, record := range *log {
		r, err := decodeLogRecord(record)
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, bytes.Clone(r.repr))
	}
	for _, fill := range []func(b *pebble.Batch) error{
		func(b *pebble.Batch) error { return b.Merge([]byte("q"), []byte("x"), nil) },
		func(b *pebble.Batch) error { return b.DeleteRange([]byte("a"), []byte("z"), nil) },
		func(b *pebble.Batch) error { return b.DeleteRange(appendOutKey(nil, 2), appendOutKey(nil, 1), nil) },
		func(b *pebble.Batch) error { return b.RangeKeyDelete([]byte("a"), []byte("z"), nil) },
		func(b *pebble.Batch) error { return b.Set([]byte{kindTail}, []byte("x"), nil) },
		func(b *pebble.Batch) error { return b.Set(nil, []byte("x"), nil) },
		func(b *pebble.Batch) error { return b.LogData([]byte("x"), nil) },
	} {
		bad = append(bad, reprOf(t, fill))
	}
	header := make([]byte, batchrepr.HeaderLen)
	header[8] = 1
	for _, cut := range []string{"\x01", "\x01\xff", "\x01\x80\x80\x80\x80\x80\x00", "\x01\x01q", "\x01\x01q\x05x", "\xee\x01q", "\x01\xff\xff\xff\xff\xff"} {
		bad = append(bad, append(bytes.Clone(header), cut...))
	}
	return good, append(bad, nil, header[:5], header, append(bytes.Clone(good[0]), 0))
}

// Ensure that of what a log claims to be batches only those are applied that a frontier can have written.
func TestReplay_Batches(t *testing.T) {
	good, bad := seedBatches(t)
	for _, b := range good {
		if !isWhole(b) {
			t.Errorf("%x, which a frontier wrote, is refused", b)
		}
	}
	for _, b := range bad {
		if isWhole(b) {
			t.Errorf("%x is taken for a batch", b)
		}
		r := logRecord{number: 1, sum: tail{}.next(b).sum, repr: b}
		f, err := openLog(&listLog{r.append(nil)})
		if !errors.Is(err, ErrDiverged) {
			t.Errorf("Open with %x in the log = %v, want %v", b, err, ErrDiverged)
		}
		if err == nil {
			f.Close()
		}
	}
}

// Whatever is in the log: a batch that is applied is one that the store reads the same way, record by record, and a frontier is
// opened or not, and nothing worse.
func FuzzReplay(f *testing.F) {
	good, bad := seedBatches(f)
	for _, b := range append(good, bad...) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, repr []byte) {
		if isWhole(repr) {
			wantRead(t, repr)
		}
		r := logRecord{number: 1, sum: tail{}.next(repr).sum, repr: repr}
		opened, err := openLog(&listLog{r.append(nil)})
		if err != nil {
			return
		}
		if !isWhole(repr) {
			t.Errorf("%x was applied", repr)
		}
		opened.Close()
	})
}

// wantRead has the store read a batch, and checks that it finds what the batch says, and all of it.
func wantRead(t *testing.T, repr []byte) {
	t.Helper()
	again := bytes.Clone(repr[:batchrepr.HeaderLen])
	var count uint32
	for r := batchrepr.Read(repr); ; count++ {
		kind, key, value, ok, err := r.Next()
		if err != nil {
			t.Fatalf("%x: %v", repr, err)
		}
		if !ok {
			break
		}
		again = append(binary.AppendUvarint(append(again, byte(kind)), uint64(len(key))), key...)
		if kind == pebble.InternalKeyKindSet || kind == pebble.InternalKeyKindRangeDelete {
			again = append(binary.AppendUvarint(again, uint64(len(value))), value...)
		}
	}
	if count != binary.LittleEndian.Uint32(repr[8:]) || len(again) > len(repr) || !isWhole(again) {
		t.Errorf("%x is read as %d records: %x", repr, count, again)
	}
}

// Whatever a record of the log is: it is refused, or is what a record with its number and its hash looks like.
func FuzzLogRecord(f *testing.F) {
	good, _ := seedBatches(f)
	for i, b := range good {
		f.Add(logRecord{number: uint64(i), repr: b}.append(nil))
	}
	f.Add([]byte{})
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, record []byte) {
		r, err := decodeLogRecord(record)
		if err == nil && !bytes.Equal(r.append(nil), record) {
			t.Errorf("%x is read as %+v", record, r)
		}
	})
}

// Whatever the store says of the log's end: it is refused, or written as it was read.
func FuzzTail(f *testing.F) {
	f.Add(tail{}.next([]byte("x")).append(nil))
	f.Add([]byte{recordVersion, 1})
	f.Fuzz(func(t *testing.T, record []byte) {
		got, err := decodeTail(record)
		if err != nil {
			return
		}
		if again, err := decodeTail(got.append(nil)); err != nil || again != got {
			t.Errorf("%x is read as %+v, and that as %+v, %v", record, got, again, err)
		}
	})
}
