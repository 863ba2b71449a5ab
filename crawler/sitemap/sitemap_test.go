package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/cybermapper/cybermapper/crawler/sitemap"
)

const ns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

func read(t testing.TB, body string, o sitemap.Options) ([]sitemap.Entry, sitemap.Summary) {
	t.Helper()
	var entries []sitemap.Entry
	s, err := sitemap.Read(strings.NewReader(body), o, func(e sitemap.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Entries != len(entries) {
		t.Errorf("Entries = %d, %d were handed over", s.Entries, len(entries))
	}
	return entries, s
}

func locs(entries []sitemap.Entry) []string {
	var l []string
	for _, e := range entries {
		l = append(l, e.Loc)
	}
	return l
}

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func encoded(t testing.TB, s string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFormats(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(`<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>http://a/я</loc></url></urlset>`)
	utf16 = encoded(t, utf16, err)
	cyrillic, err := charmap.Windows1251.NewEncoder().String(`<?xml version='1.0' encoding='windows-1251'?><urlset><url><loc>http://a/я</loc></url></urlset>`)
	cyrillic = encoded(t, cyrillic, err)
	bare, err := charmap.KOI8R.NewEncoder().String("http://a/я\n")
	bare = encoded(t, bare, err)
	tests := []struct {
		name, body string
		options    sitemap.Options
		format     sitemap.Format
		want       []string
	}{
		{"urlset", `<?xml version="1.0"?><urlset` + ns + `><url><loc> http://a/1 </loc></url><url><loc>http://a/2?x=1&amp;y=2</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1", "http://a/2?x=1&y=2"}},
		{"prefix", `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>http://a/1</s:loc></s:url></s:urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
		{"no namespace", `<urlset><url><loc>http://a/1</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
		{"extensions", `<urlset` + ns + ` xmlns:image="i" xmlns:news="n" xmlns:xhtml="x"><url><image:image><image:loc>http://a/i.png</image:loc></image:image><loc>http://a/1</loc><xhtml:link href="http://a/de"/><news:news><news:loc>http://a/n</news:loc></news:news></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
		{"bare ampersand", `<urlset><url><loc>http://a/?x=1&y=2&copy=3</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/?x=1&y=2&copy=3"}},
		{"cdata", `<urlset><url><loc><![CDATA[http://a/?x&y]]></loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/?x&y"}},
		{"locs at other places", `<urlset><loc>http://a/0</loc><url><x><loc>http://a/1</loc></x></url><url><loc>http://a/2</loc><loc>http://a/3</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/2"}},
		{"index", `<sitemapindex` + ns + `><sitemap><loc>http://a/s.xml.gz</loc></sitemap></sitemapindex>`, sitemap.Options{}, sitemap.Index, []string{"http://a/s.xml.gz"}},
		{"rss", `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://a/</link><atom:link href="http://a/feed"/><item><title>1&nbsp;</title><link>http://a/1</link><guid>x</guid></item></channel></rss>`, sitemap.Options{}, sitemap.RSS, []string{"http://a/1"}},
		{"rss 1.0", `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a/rss"><link>http://a/</link><items><rdf:Seq><rdf:li resource="http://a/1"/></rdf:Seq></items></channel><item rdf:about="http://a/1"><title>x</title><link>http://a/1</link></item></rdf:RDF>`, sitemap.Options{}, sitemap.RSS, []string{"http://a/1"}},
		{"rss with guids", `<rss><channel><item><guid>http://a/1</guid></item><item><guid isPermaLink="true">http://a/2</guid><link>http://a/3</link></item><item><guid isPermaLink="false">http://a/4</guid></item><item><guid>6</guid></item><item><guid>http://a/5</guid></item></channel></rss>`, sitemap.Options{}, sitemap.RSS, []string{"http://a/1", "http://a/3", "http://a/5"}},
		{"atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a/"/><entry><link rel="edit" href="http://a/e"/><link href="http://a/1"/><link rel="alternate" href="http://a/2"/></entry></feed>`, sitemap.Options{}, sitemap.Atom, []string{"http://a/1"}},
		{"text", "http://a/1\r\n\r\n  HTTPS://a/2 \nnot a URL\nhttp://a/3", sitemap.Options{}, sitemap.Text, []string{"http://a/1", "HTTPS://a/2", "http://a/3"}},
		{"text with carriage returns", "http://a/1\rhttp://a/2\r\nhttp://a/3\r", sitemap.Options{}, sitemap.Text, []string{"http://a/1", "http://a/2", "http://a/3"}},
		{"text that breaks off", "http://a/1\nhttp://a/2", sitemap.Options{Cut: true}, sitemap.Text, []string{"http://a/1"}},
		{"gzip", zipped(`<urlset><url><loc>http://a/1</loc></url></urlset>`), sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
		{"gzipped text", zipped("http://a/1\n"), sitemap.Options{}, sitemap.Text, []string{"http://a/1"}},
		{"utf-8 mark", "\xef\xbb\xbfhttp://a/1\n", sitemap.Options{}, sitemap.Text, []string{"http://a/1"}},
		{"utf-16", utf16, sitemap.Options{}, sitemap.URLSet, []string{"http://a/я"}},
		{"windows-1251", cyrillic, sitemap.Options{}, sitemap.URLSet, []string{"http://a/я"}},
		{"charset of the header", bare, sitemap.Options{Charset: "koi8-r"}, sitemap.Text, []string{"http://a/я"}},
		{"utf-16 that is none", `<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>http://a/1</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
		{"an unknown charset", `<?xml version="1.0" encoding="klingon"?><urlset><url><loc>http://a/1</loc></url></urlset>`, sitemap.Options{Charset: "?"}, sitemap.URLSet, []string{"http://a/1"}},
		{"octets that are none", "<urlset><url><loc>http://a/\xff</loc></url></urlset>", sitemap.Options{}, sitemap.URLSet, []string{"http://a/\uFFFD"}},
		{"behind the root", `<urlset><url><loc>http://a/1</loc></url></urlset><urlset><url><loc>http://a/2</loc></url></urlset>`, sitemap.Options{}, sitemap.URLSet, []string{"http://a/1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries, s := read(t, tt.body, tt.options)
			if got := locs(entries); !slices.Equal(got, tt.want) || s.Format != tt.format || s.Ended != "" {
				t.Errorf("locs = %q in %q, ended by %q (%s), want %q in %q", got, s.Format, s.Ended, s.Detail, tt.want, tt.format)
			}
			for _, e := range entries {
				if e.Sitemap != (tt.format == sitemap.Index) {
					t.Errorf("%s: Sitemap = %v", e.Loc, e.Sitemap)
				}
			}
		})
	}
}

// What the links of a feed are relative to is told, of each entry its own; the other formats have whole URLs.
func TestBases(t *testing.T) {
	for body, want := range map[string][][3]string{
		`<feed xml:base=" b/ "><entry xml:base="c/"><link xml:base="x" rel="edit" href="0"/><link href="1"/></entry>` +
			`<entry><link xml:base="d" href="2"/></entry></feed>`: {{"b/", "c/"}, {"b/", "", "d"}},
		`<feed base="b/"><entry><link href="1"/></entry></feed>`:                                         {{}},
		`<rss xml:base="b/"><channel><item xml:base="c/"><link>http://a/1</link></item></channel></rss>`: {{}},
	} {
		entries, _ := read(t, body, sitemap.Options{})
		var got [][3]string
		for _, e := range entries {
			got = append(got, e.Bases)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: bases %q, want %q", body, got, want)
		}
	}
}

// The parts of a feed are one list: it names the next one itself, outside of its entries (RFC 5005 section 3).
func TestNextPart_RFC5005_3(t *testing.T) {
	entries, _ := read(t, `<feed xml:base="b/"><link rel="self" href="0"/><link xml:base="c/" rel="next" href=" 2 "/>`+
		`<link rel="next"/><entry><link rel="next" href="3"/><link href="1"/></entry></feed>`, sitemap.Options{})
	want := []sitemap.Entry{{Loc: "2", Next: true, Bases: [3]string{"b/", "", "c/"}}, {Loc: "1", Bases: [3]string{"b/"}}}
	if !slices.Equal(entries, want) {
		t.Errorf("entries = %+v, want %+v", entries, want)
	}
}

// A feed of RSS names its next part by an element of Atom, and an archived one the archive before it (RFC 5005 section 4).
func TestNextPart_ElementOfAtom(t *testing.T) {
	const atom = `xmlns:a="http://www.w3.org/2005/Atom"`
	for body, want := range map[string][]string{
		`<rss ` + atom + `><channel><a:link rel="self" href="0"/><a:link rel="next" href="2"/><link>http://a/</link>` +
			`<item><a:link rel="next" href="0"/><link>http://a/1</link></item></channel></rss>`: {"2", "http://a/1"},
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ` + atom + `>` +
			`<channel><a:link rel="next" href="2"/></channel></rdf:RDF>`: {"2"},
		`<rss><channel><link rel="next" href="0"/></channel></rss>`:                                           nil,
		`<rss ` + atom + `><channel><image><a:link rel="next" href="0"/></image></channel></rss>`:             nil,
		`<feed xmlns="http://www.w3.org/2005/Atom"><link rel="prev-archive" href="2"/></feed>`:                {"2"},
		`<feed ` + atom + `><a:link rel="next" href="0"/></feed>`:                                             nil,
		`<urlset ` + atom + `><url><a:link rel="next" href="0"/></url><a:link rel="next" href="0"/></urlset>`: nil,
	} {
		entries, _ := read(t, body, sitemap.Options{})
		var got []string
		for _, e := range entries {
			got = append(got, e.Loc)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// How often a page changes is read where the protocol has it, in any case, and only the words that it has.
func TestEvery(t *testing.T) {
	for written, want := range map[string]time.Duration{
		"hourly": time.Hour, "always": time.Hour, " Weekly\n": 7 * 24 * time.Hour, "never": 3650 * 24 * time.Hour, "": 0, "often": 0,
	} {
		entries, _ := read(t, "<urlset><url><loc>http://a/</loc><changefreq>"+written+"</changefreq></url></urlset>", sitemap.Options{})
		if len(entries) != 1 || entries[0].Every != want || !entries[0].LastMod.IsZero() {
			t.Errorf("changefreq %q = %v, want %v", written, entries, want)
		}
	}
	index := "<sitemapindex><sitemap><loc>http://a/</loc><changefreq>daily</changefreq></sitemap></sitemapindex>"
	if entries, _ := read(t, index, sitemap.Options{}); len(entries) != 1 || entries[0].Every != 0 {
		t.Errorf("of an index: %v", entries)
	}
}

func TestLastMod(t *testing.T) {
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	tests := []struct {
		written string
		want    time.Time
	}{
		{"2026-03-04", day}, {" 2026-03-04T05:06:07Z ", at}, {"2026-03-04T06:06:07.000+01:00", at}, {"2026-03-04T05:06Z", at.Add(-7 * time.Second)},
		{"2026-03", day.AddDate(0, 0, -3)}, {"2026", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"Wed, 04 Mar 2026 05:06:07 GMT", at}, {"Wed, 4 Mar 2026 05:06:07 +0000", at},
		{"2026-03-04T06:06:07+0100", at}, {"2026-03-04T05:06:07", at}, {"2026-03-04T05:06:07.250", at.Add(250 * time.Millisecond)},
		{"2026-03-04 05:06:07", at}, {"2026-03-04 06:06:07+01:00", at}, {"Wed, 04 Mar 2026 00:06:07 EST", at},
		{"Wed, 4 Mar 2026 01:06:07 EDT", at}, {"04 Mar 26 05:06 GMT", at.Add(-7 * time.Second)},
		{"Wed, 04 Mar 26 06:06:07 +0100", at}, {"4 Mar 2026 05:06:07 GMT", at}, {"04 Mar 26 01:06:07 EDT", at}, {"04 Mar 26 05:06:07", time.Time{}},
		{"Wed, 4 Mar 2026 05:06 UT", at.Add(-7 * time.Second)}, {"Wed, 04 Mar 2026 05:06:07 Z", at}, {"Wed, 04 Mar 2026 06:06:07 +0100 (CET)", at},
		{"yesterday", time.Time{}}, {"", time.Time{}}, {"2026-13-45", time.Time{}},
	}
	for _, tt := range tests {
		entries, _ := read(t, "<urlset><url><loc>http://a/</loc><lastmod>"+tt.written+"</lastmod></url></urlset>", sitemap.Options{})
		if len(entries) != 1 || !entries[0].LastMod.Equal(tt.want) {
			t.Errorf("lastmod %q = %v, want %v", tt.written, entries, tt.want)
		}
	}
}

// endless gives the same bytes again and again, behind a start.
type endless struct {
	start, again string
	off          int
}

func (e *endless) Read(b []byte) (int, error) {
	for n := range b {
		if e.off < len(e.start) {
			b[n] = e.start[e.off]
		} else {
			b[n] = e.again[(e.off-len(e.start))%len(e.again)]
		}
		e.off++
	}
	return len(b), nil
}

// Whatever is endless, nested or blown up ends by a bound, and what stood before it counts.
func TestBounds(t *testing.T) {
	one := "<urlset><url><loc>http://a/1</loc></url>"
	item := "<url><loc>http://a/1</loc></url>"
	long := "http://a/" + strings.Repeat("x", 2039)
	bomb := zipped(one + strings.Repeat("<x></x>", 2<<20))
	tests := []struct {
		name    string
		body    io.Reader
		options sitemap.Options
		ended   sitemap.Reason
		entries int
	}{
		{"URLs", strings.NewReader("<urlset>" + strings.Repeat(item, 50_001)), sitemap.Options{}, sitemap.TooManyURLs, 50_000},
		{"no URL too many", strings.NewReader("<urlset>" + strings.Repeat(item, 50_000) + "</urlset>"), sitemap.Options{}, "", 50_000},
		{"lines", &endless{again: "http://a/1\n"}, sitemap.Options{}, sitemap.TooManyURLs, 50_000},
		{"sitemaps", &endless{start: "<sitemapindex>", again: "<sitemap><loc>http://a/1</loc></sitemap>"}, sitemap.Options{}, sitemap.TooManySitemaps, 50_000},
		{"bytes", &endless{start: one, again: "<url></url>"}, sitemap.Options{MaxBytes: 2 << 20}, sitemap.TooLarge, 1},
		{"bytes of text", &endless{start: "http://a/1\n", again: "x"}, sitemap.Options{MaxBytes: 5 << 20}, sitemap.TooLarge, 1},
		{"blanks", &endless{again: " "}, sitemap.Options{}, sitemap.TooLarge, 0},
		{"bomb", strings.NewReader(bomb), sitemap.Options{}, sitemap.TooDense, 1},
		{"nesting", &endless{start: one, again: "<a>"}, sitemap.Options{}, sitemap.TooDeep, 1},
		{"a comment", &endless{start: one + "<!--", again: "x"}, sitemap.Options{}, sitemap.LongToken, 1},
		{"a tag", &endless{start: one + "<a ", again: "b='' "}, sitemap.Options{}, sitemap.LongToken, 1},
		{"a text", &endless{start: one + "<url><loc>", again: "x"}, sitemap.Options{}, sitemap.LongToken, 1},
		{"a name", &endless{start: one + "<", again: "x"}, sitemap.Options{}, sitemap.LongToken, 1},
		{"CDATA", &endless{start: one + "<![CDATA[", again: "]"}, sitemap.Options{}, sitemap.LongToken, 1},
		{"laughs", strings.NewReader(`<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><urlset><url><loc>http://a/&b;</loc></url></urlset>`), sitemap.Options{}, sitemap.HasDTD, 0},
		{"external entity", strings.NewReader(`<!DOCTYPE urlset SYSTEM "file:///etc/passwd"><urlset/>`), sitemap.Options{}, sitemap.HasDTD, 0},
		{"a page", strings.NewReader(`<!doctype HTML><html></html>`), sitemap.Options{}, sitemap.Unknown, 0},
		{"another page", strings.NewReader(`<html><a href="http://a/">x</a></html>`), sitemap.Options{}, sitemap.Unknown, 0},
		{"nothing", strings.NewReader(" \n"), sitemap.Options{}, sitemap.Unknown, 0},
		{"prose", strings.NewReader("there is no sitemap here\n"), sitemap.Options{}, sitemap.Unknown, 0},
		{"half", strings.NewReader(one + "<url><loc>http://a/2"), sitemap.Options{}, sitemap.Broken, 1},
		{"half a gzip", strings.NewReader(zipped(one + item)[:40]), sitemap.Options{}, sitemap.Broken, 0},
		{"no gzip", strings.NewReader("\x1f\x8bnot at all"), sitemap.Options{}, sitemap.Broken, 0},
		{"no XML", strings.NewReader(one + "<\x00>"), sitemap.Options{}, sitemap.Broken, 1},
		{"long URLs", strings.NewReader("<urlset><url><loc>" + long + "</loc></url><url><loc>" + long[1:] + "</loc></url><url/></urlset>"), sitemap.Options{}, "", 1},
		{"long lines", strings.NewReader(long + "\n" + long[:2047] + "\n"), sitemap.Options{}, "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sitemap.Read(tt.body, tt.options, func(sitemap.Entry) error { return nil })
			if err != nil || s.Ended != tt.ended || s.Entries != tt.entries {
				t.Errorf("ended by %q (%s) after %d entries, error %v; want %q after %d", s.Ended, s.Detail, s.Entries, err, tt.ended, tt.entries)
			}
		})
	}
}

func TestSkipped(t *testing.T) {
	long := "http://a/" + strings.Repeat("x", 2039)
	_, s := read(t, "<urlset><url><loc>"+long+"</loc></url><url/><url><loc> </loc></url></urlset>", sitemap.Options{})
	if s.Skipped[sitemap.LongLoc] != 1 || s.Skipped[sitemap.NoLoc] != 2 {
		t.Errorf("skipped %v, want one URL that is too long and two that are none", s.Skipped)
	}
}

// The error of the caller ends the reading and comes back as it is.
func TestErrorOfTheCaller(t *testing.T) {
	full := errors.New("full")
	n := 0
	s, err := sitemap.Read(strings.NewReader("http://a/1\nhttp://a/2\n"), sitemap.Options{}, func(sitemap.Entry) error { n++; return full })
	if !errors.Is(err, full) || n != 1 || s.Ended != "" {
		t.Errorf("error %v after %d calls, ended by %q; want the caller's after one", err, n, s.Ended)
	}
}

// A source that fails is a file that breaks off.
func TestFailingSource(t *testing.T) {
	for _, body := range []string{"", "http://a/1\nhttp://a/", "<urlset><url><loc>http://a/1</loc></url><url>"} {
		r := io.MultiReader(strings.NewReader(body), &failing{})
		var got []string
		s, err := sitemap.Read(r, sitemap.Options{}, func(e sitemap.Entry) error { got = append(got, e.Loc); return nil })
		if err != nil || s.Ended != sitemap.Broken || len(got) > 1 {
			t.Errorf("%q: %q, ended by %q, error %v", body, got, s.Ended, err)
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func ExampleRead() {
	body := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://www.example.com/</loc><lastmod>2026-11-20</lastmod></url>
<url><loc>http://www.example.com/a?b=1&amp;c=2</loc></url></urlset>`
	s, err := sitemap.Read(strings.NewReader(body), sitemap.Options{}, func(e sitemap.Entry) error {
		fmt.Println(e.Loc, e.LastMod.Format(time.DateOnly))
		return nil
	})
	fmt.Println(s.Format, s.Entries, err)
	// Output:
	// http://www.example.com/ 2026-11-20
	// http://www.example.com/a?b=1&c=2 0001-01-01
	// urlset 2 <nil>
}
