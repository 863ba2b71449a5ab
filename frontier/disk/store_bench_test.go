package disk

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// The least that links can cost: what BenchmarkAdd writes for a new link, written to the same store in batches of the
// same size, with nothing looked up, counted or scheduled. The machine's other guests slow both down alike.
func BenchmarkStore(b *testing.B) {
	o := Options{}.withDefaults()
	cache := pebble.NewCache(o.Memory)
	defer cache.Unref()
	p := o.store()
	p.Cache = cache
	db, err := pebble.Open(b.TempDir(), p)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	value := []byte("................/archive/articles/category-17/title-of-article-")
	var key []byte
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		batch := db.NewBatch()
		for range min(1600, b.N-n) {
			n++
			id := siteID(rng.Uint64N(10_000) * 0x9e3779b97f4a7c15)
			p := position{uint32(n % 7), 0, uint64(n)}
			key = appendSeenKey(key[:0], seenKey{id, rng.Uint64()})
			batch.Set(key, (&seenRecord{status: 1, position: p}).append(nil), nil)
			key = appendQueueKey(key[:0], id, p)
			batch.Set(key, strconv.AppendInt(value, int64(n), 36), nil)
		}
		if err := db.Apply(batch, pebble.Sync); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "links/s")
}
