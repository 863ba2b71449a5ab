package accesslog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestReader_EpochOfServers: lines of two servers, as a log collector names them, have the times of two clocks.
func TestReader_EpochOfServers(t *testing.T) {
	for name, c := range map[string]struct {
		front string // # is the number of the server
		two   bool
	}{
		"none":                 {"", false},
		"syslog":               {"Mar  5 10:00:00 web# nginx: ", true},
		"syslog without host":  {"Mar  5 10:00:00 nginx: ", false},
		"RFC 5424":             {"<190>1 2026-03-05T10:00:00Z web# nginx 7 - - ", true},
		"ISO time":             {"2026-03-05T10:00:00.123456+00:00 web# nginx[7]: ", true},
		"kubectl":              {"[pod/web-#/nginx] ", true},
		"Docker Compose":       {"web-#  | ", true},
		"docker logs -t":       {"2026-03-05T10:00:00.123456789Z ", false},
		"a container's stdout": {"2026-03-05T10:00:00.123456789Z stdout F ", false},
	} {
		var log strings.Builder
		for i := range 4 { // the second server is three seconds behind
			log.WriteString(strings.ReplaceAll(c.front, "#", fmt.Sprint(i%2)))
			fmt.Fprintf(&log, "192.0.2.1 - - [05/Mar/2026:10:00:%02d +0000] \"GET /%d HTTP/1.1\" 200 9 \"-\" \"x\"\n", 10*i-3*(i%2)+3, i)
		}
		r, epochs := accesslog.NewReader(strings.NewReader(log.String()), accesslog.Auto), []int{}
		for r.Next() {
			epochs = append(epochs, r.Entry().Epoch)
		}
		if len(epochs) != 4 || epochs[0] != epochs[2] || epochs[1] != epochs[3] || (epochs[0] != epochs[1]) != c.two {
			t.Errorf("%s: epochs %v, want those of two clocks: %v", name, epochs, c.two)
		}
	}
}
