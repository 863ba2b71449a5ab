// Package filetest reads, writes, copies and removes files for tests, and closes what has files open. A test ends where that fails,
// so that it says in one line what it does. It knows nothing of what the files are.
package filetest
