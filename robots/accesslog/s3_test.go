package accesslog_test

import (
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestS3: an address of S3 has no port, so that the end of one of IPv6 is none; what has no request line is none, but a part of
// another or what the storage did; a quote within a value does not end it.
func TestS3(t *testing.T) {
	const tail = ` - 10S= SigV4 E - e.example TLSV1.2 - - us-east-1`
	for _, c := range []struct {
		in, client, target, agent string
		err                       error
	}{
		{`2001:db8::7 - DD WEBSITE.GET.OBJECT a "GET /a HTTP/1.1" 200 - 2326 2326 46 28 "-" "GPTBot/1.2"`, "2001:db8::7", "/a", "GPTBot/1.2", nil},
		{`2001:db8::1:7 - DD WEBSITE.GET.OBJECT a "GET /a HTTP/1.1" 200 - 2326 2326 46 28 "-" "GPTBot/1.2"`, "2001:db8::1:7", "/a", "GPTBot/1.2", nil},
		{`192.0.2.7 - DD WEBSITE.GET.OBJECT a "GET /a"b HTTP/1.1" 200 - 2326 2326 46 28 "-" "GPT"Bot/1.2"`, "192.0.2.7", `/a"b`, `GPT"Bot/1.2`, nil},
		{`192.0.2.7 79a5 DD BATCH.DELETE.OBJECT a - 204 - - 2326 - - - -`, "", "", "", accesslog.ErrRemark},
		{`192.0.2.7 79a5 DD REST.COPY.OBJECT_GET a - 200 - - 2326 46 - - -`, "", "", "", accesslog.ErrRemark},
	} {
		for _, f := range []accesslog.Format{accesslog.Auto, accesslog.S3} {
			var e accesslog.Entry
			err := (&accesslog.Parser{Format: f}).Parse([]byte(`79a5 bucket [01/Mar/2026:12:00:00 +0000] `+c.in+tail), &e)
			if !errors.Is(err, c.err) || err == nil && (string(e.Client) != c.client || string(e.Target) != c.target || string(e.Agent) != c.agent) {
				t.Errorf("%s: %v, client %s, target %s, agent %s", c.in, err, e.Client, e.Target, e.Agent)
			}
		}
	}
}
