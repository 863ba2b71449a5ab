package disk

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that the filter never denies a key it was given, seldom takes a new key for one, and says nothing before it is
// complete.
func TestSeenFilter(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() seenKey { return seenKey{siteID(rng.Uint64N(100) * 0x9e3779b97f4a7c15), rng.Uint64()} }
	const size = 1 << 20
	f := newSeenFilter(size)
	if got := f.size(); got > size/16 {
		t.Errorf("%d bytes when it is empty, want a sixteenth of %d at most", got, size)
	}
	keys := make([]seenKey, 8*size/16) // 16 bits a key
	for i := range keys {
		keys[i] = random()
		f.add(keys[i])
	}
	if !f.mayHave(random()) {
		t.Error("an incomplete filter denied a key")
	}
	f.complete.Store(true)
	if got := f.size(); got > size {
		t.Errorf("%d bytes when it is full, want %d at most", got, size)
	}
	for _, k := range keys {
		if !f.mayHave(k) {
			t.Fatalf("denied %v, which it was given", k)
		}
	}
	wrong, tries := 0, 100_000
	for range tries {
		if f.mayHave(random()) {
			wrong++
		}
	}
	t.Logf("%d of %d", wrong, tries)
	if max := tries / 33; wrong > max {
		t.Errorf("took %d of %d new keys for known, want at most %d", wrong, tries, max)
	}
}

// size returns how many bytes the parts of a filter take.
func (f *seenFilter) size() (bytes int) {
	for i := range f.parts {
		if p := f.parts[i].Load(); p != nil {
			bytes += 8 * len(p.words)
		}
	}
	return bytes
}

// Ensure that a frontier that is opened again knows what it knew, before and after the filter has been filled, and that
// the filter comes to hold all of it.
func TestSeenFilter_Reopen(t *testing.T) {
	dir := t.TempDir()
	var links []frontier.Link
	for i := range 5000 {
		links = append(links, frontier.Link{URL: frontiertest.URL(t, "http://site-"+strconv.Itoa(i%7)+".example/"+strconv.Itoa(i))})
	}
	for round := range 3 {
		f, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 1000 * (round + 1)
		res, err := f.Add(t.Context(), links[:n])
		if want := (frontier.AddResult{New: 1000, Known: n - 1000}); err != nil || res != want {
			t.Errorf("round %d: Add = %+v, %v, want %+v", round, res, err, want)
		}
		for !f.core.filter.complete.Load() {
			f.Stats(t.Context())
		}
		for i, l := range links[:n] {
			if !f.core.filter.mayHave(f.core.seenKey(l.URL)) {
				t.Errorf("round %d: the filter has not heard of link %d", round, i)
			}
		}
		f.known = newKnownCache(0) // so that the store is asked
		if res, err := f.Add(t.Context(), links[:n]); err != nil || res.Known != n {
			t.Errorf("round %d: Add again = %+v, %v, want all %d known", round, res, err, n)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
