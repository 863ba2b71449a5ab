package verify

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestWindow_CountsLikeAClock compares the window with a look at every moment. Requests are told in the order in which they end.
func TestWindow_CountsLikeAClock(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var w window
		var spans []span
		end, got := time.Duration(0), 0
		for range 1 + r.IntN(30) {
			end += time.Duration(1 + r.IntN(3))
			s := span{start: max(0, end-time.Duration(1+r.IntN(12))), end: end}
			together, known := w.add(s, time.Hour, 1000)
			if !known {
				t.Fatalf("%v: forgotten", s)
			}
			spans, got = append(spans, s), max(got, together)
		}
		want := 0
		for at := range end {
			n := 0
			for _, s := range spans {
				if s.start <= at && at < s.end {
					n++
				}
			}
			want = max(want, n)
		}
		if got != want {
			t.Fatalf("%v: %d at once, want %d", spans, got, want)
		}
	}
}

func TestWindow_SaysWhatItForgot(t *testing.T) {
	var w window
	for i := range 10 {
		at := time.Duration(i) * time.Second
		w.add(span{start: at, end: at + 1}, time.Hour, 4)
	}
	if _, known := w.add(span{start: 0, end: 11 * time.Second}, time.Hour, 4); known {
		t.Error("what was under way long ago is said to be known")
	}
	if len(w.spans) > 4 {
		t.Errorf("%d spans are kept, want 4 at most", len(w.spans))
	}
}
