// Package clocktest sets the wall clock of the process that calls it, for tests: what time.Now shows, while its monotonic reading
// goes on. It is there on Linux, for amd64 and arm64, where package runtime asks for the time through a pointer to a function of
// the kernel's (vDSO), in place of which Set puts one of its own.
//
// A clock is set for all of a process. A test that sets one therefore runs in a process of its own, beside no other.
package clocktest
