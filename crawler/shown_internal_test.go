package crawler

import "testing"

// No password of a site is told or written down, however the reference that holds it is written.
func TestWithoutUserInfo(t *testing.T) {
	for ref, want := range map[string]string{
		"http://me:pw@h.example/x?a=b@c":  "http://h.example/x?a=b@c",
		"https://me@h.example":            "https://h.example",
		`http:\\me:p@w@h.example\x`:       `http:\\h.example\x`,
		"http:me:pw@h.example/":           "http:h.example/",
		"//me:pw@h.example/":              "//h.example/",
		" \thttp:///me:pw@ho st/":         " \thttp:///ho st/",
		"ftp://me:pw@h.example/":          "ftp://h.example/",
		"HTTP://me:pw@[::1]:8080/":        "HTTP://[::1]:8080/",
		"/@me/x":                          "/@me/x",
		"mailto:me@h.example":             "mailto:me@h.example",
		"a:b@c":                           "a:b@c",
		"http://h.example/@me":            "http://h.example/@me",
		"http://h.example?to=you@example": "http://h.example?to=you@example",
		"":                                "",
	} {
		if got := withoutUserInfo(ref); got != want {
			t.Errorf("withoutUserInfo(%q) = %q, want %q", ref, got, want)
		}
	}
}
