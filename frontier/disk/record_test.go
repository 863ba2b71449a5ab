package disk

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cybermapper/cybermapper/frontier"
)

// The vectors of the reference implementation: key 00 01 .. 0f, input 00 01 .. of that length.
func TestHash_Vectors(t *testing.T) {
	var k hashKey
	input := make([]byte, 64)
	for i := range input {
		input[i] = byte(i)
	}
	copy(k[:], input)
	for n, want := range map[int]uint64{
		0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 2: 0x0d6c8009d9a94f5a, 3: 0x85676696d7fb7e2d,
		7: 0xab0200f58b01d137, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5,
	} {
		if got := k.hash(string(input[:n])); got != want {
			t.Errorf("hash of %d bytes = %016x, want %016x", n, got, want)
		}
	}
}

// Ensure that the queues of versions without priorities, which had the depth and then a zero, are read, and come first.
func TestKeys_WithoutPriority(t *testing.T) {
	key := append(appendSite(nil, kindQueue, 7), 1, 3, 0, 1, 9)
	id, p, ok := parseQueueKey(key)
	if want := (position{depth: 3, seq: 9}); !ok || id != 7 || p != want || p.priority() != 0 {
		t.Errorf("parse %x = %x, %+v, %v, want %+v", key, id, p, ok, want)
	}
	if got := appendQueueKey(nil, 7, p); !bytes.Equal(got, key) {
		t.Errorf("written again it is %x, want %x", got, key)
	}
	if q := (position{rank: rankOf(frontier.MaxPriority), seq: 1}); p.compare(q) >= 0 {
		t.Errorf("%+v does not come before %+v", p, q)
	}
}

// Ensure that the order of keys is the order of what they stand for, and that they can be read again.
func TestKeys(t *testing.T) {
	anyPosition := rapid.Custom(func(t *rapid.T) position {
		return position{
			rapid.OneOf(rapid.Uint32Range(0, 3), rapid.Uint32()).Draw(t, "depth"), rapid.Uint8().Draw(t, "priority"),
			rapid.OneOf(rapid.Uint64Range(0, 300), rapid.Uint64()).Draw(t, "seq"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		id := siteID(rapid.Uint64().Draw(t, "site"))
		p, q := anyPosition.Draw(t, "p"), anyPosition.Draw(t, "q")
		a, b := appendQueueKey(nil, id, p), appendQueueKey(nil, id, q)
		if got := bytes.Compare(a, b); got != p.compare(q) {
			t.Errorf("%x and %x compare as %d, want %d", a, b, got, p.compare(q))
		}
		if gotID, got, ok := parseQueueKey(a); !ok || gotID != id || got != p {
			t.Errorf("parse %x = %x, %v, %v", a, gotID, got, ok)
		}
		r := retryPlace{rapid.Int64Range(0, math.MaxInt64).Draw(t, "due"), p}
		a = appendRetryKey(nil, id, r)
		if gotID, got, ok := parseRetryKey(a); !ok || gotID != id || got != r {
			t.Errorf("parse %x = %x, %v, %v", a, gotID, got, ok)
		}
		if c := newComparer(); !bytes.HasPrefix(a, appendSite(nil, kindRetry, id)[:c.Split(a)]) {
			t.Errorf("prefix of %x is %d bytes", a, c.Split(a))
		}
	})
}

// Ensure that an entry is kept whole, whatever site its URLs belong to.
func TestEntry_RoundTrip(t *testing.T) {
	anyURL := rapid.Custom(func(t *rapid.T) frontier.URL {
		u, err := frontier.ParseURL(rapid.SampledFrom([]string{
			"http://a.test/", "https://a.test/x?y=%2F", "http://a.test:8080/", "http://a.test:443/x", "https://a.test:80/",
			"http://a.test./dot", "http://a.testing/", "http://b.test/http://a.test/", "http://[::1]:81/", "http://xn--nxasmq6b/",
		}).Draw(t, "URL"))
		if err != nil {
			t.Fatal(err)
		}
		return u
	})
	rapid.Check(t, func(t *rapid.T) {
		want := frontier.Entry{
			Link: frontier.Link{
				URL: anyURL.Draw(t, "URL"), Hops: rapid.SliceOfN(anyURL, 0, 3).Draw(t, "hops"),
				Depth: rapid.IntRange(0, 1<<20).Draw(t, "depth"), Priority: rapid.Int8Range(-frontier.MaxPriority, frontier.MaxPriority).Draw(t, "priority"),
			},
			Attempt: rapid.IntRange(0, 1<<16-1).Draw(t, "attempt"),
			Excused: rapid.IntRange(0, 1<<16-1).Draw(t, "excused"),
			Added:   time.Unix(0, rapid.Int64().Draw(t, "added")),
		}
		if rapid.Bool().Draw(t, "found on a page") {
			want.Via = anyURL.Draw(t, "via")
		}
		if rapid.Bool().Draw(t, "found in a sitemap") {
			want.Kind = rapid.Uint8().Draw(t, "kind")
			want.Modified = time.Unix(rapid.Int64Range(-1<<36, 1<<38).Draw(t, "modified"), 0).UTC()
			want.Every = time.Duration(rapid.Int64Range(0, 1<<33).Draw(t, "every")) * time.Second
		}
		want.State = rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "state")
		name := want.URL.Site()
		got, err := decodeEntry(appendEntry(nil, name, &want), name)
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(frontier.URL{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("decode: %v\n%s", err, diff)
		}
	})
}

// Ensure that no bytes make a decoder panic or allocate beyond their own length, and that what is decoded is encoded and
// decoded to the same again.
func FuzzRecord(f *testing.F) {
	entry := frontier.Entry{Link: frontier.Link{Hops: make([]frontier.URL, 3)}, Added: time.Unix(1, 2)}
	entry.URL, _ = frontier.ParseURL("https://a.test/x")
	entry.Via, _ = frontier.ParseURL("http://b.test/")
	remembered := entry.Link
	remembered.State = []byte("state")
	for _, seed := range [][]byte{
		nil, {recordVersion}, {recordVersion + 1},
		(&seenRecord{status: frontier.Queued, position: position{1, 2, 3}}).append(nil),
		(&seenRecord{status: frontier.Retrying, position: position{1, 2, 3}, due: 4, code: 503, reason: "busy"}).append(nil),
		(&seenRecord{status: frontier.Done, code: 200, settled: 5}).append(nil),
		(&siteRecord{seq: 1, queued: 2, head: position{3, 4, 5}, due: 6}).append(nil),
		(&policyRecord{name: "a", SitePolicy: frontier.SitePolicy{Delay: 1, State: []byte("state")}}).append(nil),
		(&totals{known: 1, active: 2}).append(nil),
		appendEntry(nil, "a.test", &entry),
		appendReturn(nil, "a.test", &frontier.Return{Link: remembered, Due: time.Unix(3, 4)}),
		appendChunk(nil, "a.test", entry.Added, slotsOf([]frontier.Link{entry.Link, entry.Link}, []uint64{7, 9})),
		appendQueueKey(nil, 1, position{2, 3, 4}), appendRetryKey(nil, 1, retryPlace{2, position{3, 4, 5}}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		again(t, b, decodeSeen, func(r seenRecord) []byte { return r.append(nil) })
		again(t, b, decodeSite, func(r siteRecord) []byte { return r.append(nil) })
		again(t, b, decodePolicy, func(r policyRecord) []byte { return r.append(nil) })
		again(t, b, decodeTotals, func(r totals) []byte { return r.append(nil) })
		again(t, b, func(b []byte) (frontier.Entry, error) { return decodeEntry(b, "a.test") },
			func(e frontier.Entry) []byte { return appendEntry(nil, "a.test", &e) })
		again(t, b, func(b []byte) (frontier.Return, error) { return decodeReturn(b, "a.test") },
			func(r frontier.Return) []byte { return appendReturn(nil, "a.test", &r) })
		if isChunk(b) {
			again(t, b, func(b []byte) ([]placed, error) { return decodeQueue(b, "a.test", position{seq: 9}, position{}) }, encodeChunk)
		}
		if id, p, ok := parseQueueKey(b); ok && b[0] == kindQueue && !bytes.Equal(appendQueueKey(nil, id, p), b) {
			t.Errorf("queue key %x is read as %x %v", b, id, p)
		}
		if id, p, ok := parseRetryKey(b); ok && b[0] == kindRetry && !bytes.Equal(appendRetryKey(nil, id, p), b) {
			t.Errorf("retry key %x is read as %x %v", b, id, p)
		}
	})
}

func encodeChunk(entries []placed) []byte {
	links, seqs := make([]frontier.Link, len(entries)), make([]uint64, len(entries))
	for i, p := range entries {
		links[i], seqs[i] = p.entry.Link, p.seq
	}
	return appendChunk(nil, "a.test", entries[0].entry.Added, slotsOf(links, seqs))
}

// again encodes what b decodes to, and compares what that decodes to.
func again[T any](t *testing.T, b []byte, decode func([]byte) (T, error), encode func(T) []byte) {
	t.Helper()
	want, err := decode(b)
	if err != nil {
		return
	}
	code := encode(want)
	got, err := decode(code)
	if err != nil || !slices.Equal(encode(got), code) {
		t.Errorf("%x decodes to %+v, that is encoded as %x, which decodes to %+v, %v", b, want, code, got, err)
	}
}
