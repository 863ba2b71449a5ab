//go:build !linux

package pages

import (
	"errors"
	"os"
)

// openTop returns no file, as newFile needs none.
func openTop(*os.Root) (*os.File, error) { return nil, nil }

// newFile leaves it to others.
func newFile(*os.File, string, []byte) (created bool, err error) { return false, errors.ErrUnsupported }
