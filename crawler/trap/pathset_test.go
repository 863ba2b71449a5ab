package trap

import "testing"

// Ensure that the same conditions are told in another language or of another list.
func TestIsSameElsewhere(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"/en/tags/a+b", "/de/tags/a+b", true},
		{"/tags/a+b", "/de/tags/a+b", true},
		{"/en/tags/a+b?page=2", "/tags/a+b?page=2", true},
		{"/en/browse?tags=a,b", "/en/things?tags=a,b", true},
		{"/en/tags/a+b", "/de/marken/a+b", false},
		{"/en/tags/a+b", "/en/tags/a+b", false},
		{"/en/tags/a+b", "/de/tags/a+b?page=2", false},
		{"/tags/a+b", "/x/de/tags/a+b", false},
		{"/a", "/b/c/d/e", false},
	} {
		if got := isSameElsewhere(tt.a, tt.b); got != tt.want {
			t.Errorf("isSameElsewhere(%q, %q) = %t", tt.a, tt.b, got)
		}
		if got := isSameElsewhere(tt.b, tt.a); got != tt.want {
			t.Errorf("isSameElsewhere(%q, %q) = %t", tt.b, tt.a, got)
		}
	}
}
