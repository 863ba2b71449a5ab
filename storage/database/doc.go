// Package database opens Pebble databases whose disk may be full.
//
// After an unclean end, Pebble writes tables inside its Open, and when it cannot, tries again without pause and without end:
// neither a signal nor the caller gets a word in. [Open] is Pebble's with an end.
//
// Promise: Open returns the first error that the database meets in the background. What it leaves behind then is one goroutine,
// which tries once a second and changes nothing that a process that is killed now would not have changed: when there is room
// the database opens after all, is closed at once, and what belongs to it is released.
package database
