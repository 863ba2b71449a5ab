//go:build unix

package verify_test

import (
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
}
