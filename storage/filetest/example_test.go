package filetest_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// fatal stands for a test, which ends where a file cannot be written.
type fatal struct{}

func (fatal) Helper()           {}
func (fatal) Fatal(args ...any) { log.Fatal(args...) }

// What is written is read.
func Example() {
	var t fatal
	dir, err := os.MkdirTemp("", "filetest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "robots.txt")
	filetest.Write(t, name, "User-agent: *\n")
	fmt.Printf("%s", filetest.Read(t, name))
	// Output: User-agent: *
}
