package cli

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
)

func TestIsLoopback(t *testing.T) {
	for raw, want := range map[string]bool{
		"http://127.0.0.1/": true, "http://127.9.8.7:8080/": true, "http://[::1]/": true, "http://localhost:8000/": true,
		"http://a.localhost/": true, "http://[::ffff:127.0.0.1]/": true, "http://0x7f.1/": true,
		"http://localhost.example/": false, "http://10.0.0.1/": false, "http://128.0.0.1/": false, "http://example.org/": false,
	} {
		u, err := frontier.ParseURL(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		} else if got := IsLoopback(u); got != want {
			t.Errorf("isLoopback(%s) = %t, want %t", u, got, want)
		}
	}
}

// TestParseURL_NoURL: what is no URL is called what it is, and of a password nothing is shown.
func TestParseURL_NoURL(t *testing.T) {
	for s, want := range map[string][2]string{
		"mailto:info@a.example":  {`"mailto:info@a.example": scheme mailto is not http or https`, ""},
		" MAILTO:info@a.example": {`" MAILTO:info@a.example": scheme mailto is not http or https`, ""},
		"user:pw@a.example":      {ErrUserInfo.Error(), ""},
		"a.org":                  {`"a.org" has no scheme`, "did you mean https://a.org/?"},
		"seeds.txt":              {`"seeds.txt" has no scheme`, "a URL begins with https:// or http://"},
		"intranet.corp/x":        {`"intranet.corp/x" has no scheme`, "a URL begins with https:// or http://"},
		"intranet.corp:81":       {`"intranet.corp:81" has no scheme`, "did you mean http://intranet.corp:81/?"},
		"words":                  {`"words": not an absolute URL`, ""},
	} {
		_, err := ParseURL(s)
		hint := ""
		if e, ok := errors.AsType[*Error](err); ok {
			hint = e.Hint
		}
		if err == nil || err.Error() != want[0] || hint != want[1] {
			t.Errorf("ParseURL(%q): %v, hint %q, want %q", s, err, hint, want)
		}
	}
}

// TestParseSite_Mail: a mailbox is no host, nor is what may have a password, which is not shown.
func TestParseSite_Mail(t *testing.T) {
	for _, s := range []string{"mailto:x@a.example", "x@a.example", "x:secret@a.example"} {
		if site, err := ParseSite(s); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseSite(%s) = %q, %v", s, site, err)
		}
	}
	if site, err := ParseSite("a.example:8080"); site != "a.example:8080" || err != nil {
		t.Errorf("ParseSite of a host = %q, %v", site, err)
	}
}

// TestOrURL: whoever forgets the scheme of a URL is told so, and whoever misspells a file is not sent to the web.
func TestOrURL(t *testing.T) {
	for name, want := range map[string]string{
		"example.org": "https://example.org/robots.txt", "www.example.co.uk/x": "https://www.example.co.uk/robots.txt",
		"127.0.0.1:8080": "http://127.0.0.1:8080/robots.txt", "localhost": "http://localhost/robots.txt",
		"robots.txt": "", "page.html": "", "robots": "", "/srv/robots.txt": "", "dir/example.org": "", "-": "",
	} {
		err := OrURL(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}, name, "/robots.txt")
		hint := ""
		if e, ok := errors.AsType[*Error](err); ok {
			hint = e.Hint
		}
		if want != "" {
			want = "did you mean " + want + "?"
		}
		if hint != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, hint %q, want %q", name, err, hint, want)
		}
	}
	if err := OrURL(fs.ErrPermission, "example.org", ""); !errors.Is(err, fs.ErrPermission) || OrURL(nil, "example.org", "") != nil {
		t.Errorf("another error, or none: %v", err)
	}
}
