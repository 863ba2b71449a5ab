// Package pipe reads from those who may have nothing to say for as long as they like: a pipe, or standard input.
//
// A command that waits for its input hears of an interrupt all the same. Files need none of this: a read of them ends.
package pipe
