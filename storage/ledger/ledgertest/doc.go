// Package ledgertest writes ledgers for tests of what reads them: of jobs that never ran. A test ends where that fails, so that it
// says in one line what its ledger tells. What the records say is up to the test: nothing here makes sense of them.
package ledgertest
