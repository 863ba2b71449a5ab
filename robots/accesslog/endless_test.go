package accesslog_test

import (
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A device, or a huge sparse file, that never ends a line is given up.
func TestReader_ALineWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 4 GiB")
	}
	r := accesslog.NewReader(zeros{}, accesslog.Auto)
	for r.Next() {
	}
	if !errors.Is(r.Err(), accesslog.ErrEndless) {
		t.Errorf("error %v", r.Err())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
