// Package frontiertest is the contract of package frontier as tests.
//
// An implementation has one test file that hands its constructor over:
//
//	func TestFrontier(t *testing.T) {
//		frontiertest.Test(t, open, frontiertest.Options{Oracle: memory.New})
//	}
//
// Test runs every promise of the table as a subtest, then a hammer of many goroutines that looks at politeness from the
// outside, then random operations side by side with an oracle, which is another implementation. Reopen tests what must
// outlive a process, Benchmark measures.
//
// # Design
//
// Promises are written in units of time. With Options.Bubble each runs in a testing/synctest bubble, a unit is a second
// that takes no time, and waits must be exact. Without, as background goroutines and files need it, a unit is short but
// real, and a wait must only be long enough.
package frontiertest
