package accesslog

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMinuteIsRemembered checks that a Parser that knows the minute of the line before reads every line as a new one does.
func TestMinuteIsRemembered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var old Parser
	for range 20_000 {
		line := fmt.Sprintf(`192.0.2.1 - - [%s/%s/2026:%s:%s:%s%s%s] "GET / HTTP/1.1" 200 5 "-" "x"`,
			pick("28", "01", "31"), pick("Feb", "Mar", "feb"), pick("00", "23", "24"), pick("00", "59"),
			pick("00", "07", "59", "60", "61", "5:", "/9", " 1"), pick("", "", ".5", ","), pick(" +0000", " -0700", "", " +000", "Z"))
		var got, want Entry
		errGot, errWant := old.Parse([]byte(line), &got), new(Parser).Parse([]byte(line), &want)
		if (errGot == nil) != (errWant == nil) || errGot == nil && (!got.Time.Equal(want.Time) || got.Zone != want.Zone ||
			got.Fraction != want.Fraction) {
			t.Fatalf("%s\nafter other lines: %v %v, %v\nalone: %v %v, %v", line, got.Time, got.Zone, errGot, want.Time, want.Zone, errWant)
		}
	}
	if second, ok := new(minute).has(make([]byte, clfTime)); ok {
		t.Errorf("no minute has the second %d", second)
	}
}
