// Package database opens Pebble databases whose disk may be full, or fail.
//
// After an unclean end, Pebble writes tables inside its Open, and when it cannot, tries again without pause and without end:
// neither a signal nor the caller gets a word in. [Open] is Pebble's with an end.
//
// Where it does not know what of its list of tables has reached the disk, Pebble ends the process. If the logger does not let it,
// it goes on with what it cannot know: it writes tables into the list twice, which no later process can merge, or removes some that
// the list has. From then on a database of Open changes none of its files but the log.
//
// Promise: Open returns the first error that the database meets in the background. What it leaves behind then is one goroutine,
// which tries once a second and changes nothing that a process that is killed now would not have changed: when there is room
// the database opens after all, is closed at once, and what belongs to it is released. If it was its list of tables that could not
// be written, it never opens, and the directory stays in use until the process ends. What a database that has failed leaves in its
// directory is what a process that was killed then would have left.
package database
