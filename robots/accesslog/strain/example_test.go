package strain_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// A site that answers in 50 ms when a request comes each second, and in 900 ms when there are ten times as many.
func ExampleMinutes_Bearing() {
	var log strings.Builder
	for second := range 360 {
		requests, taken := 1, "0.050"
		if second >= 180 {
			requests, taken = 10, "0.900"
		}
		for range requests {
			fmt.Fprintf(&log, `192.0.2.7 - - [01/Mar/2026:12:%02d:%02d +0000] "GET / HTTP/1.1" 200 50 "-" "ExampleBot/1.0" %s`+"\n", second/60, second%60, taken)
		}
	}
	var m strain.Minutes
	r := accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto)
	for r.Next() {
		m.Count(r.Entry(), false)
	}
	b := m.Bearing(0, 1)
	fmt.Println(b)
	why, advice, _ := strings.Cut(b.Advice(), ": ")
	fmt.Println(why)
	fmt.Println(advice)
	// Output:
	// up to 1 requests/s were answered in 50 ms on average, as usual; from 10 on it took 900 ms
	// people need up to 0 requests/s, half of what they leave is 0.5 for all robots together
	// a Crawl-delay of 2s, with up to 1 at once
}
