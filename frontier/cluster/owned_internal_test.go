package cluster

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Ensure that a node sends no more messages of links when there are more partitions, and that a few of them do not make it wait
// long.
func TestForwardEvery(t *testing.T) {
	for partitions, want := range map[int]time.Duration{1: time.Second, 64: time.Second, 256: 2 * time.Second, 1024: 8 * time.Second} {
		if got := forwardEvery(partitions); got != want {
			t.Errorf("%d partitions: %v, want %v", partitions, got, want)
		}
	}
}

// Ensure that a pace is known as soon as it has begun, follows changes, and is forgotten.
func TestPace(t *testing.T) {
	var p pace
	now := time.Unix(0, 0)
	p.count(now, 0)
	for _, tt := range []struct {
		perSecond   int
		d           time.Duration
		least, most float64
	}{
		{5, 2 * time.Second, 4.9, 5.2}, {5, 5 * time.Minute, 4.9, 5.2}, {50, 2 * time.Minute, 48, 52}, {0, 5 * time.Minute, 0, 0.1},
	} {
		for end := now.Add(tt.d); now.Before(end); {
			now = now.Add(time.Second)
			p.count(now, tt.perSecond)
		}
		if got := p.rate(now); got < tt.least || got > tt.most {
			t.Errorf("after %v of %d a second: %v", tt.d, tt.perSecond, got)
		}
	}
}

// A lease that is taken while its partition is left, after it was found without any, ends like another.
func TestLeave_LeaseComesLate(t *testing.T) {
	f := &Frontier{}
	p := &partition{node: f}
	f.leave(t.Context(), p)
	p.leases++
	l := &lease{Lease: closed{}, p: p}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// closed is a lease that ends well.
type closed struct{ frontier.Lease }

func (closed) Close() error { return nil }
