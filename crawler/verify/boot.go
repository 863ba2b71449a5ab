package verify

import (
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// bootSlack is by how much the wall clock may move against that of the machine without being noticed as set.
const bootSlack = 2 * clockSlack

// boot compares the wall clock with the one of the machine that nobody sets, which the records of runs and the first of each file
// tell, between the last of these records of a run and this one. While a machine sleeps, its clock goes on, and that of the run
// does not: then the wall clock counts as set.
func (p *pass) boot(e *ledger.Entry) {
	if p.run == nil || e.Type != ledger.Run && e.Format == 0 || p.siteShard.part != 0 {
		return
	}
	isStart := e.Type == ledger.Run && e.Event == ledger.EventStart
	if mayPrecede := []string{ledger.EventOptOut, ledger.EventLifted, ledger.EventRepair}; !isStart &&
		(slices.Contains(mayPrecede, e.Event) || e.Type == ledger.Seed) {
		return // it may be of a process that has not begun its run yet, or begins none, on a machine that was started anew
	}
	last := p.run.stamped
	p.run.stamped = bootStamp{e.Time, e.Boot, time.Duration(e.BootAt)}
	switch behind := e.Time.Sub(last.time) - (time.Duration(e.BootAt) - last.at); {
	case isStart || last.boot == "":
	case e.Boot != last.boot:
		p.tally(Records).lack(e, "says that the machine was started anew since the run began, or does not say when it was")
	case behind > bootSlack, -behind > bootSlack+max(0, time.Duration(e.Set)):
		p.tally(Records).lack(e, "the wall clock and that of the machine went apart by %v: one was set, or the record altered",
			behind.Abs())
	}
}

// A bootStamp is a moment by the clock of a machine.
type bootStamp struct {
	time time.Time // the same, on the wall clock
	boot string    // which start of the machine
	at   time.Duration
}

// A steadyClock follows the wall clock through the records of a ledger.
type steadyClock struct {
	set   time.Duration // by how much it was set since the first record
	last  time.Time     // of the last one, as the clock would show it if it had not been
	stamp bootStamp     // of the last one that tells the clock of the machine, unless one of a run since does not
}

// setBefore returns by how much the clock was set between the last record and this one. Whether it was set back before a run or a
// repair the clock of the machine knows; without that, one that seems to begin before the last record begins right then.
func (c *steadyClock) setBefore(e *ledger.Entry) time.Duration {
	if e.Type != ledger.Run {
		return 0
	}
	switch {
	case e.Event == ledger.EventClock:
		return time.Duration(e.Set)
	case (e.Event == ledger.EventStart || e.Event == ledger.EventRepair) && !c.last.IsZero():
		set := min(e.Time.Add(-c.set).Sub(c.last), 0)
		by := e.Time.Sub(c.stamp.time) - (time.Duration(e.BootAt) - c.stamp.at)
		if e.Boot != "" && e.Boot == c.stamp.boot && (set < 0 || by <= -clockSlack) { // less is what it takes to read them
			set = min(set, by)
		}
		return set
	}
	return 0
}

// see takes in a record.
func (c *steadyClock) see(e *ledger.Entry) {
	c.set += c.setBefore(e)
	c.last = e.Time.Add(-c.set)
	c.stamp = c.stamp.after(e)
}

// after returns the stamp that holds after a record, whose time is on the wall clock.
func (s bootStamp) after(e *ledger.Entry) bootStamp {
	if e.Boot != "" || e.Type == ledger.Run {
		return bootStamp{e.Time, e.Boot, time.Duration(e.BootAt)}
	}
	return s
}
