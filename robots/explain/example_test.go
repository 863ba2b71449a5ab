package explain_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/explain"
)

func ExampleFile() {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /logs\n"), robots.Cautious)
	e := explain.File(file, []string{"cybermapper"}, []string{"/log"})
	fmt.Println(e.Groups[0].Rules[0].Says)
	fmt.Println(e.Products[0].Paths[0].Says)
	// Output:
	// Closes everything that begins with /logs (/logs, /logs.html, /logs/page).
	// /log may be visited: no rule matches it.
}
