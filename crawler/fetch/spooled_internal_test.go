package fetch

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A file that cannot be read is no body that cannot be decoded.
func TestSpooled_FileFails(t *testing.T) {
	c := New(Options{SpoolDir: t.TempDir()})
	defer c.Close()
	data := make([]byte, 2*smallChunk)
	rand.Read(data)
	sent := webtest.Encode("gzip", data)
	x := &exchange{client: c, ctx: t.Context(), response: &Response{}}
	s, err := x.receiveSpooled(bytes.NewReader(sent), true)
	if err != nil || s.file == nil {
		t.Fatalf("%v, file %v", err, s.file)
	}
	s.file.Close()
	if err := x.measure(s); !errors.Is(err, errWire) || x.response.Truncated != "" {
		t.Errorf("measure = %v, cut for %q; want that what was received cannot be kept", err, x.response.Truncated)
	}
}
