package job_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// Of hosts that several people ask to leave alone at once each is on the list, and what was on it stays.
func TestAppendLines_AtOnce(t *testing.T) {
	list := filepath.Join(t.TempDir(), "opt-out.txt")
	if err := os.WriteFile(list, []byte("# by mail\nold.example"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{"# by mail", "old.example"}
	var all sync.WaitGroup
	for i := range 20 {
		host := fmt.Sprintf("h%d.example", i)
		want = append(want, host)
		all.Go(func() {
			if err := job.AppendLines(list, []byte(host+"\n")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := filetest.Read(t, list)
	for _, line := range want {
		if n := strings.Count("\n"+string(text), "\n"+line+"\n"); n != 1 {
			t.Errorf("%q is on the list %d times, want once", line, n)
		}
	}
}
