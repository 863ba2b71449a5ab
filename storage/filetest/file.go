package filetest

import (
	"io"
	"os"
)

// A TB is what is needed of a test.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Read returns what is in a file.
func Read(t TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	check(t, err)
	return data
}

// Write writes a file, and puts data in the place of what was there.
func Write[T string | []byte](t TB, name string, data T) {
	t.Helper()
	check(t, os.WriteFile(name, []byte(data), 0o644))
}

// Append adds text to the end of a file, which must be there.
func Append(t TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	_, err = f.WriteString(text)
	check(t, err)
	Close(t, f)
}

// Copy makes a copy of a folder with all that is in it.
func Copy(t TB, to, from string) {
	t.Helper()
	check(t, os.CopyFS(to, os.DirFS(from)))
}

// Remove removes a file, which must be there.
func Remove(t TB, name string) {
	t.Helper()
	check(t, os.Remove(name))
}

// Close closes what has files open.
func Close(t TB, c io.Closer) {
	t.Helper()
	check(t, c.Close())
}

func check(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
