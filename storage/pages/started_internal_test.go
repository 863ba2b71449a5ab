package pages

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// Ensure that a name is in a note when begin returns, however many begin at once, and that a note is kept while a line is missing.
func TestStarted_Begin(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Mkdir(ownFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &started{root: root, end: func() int64 { return 0 }}
	var pages sync.WaitGroup
	for i := range 200 {
		pages.Go(func() {
			name := fmt.Sprintf("host/%d", i)
			finish, err := s.begin(name)
			if err != nil {
				t.Error(err)
				return
			}
			if names, _, err := readStarted(root.Name() + "/" + ownFolder); err != nil {
				t.Error(err)
			} else if _, noted := names[name]; !noted {
				t.Errorf("%s is not noted", name)
			}
			if i > 0 {
				finish()
			}
		})
	}
	pages.Wait()
	if n := s.notes[0]; n.open != 1 || len(s.waiting) != 0 {
		t.Errorf("%d pages are under way and %d wait, want 1 and 0", n.open, len(s.waiting))
	}
	if err := s.close(true); err != nil {
		t.Error(err)
	}
}
