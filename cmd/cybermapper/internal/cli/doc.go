// Package cli holds what the commands have in common: what a shell script may rely on, and what a person finds alike in all
// of them.
//
// Nouns: an Error is an error with an exit code, and perhaps a hint; a Build says which program this is.
//
// Promises: an exit code does not change its meaning. Each line of an error begins with the name of the program, and what
// to do about it comes last. A misspelt command or flag is answered with what may have been meant. Text from elsewhere
// cannot reach the terminal as anything but text.
//
// Limits: it knows flags and arguments, but no command; what is asked of a job or a site is the business of its callers.
package cli
