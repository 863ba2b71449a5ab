package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// Exit codes. They are documented in the help of each command and do not change their meaning.
const (
	ExitDone        = 0   // all is done, or all is as it should be
	ExitFailure     = 1   // it failed, or what was checked is not as it should be
	ExitUsage       = 2   // the command line is wrong
	ExitConfig      = 3   // the configuration is wrong
	ExitDisk        = 4   // the disk is full, or the job directory cannot be written or is in use
	ExitLimit       = 5   // a limit that was asked for ended the crawl
	ExitWaiting     = 6   // hosts were left waiting; a later run goes on with them
	ExitNotShown    = 7   // nothing contradicts what was to be shown, but evidence is missing
	ExitNoPages     = 8   // no seed gave a page
	ExitDeadLinks   = 9   // links lead nowhere
	ExitInterrupted = 130 // a signal ended the crawl; everything is saved
)

// An Error ends the command with a code of its own, and perhaps a word on what to do about it.
type Error struct {
	Code int
	Err  error // nil when everything has been said already
	Hint string
}

// Error returns the text of Err, or the code where there is none.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// UsageError says that the command line is wrong.
func UsageError(hint, format string, args ...any) error {
	return &Error{Code: ExitUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// DiskError says that the job directory cannot be used. An error with a code of its own keeps it.
func DiskError(err error) error {
	if err == nil || errors.As(err, new(*Error)) || IsInterrupt(err) {
		return err
	}
	return &Error{Code: ExitDisk, Err: err}
}

// JobError says why a job directory cannot be had, and what to do about it.
func JobError(err error) error {
	var missing *job.MissingError
	switch {
	case errors.As(err, &missing):
		return UsageError("--job DIR names the directory of a crawl", "%w", missing)
	case errors.Is(err, job.ErrNoJob), errors.Is(err, job.ErrOtherKind):
		return UsageError(translate.Key("choose another --job; nothing was changed"), "%w", err)
	case errors.Is(err, job.ErrNewer):
		return &Error{Code: ExitDisk, Err: err,
			Hint: translate.Key("use the version of cybermapper that made it; nothing was changed")}
	case errors.Is(err, job.ErrNotRegular):
		return &Error{Code: ExitDisk, Err: err,
			Hint: translate.Key("take it away, or put back what was there; nothing was read or changed")}
	case errors.Is(err, job.ErrInUse):
		return &Error{Code: ExitDisk, Err: err, Hint: translate.Key("wait for it, stop it, or choose another --job")}
	case errors.Is(err, job.ErrCannotCreate) && !IsDiskFull(err), errors.Is(err, syscall.ENOTDIR):
		return &Error{Code: ExitDisk, Err: err, Hint: translate.Key("choose another --job, where you may write")}
	}
	return DiskError(err)
}

// WithHint adds what the user could do about err. The exit code stays what it was.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &Error{Code: CodeOf(err), Err: err, Hint: hint}
}

// CodeOf returns the exit code for err: its own, or the one for its kind.
func CodeOf(err error) int {
	var e *Error
	var c *config.Error
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &e):
		return e.Code
	case errors.As(err, &c) && c.OnlyFlags():
		return ExitUsage
	case c != nil:
		return ExitConfig
	case IsDiskFull(err):
		return ExitDisk
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailure
}

// hintOf returns the outermost hint that err carries, if any.
func hintOf(err error) string {
	var e *Error
	for errors.As(err, &e) {
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}

// PrintError prints err the way all errors are printed and returns the exit code: each line of the message begins with the
// program's name, and a hint comes last. What a line before says already, as when a buffer that could not be written is flushed
// once more, is not said again.
func PrintError(w io.Writer, err error) int {
	if words := wordsOf(err); IsInterrupt(words) {
		fmt.Fprintln(w, "cybermapper: interrupted")
	} else if words != nil {
		var said []string
		for line := range strings.Lines(words.Error()) {
			line = strings.TrimRight(line, "\n")
			if slices.ContainsFunc(said, func(s string) bool { return s == line || strings.HasSuffix(s, ": "+line) }) {
				continue
			}
			said = append(said, line)
			fmt.Fprintf(w, "cybermapper: %s\n", say.Printable(line))
		}
	}
	hint := cmp.Or(temporaryHint(err), hintOf(err))
	if hint == "" {
		hint = limitHint(err)
	}
	if hint != "" {
		fmt.Fprintf(w, "hint: %s\n", say.Printable(Language().Text(hint)))
	}
	return CodeOf(err)
}

// limitHint says what to do about a bound of the system that err has met, a disk that fails or is gone, or files of another user,
// if it has met one.
func limitHint(err error) string {
	switch {
	case IsDiskFull(err):
		return RoomHint(err) + ", then run the same command again"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "allow more files to be open (ulimit -n), then run the same command again"
	case errors.Is(err, syscall.EIO) && !isOfDevice(err):
		return "the disk fails, as the log of the system tells: run the same command again when it is sound, or on a copy"
	case errors.Is(err, syscall.ENOTCONN), errors.Is(err, syscall.ESTALE): // of files: FUSE and NFS
		return "the file system is gone: mount it again, then run the same command again"
	case errors.Is(err, syscall.ENOLCK):
		return "the file system has no locks, without which two commands could work on one job: put the job on another one"
	case isForbidden(err):
		return "run the same command as the user to whom the files belong, or allow this one to read and write them"
	}
	return ""
}

// isForbidden reports whether err says that this user may not do that with a file; a port may be forbidden, too.
func isForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) && (errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)))
}

// isOfDevice reports whether err concerns a device, as standard output may be: a terminal that is gone fails as a disk does.
func isOfDevice(err error) bool {
	e, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.HasPrefix(e.Path, "/dev/")
}

// temporaryHint says what to do about an error that concerns a file of ours where the system has temporary files, if err is one.
func temporaryHint(err error) string {
	e, ok := errors.AsType[*fs.PathError](err)
	if !ok || errors.Is(err, job.ErrCannotCreate) || !strings.HasPrefix(filepath.Base(e.Path), "cybermapper-") ||
		filepath.Dir(e.Path) != filepath.Clean(os.TempDir()) {
		return ""
	}
	return "temporary files are made in " + os.TempDir() + "; TMPDIR names another directory"
}

// IsInterrupt reports whether err says nothing but that the command was to end.
func IsInterrupt(err error) bool {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return !slices.ContainsFunc(joined.Unwrap(), func(err error) bool { return !IsInterrupt(err) })
	}
	return errors.Is(err, context.Canceled)
}

// IsDiskFull reports whether err says that the disk is full, or cannot be written at all.
func IsDiskFull(err error) bool {
	const (
		sqliteFull    = 13
		sqliteWrite   = 778  // SQLITE_IOERR_WRITE: it may not grow, as a quota or a bound on the length of files has it
		sqliteShmOpen = 4618 // SQLITE_IOERR_SHMOPEN: the same of the file that processes share
		sqliteShmSize = 4874 // SQLITE_IOERR_SHMSIZE: the file that processes share would not grow
		sqliteInPage  = 8714 // SQLITE_IOERR_IN_PAGE: it has grown, and a page of it has no room; nothing else is mapped
	)
	var e interface {
		error
		Code() int
	}
	codes := []int{sqliteWrite, sqliteShmOpen, sqliteShmSize, sqliteInPage}
	return isFull(err) || errors.As(err, &e) && (e.Code()&0xff == sqliteFull || slices.Contains(codes, e.Code()))
}

// IsReadOnly reports whether err says that nothing may be written there, by this user or by anybody.
func IsReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// Trouble gives errors of a command that checks something the exit code 2, as grep does: 1 is an answer.
func Trouble(err error) error {
	if e, ok := errors.AsType[*Error](err); err == nil || IsInterrupt(err) || ok && (e.Err == nil || e.Code != ExitFailure) {
		return err
	}
	if IsDiskFull(err) {
		return DiskError(err)
	}
	return &Error{Code: ExitUsage, Err: err}
}
