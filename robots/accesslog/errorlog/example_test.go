package errorlog_test

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog/errorlog"
)

// What a server complains of tells load from noise.
func Example() {
	log := errorlog.New()
	err := log.Read(strings.NewReader(`2026/03/01 12:00:01 [error] 7#7: *1 upstream timed out (110: Connection timed out), client: 192.0.2.1, server: x
2026/03/01 12:00:02 [error] 7#7: *2 open() "/var/www/robots.txt" failed (2: No such file or directory), client: 192.0.2.2, server: x
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(log.Kinds[errorlog.Overload], log.Kinds[errorlog.Missing], log.RobotsTxt, log.Of("192.0.2.1"))
	// Output: 1 1 1 1
}
