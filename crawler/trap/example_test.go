package trap_test

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/crawler/trap"
)

// A crawler asks before it visits, and tells what it found. Here each page of a maze leads to two new ones.
func ExampleDetector() {
	at := func(n int) trap.URL {
		return trap.URL{Domain: "a.example", Origin: "https://a.example", PathQuery: fmt.Sprintf("/maze/%d", n)}
	}
	d := trap.New(trap.Options{})
	for n := 1; ; n++ {
		via := trap.URL{Origin: "https://a.example", Domain: "a.example", PathQuery: "/"}
		if n > 1 {
			via = at(n / 2)
		}
		if f, suspect := d.Suspect(at(n), via, time.Now()); suspect {
			fmt.Printf("%d pages of %s, then %s\n", n-1, f.Place, f.Kind)
			return
		}
		d.Visit(trap.Page{URL: at(n), Via: via, Links: []trap.URL{at(2 * n), at(2*n + 1)}, New: 2})
	}
	// Output:
	// 23 pages of https://a.example/maze/1, then unclosed
}
