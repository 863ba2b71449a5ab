package frontier

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// browse is the slow oracle of Resolve: what a browser would ask for.
func browse(base, ref string) (string, error) {
	parsed, err := whatwg.ParseRef(base, ref)
	if err != nil {
		return "", err
	}
	if parsed.Protocol() != "http:" && parsed.Protocol() != "https:" {
		return "", errors.New("scheme")
	}
	if _, err := whatwg.Parse("http://" + parsed.Host()); err != nil {
		return "", err // it writes a few names that it does not read
	}
	query := ""
	if _, q, ok := strings.Cut(parsed.Href(true), "?"); ok {
		query = "?" + q
	}
	return parsed.Protocol() + "//" + parsed.Host() + parsed.Pathname() + query, nil
}

var (
	triple     = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	stray      = regexp.MustCompile(`%[0-9A-Fa-f]?%`) // a percent sign that decoding might complete
	dotSegment = regexp.MustCompile(`/(\.|%2[Ee]){1,2}(/|$)`)
)

// decodeUnreserved is RFC 3986, 6.2.2.1 and 6.2.2.2.
func decodeUnreserved(s string) string {
	return triple.ReplaceAllStringFunc(s, func(t string) string {
		c := unhex(t[1])<<4 | unhex(t[2])
		if strings.IndexByte(unreserved, c) >= 0 {
			return string(c)
		}
		return strings.ToUpper(t)
	})
}

// FuzzResolve holds Resolve against the WHATWG parser, and its result against itself.
func FuzzResolve(f *testing.F) {
	bases := []string{"http://example.com/", "https://example.com:8443/a/b;c/d.html?e=f", "http://[::1]/a//b/"}
	refs := []string{
		"", "#top", "?page=2", "a/b", "../c/./d/", "/a?b=c#d", "//example.org", "//example.org:80/x", "//example.org:443?y",
		"http://example.com", "https://user:pw@example.com:443/%7ea/%2E%2e/é?é'", "HTTP:\\\\EXAMPLE.com\\a", "http:b", "https:b",
		"http:///c", "http://127.1/", "http://127.0.0.1:80/", "http://1.2.3.4.5/", "http://0x7f.1", "http://[::FFFF:1.2.3.4]:80/",
		"http://bücher.example./", "http://xn--bcher-kva.example", "http://a..b/", "http://-a/", "http://a-/", "http://.a/",
		"mailto:a@b", "javascript:void(0)", "java\tscript:x", "1:2", "a:b", "a b:c", "%2e%2E/x", "%%341%4%31%zz%", "a\nb", " a ",
		"a\x00b\x7f", "\xff\xfe", "?\xe9", "?a|b{c}`d^e\\f[g]\"h<i>'j", "a|b{c}`d^e[f]\"g<h>'i", "/a/b/../../../..//../c", "...", ".%2e.",
		"http://a:65536/", "http://a:0/", "http://a:00/", "http://a:", "http://a:@b:/", "http://☕.example/☕?☕#☕", "//", "///a", "/\\a", "http://ab--c/", "http://a≠b/", "http://≮", "http://a\u200db/", "http://a%ef%bc%8eb/", "http://[[::1]]/", "http://../",
	}
	for _, base := range bases {
		for _, ref := range refs {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, rawBase, ref string) {
		if len(rawBase)+len(ref) > 1024 {
			return // long ones are for TestParseURL_Length
		}
		base, err := ParseURL(rawBase)
		if err != nil {
			base = URL{} // as good a base as another
		}
		got, gotErr := base.Resolve(ref)
		want, wantErr := browse(base.s, ref)
		switch {
		case (gotErr == nil) != (wantErr == nil):
			t.Fatalf("base %q: Resolve(%q) = %q, %v, want %q, %v", base, ref, got, gotErr, want, wantErr)
		case gotErr == nil && got.s != decodeUnreserved(want) && !stray.MatchString(want):
			t.Fatalf("base %q: Resolve(%q) = %q, want %q", base, ref, got, want)
		case gotErr == nil:
			checkCanonical(t, got)
		}
	})
}

// checkCanonical tests what holds for every URL.
func checkCanonical(t *testing.T, u URL) {
	t.Helper()
	if again, err := ParseURL(u.s); err != nil || again != u {
		t.Errorf("ParseURL(%q) = %q, %v, want the same", u, again, err)
	}
	if same, err := u.Resolve("#fragment"); err != nil || same != u {
		t.Errorf("%q: Resolve(#fragment) = %q, %v, want the same", u, same, err)
	}
	if u.Origin()+u.PathQuery() != u.s || u.Scheme()+"://"+u.Host() != u.Origin() {
		t.Errorf("%q: the parts %q, %q, %q do not make the whole", u, u.Scheme(), u.Host(), u.PathQuery())
	}
	if u.Site() == "" || u.PathQuery()[0] != '/' {
		t.Errorf("%q: site %q, path and query %q", u, u.Site(), u.PathQuery())
	}
	for i := 0; i < len(u.s); i++ {
		if c := u.s[i]; c <= ' ' || c > '~' || c == '#' {
			t.Errorf("%q has the byte %#x", u, c)
		}
	}
	if path, _, _ := strings.Cut(u.PathQuery(), "?"); dotSegment.MatchString(path) {
		t.Errorf("%q has a dot segment", u)
	}
}

// BenchmarkResolve resolves one kind of link after the other on a page like most.
func BenchmarkResolve(b *testing.B) {
	base, err := ParseURL("https://www.example.com/articles/2026/index.html?page=3")
	if err != nil {
		b.Fatal(err)
	}
	for _, bb := range []struct{ name, ref string }{
		{"relative", "../2025/some-long-title-of-an-article.html"},
		{"rooted", "/articles/2026/another-long-title.html?utm=none&page=4"},
		{"absolute", "https://www.example.com/articles/2026/another-long-title.html"},
		{"fragment", "#comments"},
		{"escaped", "/wiki/%D0%9F%d1%80%D0%B8%D0%B2%D0%B5%D1%82"},
		{"non-ASCII", "/wiki/Привет"},
		{"mailto", "mailto:someone@example.com"},
		{"IDN", "//www.bücher.example/articles/2026/another-long-title.html"},
		{"backslashes", "\\articles\\2026"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				base.Resolve(bb.ref)
			}
		})
	}
}

// BenchmarkResolve_Hostile resolves what costs most for its length, which is MaxURLLength.
func BenchmarkResolve_Hostile(b *testing.B) {
	for _, bb := range []struct{ name, start, unit string }{
		{"segments", "http:\\\\a", "/a"},
		{"parents", "http:\\\\a", "/.."},
		{"plain segments", "http://a", "/a"},
		{"plain parents", "http://a", "/a/.."},
		{"user-info", "http://", "@"},
		{"password", "http://a:", "a"},
		{"host", "http://", "ａ"},
		{"host labels", "http://", "é."},
		{"scheme", "", "a"},
		{"query", "http:\\\\a?", "é"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			ref := bb.start + strings.Repeat(bb.unit, (MaxURLLength-len(bb.start)-4)/len(bb.unit))
			if bb.name == "password" {
				ref += "@a/"
			}
			for b.Loop() {
				ParseURL(ref)
			}
		})
	}
}
