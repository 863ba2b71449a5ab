package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// Exit codes. They are documented in the help of each command and do not change their meaning.
const (
	exitDone        = 0   // all is done, or all is as it should be
	exitFailure     = 1   // it failed, or what was checked is not as it should be
	exitUsage       = 2   // the command line is wrong
	exitConfig      = 3   // the configuration is wrong
	exitDisk        = 4   // the disk is full or the job directory cannot be written
	exitLimit       = 5   // a limit that was asked for ended the crawl
	exitWaiting     = 6   // hosts were left waiting; a later run goes on with them
	exitNotShown    = 7   // nothing contradicts what was to be shown, but evidence is missing
	exitInterrupted = 130 // a signal ended the crawl; everything is saved
)

const exitHelp = `
Exit codes:
  0    done: nothing is left to fetch
  1    error
  2    wrong usage
  3    wrong configuration
  4    disk full, or the job directory cannot be written
  5    a limit (--max-pages, --max-time, ...) ended the crawl
  6    hosts were left waiting longer than --patience; run again later
  130  interrupted; everything is saved, run again to go on
`

// An exitError ends the command with a code of its own, and perhaps a word on what to do about it.
type exitError struct {
	code int
	err  error // nil when everything has been said already
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError says that the command line is wrong.
func usageError(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// diskError says that the job directory cannot be used. An error with a code of its own keeps it.
func diskError(err error) error {
	var e *exitError
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &exitError{code: exitDisk, err: err}
}

// jobError says why a job directory cannot be had, and what to do about it.
func jobError(err error) error {
	switch {
	case errors.Is(err, job.ErrNoJob), errors.Is(err, job.ErrOtherKind):
		return usageError("choose another --job; nothing was changed", "%w", err)
	case errors.Is(err, job.ErrInUse):
		return &exitError{code: exitDisk, err: err, hint: "wait for it, stop it, or choose another --job"}
	}
	return diskError(err)
}

// withHint adds what the user could do about err. The exit code stays what it was.
func withHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &exitError{code: codeOf(err), err: err, hint: hint}
}

// codeOf returns the exit code for err: its own, or the one for its kind.
func codeOf(err error) int {
	var e *exitError
	var c *config.Error
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &c) && c.OnlyFlags():
		return exitUsage
	case c != nil:
		return exitConfig
	case isDiskFull(err):
		return exitDisk
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailure
}

// hintOf returns the outermost hint that err carries, if any.
func hintOf(err error) string {
	var e *exitError
	for errors.As(err, &e) {
		if e.hint != "" {
			return e.hint
		}
		err = e.err
	}
	return ""
}

// printError prints err the way all errors are printed and returns the exit code: each line of the message begins with the
// program's name, and a hint comes last.
func printError(w io.Writer, err error) int {
	var e *exitError
	if silent := errors.As(err, &e) && e.err == nil; err != nil && !silent {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(w, "cybermapper: %s\n", say.Printable(strings.TrimRight(line, "\n")))
		}
	}
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(w, "hint: %s\n", say.Printable(hint))
	}
	return codeOf(err)
}
