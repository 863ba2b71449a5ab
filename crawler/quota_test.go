package crawler

import (
	"context"
	"slices"
	"testing"
)

// grants is a Quota that hands out pages in pieces of 4.
type grants struct {
	left, all int64
	back      []int64
}

func (g *grants) Claim(context.Context) (pages, bytes Allowance, err error) {
	n := min(4, g.left)
	g.left -= n
	g.all += n
	return Allowance{g.all, g.left == 0}, Allowance{IsLast: true}, nil
}

func (g *grants) GiveBack(_ context.Context, pages, bytes int64) error {
	g.back = append(g.back, pages, bytes)
	return nil
}

// Ensure that a budget of which pieces are claimed lets in what was claimed, and asks for more before that is used up.
func TestBudget_Claims(t *testing.T) {
	var ends []Reason
	b := newBudget(Limits{Pages: 10}, false, 7, 0, func(end Reason) { ends = append(ends, end) })
	b.share()
	q := &grants{left: 10}
	claim := func() { p, n, _ := q.Claim(t.Context()); b.grow(p, n) }
	claim()
	taken := 0
	for range 20 {
		r, ok := b.reserve()
		if !ok {
			if _, end, _ := b.room(); end != "" {
				break
			}
			select {
			case <-b.claimed.wanted:
				claim()
			default:
				t.Fatal("nobody asks for more")
			}
			continue
		}
		taken++
		r.page, r.bytes = true, 100
		r.giveBack()
	}
	if pages, bytes := b.used(); taken != 10 || pages != 10 || bytes != 1000 {
		t.Errorf("%d pages were let in, %d and %d bytes counted; want 10 and 1000", taken, pages, bytes)
	}
	if !slices.Contains(ends, EndPages) || !b.full() {
		t.Errorf("ends %v, full %v; want %v, true", ends, b.full(), EndPages)
	}
}

// Ensure that nothing is let in when others have used all of a limit.
func TestBudget_NothingLeftToClaim(t *testing.T) {
	var ends []Reason
	b := newBudget(Limits{Pages: 10}, false, 0, 0, func(end Reason) { ends = append(ends, end) })
	b.share()
	b.grow(Allowance{IsLast: true}, Allowance{IsLast: true})
	if _, ok := b.reserve(); ok || !slices.Contains(ends, EndPages) {
		t.Errorf("reserve: %v, ends %v; want false, %v", ok, ends, EndPages)
	}
}
