package simhash_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/simhash"
)

func ExampleOf() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog and runs into the dark forest to find its way home ", 3)
	a := simhash.Of([]byte("<h1>1 of 20</h1><p>" + text))
	b := simhash.Of([]byte("<h2>2 of 20</h2><div>" + text + "</div>"))
	c := simhash.Of([]byte("<p>" + strings.Repeat("a page that says something else altogether, with words of its own about ships and the sea ", 3)))
	fmt.Println(a.Near(b), a.Near(c))
	// Output: true false
}
