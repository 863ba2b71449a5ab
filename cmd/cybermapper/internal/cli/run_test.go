package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
)

// Whoever is not given all of the output hears of it, and of what the command found besides.
func TestRun_OutputThatIsLost(t *testing.T) {
	found := &Error{Code: ExitFailure} // told already
	for _, tt := range []struct {
		err  error
		code int
		says []string
	}{
		{nil, ExitDisk, []string{"lost: no space left", "make room"}},
		{found, ExitFailure, []string{"lost: no space left", "make room"}},
		{errors.New("another matter"), ExitFailure, []string{"another matter", "lost: no space left", "make room"}},
		{fmt.Errorf("write: %w", syscall.ENOSPC), ExitDisk, []string{"write: no space left", "make room"}},
		{errors.Join(syscall.ENOSPC, syscall.ENOSPC), ExitDisk, []string{"no space left", "make room"}}, // of write and of flush
		{errors.Join(fmt.Errorf("page: %w", syscall.ENOSPC), syscall.ENOSPC), ExitDisk, []string{"page: no space", "make room"}},
	} {
		cmd := &cobra.Command{RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintln(cmd.OutOrStdout(), "a line")
			return tt.err
		}}
		var stderr bytes.Buffer
		code := Run(t.Context(), cmd, nil, nil, full{}, &stderr)
		if code != tt.code || strings.Count(stderr.String(), "\n") != len(tt.says) {
			t.Errorf("%v: exit code %d, want %d\n%s", tt.err, code, tt.code, &stderr)
		}
		for _, s := range tt.says {
			if !strings.Contains(stderr.String(), s) {
				t.Errorf("%v: it does not say %q\n%s", tt.err, s, &stderr)
			}
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
