package cputime_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/storage/cputime"
)

// What has been used only grows.
func ExampleUsed() {
	before := cputime.Used()
	fmt.Println(cputime.Used() >= before)
	// Output: true
}
