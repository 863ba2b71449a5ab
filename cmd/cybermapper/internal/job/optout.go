package job

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

// OptOuts returns who is left alone, as a job has written it down in the file name; the list is empty when it has not, and for
// no name. It is not whole when it is not there or not as it was written: then only what can be read of it is returned.
func OptOuts(name string) (list *optout.List, whole bool, err error) {
	if name == "" {
		return nil, true, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read opt-outs of the job: %w", err)
	}
	list, _, err = optout.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, false, fmt.Errorf("read opt-outs of the job: %w", err)
	}
	end := bytes.LastIndex(text, []byte(optOutSum))
	return list, end >= 0 && string(text[end:]) == sumOf(text[:end]), nil
}

// optOutSum begins the last line, which has a digest of those before it.
const optOutSum = "# sha256 "

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return optOutSum + hex.EncodeToString(sum[:]) + "\n"
}

// WriteOptOuts writes down who is left alone.
func WriteOptOuts(name string, list *optout.List) error {
	var text bytes.Buffer
	fmt.Fprintln(&text, "# Who is left alone. Written by cybermapper: --opt-out names the file to edit.")
	if _, err := list.WriteTo(&text); err != nil {
		return err
	}
	text.WriteString(sumOf(text.Bytes()))
	return WriteFile(name, text.Bytes())
}
