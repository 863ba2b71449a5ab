package sitemap_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/crawler/sitemap"
)

// Whatever the bytes are: no bound is overstepped, a gzipped file says what the plain one says, and what was read can be
// written as a sitemap that reads the same.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"<urlset><url><loc>http://a/1</loc><lastmod>2026-01-02</lastmod></url></urlset>", "http://a/1\nhttp://a/2", "http://\x14", "http://\f",
		"<sitemapindex><sitemap><loc>http://a/1</loc></sitemap></sitemapindex>", "<feed><entry><link href='http://a/'/></entry></feed>",
		"<rss><channel><item><link>http://a/&x;</link><pubDate>x</pubDate></item></channel></rss>", "\xff\xfe<\x00a\x00>\x00",
		"<?xml version='1.0' encoding='koi8-r'?><urlset><url><loc>\xc0</loc>", zipped("http://a/1"), "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
	} {
		f.Add([]byte(s), "")
	}
	o := sitemap.Options{MaxEntries: 10, MaxBytes: 4000, MaxLoc: 100, MaxToken: 500, MaxDepth: 6}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		o := o
		o.Charset = charset
		plain, s := read(t, string(body), o)
		if len(plain) > o.MaxEntries || s.Bytes > o.MaxBytes {
			t.Fatalf("%d entries of %d bytes, want at most %d of %d", len(plain), s.Bytes, o.MaxEntries, o.MaxBytes)
		}
		for _, e := range plain {
			if e.Loc == "" || len(e.Loc) > o.MaxLoc || !utf8.ValidString(e.Loc) || strings.TrimSpace(e.Loc) != e.Loc {
				t.Fatalf("handed over %q", e.Loc)
			}
		}
		if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			if inflated, _ := read(t, zipped(string(body)), o); !slices.Equal(locs(inflated), locs(plain)) {
				t.Fatalf("gzipped it says %q, plain %q", locs(inflated), locs(plain))
			}
		}
		if again, s := read(t, written(t, plain), sitemap.Options{}); !slices.Equal(again, dated(plain)) || s.Ended != "" {
			t.Fatalf("written and read again %v (%s), want %v", again, s.Detail, plain)
		}
	})
}

// written is a sitemap that names the entries.
func written(t testing.TB, entries []sitemap.Entry) string {
	var b strings.Builder
	b.WriteString("<urlset>")
	for _, e := range entries {
		b.WriteString("<url><loc>")
		if err := xml.EscapeText(&b, []byte(e.Loc)); err != nil {
			t.Fatal(err)
		}
		io.WriteString(&b, "</loc><lastmod>"+e.LastMod.Format("2006-01-02T15:04:05.999999999Z07:00")+"</lastmod>")
		for word, every := range map[string]time.Duration{"hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour,
			"monthly": 30 * 24 * time.Hour, "yearly": 365 * 24 * time.Hour, "never": 3650 * 24 * time.Hour} {
			if every == e.Every {
				io.WriteString(&b, "<changefreq>"+word+"</changefreq>")
			}
		}
		io.WriteString(&b, "</url>")
	}
	b.WriteString("</urlset>")
	return b.String()
}

// dated returns the entries of a urlset, which lead to no sitemap and no next part, and what XML has of their URLs: it knows no
// control characters.
func dated(entries []sitemap.Entry) []sitemap.Entry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Sitemap, out[i].Next, out[i].Bases = false, false, [3]string{}
		out[i].Loc = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
				return utf8.RuneError
			}
			return r
		}, out[i].Loc)
	}
	return out
}
