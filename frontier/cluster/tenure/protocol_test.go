package tenure

import (
	"math"
	"os"
	"strconv"
	"testing"
)

// Bounds as small as they can be, so that worlds are few. Two clocks may come apart by a tick, which a margin of two covers: one
// for the owner's clock and one for that of who waits. Clocks that do not drift need none.
var (
	drifting = bounds{ttl: 4, margin: 2, renew: 1, retry: 1}
	exact    = bounds{ttl: 4, margin: 0, renew: 2, retry: 1}
	short    = bounds{ttl: 3, margin: 0, renew: 1, retry: 1}
	brief    = bounds{ttl: 2, margin: 0, renew: 1, retry: 1}
)

// mostWorlds bounds a search in normal tests; CYBERMAPPER_TENURE_WORLDS sets another bound.
func mostWorlds(t *testing.T, normal int) int {
	t.Helper()
	if v := os.Getenv("CYBERMAPPER_TENURE_WORLDS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return normal / 10
	}
	return normal
}

func TestProtocol(t *testing.T) {
	for name, s := range map[string]struct {
		setting
		worlds int // to visit in normal tests
		all    int // with so many there is none left
	}{
		"clocks drift":     {setting{nodes: 2, b: drifting, drift: 1}, 60_000, 560_000},
		"late requests":    {setting{nodes: 2, b: brief, late: 1}, 75_000, 75_000},
		"stale answers":    {setting{nodes: 2, b: brief, stale: true}, 120_000, 120_000},
		"restarts":         {setting{nodes: 2, b: brief, restarts: 1}, 40_000, 300_000},
		"all that":         {setting{nodes: 2, b: drifting, drift: 1, late: 1, stale: true, restarts: 1}, 30_000, math.MaxInt},
		"fenced log":       {setting{nodes: 2, b: brief, late: 1, log: true}, 30_000, math.MaxInt},
		"restarts and log": {setting{nodes: 2, b: brief, restarts: 1, log: true}, 30_000, math.MaxInt},
		"clocks are set":   {setting{nodes: 2, b: brief, clocks: 1}, 30_000, math.MaxInt},
		"three nodes":      {setting{nodes: 3, b: brief}, 30_000, math.MaxInt},
	} {
		t.Run(name, func(t *testing.T) {
			most := mostWorlds(t, s.worlds)
			f := s.explore(most)
			t.Logf("%d worlds, %d actions deep, complete: %v", f.worlds, f.depth, f.complete)
			switch {
			case f.err != nil:
				t.Errorf("%v\n%s", f.err, f.trace)
			case most >= s.all && !f.complete:
				t.Errorf("there are more worlds than %d", f.worlds)
			}
		})
	}
}

// The search finds mistakes: each of these, made in the shipped machine, breaks what TestProtocol holds.
func TestProtocol_Mutants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, s := range []setting{
		{nodes: 2, mutant: mutant{
			name: "the deadline counts from the answer",
			acknowledged: func(m *machine, now reading) {
				if m.held {
					m.sent = now
				}
			},
		}},
		{nodes: 2, b: drifting, drift: 1, mutant: mutant{
			name: "the wait for a silent owner is a tick short",
			next: func(m *machine, now reading) {
				if m.known && m.since.least(now) == m.b.ttl-1 {
					m.since.mono--
					m.since.boot--
				}
			},
		}},
		{nodes: 2, b: drifting, drift: 1, mutant: mutant{
			name: "there is half the margin",
			b:    func(b *bounds) { b.margin-- },
		}},
		{nodes: 2, b: short, late: 1, mutant: mutant{
			name: "a renewal that was not acknowledged prolongs the tenure when it is seen",
			observed: func(m *machine, before machine, now reading) {
				if m.held && m.val == m.me && m.rev > before.rev && before.out.verb == set {
					m.sent = before.out.sent
				}
			},
		}},
		{nodes: 2, b: short, mutant: mutant{
			name: "a renewal that was not acknowledged prolongs the tenure from the last one ordered",
			observed: func(m *machine, before machine, now reading) {
				if m.held && m.val == m.me && m.rev > before.rev {
					m.sent = m.tried
				}
			},
		}},
		{nodes: 2, b: short, mutant: mutant{
			name: "what is read counts from when it was asked for",
			observed: func(m *machine, before machine, now reading) {
				if m.rev != before.rev && before.out.verb == look {
					m.since = before.out.sent
				}
			},
		}},
		{nodes: 2, b: short, mutant: mutant{
			name: "the wait begins anew for no revision",
			observed: func(m *machine, before machine, now reading) {
				if before.known && before.val == m.val {
					m.since = before.since
				}
			},
		}},
		{nodes: 2, mutant: mutant{
			name: "the register is given back before the user returns",
			next: func(m *machine, now reading) {
				if !m.want {
					m.held, m.busy = false, false
				}
			},
			valid: func(m *machine, now reading) (bool, bool) {
				return m.epoch > 0 && m.why == nil && m.b.valid(m.sent, now), true
			},
		}},
		{nodes: 2, mutant: mutant{name: "two processes have one id", oneID: true}},
		{nodes: 2, b: brief, log: true, mutant: mutant{name: "there is no fence", noFence: true}},
		{nodes: 2, b: brief, log: true, mutant: mutant{
			name:    "who takes over does not look at the epoch of the last record",
			noEpoch: true,
		}},
		{nodes: 2, b: short, clocks: 1, mutant: mutant{
			name: "a tenure ends by the wall clock",
			valid: func(m *machine, now reading) (bool, bool) {
				return m.held && now.wall-m.sent.wall < m.b.ttl-m.b.margin, true
			},
		}},
		{nodes: 2, clocks: 1, mutant: mutant{
			name: "a tenure ends by the monotonic clock",
			valid: func(m *machine, now reading) (bool, bool) {
				return m.held && now.mono-m.sent.mono < m.b.ttl-m.b.margin, true
			},
		}},
		{nodes: 2, clocks: 1, mutant: mutant{
			name: "the wait for a silent owner is by the wall clock",
			next: func(m *machine, now reading) {
				if now.wall-m.since.wall >= m.b.ttl {
					m.since.mono, m.since.boot = m.since.mono-m.b.ttl, m.since.boot-m.b.ttl
				}
			},
		}},
	} {
		t.Run(s.mutant.name, func(t *testing.T) {
			if s.b == (bounds{}) {
				s.b = exact
			}
			f := s.explore(mostWorlds(t, 500_000))
			if f.err == nil {
				t.Fatalf("not found in %d worlds, %d actions deep, complete: %v", f.worlds, f.depth, f.complete)
			}
			t.Logf("%v\n%s", f.err, f.trace)
		})
	}
}
