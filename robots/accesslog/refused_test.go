package accesslog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestReader_Refused: who is in many malformed lines is named, whatever their format.
func TestReader_Refused(t *testing.T) {
	in := `{"time":"2026-03-01T12:00:00Z","remote_addr":"192.0.2.7","request":"GET /x HTTP/1.1","status":200,"agent":"Bot "x""}` + "\n" +
		`e.example 192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /x"` + "\n" + "203.0.113.1:80 192.0.2.7 - -\n198.51.100.9, 10.0.0.1 - - [\nnonsense\n"
	log := accesslog.NewReader(strings.NewReader(in), accesslog.Auto)
	for log.Next() {
		t.Errorf("line %d is read", log.Line())
	}
	if got := fmt.Sprint(log.Tally().From); got != "[{192.0.2.7 3} {10.0.0.1 1}]" {
		t.Errorf("malformed lines are of %s", got)
	}
	var sum accesslog.Tally
	sum.Add(log.Tally())
	sum.Add(log.Tally())
	if got := fmt.Sprint(sum.From); got != "[{192.0.2.7 6} {10.0.0.1 2}]" {
		t.Errorf("of two logs malformed lines are of %s", got)
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, "10.%d.%d.1 - torn\n192.0.2.7 - torn\n", i/250, i%250)
	}
	log = accesslog.NewReader(strings.NewReader(many.String()), accesslog.Auto)
	for log.Next() {
	}
	if from := log.Tally().From; from[0].Client != "192.0.2.7" || from[0].Lines < 40_000 || from[0].Lines > 50_000 {
		t.Errorf("of many addresses, %v have the most", from)
	}
}
