package crawler

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/simhash"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage"
)

// Ensure that pages with nearly the same text are told apart from others and from copies.
func TestTexts_Near(t *testing.T) {
	x := texts{most: 1000}
	prose := strings.Repeat("a harbour and its ships seen from the hill above the old town in the evening light of the last days of summer ", 2)
	for _, tt := range []struct{ path, body, want string }{
		{"/a", "<p>Printed 1994: " + prose, ""},
		{"/b", "<h1>Printed 2026: </h1>" + prose, "http://a.example/a"},
		{"/copy", "<p>Printed 1994: " + prose, ""}, // of the same bytes the store tells
		{"/short", "<p>nothing here", ""},
		{"/short2", "<b>nothing here", ""},
		{"/other", strings.Repeat("quite another page about the price of bread and butter in the markets of the north where nobody buys any ", 2), ""},
	} {
		body := []byte(tt.body)
		if got := x.near(frontiertest.URL(t, "http://a.example"+tt.path), simhash.Of(body), storage.DigestOf(body)); got != tt.want {
			t.Errorf("near(%s) = %q, want %q", tt.path, got, tt.want)
		}
	}
}
