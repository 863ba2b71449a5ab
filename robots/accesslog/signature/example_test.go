package signature_test

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
)

func ExampleChecker_Check() {
	keys, err := signature.ParseKeys([]byte(testKeys))
	if err != nil {
		fmt.Println(err)
		return
	}
	c := signature.Checker{Keys: keys}
	result := c.Check("TestBot", &signature.Request{
		Time: time.Unix(1735689700, 0), Method: "GET", Authority: "example.com", Target: "/", AuthorityAsSent: true,
		Header: map[string][]string{
			"signature-input": {`sig=("@authority" "cookie");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";tag="web-bot-auth"`},
			"signature":       {"sig=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:"},
		},
	})
	fmt.Printf("%q, because %s\n", result.Verdict, result.Why)
	// Output: "", because it covers what the log does not have
}
