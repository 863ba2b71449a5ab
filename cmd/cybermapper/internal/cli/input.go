package cli

import (
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
	f, err := os.Open(name)
	if err != nil {
		return nil, err // "open FILE: no such file or directory"
	}
	info, err := f.Stat()
	switch {
	case err == nil && info.Mode().IsRegular():
		return f, nil
	case err == nil && info.IsDir():
		f.Close()
		return nil, UsageError("name the files in it", "%s is a directory", name)
	}
	return &namedPipe{pipe.Until(cmd.Context(), f), f}, nil
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
