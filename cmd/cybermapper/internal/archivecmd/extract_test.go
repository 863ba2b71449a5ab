package archivecmd_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/archivecmd"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestExtract_Spelling: a URL is found however it is written, before a later one that only has the same key; of that stderr tells.
func TestExtract_Spelling(t *testing.T) {
	var text strings.Builder
	for i, uri := range []string{"http://a.example/?b&a", "http://a.example/?a&b", "http://a.example", "http://A.example:80/x%7ey"} {
		fmt.Fprint(&text, strings.Join([]string{"WARC/1.1", "WARC-Type: resource",
			fmt.Sprintf("WARC-Record-ID: <urn:uuid:12345678-1234-4234-8234-12345678900%d>", i),
			fmt.Sprintf("WARC-Date: 2026-03-0%dT12:00:00Z", i+1), "WARC-Target-URI: " + uri, "Content-Type: text/plain",
			"Content-Length: 1", "", fmt.Sprint(i), "", "",
		}, "\r\n"))
	}
	name := filepath.Join(t.TempDir(), "a.warc")
	filetest.Write(t, name, text.String())
	tests := []struct {
		url, want string
		isOther   bool
	}{
		{"http://a.example/?b&a", "0", false},
		{"HTTP://A.example/?b&a", "0", false},
		{"http://a.example/?b&a#top", "0", false},
		{"http://a.example/", "2", false},
		{"http://a.example/x~y", "3", false},
		{"http://www.a.example/x~y", "3", true},
		{"https://a.example/?a&b", "1", true},
	}
	for _, tt := range tests {
		var out, warnings strings.Builder
		cmd := archivecmd.NewCommand()
		cmd.SetOut(&out)
		cmd.SetErr(&warnings)
		cmd.SetArgs([]string{"extract", "--url", tt.url, name})
		if err := cmd.ExecuteContext(t.Context()); err != nil || out.String() != tt.want || (warnings.Len() > 0) != tt.isOther {
			t.Errorf("%s: %q, %v, stderr %q; want %q, a note: %v", tt.url, out.String(), err, warnings.String(), tt.want, tt.isOther)
		}
	}
}
