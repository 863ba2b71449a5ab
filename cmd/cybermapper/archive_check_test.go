package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestArchiveCheck_ProblemsBehindNotes: a problem is told of however many notes there are before it.
func TestArchiveCheck_ProblemsBehindNotes(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range 300 { // compressed as one, of which there is a note each
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"+
			"WARC-Date: 2026-11-22T12:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n", i)
	}
	filetest.Close(t, z)
	end := b.Len()
	b.WriteString("no gzip member")
	file := t.TempDir() + "/a.warc.gz"
	filetest.Write(t, file, b.String())
	_, out := runCommand(t.Context(), "archive check "+file)
	for _, want := range []string{": 1 problem:", "\n  note at offset 0:", fmt.Sprintf("\n  problem at offset %d:", end), "\n  and 200 more\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %d bytes: %.300s...%s", want, len(out), out, out[max(0, len(out)-300):])
		}
	}
}
