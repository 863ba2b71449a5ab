package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCodeOf(t *testing.T) {
	tests := []struct {
		err  error
		want int
	}{
		{nil, ExitDone},
		{errors.New("x"), ExitFailure},
		{fmt.Errorf("write: %w", syscall.ENOSPC), ExitDisk},
		{context.Canceled, ExitInterrupted},
		{WithHint(fmt.Errorf("write: %w", syscall.ENOSPC), "make room"), ExitDisk},
		{fmt.Errorf("outer: %w", UsageError("", "inner")), ExitUsage},
		{Trouble(errors.New("x")), ExitUsage},
		{Trouble(fmt.Errorf("write: %w", syscall.ENOSPC)), ExitDisk},
		{Trouble(fmt.Errorf("write: %w", context.Canceled)), ExitInterrupted},
		{DiskError(fmt.Errorf("queue: %w", context.Canceled)), ExitInterrupted},
		{DiskError(errors.Join(context.Canceled, errors.New("x"))), ExitDisk},
		{fmt.Errorf("change index: %w", sqliteError(13|1<<8)), ExitDisk},
		{fmt.Errorf("open index: %w", sqliteError(10|19<<8)), ExitDisk},    // the shared memory of a log would not grow
		{fmt.Errorf("open index: %w", sqliteError(10|34<<8)), ExitDisk},    // it has grown, and no block is left for what is in it
		{fmt.Errorf("write database: %w", sqliteError(10|3<<8)), ExitDisk}, // a quota is used up, or no file may be longer
		{fmt.Errorf("write bundle: %w", syscall.EFBIG), ExitDisk},
		{fmt.Errorf("write bundle: %w", syscall.EDQUOT), ExitDisk},
		{fmt.Errorf("change index: %w", sqliteError(11)), ExitFailure},
	}
	for _, tt := range tests {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("codeOf(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
}

// An interrupt is told as that, but what went wrong besides is not hidden.
func TestPrintError_Interrupted(t *testing.T) {
	for want, err := range map[string]error{
		"cybermapper: interrupted\n": errors.Join(fmt.Errorf("copy: %w", context.Canceled), context.Canceled),
		"cybermapper: copy: context canceled\ncybermapper: no file\n": errors.Join(fmt.Errorf("copy: %w", context.Canceled),
			errors.New("no file")),
	} {
		var b strings.Builder
		if code := PrintError(&b, err); b.String() != want || code != ExitInterrupted {
			t.Errorf("printed %q, exit code %d; want %q", b.String(), code, want)
		}
	}
}

// What is wrong is said once, though a buffer that cannot be written says it at every attempt.
func TestPrintError_SaidOnce(t *testing.T) {
	full := errors.New("write pages.csv: no room")
	for want, err := range map[string]error{
		"cybermapper: write pages.csv: no room\n":               errors.Join(full, full),
		"cybermapper: write report: write pages.csv: no room\n": errors.Join(fmt.Errorf("write report: %w", full), full),
		"cybermapper: write pages.csv: no room\ncybermapper: close: write pages.csv: no room\n": errors.Join(
			full, fmt.Errorf("close: %w", full)),
	} {
		var b strings.Builder
		if PrintError(&b, err); b.String() != want {
			t.Errorf("printed %q, want %q", b.String(), want)
		}
	}
}

// A bound of the system that is in the way is named.
func TestPrintError_Limits(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{
		syscall.EMFILE: "(ulimit -n)", syscall.ENFILE: "(ulimit -n)", syscall.EFBIG: "(ulimit -f,", syscall.ENOSPC: "make room",
		syscall.EIO: "the disk fails", syscall.ENOTCONN: "mount it again", syscall.ESTALE: "mount it again",
		syscall.ENOLCK: "has no locks",
	} {
		var b strings.Builder
		if PrintError(&b, fmt.Errorf("keep: %w", errno)); !strings.Contains(b.String(), "\nhint: ") || !strings.Contains(b.String(), want) {
			t.Errorf("printed %q, want a hint with %q", b.String(), want)
		}
	}
}

// Who may not have the files of a job is told what to do about that, and who may not have a port something else.
func TestPrintError_Forbidden(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&fs.PathError{Op: "open", Path: "job/LOCK", Err: syscall.EACCES}, true},
		{&os.LinkError{Op: "rename", Old: "job/new", New: "job/report.json", Err: syscall.EACCES}, true},
		{os.NewSyscallError("bind", syscall.EACCES), false},
	} {
		var b strings.Builder
		PrintError(&b, DiskError(fmt.Errorf("try: %w", tt.err)))
		if strings.Contains(b.String(), "\nhint: run the same command as the user") != tt.want {
			t.Errorf("printed %q for %v", b.String(), tt.err)
		}
	}
}

// A terminal that is gone fails as a disk does, and is none.
func TestPrintError_TerminalIsGone(t *testing.T) {
	var b strings.Builder
	PrintError(&b, fmt.Errorf("lost: %w", &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EIO}))
	if strings.Contains(b.String(), "disk") {
		t.Errorf("printed %q", b.String())
	}
}

// What is the matter with temporary files is not put down to the job.
func TestPrintError_TemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	for name, want := range map[string]string{
		filepath.Join(dir, "cybermapper-sort-1"):        "hint: temporary files are made in " + dir + "; TMPDIR names another directory\n",
		filepath.Join(dir, "cybermapper-job", "ledger"): "hint: make room\n",
	} {
		err := WithHint(&fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC}, "make room")
		var b strings.Builder
		if PrintError(&b, err); !strings.HasSuffix(b.String(), "\n"+want) {
			t.Errorf("printed %q, want %q at its end", b.String(), want)
		}
	}
}

// A sqliteError is one of a database in which it has a number.
type sqliteError int

func (e sqliteError) Error() string { return fmt.Sprintf("database (%d)", int(e)) }

func (e sqliteError) Code() int { return int(e) }
