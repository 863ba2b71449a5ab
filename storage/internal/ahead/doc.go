// Package ahead reads sequences on all cores.
//
// [Map] is for sequences of lines, each of which costs much to understand and does not depend on the others. The lines are read
// by one goroutine, understood by as many as there are cores, a batch at a time, and handed out in their order. Memory is bounded:
// a few batches, which are used again and again. When the loop over the result ends, all goroutines have ended.
package ahead
