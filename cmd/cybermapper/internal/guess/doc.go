// Package guess tells what a mistyped word was probably meant to be, so that a message can ask "did you mean ...?".
//
// It knows one function, [Word], which compares by edit distance: the number of letters that have to be inserted, deleted
// or replaced. A guess is made only when the words are close; no guess is better than a silly one.
package guess
