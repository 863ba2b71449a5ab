package robots

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestDirBodies_SyncsTheNames: until the directory is synced, power loss may take the file that a verdict in the ledger rests on.
func TestDirBodies_SyncsTheNames(t *testing.T) {
	job := t.TempDir()
	dir := DirBodies(filepath.Join(job, "robots"))
	for _, step := range []struct {
		body string
		want []string
	}{
		{"one", []string{job, string(dir)}},
		{"two", []string{string(dir)}},
		{"two", nil}, // is there already
	} {
		var synced []string
		digest, err := dir.put([]byte(step.body), func(d string) error {
			synced = append(synced, d)
			return syncDir(d)
		})
		if err != nil || !slices.Equal(synced, step.want) {
			t.Errorf("put(%q) synced %q, %v; want %q", step.body, synced, err, step.want)
		}
		if got, err := dir.Get(digest); string(got) != step.body || err != nil {
			t.Errorf("Get = %q, %v", got, err)
		}
	}
}
