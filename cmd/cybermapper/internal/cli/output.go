package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
)

// EncodeJSON writes v as one indented JSON value, with <, > and & as they are.
func EncodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Tell writes what a command has found: v as EncodeJSON does, or else what print writes.
func Tell(w io.Writer, asJSON bool, v any, print func(io.Writer)) error {
	if asJSON {
		return EncodeJSON(w, v)
	}
	print(w)
	return nil
}

// WriteFile writes a file, whole or not at all, or to w for -.
func WriteFile(w io.Writer, name string, data []byte) error {
	if name == "-" {
		_, err := w.Write(data)
		return err
	}
	return job.WriteFile(name, data)
}

// YesNo says yes or no.
func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// SomeOf lists the first few of a list and how many there are besides.
func SomeOf(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s (and %d more)", strings.Join(list[:most], ", "), len(list)-most)
}
