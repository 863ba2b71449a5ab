package audit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestAudit_Hole: a log that was cut off while its server went on writing is read from where its lines begin, as far as that is.
func TestAudit_Hole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "access.log")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	const hole = 100 << 30
	line := `192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Bot/1"` + "\n"
	if _, err := f.WriteAt([]byte(line+line), hole+5); err != nil {
		t.Skip("no file can be so large: ", err)
	}
	defer filetest.Close(t, f)
	if at, err := skipHole(f); err != nil || at == 0 {
		t.Skipf("the file system does not tell where data is: %d, %v", at, err)
	}
	var stdout, stderr strings.Builder
	code := cli.Run(context.Background(), NewCommand(), []string{file}, strings.NewReader(""), &stdout, &stderr)
	if code != cli.ExitDone || !strings.Contains(stdout.String(), "Log       2 lines") {
		t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
	}
}
