package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// OpenInput opens a file, or stdin for "-".
func OpenInput(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err // "open FILE: no such file or directory"
	}
	return f, nil
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
