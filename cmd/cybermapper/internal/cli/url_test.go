package cli

import (
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
