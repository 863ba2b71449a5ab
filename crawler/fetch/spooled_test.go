package fetch_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// numbers are different lines, of so many bytes together.
func numbers(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "http://a.example/%d\n", i*i)
	}
	return b.String()[:size]
}

// A body that is spooled is read as often as wanted, beyond the limit of other bodies, decoded once, and leaves no file.
func TestGet_Spool(t *testing.T) {
	const most = 1100 << 10
	lines, long := numbers(200<<10), numbers(most)+"beyond"
	bomb := strings.Repeat("\x00", 2*most)
	answers := map[string]struct {
		coding, body string
		want, cut    string
	}{
		"/empty":      {"", "", "", ""},
		"/small":      {"", "small", "small", ""},
		"/plain":      {"", lines, lines, ""},
		"/gzip":       {"gzip", gzipped(lines), lines, ""},
		"/x-gzip":     {"x-gzip", gzipped(lines), lines, ""},
		"/identity":   {"identity", lines, lines, ""},
		"/twice":      {"gzip", gzipped(gzipped(lines)), gzipped(lines), ""},
		"/a file":     {"", gzipped(lines), gzipped(lines), ""},
		"/mislabeled": {"gzip", lines, lines, ""},
		"/no gzip":    {"gzip", "\x01\x02\x03", "\x01\x02\x03", fetch.CutDecode},
		"/none":       {"gzip", "", "", ""},
		"/half":       {"gzip", gzipped("half" + lines)[:5000], "half", fetch.CutDecode},
		"/long":       {"", long, long[:most], fetch.CutLength},
		"/long gzip":  {"gzip", gzipped(long), long[:most], fetch.CutLength},
		"/bomb":       {"gzip", gzipped(bomb), bomb[:1<<20], fetch.CutRatio},
		"/behind":     {"gzip", gzipped(lines) + "more", lines, ""},
		"/unasked":    {"deflate", "small", "small", ""}, // is a Body
	}
	w := webtest.New(t)
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
			t.Errorf("Accept-Encoding: %q, want gzip", got)
		}
		a := answers[r.URL.Path]
		if a.coding != "" {
			rw.Header().Set("Content-Encoding", a.coding)
		}
		io.WriteString(rw, a.body)
	})
	dir := t.TempDir()
	c := newClient(t, w, fetch.Options{RootCAs: w.RootCAs(), MaxBody: 100 << 10, MaxSpool: most, SpoolDir: dir})
	for _, site := range []*webtest.Site{w.Site(handler), w.TLSSite(handler)} {
		for path, a := range answers {
			r, err := c.Get(t.Context(), fetch.Request{URL: site.URL + strings.ReplaceAll(path, " ", "%20"), Spool: true})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for range 2 {
				got, err := io.ReadAll(r.Open())
				isPart := a.cut == fetch.CutDecode && strings.HasPrefix(string(got), a.want)
				if err != nil || string(got) != a.want && !isPart {
					t.Errorf("%s: %d bytes, %.60q, %v; want %d, %.60q", path, len(got), got, err, len(a.want), a.want)
				}
				if r.Size() != int64(len(got)) {
					t.Errorf("%s: Size = %d, want %d", path, r.Size(), len(got))
				}
			}
			if r.Truncated != a.cut || r.WireBytes != min(int64(len(a.body)), most) {
				t.Errorf("%s: cut for %q, %d bytes as sent; want %q, %d", path, r.Truncated, r.WireBytes, a.cut, len(a.body))
			}
			if a.coding != "deflate" && r.Body != nil {
				t.Errorf("%s: the body is in memory, too", path)
			}
			r.Release()
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// Without a place for what is spooled there is no answer, and the server is not to blame.
func TestGet_SpoolsNowhere(t *testing.T) {
	w := webtest.New(t)
	site := w.Site(webtest.Pages{"/": {Body: strings.Repeat("long", 100_000)}, "/small": {Body: "small"}})
	c := newClient(t, w, fetch.Options{SpoolDir: filepath.Join(t.TempDir(), "none")})
	if _, err := c.Get(t.Context(), fetch.Request{URL: site.URL, Spool: true}); err == nil || !strings.Contains(err.Error(), "local: ") {
		t.Errorf("Get = %v, want an error of this machine", err)
	}
	if _, err := c.Get(t.Context(), fetch.Request{URL: site.URL + "/small", Spool: true}); err != nil {
		t.Errorf("Get of a small one = %v, want no error", err)
	}
}

// Of a spooled body that breaks off there is what came.
func TestGet_SpoolsWhatCame(t *testing.T) {
	w := webtest.New(t)
	site := w.Site(webtest.Cut("half"))
	c := newClient(t, w, fetch.Options{})
	r, err := c.Get(t.Context(), fetch.Request{URL: site.URL, Spool: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if got, err := io.ReadAll(r.Open()); string(got) != "half" || err != nil || r.Truncated != fetch.CutDisconnect {
		t.Errorf("%q, %v, cut for %q; want half, disconnect", got, err, r.Truncated)
	}
}
