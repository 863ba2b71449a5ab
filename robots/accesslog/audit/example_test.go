package audit_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

func Example() {
	log := `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /robots.txt HTTP/1.1" 200 50 "-" "ExampleBot/1.0"
192.0.2.7 - - [01/Mar/2026:12:00:10 +0000] "GET / HTTP/1.1" 200 5000 "-" "ExampleBot/1.0"
192.0.2.7 - - [01/Mar/2026:12:00:20 +0000] "GET /tmp/x HTTP/1.1" 200 5000 "-" "ExampleBot/1.0"
`
	file := robots.Parse([]byte("User-agent: *\nDisallow: /tmp/\n"), robots.RFC9309)
	a := audit.New(audit.Options{Copies: []audit.Copy{{Name: "robots.txt", File: file}}})
	if err := a.Read(accesslog.NewReader(strings.NewReader(log), accesslog.Auto), "access.log"); err != nil {
		fmt.Println(err)
	}
	for _, r := range a.Report().Robots {
		fmt.Println(r.Token, r.Requests, "requests, robots.txt asked for:", r.Asking.When)
		for _, e := range r.Disallowed.Evidence {
			fmt.Printf("%s:%d %s (%s line %d: %s)\n", e.File, e.Line, e.Path, e.Robots, e.RuleLine, e.Rule)
		}
	}
	// Output:
	// ExampleBot 3 requests, robots.txt asked for: first
	// access.log:3 /tmp/x (robots.txt line 2: Disallow: /tmp/)
}
