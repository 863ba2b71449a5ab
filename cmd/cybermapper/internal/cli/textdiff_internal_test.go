package cli

import (
	"strings"
	"testing"
)

// Ensure that a hunk is placed by the lines that were counted before it, without looking at them again.
func TestWriteHunk(t *testing.T) {
	for _, tt := range []struct {
		edits  []edit
		passed lines
		want   string
	}{
		{[]edit{{' ', "a\n"}, {'-', "b\n"}, {'+', "c\n"}, {'+', "d\n"}}, lines{1000, 2000}, "@@ -1001,2 +2001,3 @@\n a\n-b\n+c\n+d\n"},
		{[]edit{{'+', "a\n"}}, lines{}, "@@ -0,0 +1,1 @@\n+a\n"},
		{[]edit{{'-', "a\n"}}, lines{7, 9}, "@@ -8,1 +9,0 @@\n-a\n"},
	} {
		var b strings.Builder
		if writeHunk(&b, tt.edits, tt.passed); b.String() != tt.want {
			t.Errorf("got %q, want %q", b.String(), tt.want)
		}
	}
}

// Ensure that the second hunk counts on from the first.
func TestUnifiedDiff_SecondHunk(t *testing.T) {
	same := strings.Repeat("same\n", 10)
	got := UnifiedDiff("a", []byte("1\n2\n"+same+"3\n"), "b", []byte("2\n"+same+"4\n5\n"))
	for _, hunk := range []string{"@@ -1,4 +1,3 @@\n-1\n", "@@ -10,4 +9,5 @@\n same\n same\n same\n-3\n+4\n+5\n"} {
		if !strings.Contains(got, hunk) {
			t.Errorf("no %q in\n%s", hunk, got)
		}
	}
}
