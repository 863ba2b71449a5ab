package frontier_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

func TestParseURL(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "http://example.com/a/b?c=d", "http://example.com/a/b?c=d"},
		{"empty path", "http://example.com", "http://example.com/"},
		{"empty path with query", "https://example.com?q", "https://example.com/?q"},
		{"empty query stays", "http://example.com/?", "http://example.com/?"},
		{"fragment", "http://example.com/a?b#c?d", "http://example.com/a?b"},
		{"user-info", "http://user:secret@example.com/", "http://example.com/"},
		{"case of scheme and host", "HTTP://EXAMPLE.com/Path?Query", "http://example.com/Path?Query"},
		{"default port", "http://example.com:80/", "http://example.com/"},
		{"default port of https", "https://example.com:443", "https://example.com/"},
		{"other scheme's port", "https://example.com:80/", "https://example.com:80/"},
		{"empty port", "http://example.com:/a", "http://example.com/a"},
		{"padded port", "http://example.com:0080/a", "http://example.com/a"},
		{"dot segments", "http://example.com/a/./b/../c/.", "http://example.com/a/c/"},
		{"encoded dot segments", "http://example.com/a/%2e/b/.%2E/c/%2e%2e", "http://example.com/a/"},
		{"above the root", "http://example.com/../../a", "http://example.com/a"},
		{"three dots are a name", "http://example.com/.../a", "http://example.com/.../a"},
		{"empty segments", "http://example.com//a///b", "http://example.com//a///b"},
		{"hex digits", "http://example.com/%e4%bd?%c3%a9", "http://example.com/%E4%BD?%C3%A9"},
		{"unreserved", "http://example.com/%7Euser/%41?%2d%5F", "http://example.com/~user/A?-_"},
		{"reserved stays encoded", "http://example.com/a%2Fb%3F?a%26b%3d", "http://example.com/a%2Fb%3F?a%26b%3D"},
		{"stray percent", "http://example.com/100%/%zz?%", "http://example.com/100%/%zz?%"},
		{"decoding makes no triple", "http://example.com/%%341/%4%31", "http://example.com/%%341/%4%31"},
		{"blank inside", "http://example.com/a b?c d", "http://example.com/a%20b?c%20d"},
		{"quotes", "http://example.com/it's?it's", "http://example.com/it's?it%27s"},
		{"non-ASCII", "http://example.com/é?é", "http://example.com/%C3%A9?%C3%A9"},
		{"no UTF-8", "http://example.com/\xe9", "http://example.com/%EF%BF%BD"},
		{"brackets", "http://example.com/[a]?b[]=c", "http://example.com/[a]?b[]=c"},
		{"caret and bar, as jobs know them", "http://example.com/a^b|c%5E?d^e|f", "http://example.com/a^b|c%5E?d^e|f"},
		{"blanks around", " \t http://example.com/ \n", "http://example.com/"},
		{"newline inside", "http://example.com/a\n\tb", "http://example.com/ab"},
		{"backslashes", `http:\\example.com\a\..\b?c\d`, `http://example.com/b?c\d`},
		{"slashes missing", "http:example.com/a", "http://example.com/a"},
		{"slashes too many", "http:////example.com/a", "http://example.com/a"},
		{"IDN", "http://Bücher.example/", "http://xn--bcher-kva.example/"},
		{"IDN, non-transitional", "http://faß.example/", "http://xn--fa-hia.example/"},
		{"A-label", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
		{"ideographic full stop", "http://example。com/", "http://example.com/"},
		{"encoded host", "http://ex%61mple.com/", "http://example.com/"},
		{"IPv4", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"IPv4 in disguise", "http://0x7f.1/", "http://127.0.0.1/"},
		{"IPv4 as a number", "http://2130706433/", "http://127.0.0.1/"},
		{"IPv6", "http://[2001:DB8:0:0::1]:81/", "http://[2001:db8::1]:81/"},
		{"root dot", "http://example.com./", "http://example.com./"},
		{"underscore", "http://a_b.example.com/", "http://a_b.example.com/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := frontiertest.URL(t, tt.in).String(); got != tt.want {
				t.Errorf("ParseURL(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestParseURL_Errors(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", "not an absolute URL"},
		{"/path", "not an absolute URL"},
		{"example.com", "not an absolute URL"},
		{"mailto:a@example.com", "scheme mailto is not http or https"},
		{" JavaScript:void(0)", "scheme javascript is not http or https"},
		{"java\nscript:void(0)", "scheme javascript is not http or https"},
		{"data:text/html," + strings.Repeat("x", frontier.MaxURLLength), "scheme data is not http or https"},
		{"ftp://example.com/", "scheme ftp is not http or https"},
		{"localhost:8080", "scheme localhost is not http or https"},
		{strings.Repeat("x", 100) + ":", "scheme " + strings.Repeat("x", 32) + "… is not http or https"},
		{"http://", "URL has no host"},
		{"https:///?a", "URL has no host"},
		{"http://user:secret@/", "URL has no host"},
		{"http://example.com:99999/", "port is not a number from 0 to 65535"},
		{"http://example.com:http/", "port is not a number from 0 to 65535"},
		{"http://exa mple.com/", "host is neither a domain name nor an IP address"},
		{"http://1.2.3.4.5/", "host is neither a domain name nor an IP address"},
		{"http://[::1/", "host is neither a domain name nor an IP address"},
		{"http://a≠b/", "host is neither a domain name nor an IP address"},
		{"http://xn--a/", "host is neither a domain name nor an IP address"},
	}
	for _, tt := range tests {
		u, err := frontier.ParseURL(tt.in)
		if err == nil || err.Error() != tt.want || !u.IsZero() {
			t.Errorf("ParseURL(%.40q) = %q, %v, want error %q", tt.in, u, err, tt.want)
		}
	}
	var scheme frontier.SchemeError
	if _, err := frontier.ParseURL("tel:1"); !errors.As(err, &scheme) || scheme != "tel" {
		t.Errorf("ParseURL(tel:1): %v, want a SchemeError", err)
	}
}

func TestParseURL_Length(t *testing.T) {
	const start = "http://example.com/"
	long := start + strings.Repeat("a", frontier.MaxURLLength-len(start))
	if got := frontiertest.URL(t, long).String(); got != long {
		t.Errorf("a URL of MaxURLLength bytes has %d after ParseURL", len(got))
	}
	for _, raw := range []string{long + "a", start + strings.Repeat("é", frontier.MaxURLLength/3)} {
		if _, err := frontier.ParseURL(raw); !errors.Is(err, frontier.ErrURLTooLong) {
			t.Errorf("ParseURL of %d bytes: %v, want ErrURLTooLong", len(raw), err)
		}
	}
}

// TestURL_Resolve_RFC3986_5_4 has the examples of RFC 3986, 5.4.1 and 5.4.2, without fragments. Where browsers read
// otherwise, the example is theirs.
func TestURL_Resolve_RFC3986_5_4(t *testing.T) {
	base := frontiertest.URL(t, "http://a/b/c/d;p?q")
	tests := []struct{ ref, want string }{
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g/"},
		{"?y", "http://a/b/c/d;p?y"},
		{"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q"},
		{"g#s", "http://a/b/c/g"},
		{"g?y#s", "http://a/b/c/g?y"},
		{";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"},
		{"g;x?y#s", "http://a/b/c/g;x?y"},
		{"", "http://a/b/c/d;p?q"},
		{".", "http://a/b/c/"},
		{"./", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../..", "http://a/"},
		{"../../", "http://a/"},
		{"../../g", "http://a/g"},
		{"../../../g", "http://a/g"},
		{"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"},
		{"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."},
		{"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"},
		{"g?y/../x", "http://a/b/c/g?y/../x"},
		{"http:g", "http://a/b/c/g"}, // as "for backward compatibility", and WHATWG
		{"https:g", "https://g/"},    // WHATWG: special scheme, slashes missing
		{"1:2", "http://a/b/c/1:2"},
		{`\g`, "http://a/g"},
		{" g ", "http://a/b/c/g"},
	}
	for _, tt := range tests {
		got, err := base.Resolve(tt.ref)
		if err != nil || got.String() != tt.want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", tt.ref, got, err, tt.want)
		}
	}
}

func TestURL_Resolve_Zero(t *testing.T) {
	var zero frontier.URL
	if u, err := zero.Resolve("http://example.com/"); err != nil || u.String() != "http://example.com/" {
		t.Errorf("Resolve of an absolute reference = %q, %v", u, err)
	}
	for _, ref := range []string{"", "a", "/a", "//a/", "?a", "#a"} {
		if u, err := zero.Resolve(ref); err == nil {
			t.Errorf("Resolve(%q) = %q, want an error", ref, u)
		}
	}
}

func TestURL_Parts(t *testing.T) {
	type parts struct{ scheme, host, hostname, port, origin, site, pathQuery string }
	tests := []struct {
		url  string
		want parts
	}{
		{"http://example.com", parts{"http", "example.com", "example.com", "", "http://example.com", "example.com", "/"}},
		{"https://example.com/a?b", parts{"https", "example.com", "example.com", "", "https://example.com", "example.com", "/a?b"}},
		{"http://a:81/?", parts{"http", "a:81", "a", "81", "http://a:81", "a:81", "/?"}},
		{"http://a:443/", parts{"http", "a:443", "a", "443", "http://a:443", "a", "/"}},
		{"https://a:80/", parts{"https", "a:80", "a", "80", "https://a:80", "a", "/"}},
		{"http://[::1]/", parts{"http", "[::1]", "::1", "", "http://[::1]", "[::1]", "/"}},
		{"http://[::1]:81/", parts{"http", "[::1]:81", "::1", "81", "http://[::1]:81", "[::1]:81", "/"}},
		{"http://127.0.0.1:81/", parts{"http", "127.0.0.1:81", "127.0.0.1", "81", "http://127.0.0.1:81", "127.0.0.1:81", "/"}},
		{"http://a.:81/", parts{"http", "a.:81", "a.", "81", "http://a.:81", "a:81", "/"}},
		{"http://a./", parts{"http", "a.", "a.", "", "http://a.", "a", "/"}},
	}
	for _, tt := range tests {
		u := frontiertest.URL(t, tt.url)
		got := parts{u.Scheme(), u.Host(), u.Hostname(), u.Port(), u.Origin(), u.Site(), u.PathQuery()}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.url, got, tt.want)
		}
	}
	var zero frontier.URL
	if got := (parts{zero.Scheme(), zero.Host(), zero.Hostname(), zero.Port(), zero.Origin(), zero.Site(), zero.PathQuery()}); got != (parts{}) || !zero.IsZero() {
		t.Errorf("the zero URL: %+v, want all empty", got)
	}
}

func TestURL_Text(t *testing.T) {
	type doc struct {
		U, V frontier.URL
		W    frontier.URL `json:",omitzero"`
	}
	text, err := json.Marshal(doc{U: frontiertest.URL(t, "http://example.com/?a&b")})
	if want := `{"U":"http://example.com/?a\u0026b","V":""}`; err != nil || string(text) != want {
		t.Fatalf("Marshal = %s, %v, want %s", text, err, want)
	}
	var got doc
	if err := json.Unmarshal(text, &got); err != nil || got.U != frontiertest.URL(t, "http://example.com/?a&b") || !got.V.IsZero() {
		t.Errorf("Unmarshal = %+v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"U":"mailto:a"}`), &got); err == nil {
		t.Error("Unmarshal takes a mailto URL")
	}
}
