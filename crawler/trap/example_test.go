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
	via := func(n int) trap.URL {
		if n == 1 {
			return trap.URL{Domain: "a.example", Origin: "https://a.example", PathQuery: "/"}
		}
		return at(n / 2)
	}
	d := trap.New(trap.Options{})
	visited := 0
	for queue := []int{1}; ; queue = queue[1:] {
		n := queue[0]
		if d.Waits(at(n), via(n)) {
			queue = append(queue, n)
			continue
		}
		if f, suspect := d.Suspect(at(n), via(n), time.Now()); suspect {
			fmt.Printf("%d pages of %s, then %s\n", visited, f.Place, f.Kind)
			return
		}
		visited++
		queue = append(queue, 2*n, 2*n+1)
		d.Visit(trap.Page{URL: at(n), Via: via(n), Links: []trap.URL{at(2 * n), at(2*n + 1)}, New: 2})
	}
	// Output:
	// 76 pages of https://a.example/maze/1, then unclosed
}
