package robots_test

import (
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

func TestRulesList(t *testing.T) {
	const text = "User-agent: a\nDisallow: /b\nDisallow:\nAllow: /B%7e/*.gif$\nDisallow: /a*$b\nDisallow: /b # again\nDisallow: c d\n"
	tests := []struct {
		name    string
		dialect robots.Dialect
		product string
		want    []robots.Rule
	}{
		{"canonical, in file order, once", robots.RFC9309, "a", []robots.Rule{
			{false, "/b", 2, "Disallow: /b", ""},
			{true, "/B~/*.gif$", 4, "Allow: /B%7e/*.gif$", ""},
			{false, "/a*%24b", 5, "Disallow: /a*$b", ""},
		}},
		{"lenient ones too", robots.Cautious, "a", []robots.Rule{
			{false, "/b", 2, "Disallow: /b", ""},
			{true, "/B~/*.gif$", 4, "Allow: /B%7e/*.gif$", ""},
			{false, "/a*%24b", 5, "Disallow: /a*$b", ""},
			{false, "/a*%24b", 5, "Disallow: /a*$b", ""}, // patterns with wildcards are kept as often as they are said
			{false, "/cd", 7, "Disallow: c d", "spaces-in-path+missing-slash"},
		}},
		{"none of 1994 are special", robots.Std1994, "a", []robots.Rule{
			{false, "/b", 2, "Disallow: /b", ""},
			{false, "/a%2A%24b", 5, "Disallow: /a*$b", ""},
			{false, "c", 7, "Disallow: c d", ""},
			{false, "d", 7, "Disallow: c d", ""},
		}},
		{"nobody named", robots.RFC9309, "b", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := robots.Parse([]byte(text), tt.dialect).Rules(tt.product).List()
			if !slices.Equal(got, tt.want) {
				t.Errorf("List() = %+v\nwant     %+v", got, tt.want)
			}
		})
	}
	if got := (*robots.Rules)(nil).List(); got != nil {
		t.Errorf("List() of nil Rules = %v, want nil", got)
	}
}
