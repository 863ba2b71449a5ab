package compose_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/compose"
)

// TestMinimize_ManyNames: a file with more names than can be proved in a moment stays as it is, and that is said.
func TestMinimize_ManyNames(t *testing.T) {
	var b strings.Builder
	for i := range compose.MaxNames + 1 {
		b.WriteString("User-agent: bot")
		for ; i > 0; i /= 20 {
			b.WriteByte('a' + byte(i%20))
		}
		b.WriteString("z\nDisallow: /x\nDisallow: /x\n")
	}
	if m := compose.Minimize([]byte(b.String()), compose.MinimizeOptions{}); !m.TooMany || string(m.Text) != b.String() {
		t.Errorf("%d bytes became %d, too many: %v", b.Len(), len(m.Text), m.TooMany)
	}
	if m := compose.Minimize([]byte(b.String()[:400]), compose.MinimizeOptions{}); m.TooMany || len(m.Text) >= 400 {
		t.Error("a file with few names is not made shorter")
	}
}
