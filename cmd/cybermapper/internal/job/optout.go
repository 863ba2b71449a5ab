package job

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

// OptOuts returns who is left alone, as a job has written it down in the file name; the list is empty when it has not, and for
// no name.
func OptOuts(name string) (*optout.List, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read opt-outs of the job: %w", err)
	}
	defer f.Close()
	list, bad, err := optout.Parse(f)
	if err == nil && len(bad) > 0 {
		err = fmt.Errorf("%s: %s", name, bad[0])
	}
	if err != nil {
		return nil, fmt.Errorf("read opt-outs of the job: %w", err)
	}
	return list, nil
}

// WriteOptOuts writes down who is left alone.
func WriteOptOuts(name string, list *optout.List) error {
	var text bytes.Buffer
	fmt.Fprintln(&text, "# Who is left alone. Written by cybermapper: --opt-out names the file to edit.")
	if _, err := list.WriteTo(&text); err != nil {
		return err
	}
	return WriteFile(name, text.Bytes())
}
