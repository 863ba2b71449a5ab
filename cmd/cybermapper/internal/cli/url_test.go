package cli

import (
	"errors"
	"io/fs"
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

// TestOrURL: whoever forgets the scheme of a URL is told so, and whoever misspells a file is not sent to the web.
func TestOrURL(t *testing.T) {
	for name, want := range map[string]string{
		"example.org": "https://example.org/robots.txt", "www.example.co.uk/x": "https://www.example.co.uk/robots.txt",
		"127.0.0.1:8080": "http://127.0.0.1:8080/robots.txt", "localhost": "http://localhost/robots.txt",
		"robots.txt": "", "page.html": "", "robots": "", "/srv/robots.txt": "", "dir/example.org": "", "-": "",
	} {
		err := OrURL(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}, name, "/robots.txt")
		hint := ""
		if e := (*Error)(nil); errors.As(err, &e) {
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
