package ctxio_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// Reading ends when the context does.
func ExampleReader() {
	ctx, cancel := context.WithCancel(context.Background())
	r := ctxio.Reader(ctx, strings.NewReader("a long file"))
	some, err := io.ReadAll(io.LimitReader(r, 6))
	fmt.Printf("%q %v\n", some, err)
	cancel()
	_, err = io.ReadAll(r)
	fmt.Println(err)
	// Output:
	// "a long" <nil>
	// context canceled
}
