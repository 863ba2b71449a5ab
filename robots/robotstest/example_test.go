package robotstest_test

import (
	"fmt"
	"slices"

	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// Names that any reading takes from a file are among those to judge it for.
func ExampleNames() {
	names := robotstest.Names([]byte("User-agent: titlebot\nDisallow: /private/\n"), 50)
	fmt.Println(slices.Contains(names, "titlebot"))
	// Output: true
}
