// Package bootclock reads the clock of the machine that nobody sets and that goes on while it sleeps. It means the same to all
// processes until the machine is started anew, so it tells whether the wall clock was set while no process of a job ran.
//
// Only Linux has it here (CLOCK_BOOTTIME, see clock_gettime(2)); elsewhere a [Reading] is empty, and nothing is known.
package bootclock
