package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/pipe"
)

// OpenInput opens a file, or stdin for "-". Whoever waits for what a pipe has to say stops waiting when the context of cmd ends.
func OpenInput(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(pipe.Until(cmd.Context(), cmd.InOrStdin())), nil
	}
	f, err := pipe.Open(cmd.Context(), name)
	if err != nil {
		return nil, err // "open FILE: no such file or directory"
	}
	switch info, err := f.Stat(); {
	case err != nil:
	case info.Mode().IsRegular():
		return f, nil
	case info.IsDir():
		return nil, errors.Join(UsageError("name the files in it", "%s is a directory", name), f.Close())
	case info.Mode()&os.ModeDevice != 0 && !isHarmless(info):
		return nil, errors.Join(fmt.Errorf("open %s: it is a device, and may have no end", name), f.Close())
	}
	return &namedPipe{pipe.Until(cmd.Context(), f), f}, nil
}

// isHarmless reports whether a device has an end: the one that is always empty, and what is typed.
func isHarmless(device os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	stdin, ierr := os.Stdin.Stat()
	return err == nil && os.SameFile(device, null) || ierr == nil && os.SameFile(device, stdin)
}

// A namedPipe is a file of which nobody knows when it has more to read.
type namedPipe struct {
	io.Reader
	io.Closer
}

// ReadInput reads all of a file, or of stdin for "-", up to most bytes.
func ReadInput(cmd *cobra.Command, name string, most int64) ([]byte, error) {
	in, err := OpenInput(cmd, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	return data, nil
}
