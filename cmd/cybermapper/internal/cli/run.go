package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Run lets a command do what args ask for, prints what is wrong, and returns the exit code. It ends when ctx does.
func Run(ctx context.Context, cmd *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true // PrintError says what is wrong, and how to learn more
	cmd.SetFlagErrorFunc(FlagError)
	cmd.PersistentPreRunE = checkFlags
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	stdout, stderr = newPipe(ctx, stdout), newPipe(ctx, stderr)
	var written checkedWriter
	if f, ok := stdout.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		written.Writer = stdout
		stdout = &written
	}
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	return PrintError(stderr, written.join(err))
}

// A checkedWriter remembers the first error of a Writer: few who print look at each.
type checkedWriter struct {
	io.Writer

	mu  sync.Mutex // guards err
	err error
}

// Write implements io.Writer.
func (w *checkedWriter) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

// join adds that output was lost to how a command ended, unless that says so. A command that failed keeps its exit code.
func (w *checkedWriter) join(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || errors.Is(err, w.err) {
		return err
	}
	lost := fmt.Errorf("what was to be printed is lost: %w", w.err)
	if err == nil {
		return DiskError(lost)
	}
	return &Error{Code: CodeOf(err), Err: errors.Join(wordsOf(err), lost), Hint: hintOf(err)}
}

// wordsOf returns err, or nil when it has been told already.
func wordsOf(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Err == nil {
		return nil
	}
	return err
}
