package robots_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// TestResolveLocation: a redirect leads where a browser goes (WHATWG URL), for what lies there are the rules.
func TestResolveLocation(t *testing.T) {
	const from = "https://site.example/a/robots.txt?q"
	for _, tt := range []struct{ location, want string }{
		{"/r.txt", "https://site.example/r.txt"},
		{"r.txt?x=%zz#f", "https://site.example/a/r.txt?x=%zz"},
		{"  /r.txt\t ", "https://site.example/r.txt"},
		{"/r\t.txt", "https://site.example/r.txt"},
		{"//www.example/r.txt", "https://www.example/r.txt"},
		{"///www.example/r.txt", "https://www.example/r.txt"},
		{`https://www.example\r.txt`, "https://www.example/r.txt"},
		{`\r.txt?\x`, `https://site.example/r.txt?\x`},
		{`\\www.example\r.txt`, "https://www.example/r.txt"},
		{"http:/www.example/r.txt", "http://www.example/r.txt"},
		{"http:www.example/r.txt", "http://www.example/r.txt"},
		{"https:/r.txt", "https://site.example/r.txt"},
		{"https:r.txt", "https://site.example/a/r.txt"},
		{"HTTPS:////u:p@www.example/r.txt", "https://www.example/r.txt"},
		{"/100%/%%zz/%4/%41%", "https://site.example/100%25/%25%25zz/%254/%41%25"},
		{"/a b/\u00e9", "https://site.example/a%20b/%C3%A9"},
		{"", ""},
		{"http://", ""},
		{"http://[x", ""},
		{"ftp://site.example/robots.txt", ""},
		{"data:text/plain,User-agent: *", ""},
	} {
		if to, err := robots.ResolveLocation(from, tt.location); to != tt.want || (err == nil) != (to != "") {
			t.Errorf("%q leads to %q, %v, want %q", tt.location, to, err, tt.want)
		}
	}
}
