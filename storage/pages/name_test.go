package pages_test

import (
	"net/url"
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/cybermapper/cybermapper/storage/pages"
)

func TestFileName(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		// Plain names stay as they are.
		{"https://example.org/", "example.org/~index.html"},
		{"https://example.org/about", "example.org/about~.html"},
		{"https://example.org/about/", "example.org/about/~index.html"},
		{"https://example.org/index", "example.org/index~.html"},
		{"https://example.org/index.html", "example.org/index.html"},
		{"https://example.org/a/b-c/d_e.tar.gz", "example.org/a/b-c/d_e.tar.gz"},
		{"https://example.org/@ann/a=1,2+3", "example.org/@ann/a=1,2+3~.html"},
		{"https://example.org/~ann/", "example.org/~~ann/~index.html"},
		{"https://example.org/~index.html", "example.org/~~index.html"},
		{"https://xn--bcher-kva.example/", "xn--bcher-kva.example/~index.html"},

		// A folder with a dot might be a file.
		{"https://example.org/v1.2/a.html", "example.org/v1.2~/a.html"},
		{"https://example.org/a.html/", "example.org/a.html~/~index.html"},

		// Scheme and port are part of the host's name.
		{"http://example.org/", "example.org~80/~index.html"},
		{"http://example.org:443/", "example.org~443/~index.html"},
		{"http://127.0.0.1:8080/a", "127.0.0.1~8080/a~.html"},
		{"https://example.org:8443/", "example.org~https~8443/~index.html"},
		{"https://example.org:80/", "example.org~https~80/~index.html"},
		{"https://[::1]/", "ipv6~--1/~index.html"},
		{"http://[2001:db8::1]:8080/", "ipv6~2001-db8--1~8080/~index.html"},
		{"https://ipv6/", "ipv6/~index.html"},

		// What is unusual carries a hash.
		{"https://example.org/wiki/Main_Page", "example.org/wiki/Main_Page~#.html"},
		{"https://example.org/Wiki/a.html", "example.org/Wiki~#~/a.html"},
		{"https://example.org/Photo.JPG", "example.org/Photo~#.JPG"},
		{"https://example.org/search?q=cat+food&page=2", "example.org/search-q=cat+food-page=2~#.html"},
		{"https://example.org/?", "example.org/_~#.html"},
		{"https://example.org/a/?b=c/d", "example.org/a/b=c-d~#.html"},
		{"https://example.org/list.php?id=7", "example.org/list-php-id=7~#.html"},
		{"https://example.org/a%20b.html", "example.org/a-b~#.html"},
		{"https://example.org/.well-known/x.txt", "example.org/well-known~#~/x.txt"},
		{"https://example.org//a.html", "example.org/_~#~/a.html"},
		{"https://example.org/-rf", "example.org/rf~#.html"},
		{"https://example.org/a.", "example.org/a~#.html"},
		{"https://example.org/a~", "example.org/a~#.html"},
		{"https://example.org/~", "example.org/_~#.html"},
		{"https://example.org/a:b", "example.org/a-b~#.html"},

		// Letters of all scripts stay, unless they might be taken for others.
		{"https://example.org/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0.html", "example.org/страница.html"},
		{"https://example.org/%E4%BD%A0%E5%A5%BD/", "example.org/你好/~index.html"},
		{"https://example.org/caf%C3%A9", "example.org/café~.html"},
		{"https://example.org/%D9%85%D8%B1/v1.%C3%A9/x", "example.org/مر/v1.é~/x~.html"},
		{"https://example.org/%E0%A4%95%E0%A4%BF", "example.org/कि~.html"},
		{"https://example.org/~%C3%A9", "example.org/~~é~.html"},
		{"https://example.org/%D0%AF", "example.org/Я~#.html"},
		{"https://example.org/cafe%CC%81", "example.org/café~#.html"},
		{"https://example.org/caf%c3%a9", "example.org/café~#.html"},
		{"https://example.org/café", "example.org/café~#.html"},
		{"https://example.org/caf%C3%A9%20x", "example.org/café-x~#.html"},
		{"https://example.org/caf%C3%A9?x", "example.org/café-x~#.html"},
		{"https://example.org/stra%C3%9Fe", "example.org/straße~#.html"},
		{"https://example.org/%CF%82", "example.org/ς~#.html"},
		{"https://example.org/d%C4%B1r", "example.org/dır~#.html"},
		{"https://example.org/%EF%AC%81", "example.org/ﬁ~#.html"},
		{"https://example.org/%CC%81x", "example.org/x~#.html"},
		{"https://example.org/a%E2%80%8Db", "example.org/a-b~#.html"},
		{"https://example.org/a%EF%B8%8F", "example.org/a~#.html"},
		{"https://example.org/%F0%9F%98%80", "example.org/_~#.html"},
		{"https://example.org/%E4", "example.org/_~#.html"},
		{"https://example.org/com%C2%B9", "example.org/com~#.html"},
		{"https://example.org/" + strings.Repeat("%E4%BD%A0", 60), "example.org/" + strings.Repeat("你", 60) + "~.html"},
		{"https://example.org/" + strings.Repeat("%E4%BD%A0", 61), "example.org/" + strings.Repeat("你", 27) + "~#.html"},
		{"https://example.org/" + strings.Repeat("%E4%BD%A0/", 200), "example.org/long~/_~#.html"},

		// Windows has devices everywhere.
		{"https://example.org/con", "example.org/con~#.html"},
		{"https://example.org/nul.html", "example.org/nul~#.html"},
		{"https://example.org/aux/x.txt", "example.org/aux~#~/x.txt"},
		{"https://example.org/com1.tar.gz", "example.org/com1-tar~#.gz"},
		{"https://example.org/LPT9", "example.org/LPT9~#.html"},
		{"https://example.org/console", "example.org/console~.html"},
		{"https://aux.example.org/", "aux-example-org~#/~index.html"},

		// Hosts that look like something of ours, or like nothing.
		{"https://pages.jsonl/", "pages-jsonl~#/~index.html"},
		{"https://.store/", "store~#/~index.html"},
		{"https://example.org./", "example-org~#/~index.html"},
		{"https://" + strings.Repeat("a", 300) + "/", strings.Repeat("a", 80) + "~#/~index.html"},

		// Not canonical.
		{"", "other~/_~#.html"},
		{"https://example.org", "other~/https-example-org~#.html"},
		{"HTTPS://example.org/", "other~/HTTPS-example-org~#.html"},
		{"https://example.org:443/", "other~/https-example-org-443~#.html"},
		{"http://example.org:080/", "other~/http-example-org-080~#.html"},
		{"http://example.org:/", "other~/http-example-org~#.html"},
		{"ftp://example.org/a", "other~/ftp-example-org-a~#.html"},
		{"https:///../../etc/passwd", "other~/https-etc-passwd~#.html"},
		{"https://example.org/../../etc/passwd", "example.org/_~#~/_~#~/etc/passwd~.html"},
		{`https://..\..\x/`, "x~#/~index.html"},

		// Long.
		{"https://example.org/" + strings.Repeat("a", 180), "example.org/" + strings.Repeat("a", 180) + "~.html"},
		{"https://example.org/" + strings.Repeat("a", 181), "example.org/" + strings.Repeat("a", 80) + "~#.html"},
		{"https://example.org/" + strings.Repeat("a/", 300) + "b.html", "example.org/long~/b-html~#.html"},
	} {
		if got := hideHashes(pages.FileName(tt.url)); got != tt.want {
			t.Errorf("FileName(%q) = %q, want %q", tt.url, got, tt.want)
		}
	}
}

// hideHashes replaces every hash in a name by "#".
func hideHashes(name string) string {
	parts := strings.Split(name, "~")
	for i, p := range parts {
		if h, rest := cutHash(p); i > 0 && h != "" {
			parts[i] = "#" + rest
		}
	}
	return strings.Join(parts, "~")
}

func cutHash(s string) (hash, rest string) {
	rest = strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz234567")
	if len(s)-len(rest) != 26 {
		return "", s
	}
	return s[:26], rest
}

// TestFileName_NamesNeverMeet tries all short paths that are made of the characters and words that matter to names.
func TestFileName_NamesNeverMeet(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	tokens := []string{"/", ".", "~", "a", "A", "?", "index", ".html", "~.html", "~index.html", "%61", "nul", "again-", "%C3%A9", "%C3%89", "%CC%81", "é"}
	urls := []string{
		"http://h/", "http://h:443/", "https://h/", "https://h:80/", "http://h:80/", "https://h:443/", "https://h~80/", "https://h~https~80/",
		"http://h:080/", "http://h", "https://H/", "https://[::1]/", "https://ipv6~--1/", "https://ipv6/", "http://ipv6:1/", "https://::1/",
		"https://other~/", "https://other/",
	}
	paths := []string{"https://h/"}
	for range 4 {
		var longer []string
		for _, p := range paths {
			for _, token := range tokens {
				longer = append(longer, p+token)
			}
		}
		urls = append(urls, longer...)
		paths = longer
	}
	checkApart(t, urls)
}

// checkApart checks that the names of all urls are safe and different, and that none is a folder of another.
func checkApart(t testing.TB, urls []string) {
	t.Helper()
	files := map[string]string{}
	folders := map[string]bool{}
	for _, url := range urls {
		name := pages.FileName(url)
		checkSafe(t, url, name)
		folded := cases.Fold().String(norm.NFKD.String(name))
		if other, taken := files[folded]; taken && other != url {
			t.Errorf("%q and %q have the name %q", other, url, name)
		}
		files[folded] = url
		for dir := path.Dir(folded); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for name, url := range files {
		if folders[name] {
			t.Errorf("the name of %q is also a folder: %q", url, name)
		}
	}
}

// checkSafe checks that every system takes name.
func checkSafe(t testing.TB, url, name string) {
	t.Helper()
	if len(name) > 512 || !strings.Contains(name, "/") {
		t.Errorf("FileName(%q) has %d bytes: %q", url, len(name), name)
	}
	for _, part := range strings.Split(name, "/") {
		base, _, _ := strings.Cut(strings.ToLower(part), ".")
		switch {
		case part == "" || len(part) > 200,
			strings.TrimFunc(part, isGood) != "", !norm.NFC.IsNormalString(part),
			part[0] == '.' || part[0] == '-' || part[len(part)-1] == '.',
			base == "con" || base == "prn" || base == "aux" || base == "nul",
			len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && base[3] >= '0' && base[3] <= '9':
			t.Errorf("FileName(%q) = %q, with the bad part %q", url, name, part)
		}
	}
	if top, _, _ := strings.Cut(name, "/"); top == "pages.jsonl" || top == ".store" {
		t.Errorf("FileName(%q) = %q, in a place that is taken", url, name)
	}
}

// isGood reports whether a character may stand in a name.
func isGood(r rune) bool {
	return r < 0x80 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_@=+,.~", r) ||
		r >= 0x80 && r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

func FuzzFileName(f *testing.F) {
	f.Add("https://example.org/a/b.html", "https://example.org/a/b.html/c?d")
	f.Add("https://example.org/~x", "https://EXAMPLE.org/~x")
	f.Add("https://example.org/%41", "https://example.org/../a")
	f.Add("http://[::1]:80/", "http://h:80/")
	f.Add("https://example.org/%C3%A9", "https://example.org/e%CC%81")
	f.Add("https://example.org/%CF%83", "https://example.org/%CF%82")
	f.Fuzz(func(t *testing.T, a, b string) {
		urls := []string{a, b}
		for _, s := range urls { // and what is close to them
			escaped := (&url.URL{Path: s}).EscapedPath()
			other := (&url.URL{Path: strings.ToUpper(norm.NFD.String(s))}).EscapedPath()
			urls = append(urls, "https://h/"+escaped, "https://h/"+other, "https://h/"+strings.ToLower(escaped))
			urls = append(urls, strings.ToLower(s), s+"/", s+"?", s+".html", s+"~.html", s+"/~index.html", pages.FileName(s), "https://h/"+s, "https://h/"+pages.FileName(s))
		}
		checkApart(t, urls)
	})
}
