package crawler

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// What was visited while the clock was years ahead, or under a larger bound, is due within the bound of now.
func TestRecrawl_Due(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	r := Recrawl{Max: 7 * day}.withDefaults()
	for _, c := range []struct {
		name      string
		last, due time.Duration // from now
		want      time.Duration
	}{
		{"within the bound", -day, 2 * day, 2 * day},
		{"larger bound", -day, 60 * day, 6 * day},
		{"larger bound that has passed", -10 * day, 60 * day, -3 * day},
		{"clock set back by an hour", time.Hour, day, day},
		{"clock ten years ahead", 3650 * day, 3651 * day, 0},
	} {
		back := frontier.Return{Link: frontier.Link{State: Past{Last: now.Add(c.last).Unix()}.state()}, Due: now.Add(c.due)}
		if got := r.due(back, now); !got.Equal(now.Add(c.want)) {
			t.Errorf("%s: due %s, want %s", c.name, got, now.Add(c.want))
		}
	}
	if got := r.due(frontier.Return{Due: now.Add(3651 * day)}, now); got.After(now) {
		t.Errorf("nothing remembered, and due in ten years: due %s, want at once", got)
	}
}
