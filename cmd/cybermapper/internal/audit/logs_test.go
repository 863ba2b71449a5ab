package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestAudit_BrokenGzip: a log of which a part is missing is not judged by the other part, and the file is named.
func TestAudit_BrokenGzip(t *testing.T) {
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	for range 100 {
		z.Write([]byte(`192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"))
	}
	filetest.Close(t, z)
	wrong := bytes.Clone(whole.Bytes())
	wrong[len(wrong)-8]++ // the checksum
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut.gz":     {whole.Bytes()[:whole.Len()-9], "cut.gz: it is cut off"},
		"head.gz":    {whole.Bytes()[:5], "head.gz: it is cut off"},
		"changed.gz": {wrong, "changed.gz: gzip: invalid checksum"},
	} {
		file := filepath.Join(t.TempDir(), name)
		filetest.Write(t, file, c.data)
		var stdout, stderr strings.Builder
		code := cli.Run(context.Background(), NewCommand(), []string{file}, strings.NewReader(""), &stdout, &stderr)
		if code != cli.ExitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: exit code %d: %s%s", name, code, &stdout, &stderr)
		}
	}
}

// TestSources_Host: whose log it is counts for verify, too.
func TestSources_Host(t *testing.T) {
	name := filepath.Join(t.TempDir(), "access.log")
	filetest.Write(t, name, "x\n")
	sources, closeAll, err := Sources(&cobra.Command{}, []string{"WWW.example.org=" + name, name + ".2"})
	if err == nil || closeAll() != nil {
		t.Errorf("a log that is not there: %v", err)
	}
	if len(sources) != 1 || sources[0].Host != "www.example.org" || sources[0].Name != name {
		t.Errorf("%+v", sources)
	}
}
