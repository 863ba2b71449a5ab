package progress

import (
	"fmt"
	"strings"
	"testing"
)

// What a full disk does not take of the log is on the screen, and why is said once.
func TestScreen_LogOnFullDisk(t *testing.T) {
	for _, isJSON := range []bool{false, true} {
		t.Run(fmt.Sprintf("json %t", isJSON), func(t *testing.T) {
			var b strings.Builder
			s := NewScreen(&b, false)
			if err := s.Log(isJSON, "/dev/full"); err != nil {
				t.Skip(err)
			}
			defer s.Close()
			for _, line := range []string{"first\n", "second\n"} {
				if n, err := s.Records().Write([]byte(line)); n != len(line) || err != nil {
					t.Errorf("Write(%q) = %d, %v, want %d", line, n, err, len(line))
				}
			}
			got := b.String()
			if strings.Count(got, "no space left") != 1 || !strings.HasSuffix(got, "\nfirst\nsecond\n") {
				t.Errorf("the screen shows %q, want why, once, and both lines", got)
			}
			if isWarning := strings.HasPrefix(got, `{"level":"warn"`); isWarning != isJSON {
				t.Errorf("the first line is %q; JSON: %t", got, isJSON)
			}
		})
	}
}
