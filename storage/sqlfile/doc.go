// Package sqlfile opens SQLite databases that several processes use at the same time.
//
// SQLite waits for whoever holds a lock, but for one case: of several that begin with a new file at once, all but one are told that
// it is locked, as each would have to wait while it holds a lock that the others wait for. [Open] tries again.
// [Replace] puts another database in the place of one that is in use, and a [Prepared] asks the same statements often.
package sqlfile
