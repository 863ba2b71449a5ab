package optout_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

func ExampleParse() {
	list, bad, err := optout.Parse(strings.NewReader(`# asked to be left alone
*.example.org   # by mail
192.0.2.0/24
https://example.net/
`))
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(list.Host("www.example.org"))
	fmt.Println(list.Host("192.0.2.7"))
	fmt.Println(bad[0])
	// Output:
	// *.example.org true
	// 192.0.2.0/24 true
	// line 4: "https://example.net/": a URL: write its host alone
}
