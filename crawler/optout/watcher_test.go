package optout_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// watched runs a test in its own time, beside the Watcher of a file that holds text.
func watched(t *testing.T, text string, f func(t *testing.T, name string, w *optout.Watcher, changes *[]optout.Change)) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "opt-out.txt")
	write(t, name, text)
	synctest.Test(t, func(t *testing.T) {
		w, err := optout.Open(optout.Options{File: name})
		if err != nil {
			t.Fatal(err)
		}
		var changes []optout.Change
		ctx, stop := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() { w.Watch(ctx, func(c optout.Change) { changes = append(changes, c) }) })
		f(t, name, w, &changes)
		stop()
		watching.Wait()
	})
}

// write replaces the file in place, as editors do.
func write(t *testing.T, name, text string) {
	t.Helper()
	filetest.Write(t, name, text)
}

func looks(n int) {
	time.Sleep(time.Duration(n) * time.Second)
	synctest.Wait()
}

func TestWatcher_AddsAtOnceAndLiftsOnTheSecondLook(t *testing.T) {
	watched(t, "old.example\n", func(t *testing.T, name string, w *optout.Watcher, changes *[]optout.Change) {
		looks(3)
		if len(*changes) != 0 {
			t.Errorf("changes told without one: %v", *changes)
		}
		write(t, name, "a-new.example\n")
		looks(1)
		if got := w.List().Entries(); !slices.Equal(got, []string{"a-new.example", "old.example"}) {
			t.Errorf("after the first look %q holds, want the new entry and the old one", got)
		}
		looks(1)
		if got := w.List().Entries(); !slices.Equal(got, []string{"a-new.example"}) {
			t.Errorf("after the second look %q holds, want the new entry alone", got)
		}
		if len(*changes) != 2 || (*changes)[0].Added[0] != "a-new.example" || len((*changes)[0].Lifted) != 0 || (*changes)[1].Lifted[0] != "old.example" {
			t.Errorf("changes told: %+v", *changes)
		}
		looks(5)
		if len(*changes) != 2 {
			t.Errorf("%d changes told, want 2", len(*changes))
		}
	})
}

// Nothing is lifted while the file is not in order, whatever is wrong with it.
func TestWatcher_KeepsTheLastGoodList(t *testing.T) {
	for what, spoil := range map[string]func(t *testing.T, name string){
		"gone":     func(t *testing.T, name string) { os.Remove(name) },
		"bad line": func(t *testing.T, name string) { write(t, name, "exa mple.org\nmore.example\n") },
		"a directory": func(t *testing.T, name string) {
			os.Remove(name)
			os.Mkdir(name, 0o700)
		},
	} {
		t.Run(what, func(t *testing.T) {
			watched(t, "one.example\ntwo.example\n", func(t *testing.T, name string, w *optout.Watcher, changes *[]optout.Change) {
				spoil(t, name)
				looks(5)
				for _, host := range []string{"one.example", "two.example"} {
					if _, out := w.Host(host); !out {
						t.Errorf("%s was lifted", host)
					}
				}
				if len(*changes) != 1 || (*changes)[0].Problem == nil {
					t.Fatalf("changes told: %+v, want one with a problem", *changes)
				}
				if _, out := w.Host("more.example"); out != (what == "bad line") {
					t.Errorf("the good line of a file with a bad one holds: %v", out)
				}
				os.RemoveAll(name)
				write(t, name, "one.example\n")
				looks(3)
				last := (*changes)[len(*changes)-1]
				if _, out := w.Host("two.example"); out || last.Problem != nil || !slices.Contains(last.Lifted, "two.example") {
					t.Errorf("the file is in order again, and what it left out holds: %v, %+v", out, last)
				}
			})
		})
	}
}

// A file that is empty for a moment, because somebody is writing it, lifts nothing.
func TestWatcher_FileThatIsBeingWritten(t *testing.T) {
	watched(t, "one.example\n", func(t *testing.T, name string, w *optout.Watcher, _ *[]optout.Change) {
		write(t, name, "")
		looks(1)
		write(t, name, "# new\none.example\ntwo.example\n")
		for range 5 {
			if _, out := w.Host("one.example"); !out {
				t.Fatal("one.example was lifted")
			}
			looks(1)
		}
	})
}

// A file that was cut short, as when its disk is full, lifts nothing of what it may have had, until its last line ends.
func TestWatcher_FileThatIsCutShort(t *testing.T) {
	for text, entries := range map[string][]string{"": nil, "# all": nil, "one.example\nlocal": {"local", "one.example"}, "one.example": {"one.example"}} {
		watched(t, "one.example\nlocalhost\n", func(t *testing.T, name string, w *optout.Watcher, changes *[]optout.Change) {
			write(t, name, text)
			looks(5)
			for _, host := range []string{"one.example", "localhost"} {
				if _, out := w.Host(host); !out {
					t.Errorf("%q lifts %s", text, host)
				}
			}
			if last := (*changes)[len(*changes)-1]; last.Problem == nil || !strings.Contains(last.Problem.Error(), "localhost") {
				t.Errorf("%q: changes told: %+v, want the problem last", text, *changes)
			}
			if _, err := optout.Open(optout.Options{File: name, Kept: parse(t, "localhost\n")}); err == nil {
				t.Errorf("%q lifts what was kept", text)
			}
			write(t, name, text+"\n")
			looks(3)
			if got := w.List().Entries(); !slices.Equal(got, entries) {
				t.Errorf("%q with an end: %q holds, want %q", text, got, entries)
			}
			if last := (*changes)[len(*changes)-1]; last.Problem != nil {
				t.Errorf("%q with an end: %+v, want no problem", text, last)
			}
		})
	}
}

// Who ends no last line may do so, as long as nothing is lifted.
func TestOpen_WithoutALineEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "opt-out.txt")
	for text, kept := range map[string]string{"": "", "one.example": "", "one.example\ntwo.example": "one.example\n"} {
		write(t, name, text)
		if _, err := optout.Open(optout.Options{File: name, Kept: parse(t, kept)}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOpen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "opt-out.txt")
	if _, err := optout.Open(optout.Options{File: name}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	write(t, name, "one.example\nhttp://x/\n*\n")
	_, err := optout.Open(optout.Options{File: name})
	var bad *optout.FileError
	if !errors.As(err, &bad) || len(bad.Bad) != 2 || !strings.Contains(err.Error(), name+":2:") || !strings.Contains(err.Error(), name+":3:") {
		t.Errorf("bad lines: %v", err)
	}
	kept := parse(t, "kept.example\n")
	w, err := optout.Open(optout.Options{Kept: kept})
	if err != nil {
		t.Fatal(err)
	}
	w.Watch(t.Context(), nil)
	if _, out := w.Host("kept.example"); !out {
		t.Error("what was kept does not hold without a file")
	}
}
