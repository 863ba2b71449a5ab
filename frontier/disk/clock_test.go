//go:build linux && (amd64 || arm64)

package disk_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/clocktest"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// A wall clock that is set an hour forward or back, in the midst of a process or while none runs after one in which it was, neither
// cuts a rest short nor prolongs it. The test runs itself in processes of their own, whose clocks are set.
func TestAWallClockThatIsSet(t *testing.T) {
	const rests, idle, between = "TestRestsUnderASteppedClock", "TestAStepWhileNothingIsWritten", "TestAStepWhileNoProcessRuns"
	const opened, handed, ofLog = "TestAStepBeforeItIsOpened", "TestAHandOverToAnotherClock", "TestAStepWhileALogRests"
	for name, of := range map[string]struct {
		test string
		by   time.Duration
	}{
		"forward": {rests, time.Hour}, "back": {rests, -time.Hour}, "forward, idle": {idle, time.Hour}, "back, idle": {idle, -time.Hour},
		"back, no process": {between, -time.Hour}, "forward, no process": {between, time.Hour},
		"forward, at open": {opened, time.Hour}, "back, at open": {opened, -time.Hour},
		"ahead, another machine": {handed, time.Hour}, "behind, another machine": {handed, -time.Hour},
		"forward, a log": {ofLog, time.Hour}, "back, a log": {ofLog, -time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they sleep
			cmd := exec.Command(os.Args[0], "-test.run", "^"+of.test+"$")
			cmd.Env = append(os.Environ(), steppedBy+"="+of.by.String())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

const steppedBy = "CYBERMAPPER_STEPPED_BY"

// step returns by how much the wall clock is to be set in this process. It skips a test that TestAWallClockThatIsSet did not begin.
func step(t *testing.T) time.Duration {
	t.Helper()
	by, err := time.ParseDuration(os.Getenv(steppedBy))
	if err != nil {
		t.Skip("part of TestAWallClockThatIsSet")
	}
	return by
}

// TestRestsUnderASteppedClock looks at rests across two steps of the wall clock.
func TestRestsUnderASteppedClock(t *testing.T) {
	by, start, dir := step(t), time.Now(), t.TempDir()
	f := open(t, dir, disk.Options{})
	time.AfterFunc(time.Second, func() { clocktest.Set(by) })
	rest(t, f, "a.example", 2*time.Second, 0)
	rest(t, f, "b.example", 0, 2*time.Second)
	await(t, f, start, 2*time.Second)
	await(t, f, start, 2*time.Second)
	if ahead := time.Now().Round(0).Sub(start.Round(0)) - time.Since(start); (ahead - by).Abs() > time.Second {
		t.Fatalf("the wall clock was set by %v, want %v", ahead, by)
	}
	begin := time.Now()
	time.AfterFunc(2*time.Second, func() { clocktest.Set(2 * by) })
	rest(t, f, "c.example", 4*time.Second, 0)
	await(t, f, begin, 4*time.Second)
	again := time.Now()
	rest(t, f, "d.example", 3*time.Second, 0)
	frontiertest.MustClose(t, f)
	f = open(t, dir, disk.Options{})
	await(t, f, again, 3*time.Second)
	frontiertest.MustClose(t, f)
}

// TestAStepWhileNothingIsWritten looks at a rest across a step of the wall clock after which the process writes nothing, and is
// killed. What it has kept is enough for the next one, which has no clock of the machine.
func TestAStepWhileNothingIsWritten(t *testing.T) {
	by, start, dir, left := step(t), time.Now(), t.TempDir(), t.TempDir()
	o := disk.Options{Boot: func() bootclock.Reading { return bootclock.Reading{} }}
	f := open(t, dir, o)
	time.AfterFunc(time.Second, func() { clocktest.Set(by) })
	rest(t, f, "a.example", 10*time.Second, 0)
	time.Sleep(4 * time.Second)
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil { // what a kill leaves
		t.Fatal(err)
	}
	next := open(t, left, o)
	await(t, next, start, 10*time.Second)
	if err := errors.Join(next.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestAStepWhileNoProcessRuns looks at a rest across a step of the wall clock between a process that is killed and the next.
func TestAStepWhileNoProcessRuns(t *testing.T) {
	by, start, dir, left := step(t), time.Now(), t.TempDir(), t.TempDir()
	f := open(t, dir, disk.Options{})
	rest(t, f, "a.example", 10*time.Second, 0)
	if err := errors.Join(os.CopyFS(left, os.DirFS(dir)), f.Close()); err != nil { // what a kill leaves
		t.Fatal(err)
	}
	clocktest.Set(by)
	next := open(t, left, disk.Options{})
	await(t, next, start, 10*time.Second)
	frontiertest.MustClose(t, next)
}

// TestAStepBeforeItIsOpened looks at a rest across a step of the wall clock in the process that opens the frontier, before it does.
func TestAStepBeforeItIsOpened(t *testing.T) {
	by, start, dir := step(t), time.Now(), t.TempDir()
	f := open(t, dir, disk.Options{})
	rest(t, f, "a.example", 10*time.Second, 0)
	frontiertest.MustClose(t, f)
	began := time.Now()
	clocktest.Set(by)
	f = open(t, dir, disk.Options{Began: began})
	await(t, f, start, 10*time.Second)
	frontiertest.MustClose(t, f)
}

// TestAHandOverToAnotherClock looks at rests across a hand-over to a machine whose wall clock shows something else, by no more than
// the two may differ.
func TestAHandOverToAnotherClock(t *testing.T) {
	by, start, log := step(t), time.Now(), &memLog{}
	o := disk.Options{Skew: 2 * time.Hour}
	on := func(boot string) *disk.Frontier {
		o.Log = log.take()
		o.Boot = func() bootclock.Reading { return bootclock.Reading{Boot: boot, Since: time.Since(start) + time.Hour} }
		return open(t, t.TempDir(), o)
	}
	f := on("a")
	rest(t, f, "a.example", 4*time.Second, 0)
	rest(t, f, "b.example", 0, 4*time.Second)
	frontiertest.MustClose(t, f)
	clocktest.Set(by)
	f = on("b")
	await(t, f, start, 4*time.Second)
	await(t, f, start, 4*time.Second)
	frontiertest.MustClose(t, f)
}

// TestAStepWhileALogRests looks at a rest across a step of the wall clock after which nothing is written to the log, by a process
// that is killed, on the same machine.
func TestAStepWhileALogRests(t *testing.T) {
	by, start, log := step(t), time.Now(), &memLog{}
	f := open(t, t.TempDir(), disk.Options{Log: log.take()})
	time.AfterFunc(time.Second, func() { clocktest.Set(by) })
	rest(t, f, "a.example", 10*time.Second, 0)
	left := []*memLog{log.copy()} // what a kill leaves before the step
	time.Sleep(4 * time.Second)
	left = append(left, log.copy())
	for _, l := range left {
		next := open(t, t.TempDir(), disk.Options{Log: l.take()})
		await(t, next, start, 10*time.Second)
		frontiertest.MustClose(t, next)
	}
	frontiertest.MustClose(t, f)
}

// await leases the next site and settles its entry: not before its rest of so long is over, and not an hour after.
func await(t *testing.T, f *disk.Frontier, from time.Time, rest time.Duration) {
	t.Helper()
	l := frontiertest.MustLease(t, f, time.Minute)
	defer l.Close()
	if took := time.Since(from); took < rest || took > rest+time.Minute {
		t.Errorf("%s rested for %v, want %v", l.Site(), took, rest)
	}
	e := frontiertest.MustNext(t, l)
	frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done})
}
