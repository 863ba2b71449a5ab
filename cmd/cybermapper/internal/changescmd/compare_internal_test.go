package changescmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// The text of a page is compared and shown in UTF-8, whatever its charset is.
func TestText_InUTF8(t *testing.T) {
	for name, tt := range map[string]struct{ media, charset, body, want string }{
		"plain":             {"text/plain", "shift_jis", "\x93\xfa\x96\x7b\n", "日本\n"},
		"page":              {"text/html", "shift_jis", "<p>\x93\xfa\x96\x7b", "日本\n"},
		"of no charset":     {"text/plain", "", "caf\xe9", "caf\xe9"},
		"of an unknown one": {"text/plain", "klingon", "caf\xe9", "caf\xe9"},
		"of a misused one":  {"text/plain", "replacement", "a change", "a change"},
		"with a mark":       {"text/plain", "utf-16le", "\xff\xfea\x00b\x00", "ab"},
		"in UTF-8, marked":  {"text/plain", "utf-8", "\xef\xbb\xbfab", "ab"},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, job.PagesDir), 0o755); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, filepath.Join(dir, job.PagesDir, "page"), tt.body)
		v := &Version{File: "page", url: "http://a.example/", media: tt.media, charset: tt.charset}
		got, err := (&Report{Job: dir}).text(t.Context(), extract.New(extract.Options{}), v)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
		}
	}
}
