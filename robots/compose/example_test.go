package compose_test

import (
	"fmt"
	"testing/fstest"

	"github.com/cybermapper/cybermapper/robots/compose"
)

func ExampleCompose() {
	dir := fstest.MapFS{
		"robots.txt":      {Data: []byte("User-agent: *\nDisallow: /tmp/\n")},
		"team/robots.txt": {Data: []byte("User-agent: *\nDisallow: drafts/\n")},
	}
	c, err := compose.Compose(dir, compose.Options{})
	fmt.Printf("%s%v\n", c.Text, err)
	// Output:
	// # Composed from 2 files. Edit those, not this one.
	//
	// User-agent: *
	// # from robots.txt
	// Disallow: /tmp/
	// # from team/robots.txt
	// Disallow: /team/drafts/
	// <nil>
}

func ExampleMinimize() {
	before := []byte("User-agent: a\nDisallow: /x\nDisallow: /x/y\n\nUser-agent: b\nDisallow: /x\n")
	m := compose.Minimize(before, compose.MinimizeOptions{})
	fmt.Printf("%s", m.Text)
	d := compose.Diff(before, m.Text, compose.DiffOptions{})
	fmt.Println(d.Same(), d.Proved)
	// Output:
	// User-agent: a
	// User-agent: b
	// Disallow: /x
	// true true
}
