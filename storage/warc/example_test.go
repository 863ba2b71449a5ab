package warc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/warc"
)

// An exchange is kept, and found again in the file.
func Example() {
	dir, err := os.MkdirTemp("", "warc")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	a, err := warc.Open(dir, warc.Options{Prefix: "example"})
	if err != nil {
		panic(err)
	}
	err = a.Record(context.Background(), exchange("https://www.example.org/a", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"))
	if err != nil {
		panic(err)
	}
	if err := a.Close(); err != nil {
		panic(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "example-*.warc.gz"))
	r, err := warc.OpenFile(names[0])
	if err != nil {
		panic(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // after a *FormatError, damage, Next goes on with the next record
			panic(err)
		}
		if rec.URI() != "" {
			fmt.Println(rec.Type(), rec.URI())
		}
	}
	// Output:
	// response https://www.example.org/a
	// request https://www.example.org/a
	// metadata https://www.example.org/a
}
