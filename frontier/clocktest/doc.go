// Package clocktest sets the wall clock of programs that tests start, and of nothing else: Go builds them with a package time that
// steps when it is told to, and whose monotonic clock goes on. It is there on Linux.
package clocktest
