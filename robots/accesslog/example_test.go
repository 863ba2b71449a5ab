package accesslog_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

func Example() {
	log := `192.0.2.7 - - [01/Mar/2026:12:00:00 +0100] "GET /robots.txt HTTP/1.1" 200 50 "-" "ExampleBot/1.0"
{"ts":1772366400.5,"request":{"client_ip":"192.0.2.7","method":"GET","uri":"/a?b=c"},"status":404}
this is no log line
`
	r := accesslog.NewReader(strings.NewReader(log), accesslog.Auto)
	for r.Next() {
		e := r.Entry()
		fmt.Println(r.Line(), e.Time.Format("15:04:05.0"), string(e.Client), string(e.Target), e.Status)
	}
	fmt.Println("malformed:", r.Tally().Malformed)
	// Output:
	// 1 11:00:00.0 192.0.2.7 /robots.txt 200
	// 2 12:00:00.5 192.0.2.7 /a?b=c 404
	// malformed: 1
}
