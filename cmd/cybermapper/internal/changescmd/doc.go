// Package changescmd is the command changes: it tells what became of the pages of a job in a span of time: which are new, which
// have changed and how, which are gone, have moved, or may not be kept any more.
//
// [Gather] reads the ledger for what visits found, and the list of pages for the versions before and after. Promises: the job is
// only read, and may be running. Memory is bounded ([Span.Memory]): of more pages that something was heard of in the span than that
// holds, ledger and list are read several times, a part of the pages each time, and changes wait in temporary files.
// Where the clock was set while a run went on, eight bytes of each visit in the span are held besides.
package changescmd
