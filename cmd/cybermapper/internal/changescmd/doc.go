// Package changescmd is the command changes: it tells what became of the pages of a job in a span of time: which are new, which
// have changed and how, which are gone, have moved, or may not be kept any more.
//
// [Gather] reads the ledger for what visits found, and the list of pages for the versions before and after. Promises: the job is
// only read, and may be running. Memory grows with what happened in the span, not with the job.
package changescmd
