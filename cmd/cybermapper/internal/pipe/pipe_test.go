package pipe_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/pipe"
)

// What is read is what was written, whatever the pieces.
func TestUntil_Reads(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789"), 50_000)
	for name, from := range map[string]io.Reader{
		"whole": bytes.NewReader(want), "halves": iotest.HalfReader(bytes.NewReader(want)), "error with data": iotest.DataErrReader(bytes.NewReader(want)),
	} {
		if got, err := io.ReadAll(pipe.Until(t.Context(), from)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
	if err := iotest.TestReader(pipe.Until(t.Context(), bytes.NewReader(want[:1000])), want[:1000]); err != nil {
		t.Error(err)
	}
}

// Who waits for a writer that is silent stops waiting with the context, and from then on reads nothing.
func TestUntil_Ends(t *testing.T) {
	from, to := io.Pipe()
	defer to.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := pipe.Until(ctx, from)
	ended := make(chan error)
	go func() {
		_, err := io.ReadAll(in)
		ended <- err
	}()
	if _, err := io.WriteString(to, "a line\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n, err := in.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("afterwards: %d bytes, %v", n, err)
	}
}
