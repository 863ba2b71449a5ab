package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// deaths are the times at which runs of a command were dead. Each run had an address of its own.
type deaths []time.Time

// runUntilDone runs the command again and again: it kills the first of its runs and lets the last end well.
func runUntilDone(t *testing.T, args []string, most int, patience time.Duration) deaths {
	t.Helper()
	var dead deaths
	for deadline := time.Now().Add(patience); ; {
		if !runAndKill(t, append(slices.Clone(args), "--bind", dead.address(len(dead))), len(dead) < most) {
			return dead
		}
		dead = append(dead, time.Now())
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not come to an end")
		}
	}
}

// address returns where a run connects from.
func (dead deaths) address(run int) string { return fmt.Sprintf("127.0.2.%d", run+1) }

// judge returns the hits of all runs, in order. What is dead has nothing under way: where the server, on a busy machine, saw a
// request or the end of its connection later than that, it is told as at the death.
func (dead deaths) judge(log webtest.Hits) webtest.Hits {
	log = slices.Clone(log)
	for run, death := range dead {
		last := death.Add(-1)
		for i, h := range log {
			if host, _, err := net.SplitHostPort(h.Remote); err != nil || host != dead.address(run) {
				continue
			}
			if h.Start.After(last) {
				log[i].Start = last
			}
			if h.End.IsZero() || h.End.After(last) {
				log[i].End = last
			}
		}
	}
	slices.SortStableFunc(log, func(a, b webtest.Hit) int { return a.Start.Compare(b.Start) })
	return log
}

// runAndKill runs the command, kills it after a random time if asked to, and reports whether it did. Otherwise the command
// must end well.
func runAndKill(t *testing.T, args []string, kill bool) bool {
	t.Helper()
	killed, err := startAndKill(t, args, kill)
	if err != nil {
		t.Fatal(err)
	}
	return killed
}

// startAndKill is runAndKill for a command that may fail.
func startAndKill(t *testing.T, args []string, kill bool) (killed bool, err error) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := process(t, args...)
	cmd.Stderr = &stderr
	mustStart(t, cmd)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var after <-chan time.Time
	if kill {
		after = time.After(time.Duration(60+rand.IntN(500)) * time.Millisecond)
	}
	select {
	case <-after:
		cmd.Process.Kill()
		<-done
		return true, nil
	case err := <-done:
		if err != nil {
			err = fmt.Errorf("cybermapper %s: %w\n%s", strings.Join(args, " "), err, &stderr)
		}
		return false, err
	}
}
