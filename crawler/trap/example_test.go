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
			fmt.Println(n-1, "pages, then:", f)
			return
		}
		d.Visit(trap.Page{URL: at(n), Via: via, Links: []trap.URL{at(2 * n), at(2*n + 1)}, New: 2})
	}
	// Output:
	// 22 pages, then: unclosed https://a.example/maze/1: of 20 pages 0 bring no new link and 0 lead across; of 40 new links 0 were met again; 0 have the text of another
}
