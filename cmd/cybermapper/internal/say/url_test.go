package say_test

import (
	"net/url"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

func TestURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.example/b?c=%20d#e":                                          "http://a.example/b?c=%20d#e",
		"https://el.example/%CE%9B%CF%8C%CE%B3%CE%BF%CF%82?q=%d0%b0%D0%B1":     "https://el.example/Λόγος?q=аб",
		"https://ja.example/%E3%83%9A%E3%83%BC%E3%82%B8/%E4%B8%80%2F%E4%BA%8C": "https://ja.example/ページ/一%2F二",
		"https://hi.example/%E0%A4%B9%E0%A4%BF":                                "https://hi.example/हि",
		"https://a.example/%CC%B8x":                                            "https://a.example/%CC%B8x",
		"https://a.example/%E2%80%AEfdp.exe":                                   "https://a.example/%E2%80%AEfdp.exe",
		"https://a.example/%D8%A7%E2%80%8C%E2%80%8F":                           "https://a.example/ا%E2%80%8C%E2%80%8F",
		"https://a.example/%E3%85%A4%E2%80%8B":                                 "https://a.example/%E3%85%A4%E2%80%8B",
		"https://a.example/%E2%81%84%E2%88%95%EF%BC%8F":                        "https://a.example/%E2%81%84%E2%88%95%EF%BC%8F",
		"https://a.example/%E9%E8%00%0A%25%zz%E3%83%":                          "https://a.example/%E9%E8%00%0A%25%zz%E3%83%",
		"https://a.example/%EF%BF%BD%ED%A0%80%C0%AF":                           "https://a.example/%EF%BF%BD%ED%A0%80%C0%AF",
		"https://xn--80ak6aa92e.example/%D0%B0":                                "https://xn--80ak6aa92e.example/а",
		"http://a.example/\x1b[1m":                                             "http://a.example/\uFFFD[1m",
	} {
		if got := say.URL(raw); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

// A URL that was made readable leads to the same page.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{"/%E3%83%9A%2F%d0%b0?%zz=%E2%80%AE#%CC%B8", "/%D8%A7%E2%80%8C%25E3%83%9A", "/a%E3%85%A4ü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		raw, err := url.Parse("http://a.example/" + path)
		if err != nil || say.Printable(raw.String()) != raw.String() {
			return
		}
		shown, err := url.Parse(say.URL(raw.String()))
		if err != nil {
			t.Fatal(err)
		}
		if shown.Host != raw.Host || shown.Path != raw.Path || unescaped(shown) != unescaped(raw) ||
			shown.Fragment != raw.Fragment {
			t.Errorf("%s leads to %s, not %s", say.URL(raw.String()), shown, raw)
		}
	})
}

func unescaped(u *url.URL) string {
	if q, err := url.QueryUnescape(u.RawQuery); err == nil {
		return q
	}
	return ""
}
