package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A policyStore is the frontier as far as a standing knows it.
type policyStore struct {
	mu   sync.Mutex
	kept []frontier.SitePolicy
	err  error
}

func (s *policyStore) set(_ context.Context, p frontier.SitePolicy) error {
	for range rand.IntN(20) {
		runtime.Gosched() // who comes later may be sooner
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.kept = append(s.kept, p)
	}
	return s.err
}

func (s *policyStore) last() frontier.SitePolicy { return s.kept[len(s.kept)-1] }

func testStanding(t *testing.T, p Politeness, f func(t *testing.T, s *standing, kept *policyStore)) {
	t.Helper()
	p = p.withDefaults()
	synctest.Test(t, func(t *testing.T) {
		kept := &policyStore{}
		f(t, remembered(frontier.SitePolicy{}, &p, kept.set), kept)
	})
}

// What is learnt is stored before the method returns, and is known again by whoever leases the site next.
func TestStanding_OutlivesTheLease(t *testing.T) {
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, kept *policyStore) {
		known := robots.State{Origin: "http://a.example", Digest: "sha256:x", Status: 403}
		err := errors.Join(
			s.learnRobots(t.Context(), known, 7*time.Second, 2, nil),
			s.learnTDM(t.Context(), known.Origin, tdmState{Digest: "sha256:y"}),
		)
		if err != nil {
			t.Fatal(err)
		}
		if p := kept.last(); p.Delay != 7*time.Second || p.Connections != 2 {
			t.Errorf("stored delay %v and %d connections, want 7s and 2", p.Delay, p.Connections)
		}
		next := remembered(kept.last(), s.politeness, kept.set)
		if got := next.robots(known.Origin); got.Digest != known.Digest || got.Status != known.Status {
			t.Errorf("the next lease knows %+v of robots.txt, want %+v", got, known)
		}
		if got := next.tdm(known.Origin); got.Digest != "sha256:y" {
			t.Errorf("the next lease knows %+v of the TDM file", got)
		}
		if got := KnownRobots(kept.last()); len(got) != 1 || got[known.Origin].Digest != known.Digest {
			t.Errorf("KnownRobots = %+v", got)
		}
		if next.mustWait() {
			t.Error("the next lease must wait for nothing")
		}
	})
}

// A State that cannot be read is no permission: nothing is known, so robots.txt is asked for again. States of earlier versions
// are read.
func TestStanding_ReadsWhatWasStored(t *testing.T) {
	for _, tt := range []struct {
		state           string
		timeouts, known int
	}{
		{"", 0, 0}, {"{", 0, 0}, {"null", 0, 0}, {`{"robots":null}`, 0, 0}, {`[]`, 0, 0},
		{`{"robots":{"http://a.example":{}},"fails":3,"denials":1}`, 3, 1},
	} {
		s := remembered(frontier.SitePolicy{State: []byte(tt.state)}, &Politeness{}, nil)
		if s.state.Failed != tt.timeouts || len(s.state.Robots) != tt.known || s.state.Robots == nil || s.state.TDM == nil {
			t.Errorf("%q is read as %+v", tt.state, s.state)
		}
	}
}

// Each failure in a row makes the rest longer, up to its bound; one good answer ends the row.
func TestStanding_BacksOff(t *testing.T) {
	testStanding(t, Politeness{Rest: time.Minute, MaxRest: 5 * time.Minute}, func(t *testing.T, s *standing, kept *policyStore) {
		for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
			rest, err := s.backOff(t.Context(), 0, ReasonDNS, "")
			if err != nil || time.Until(rest.Until) != want || rest.Failures != i+1 || rest.Reason != ReasonDNS {
				t.Errorf("failure %d: %+v, %v; want a rest of %v", i+1, rest, err, want)
			}
			if p := kept.last(); !p.BlockedUntil.Equal(rest.Until) || p.BlockReason != string(ReasonDNS) || p.Failures != i+1 {
				t.Errorf("failure %d is stored as %+v", i+1, p)
			}
			if !s.mustWait() {
				t.Errorf("after failure %d the lease goes on", i+1)
			}
		}
		if rest, _ := s.backOff(t.Context(), time.Hour, ReasonBusy, ""); time.Until(rest.Until) != time.Hour {
			t.Errorf("a rest of %v, want the hour that was asked for", time.Until(rest.Until))
		}
		rest, err := s.backOff(t.Context(), 0, ReasonUnavailable, "")
		if err != nil || time.Until(rest.Until) != time.Hour || kept.last().BlockReason != string(ReasonBusy) {
			t.Errorf("%+v, %v; stored %+v; want the longer rest that another connection was asked for", rest, err, kept.last())
		}
		if err := s.answered(t.Context()); err != nil || kept.last().BlockedUntil != rest.Until || kept.last().Failures != 7 {
			t.Errorf("after an answer of a request that had left before, %+v is stored (%v)", kept.last(), err)
		}
		s = remembered(kept.last(), s.politeness, kept.set)
		if err := s.answered(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p := kept.last(); p.Failures != 0 || !p.BlockedUntil.IsZero() || p.BlockReason != "" {
			t.Errorf("after a good answer %+v is stored", p)
		}
		stored := len(kept.kept)
		if err := s.answered(t.Context()); err != nil || len(kept.kept) != stored {
			t.Errorf("another good answer was stored (%v): nothing has changed", err)
		}
	})
}

func TestStanding_CountsInARow(t *testing.T) {
	testStanding(t, Politeness{DenialsInRow: 4}, func(t *testing.T, s *standing, _ *policyStore) {
		var failed []int
		var denials []bool
		for i := range 5 {
			if i == 2 {
				s.answered(t.Context())
			}
			inRow, _, _ := s.failed(t.Context(), answered{})
			failed = append(failed, inRow)
		}
		for range 6 {
			denied, _ := s.denied(t.Context(), "http://a.example")
			denials = append(denials, denied == ofMany)
		}
		if want := []int{1, 2, 1, 2, 3}; !slices.Equal(failed, want) {
			t.Errorf("failed in a row, with a good answer before the third: %v, want %v", failed, want)
		}
		if want := []bool{false, false, false, true, false, false}; !slices.Equal(denials, want) {
			t.Errorf("denials: enough = %v, want %v", denials, want)
		}
	})
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, _ *policyStore) {
		s.learnRobots(t.Context(), robots.State{Origin: "http://a.example", Status: 401}, 0, 0, nil)
		if denied, _ := s.denied(t.Context(), "http://a.example"); denied != ofAll {
			t.Error("where robots.txt was denied too, one denial is not enough")
		}
		if denied, _ := s.denied(t.Context(), "http://a.example:81"); denied != ofPage {
			t.Error("a denial elsewhere is enough because of the robots.txt of another origin")
		}
	})
	testStanding(t, Politeness{DenialsInRow: 3}, func(t *testing.T, s *standing, _ *policyStore) {
		s.learnRobots(t.Context(), robots.State{Origin: "http://a.example", Status: 403}, 0, 0, nil)
		s.answered(t.Context()) // a store of files that has pages says 403 of all that it does not have
		var denials []bool
		for range 3 {
			denied, _ := s.denied(t.Context(), "http://a.example")
			denials = append(denials, denied == ofMany)
		}
		if want := []bool{false, false, true}; !slices.Equal(denials, want) {
			t.Errorf("where robots.txt was denied, and a page was answered: enough = %v, want %v", denials, want)
		}
	})
	testStanding(t, Politeness{DenialsInRow: -1}, func(t *testing.T, s *standing, _ *policyStore) {
		for range 1000 {
			denied, _ := s.denied(t.Context(), "http://a.example")
			if denied != ofPage {
				t.Fatal("a bound that is off strikes")
			}
		}
	})
}

// The lease ends early when the gap would hold a worker for nothing.
func TestStanding_WaitsForLongGaps(t *testing.T) {
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, kept *policyStore) {
		s.owe(time.Now().Add(holdGap))
		if s.mustWait() {
			t.Errorf("a gap of %v gives the worker back", holdGap)
		}
		s.owe(time.Now().Add(holdGap + time.Millisecond))
		if !s.mustWait() {
			t.Error("a longer gap keeps the worker")
		}
		time.Sleep(time.Second)
		if s.mustWait() {
			t.Error("the gap is over, and the site waits on")
		}
		if len(kept.kept) > 0 {
			t.Errorf("a gap was stored: %+v", kept.kept)
		}
	})
}

// That robots.txt cannot be had is stored in one step with the rest that follows from it: a crawl of hosts that are not there waits
// for the disk once for each.
func TestStanding_StoresAnUnreachableSiteOnce(t *testing.T) {
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, kept *policyStore) {
		told := 0
		s.tell = func(Rest) { told++ }
		rest := &restError{until: time.Now().Add(time.Hour), reason: ReasonRefused, stored: true}
		known := robots.State{Origin: "http://a.example", Failures: 1, NextTry: rest.until}
		err := errors.Join(s.learnRobots(t.Context(), known, 0, 0, rest), s.heed(t.Context(), rest))
		if err != nil || len(kept.kept) != 1 || told != 1 || !s.mustWait() {
			t.Errorf("%v; stored %d times, told %d times, mustWait = %v; want once each, and a rest", err, len(kept.kept), told, s.mustWait())
		}
		if p := kept.last(); !p.BlockedUntil.Equal(rest.until) || p.BlockReason != string(ReasonRefused) || len(KnownRobots(p)) != 1 {
			t.Errorf("stored: %+v", p)
		}
	})
}

// Changes made at the same time are stored in the order in which they were made: what is stored last knows all of them.
func TestStanding_StoresInOrder(t *testing.T) {
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, kept *policyStore) {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { s.failed(t.Context(), answered{}) })
		}
		all.Wait()
		for i, p := range kept.kept {
			var state siteState
			if err := json.Unmarshal(p.State, &state); err != nil || state.Failed != i+1 {
				t.Fatalf("stored as number %d: %d timeouts (%v)", i+1, state.Failed, err)
			}
		}
	})
}

// A store that fails is told, and the lease knows what it learnt all the same.
func TestStanding_StoreFails(t *testing.T) {
	testStanding(t, Politeness{}, func(t *testing.T, s *standing, kept *policyStore) {
		kept.err = errors.New("disk full")
		if _, err := s.backOff(t.Context(), 0, ReasonDNS, ""); !errors.Is(err, kept.err) || !s.mustWait() {
			t.Errorf("backOff = %v, mustWait = %v; want the error of the store, and a rest", err, s.mustWait())
		}
	})
}
