package disk

import (
	"crypto/rand"
	"sync/atomic"
)

// A knownCache remembers some of the URLs that are known, so that links found on every page of a site cost no look-up. A
// URL that is known once is known for ever, so there is nothing to forget but for want of room. It is safe for concurrent
// use.
type knownCache []atomic.Uint64

// newKnownCache returns a cache of at most that many bytes, a power of two.
func newKnownCache(bytes int64) knownCache {
	n := 1024
	for int64(n)*16 <= bytes {
		n *= 2
	}
	return make(knownCache, n)
}

// slot returns where the key would be, and what would be there. The mark is never 0, and two URLs of one place share it
// as rarely as two URLs of one site share their hash.
func (c knownCache) slot(k seenKey) (*atomic.Uint64, uint64) {
	mark := k.url ^ uint64(k.site)*0x9e3779b97f4a7c15 | 1
	return &c[(k.url>>1^uint64(k.site)>>7)&uint64(len(c)-1)], mark
}

func (c knownCache) has(k seenKey) bool {
	at, mark := c.slot(k)
	return at.Load() == mark
}

func (c knownCache) add(k seenKey) {
	at, mark := c.slot(k)
	at.Store(mark)
}

// A passedCache remembers some of the links to sites of other frontiers that are durable where they wait to be passed on, or were
// passed on. Frontiers of one Budget share it, so it has a secret of its own: what one of them passes on the others need not, as
// whoever goes on with it does so too. It is safe for concurrent use.
type passedCache struct {
	secret atomic.Pointer[hashKey]
	known  knownCache
}

func newPassedCache(bytes int64) *passedCache {
	c := &passedCache{known: newKnownCache(bytes)}
	c.forget()
	return c
}

// forget makes all that is in the cache unknown, by another secret: at once, whatever its size, and nothing that was hashed
// before is found, though it be added later.
func (c *passedCache) forget() {
	secret := new(hashKey)
	_, _ = rand.Read(secret[:]) // never fails
	c.secret.Store(secret)
}
