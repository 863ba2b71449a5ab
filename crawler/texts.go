package crawler

import (
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/crawler/simhash"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// textBlocks is into how many parts the hash of a text is cut: of two that are near, one part at least is equal.
const textBlocks = simhash.MaxDistance + 1

// texts remembers the texts of pages, a bounded number of them, and finds those which are nearly the same.
type texts struct {
	readers sync.Pool // of *simhash.Reader

	mu    sync.Mutex // guards all below
	most  int
	parts [textBlocks]bounded.Map[knownText]
}

type knownText struct {
	url  frontier.URL
	text simhash.Text
	body uint64 // hash of the digest of the bytes
}

// A pageText is what is known of the text of a page, with a sample of what it says, and a hash of all of that.
type pageText struct {
	simhash.Text
	sample [8]uint64
	exact  uint64
}

// read returns what is known of the text of a page.
func (t *texts) read(body []byte) pageText {
	r, _ := t.readers.Get().(*simhash.Reader)
	if r == nil {
		r = new(simhash.Reader)
	}
	defer t.readers.Put(r)
	return pageText{r.Of(body), r.Sample(), r.Exact()}
}

// near returns the URL of an earlier page whose text is nearly that of u, but not its bytes, which have that digest, and remembers
// this one; empty when none is known.
func (t *texts) near(u frontier.URL, text simhash.Text, body storage.Digest) string {
	if text.Words < simhash.MinWords {
		return ""
	}
	own := knownText{u, text, xxhash.Sum64String(string(body))}
	found := ""
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.parts {
		p := &t.parts[i]
		p.Most = t.most
		key := text.Hash >> (64 / textBlocks * i) & 0xffff
		old, known := p.Get(key)
		if !known || !old.text.Near(text) {
			p.Put(key, own)
			continue
		}
		if old.body != own.body && old.url != u {
			found = old.url.String()
		}
	}
	return found
}
