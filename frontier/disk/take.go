package disk

import (
	"context"

	"github.com/cybermapper/cybermapper/frontier"
)

// Take adds links that come from elsewhere, of which at says up to which place that has been read now; places grow. Both become
// durable at once: whoever goes on after Taken brings no link twice, and leaves none out. What is not after Taken was taken before,
// and is not taken again. All links are in one batch, however many there are.
func (f *Frontier) Take(ctx context.Context, at uint64, links []frontier.Link) (frontier.AddResult, error) {
	if err := f.beginWrite(ctx); err != nil {
		return frontier.AddResult{}, err
	}
	defer f.using.Done()
	if err := checkLinks(links); err != nil {
		return frontier.AddResult{}, err
	}
	if at <= f.Taken() {
		return frontier.AddResult{}, nil
	}
	r := newRequest(len(links))
	r.taken = at
	f.offer(r, links)
	return f.do(r)
}

// Taken returns up to which place links were taken from elsewhere; 0 if none were.
func (f *Frontier) Taken() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken
}

// dropTaken leaves nothing to do for requests with links that were taken before, or are by another request of the group.
func (c *core) dropTaken(group []*request) {
	taken := c.taken
	for _, r := range group {
		switch {
		case r.taken == 0:
		case r.taken <= taken:
			r.ops, r.out, r.taken, r.result = nil, nil, 0, frontier.AddResult{}
		default:
			taken = r.taken
		}
	}
}

// writeTaken writes up to which place links were taken, if a request says so.
func (s *step) writeTaken() {
	before := s.core.taken
	for _, q := range s.reqs {
		s.core.taken = max(s.core.taken, q.taken)
	}
	if s.core.taken > before {
		s.setNumber(kindTaken, s.core.taken)
	}
}
