package warc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

const twoPlain = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://h/>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n" +
	"WARC-Record-ID: <urn:x>\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: 26\r\n\r\n" +
	"HTTP/1.1 200 OK\r\nA: b\r\n\r\nx\r\n\r\n" +
	"WARC/1.0\nwarc-type: metadata\nContent-Length: 0\nX: folded\n  twice\n\n\r\n\r\n"

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// What other writers do: angle brackets, bare line ends, folded fields, several records in a member, none in a member.
func TestReader_Foreign(t *testing.T) {
	one, two, _ := strings.Cut(twoPlain, "WARC/1.0\n")
	for what, text := range map[string]string{
		"plain": twoPlain, "one member": gzipped(twoPlain), "two members": gzipped(one) + gzipped("") + gzipped("WARC/1.0\n"+two),
	} {
		name := filepath.Join(t.TempDir(), "x.warc")
		filetest.Write(t, name, text)
		all, damage := read(t, name)
		if len(all) != 2 || len(damage) > 0 {
			t.Fatalf("%s: %+v, %v", what, all, damage)
		}
		if all[0].uri != "http://h/" || all[1].kind != "metadata" || all[1].header.Get("x") != "folded twice" {
			t.Errorf("%s: %+v", what, all)
		}
		if what == "plain" && all[1].offset != int64(len(one)) {
			t.Errorf("offset %d, want %d", all[1].offset, len(one))
		}
	}
}

// A record may be compressed as several members, as in a file that bgzip has made. One that is cut takes in no other record.
func TestReader_RecordInSeveralMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	one, two, _ := strings.Cut(twoPlain, "WARC/1.0\n")
	two = "WARC/1.0\n" + two
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zstandard := func(s string) string { return string(e.EncodeAll([]byte(s), nil)) }
	for form, pack := range map[string]func(string) string{"gzip": gzipped, "zstd": zstandard} {
		pieces := func(text string, n int) (packed string) {
			for piece := range slices.Chunk([]byte(text), n) {
				packed += pack(string(piece)) + pack("")
			}
			return packed
		}
		for what, test := range map[string]struct {
			packed                  string
			records, damage, second int // offset of the second record
		}{
			"each":           {pieces(one, 40) + pieces(two, 40), 2, 0, len(pieces(one, 40))},
			"bytes":          {pieces(one+two, 1), 2, 0, len(pieces(one, 1))},
			"head and block": {pack(one[:200]) + pack(one[200:]) + pack(two), 2, 0, len(pack(one[:200]) + pack(one[200:]))},
			"across":         {pieces(twoPlain, 50), 2, 0, 0},
			"in a version":   {pieces(twoPlain, len(one)+2), 2, 0, 0},
			"in line ends":   {pieces(twoPlain, len(one)-2), 2, 0, 0},
			"cut":            {pieces(one[:len(one)-9], 40) + pack(two), 1, 1, 0},
			"damage behind":  {pack(one+two[:len(two)-3]) + pack("x")[:4], 2, 1, 0},
		} {
			name := filepath.Join(t.TempDir(), "x.warc")
			filetest.Write(t, name, test.packed)
			all, damage := read(t, name)
			if len(all) != test.records || len(damage) != test.damage {
				t.Errorf("%s, %s: %d records, want %d; %v", form, what, len(all), test.records, damage)
			} else if test.records == 2 && all[1].offset != int64(test.second) {
				t.Errorf("%s, %s: offset %d, want %d", form, what, all[1].offset, test.second)
			}
		}
	}
}

// A record in thousands of frames, of which most are empty, is read in time that grows as their number does.
func TestReader_EmptyFrames(t *testing.T) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	empty := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0}
	file := e.EncodeAll([]byte(twoPlain[:200]), nil)
	file = append(file, bytes.Repeat(empty, 3000)...)
	file = e.EncodeAll([]byte(twoPlain[200:]), file)
	at := &countingAt{ReaderAt: bytes.NewReader(file)}
	r, err := warc.NewReader("x.warc.zst", at, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	records := 0
	for ; err == nil; records++ {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) || records-1 != 2 || at.read > 50*len(file) {
		t.Errorf("%d records, %v; %d bytes were read of %d", records-1, err, at.read, len(file))
	}
}

// A countingAt counts the bytes that are read.
type countingAt struct {
	io.ReaderAt
	read int
}

func (c *countingAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.read += n
	return n, err
}

// Who is interrupted reads no record to its end, which may be far.
func TestReader_Until(t *testing.T) {
	r, err := warc.NewReader("x.warc", strings.NewReader(twoPlain), int64(len(twoPlain)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	r.Until(ctx)
	rec, err := r.Next()
	if err == nil {
		_, err = rec.Block.Read(make([]byte, 5))
	}
	if err != nil {
		t.Fatal(err)
	}
	interrupt()
	if _, err := rec.Finish(); !errors.Is(err, context.Canceled) {
		t.Errorf("finish: %v, want %v", err, context.Canceled)
	}
	if _, err := r.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("next: %v, want %v", err, context.Canceled)
	}
}

// A record that does not tell its media type is read as what records of its kind hold (WARC 1.1 sections 5.6 and 6).
func TestRecord_IsHTTP(t *testing.T) {
	tests := []struct {
		kind, uri, media string
		want             bool
	}{
		{"response", "http://h/", "application/http; msgtype=response", true},
		{"response", "http://h/", "Application/HTTP", true},
		{"response", "http://h/", "", true},
		{"request", "<https://h/>", "", true},
		{"revisit", "HTTPS://h/", "", true},
		{"response", "http://h/", "text/html", false},
		{"response", "dns:h", "", false},
		{"resource", "http://h/", "", false},
		{"metadata", "http://h/", "", false},
	}
	for _, test := range tests {
		header := warc.Fields{{Name: "WARC-Type", Value: test.kind}, {Name: "WARC-Target-URI", Value: test.uri}}
		if test.media != "" {
			header.Add("Content-Type", test.media)
		}
		if got := (&warc.Record{Header: header}).IsHTTP(); got != test.want {
			t.Errorf("a %s of %s with media type %q: %v, want %v", test.kind, test.uri, test.media, got, test.want)
		}
	}
}

// The version is a string of ABNF, which may be in any case. The file has records of both, and one that is damaged between them.
func TestReader_VersionInLowerCase(t *testing.T) {
	one, two, _ := strings.Cut(twoPlain, "WARC/1.0\n")
	two = "warc/1.0\n" + two
	for what, text := range map[string]string{
		"plain": two + one + two, "one member": gzipped(two + one + two), "members": gzipped(two) + gzipped(one) + gzipped(two),
		"damaged": two + strings.Replace(one, "Content-Length", "Length", 1) + two + one,
	} {
		name := filepath.Join(t.TempDir(), "x.warc")
		filetest.Write(t, name, text)
		all, damage := read(t, name)
		if want := strings.Count(what, "damaged"); len(all) != 3 || len(damage) != want {
			t.Errorf("%s: %d records, want 3; %v", what, len(all), damage)
		}
	}
}

// TestReader_LineEndsBehindBlocks: node-warc leaves out an empty line, and files that were edited have other line ends. Nothing is
// missing of such records, but they are not as they should be.
func TestReader_LineEndsBehindBlocks(t *testing.T) {
	for _, ends := range []string{"\r\n", "\n", "\n\r\n\r\n", "\r\r\n\r\r\n", ""} {
		text := strings.ReplaceAll(twoPlain, "\r\n\r\nWARC/", ends+"WARC/")
		for name, text := range map[string]string{"x.warc": text, "x.warc.gz": gzipped(text)} {
			name = filepath.Join(t.TempDir(), name)
			filetest.Write(t, name, text)
			if all, damage := read(t, name); len(all) != 2 || len(damage) > 0 {
				t.Errorf("%s, %q: %d records, want 2; %v", filepath.Base(name), ends, len(all), damage)
			}
			result, err := warc.Check(t.Context(), name, func(warc.Finding) error { return nil })
			if err != nil || result.Problems == 0 {
				t.Errorf("%s, %q: %d problems, want some; %v", filepath.Base(name), ends, result.Problems, err)
			}
		}
	}
}

func TestReader_ErrorsSayWhatWasExpected(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no WARC", "hello", "x.warc: offset 0: expected"},
		{"ARC", "filedesc://a.arc 192.0.2.1 20140301000000 text/plain 76\n1 0 Archive\n", "expected a WARC file: found an ARC file"},
		{"other version", "WARK/1.0\r\n\r\n", "expected WARC/1.1 or WARC/1.0: found \"WARK/1.0\""},
		{"no length", "WARC/1.0\r\nA: b\r\n\r\n", "expected a Content-Length: found \"\""},
		{"bad length", "WARC/1.0\r\nContent-Length: -1\r\n\r\n", "expected a Content-Length: found \"-1\""},
		{"no field", "WARC/1.0\r\nnonsense\r\n\r\n", "expected a field (name: value): found \"nonsense"},
		{"cut block", "WARC/1.0\r\nContent-Length: 9\r\n\r\nabc", "expected 6 more bytes of the block: the file ends here"},
		{"wrong length", strings.Replace(twoPlain, "Content-Length: 26", "Content-Length: 25", 1), "expected two empty lines behind a block of 25 bytes"},
		{"zeros in gzip", gzipped(twoPlain) + "\x00\x00\x00", "offset 229: expected a gzip member (1f 8b 08)"},
		{"cut gzip", gzipped(twoPlain)[:60], "the file ends here"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "x.warc")
			filetest.Write(t, name, test.text)
			_, damage := read(t, name)
			if err := errors.Join(damage...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("damage %v, want %q", err, test.want)
			}
		})
	}
}

// The keys are those of the package surt 0.3.1 for Python, which pywb and cdxj-indexer use.
func TestSURT(t *testing.T) {
	for uri, want := range map[string]string{
		"http://www.Example.org:80/A/B?b=2&a=1#f":        "org,example)/a/b?a=1&b=2",
		"https://example.org":                            "org,example)/",
		"https://www2.example.org:8443/x":                "org,example:8443)/x",
		"http://www.com/":                                "com)/",
		"http://127.0.0.1:8000/?":                        "1,0,0,127:8000)/",
		"http://[::1]:81/a b":                            "::1:81)/a%20b",
		"urn:x":                                          "urn:x",
		"https://www.kiwix.org/en/":                      "org,kiwix)/en",
		"http://e.org/a/?b=1":                            "org,e)/a?b=1",
		"http://e.org/A%28b%29%252F%C3%BC?d=%7c&e=%3A&c": "org,e)/a(b)/%c3%bc?c&d=|&e=:",
		"http://e.org/ü?ä":                               "org,e)/%c3%bc?%c3%a4",
		"http://bücher.de/":                              "de,xn--bcher-kva)/",
		"http://e.org/a//b/../c/./d//":                   "org,e)/a/c/d",
		"http://e.org/info/https://other.org/":           "org,e)/info/https:/other.org",
		"http://e.org/?a-b=1&a=1&a":                      "org,e)/?a&a=1&a-b=1",
		"http://e.org/?PHPSESSID=0123456789abcdef0123456789abcdef&b=1":               "org,e)/?b=1",
		"http://e.org/foo?bar=1&cfid=1&cftoken=2&z":                                  "org,e)/foo?bar=1&z",
		"http://e.org/(a(4hqa0555fwsecu455xqckv45))/mileg.aspx":                      "org,e)/mileg.aspx",
		"http://https://e.org/x":                                                     "org,e)/x",
		"http://user:secret@e.org./x":                                                "org,e)/x",
		"metadata://gnu.org/software/wget/warc/MANIFEST.txt":                         "org,gnu)/software/wget/warc/manifest.txt",
		"urn:pageinfo:https://e.org/A/":                                              "urn:pageinfo:https://e.org/a",
		"file:///GX98/cap.png":                                                       "file:/gx98/cap.png",
		"http://e.org/x?a%5B%5D=1&a%5Ba%5D=2":                                        "org,e)/x?a[]=1&a[a]=2",
		"http://e.org/?" + strings.Repeat("%25", 1<<16):                              "org,e)/?" + strings.Repeat("%25", 1<<16),
		"http://e.org/?x=%" + strings.Repeat("25", 1<<18) + "&y=%41%2542%":           "org,e)/?x=%25&y=ab%25",
		"http://e.org/" + strings.Repeat("a/", 1<<16) + strings.Repeat("../", 1<<16): "org,e)/",
	} {
		if got := warc.SURT(uri); got != want {
			t.Errorf("SURT(%.80q) = %.80q, want %.80q", uri, got, want)
		}
	}
}

// The keys are those of getSurt of warcio.js 2.4.
func TestCapture_PlayerKey(t *testing.T) {
	for uri, want := range map[string]string{
		"http://www.Example.org:80/A/B/?b=2&a=1#f": "org,example)/a/b/?a=1&b=2",
		"https://e.org/A%2Fb?c=2%3A":               "org,e)/a%2fb?c=2%3a",
		"http://www2.e.org:8080":                   "org,e:8080)/",
		"http://[::1]:81/a":                        "[::1]:81)/a",
		"http://e.org/a b+{é}?c d='é'|e+f":         "org,e)/a%20b+%7B%C3%A9%7D?c%20d=%27%C3%A9%27|e+f",
		"http://e.org/a\tb?d=1&c=\t2":              "org,e)/ab?c=2&d=1",
		"urn:pageinfo:https://e.org/B":             "urn:pageinfo:https://e.org/B",
		"file:///with spaces.png":                  "file:///with%20spaces.png", // there it has them, and is no line
	} {
		c := warc.Capture{URL: uri}
		if got := c.PlayerKey(); got != want {
			t.Errorf("the key of %s is %s, want %s", uri, got, want)
		}
	}
}

// The levels of granularity are those that WARC 1.1 permits; what says nothing of a zone is read, and told.
func TestRecord_Date(t *testing.T) {
	for date, want := range map[string]string{
		"2019": "2019-01-01T00:00:00Z", "2019-08": "2019-08-01T00:00:00Z", "2019-08-15": "2019-08-15T00:00:00Z",
		"2019-08-15T01:02Z": "2019-08-15T01:02:00Z", "2019-08-15T01:02:03Z": "2019-08-15T01:02:03Z",
		"2019-08-15T01:02:03.123456789Z": "2019-08-15T01:02:03.123456789Z", "2019-08-15T03:02+02:00": "2019-08-15T01:02:00Z",
		"2019-08-15t01:02:03z": "2019-08-15T01:02:03Z",
		"2019-08-15T01:02":     "2019-08-15T01:02:00Z", "yesterday": "0001-01-01T00:00:00Z",
	} {
		file := strings.Replace(response("http://e.org/", "hi", ""), "2020-01-02T03:04:05Z", date, 1)
		r, err := warc.NewReader("x.warc", strings.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := rec.Date().Format(time.RFC3339Nano); got != want {
			t.Errorf("%s: read as %s, want %s", date, got, want)
		}
	}
}

func TestReadMessage(t *testing.T) {
	tests := []struct{ name, text, payload string }{
		{"plain", "HTTP/1.1 200 OK\r\n\r\nbody", "body"},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n", "body"},
		{"extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;chunk-signature=" + strings.Repeat("a", 64) +
			"\r\nbody\r\n0\r\n\r\n", "body"},
		{"table", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10;a table that is said to be chunked\n11;b\n",
			"10;a table that is said to be chunked\n11;b\n"},
		{"table of Windows", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20240101;Berlin;Mitte;3,5\r\n20240102;Bonn\r\n",
			"20240101;Berlin;Mitte;3,5\r\n20240102;Bonn\r\n"},
		{"short lines", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;Berlin\r\n4;Bonn\r\n", "3;Berlin\r\n4;Bonn\r\n"},
		{"cut chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nbody", "body"},
		{"said to be chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>body", "<p>body"},
		{"no empty line", "HTTP/1.1 200 OK\r\nA: b", ""},
		{"no version", "HTTP 200 Document follows\r\nServer: NCSA/1.5.1\r\n\r\nbody", "body"},
		{"behind interim responses", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nTransfer-Encoding: chunked\r\n\r\n" +
			"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1", "HTTP/1.1"},
		{"small letters and tabs", "http/1.1\t200\tOK\r\nno field\r\n\r\nbody", "body"},
	}
	for _, test := range tests {
		m, err := warc.ReadMessage(strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got, err := io.ReadAll(m.Payload)
		if string(got) != test.payload || err != nil || m.Status != 200 {
			t.Errorf("%s: payload %q, status %d, %v; want %q", test.name, got, m.Status, err, test.payload)
		}
	}
	for _, text := range []string{"nonsense", "HTTP is a protocol\n\nof the web", "<!DOCTYPE html>\n<p>a page\n\n<p>without a head"} {
		if m, err := warc.ReadMessage(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a message that begins with %q", text, m.StartLine)
		}
	}
}

// However many lines there are, they come in order and each once.
func TestSorter(t *testing.T) {
	s := warc.Sorter{Dir: t.TempDir(), Memory: 300}
	defer s.Close()
	for i := range 1000 {
		if err := s.Add([]byte{byte('a' + i*7%26), byte('a' + i*11%26)}); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	n := 0
	err := s.Each(func(line []byte) error {
		if string(line) <= last {
			t.Errorf("%q after %q", line, last)
		}
		last, n = string(line), n+1
		return nil
	})
	if err != nil || n != 26 {
		t.Errorf("%d lines, %v; want 26", n, err)
	}
}

// Whatever a file holds, a Reader comes to its end, and tells of no record that is not within it.
func FuzzReader(f *testing.F) {
	for _, s := range []string{twoPlain, gzipped(twoPlain), gzipped(twoPlain) + "x" + gzipped(twoPlain), "\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00", "\x50\x2a\x4d\x18\x01\x00\x00\x00x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := warc.NewReader("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		defer r.Close()
		for calls := 0; ; calls++ {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if calls > 2*len(data)+10 {
				t.Fatal("no end")
			}
			if err != nil {
				continue
			}
			if rec.Offset < 0 || rec.Offset >= int64(len(data)) || rec.Length < 0 {
				t.Fatalf("record at %d with %d bytes", rec.Offset, rec.Length)
			}
			if n, err := rec.Finish(); err == nil && rec.Offset+n > int64(len(data)) {
				t.Fatalf("record at %d takes %d of %d bytes", rec.Offset, n, len(data))
			}
		}
	})
}

// A line that can be read is written as it is, and read again as the same.
func FuzzParseCapture(f *testing.F) {
	f.Add([]byte(`org,example)/ 20200102030405 {"url":"http://example.org/","mime":"text/html","status":200,"length":"9","offset":3,"filename":"a.warc"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := warc.ParseCapture(line)
		if err != nil {
			return
		}
		again := c.AppendTo(nil)
		if got, err := warc.ParseCapture(again); err != nil || got != c && c.Status >= 0 {
			t.Fatalf("%+v became %+v by %q, %v", c, got, again, err)
		}
	})
}

// A message of any bytes ends, and its head is within them.
// The media type is what stands before the first blank, comma or semicolon, as crawlers and browsers read it.
func TestMessage_Type(t *testing.T) {
	for field, want := range map[string]string{
		"text/HTML": "text/html", "text/html; charset=utf-8": "text/html", "text/html charset=utf-8": "text/html",
		"text/html,text/html": "text/html", "text/css;": "text/css", "text/css;;x": "text/css", ";": "", "": "",
	} {
		m, err := warc.ReadMessage(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: " + field + "\r\n\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Type(); got != want {
			t.Errorf("%q: got %q, want %q", field, got, want)
		}
	}
}

func FuzzReadMessage(f *testing.F) {
	for _, chunks := range []string{"2\r\nab\r\n0\r\n\r\n", "-1\r\nab\r\n", "1\r\na\r\n-1\r\nb", "7fffffffffffffff\r\nab"} {
		f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := warc.ReadMessage(bytes.NewReader(data))
		if err != nil {
			return
		}
		n, err := io.Copy(io.Discard, m.Payload)
		if err != nil || m.HeadLen+n > int64(len(data)) {
			t.Fatalf("head %d, payload %d of %d bytes, %v", m.HeadLen, n, len(data), err)
		}
	})
}

// A file whose beginning is damaged is read from the first record that is whole, however it is compressed.
func TestReader_DamagedBeginning(t *testing.T) {
	for _, compression := range []string{warc.Gzip, warc.Zstd, warc.Plain} {
		t.Run(compression, func(t *testing.T) {
			dir := t.TempDir()
			a := open(t, dir, warc.Options{Compression: compression})
			for i := range 3 {
				record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(strings.Repeat(fmt.Sprint(i, " "), 900))))
			}
			filetest.Close(t, a)
			name := files(t, dir, "*.warc*", 2)[0] // the other is its index
			data := filetest.Read(t, name)
			all, _ := read(t, name)
			broken := filepath.Join(dir, "broken")
			for what, test := range map[string]struct {
				content []byte
				want    int
			}{
				"zeros": {append(make([]byte, 30), data[30:]...), len(all) - 1},
				"lost":  {data[all[2].offset+10:], len(all) - 3},
				"junk":  {append([]byte("what was here before\n"), data...), len(all)},
			} {
				filetest.Write(t, broken, test.content)
				got, damage := read(t, broken)
				if len(got) != test.want || len(damage) != 1 || !strings.Contains(damage[0].Error(), "broken: offset 0: expected ") {
					t.Errorf("%s: %d records, want %d; %v", what, len(got), test.want, damage)
				}
			}
		})
	}
}

// wget gives a revisit record the block digest of no bytes. That is worth a note; any other wrong digest is a problem.
func TestCheck_RevisitOfWget(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	for digest, wantProblems := range map[string]int{"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ": 0, "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYA": 1} {
		name := filepath.Join(t.TempDir(), "a.warc")
		text := fmt.Sprintf("WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-23T08:18:36Z\r\n"+
			"WARC-Target-URI: <http://h/>\r\nWARC-Block-Digest: sha1:%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", digest, len(block), block)
		filetest.Write(t, name, text)
		r, err := warc.Check(t.Context(), name, func(warc.Finding) error { return nil })
		if err != nil || r.Problems != wantProblems || r.Problems+r.Notes != 1 {
			t.Errorf("%s: %+v, %v; want %d problems", digest, r, err, wantProblems)
		}
	}
}

// Every payload that is in a record is measured by its digest, of whatever type the record is and however the digest is written;
// that of a segment is of all segments together, and that of a revisit record is of what it does not have.
func TestCheck_PayloadDigest(t *testing.T) {
	const http = "Content-Type: application/http\r\n"
	const right, wrong = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
	request, response := "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"
	for _, test := range []struct {
		kind, fields, block, digest string
		problems, unknown           int
	}{
		{"request", http, request, right, 0, 0},
		{"request", http, request, wrong, 1, 0},
		{"request", http, request, "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", 0, 0},
		{"request", http, request, "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", 0, 0},
		{"request", http, request, "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk=", 0, 0},
		{"request", http, request, "sha1:2jmj7l5rSw0yVb_vlWAYkK_YBwk", 0, 0},
		{"request", http, request, "sha1:2jmj7l5rSw0yVb-vlWAYkK-YBwk", 1, 0},
		{"conversion", "Content-Type: text/plain\r\n", "text", wrong, 1, 0},
		{"metadata", "", "", right, 0, 0},
		{"response", http, response, wrong, 1, 0},
		{"response", http + "WARC-Segment-Number: 1\r\n", response, wrong, 0, 0},
		{"continuation", "WARC-Segment-Number: 2\r\n", "rest", wrong, 0, 0},
		{"revisit", http, response, wrong, 0, 0},
		{"response", http, response, "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262", 0, 1},
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		filetest.Write(t, name, fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:1>\r\n"+
			"WARC-Date: 2026-11-23T08:18:36Z\r\nWARC-Target-URI: http://h/\r\n%sWARC-Payload-Digest: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			test.kind, test.fields, test.digest, len(test.block), test.block))
		r, err := warc.Check(t.Context(), name, func(warc.Finding) error { return nil })
		if err != nil || r.Problems != test.problems || r.Unknown != test.unknown {
			t.Errorf("%s %q %s: %+v, %v; want %d problems, %d unknown",
				test.kind, test.fields, test.digest, r, err, test.problems, test.unknown)
		}
	}
}

// A file that ends at the beginning of a chunked body is cut, however far who looks for chunks has looked ahead.
func TestCheck_CutChunks(t *testing.T) {
	block := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
	whole := "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-23T08:18:36Z\r\n" +
		"WARC-Target-URI: http://h/\r\nContent-Type: application/http\r\nWARC-Payload-Digest: " +
		"sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\nContent-Length: " + strconv.Itoa(len(block)) + "\r\n\r\n" + block
	for cut := 1; cut < 15; cut++ {
		name := filepath.Join(t.TempDir(), "a.warc")
		filetest.Write(t, name, whole[:len(whole)-cut])
		got := ""
		_, err := warc.Check(t.Context(), name, func(f warc.Finding) error { got += f.Text; return nil })
		if want := fmt.Sprintf("expected %d more bytes of the block: the file ends here", cut); err != nil || got != want {
			t.Errorf("without the last %d bytes: %q, %v; want %q", cut, got, err, want)
		}
	}
}

// A field that tells what a record is and where it ends is there once. Others may be repeated.
func TestCheck_RepeatedFields(t *testing.T) {
	for field, want := range map[string]string{
		"WARC-Target-URI: http://other/":   "expected the field WARC-Target-URI once: it is there 2 times",
		"content-length: 4":                "expected the field Content-Length once: it is there 2 times",
		"WARC-Concurrent-To: <urn:uuid:2>": "",
		"WARC-Protocol: h2":                "",
	} {
		name := filepath.Join(t.TempDir(), "a.warc")
		filetest.Write(t, name, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-23T08:18:36Z\r\n"+
			"WARC-Target-URI: http://h/\r\nWARC-Concurrent-To: <urn:uuid:3>\r\nWARC-Protocol: tls/1.3\r\nContent-Length: 4\r\n"+
			field+"\r\n\r\ntext\r\n\r\n")
		got := ""
		r, err := warc.Check(t.Context(), name, func(f warc.Finding) error { got += f.Text; return nil })
		if err != nil || got != want || r.Records["resource"] != 1 {
			t.Errorf("%s: %q, %+v, %v; want %q", field, got, r, err, want)
		}
	}
}

// What is wrong with the head of a message is said in one line: of a block that is cut, where the file ends.
func TestReadMessage_OneLineErrors(t *testing.T) {
	if _, err := warc.ReadMessage(strings.NewReader("")); err == nil || err.Error() != "no head of an HTTP message" {
		t.Errorf("no message: %v", err)
	}
	name := filepath.Join(t.TempDir(), "a.warc")
	filetest.Write(t, name, "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\n")
	r, err := warc.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer filetest.Close(t, r)
	rec, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	_, err = warc.ReadMessage(rec.Block)
	if want := name + ": offset 0: expected 82 more bytes of the block: the file ends here"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Answers of name servers are in no index, however their address is written.
func TestCaptureOf_DNS(t *testing.T) {
	for uri, want := range map[string]bool{"dns:h": false, "DNS:H": false, "http://dns:80/": true} {
		name := filepath.Join(t.TempDir(), "a.warc")
		filetest.Write(t, name, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: "+uri+"\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
		r, err := warc.OpenFile(name)
		if err != nil {
			t.Fatal(err)
		}
		defer filetest.Close(t, r)
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if _, got, err := warc.CaptureOf(rec, name); got != want || err != nil {
			t.Errorf("%s: %v, %v; want %v", uri, got, err, want)
		}
	}
}

// However a file is damaged, it is not read over and over: not for the records behind each one that is damaged, nor for lengths
// that reach over many others.
func TestReader_DamageIsNotReadOverAndOver(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	var records strings.Builder
	for i := range 700 {
		fmt.Fprintf(&records, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: https://h/%d\r\nContent-Length: 1400\r\n\r\n%s\r\n\r\n",
			i, strings.Repeat("line of text\r\n", 100))
	}
	long := "WARC/1.1\r\nContent-Length: %d\r\n\r\n"
	for what, content := range map[string]string{
		"line ends as in text mode": strings.ReplaceAll(records.String(), "\r\n", "\n"),
		"first lines only":          strings.Repeat("WARC/1.1\r\n", 50_000),
		"lengths over the end":      strings.Repeat(fmt.Sprintf(long, 99_999_999), 20_000),
		"lengths of half the file":  strings.Repeat(fmt.Sprintf(long, 400_000), 20_000),
		"beginnings of members":     gzipped("WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n") + strings.Repeat("\x1f\x8b\x08", 200_000),
		"members without a length":  strings.Repeat(gzipped("WARC/1.1\r\nWARC-Type: resource\r\n\r\n"), 10_000),
	} {
		file := &readCounter{ReaderAt: strings.NewReader(content)}
		r, err := warc.NewReader(what, file, int64(len(content)))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for !errors.Is(err, io.EOF) {
			if _, err = r.Next(); err != nil && !errors.Is(err, io.EOF) && !isFormatError(err) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		most := int64(1000) // for what was made to cost much
		if what == "line ends as in text mode" {
			most = 10
		}
		if times := file.n / int64(len(content)); times > most {
			t.Errorf("%s: read %d times", what, times)
		}
	}
}

// Lengths that reach over all that follows cost no record behind them, however many there are.
func TestReader_WrongLengthsCostNoOthers(t *testing.T) {
	const records, each = 1000, 4 // every fourth has a wrong length
	var file strings.Builder
	for i := range records {
		length := 1400
		if i%each == 0 {
			length += 9_000_000
		}
		fmt.Fprintf(&file, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: https://h/%d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			i, length, strings.Repeat("line of text\r\n", 100))
	}
	r, err := warc.NewReader("lengths", strings.NewReader(file.String()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	whole, damaged := 0, 0
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			_, err = io.Copy(io.Discard, rec.Block)
		}
		switch {
		case err == nil:
			whole++
		case isFormatError(err):
			damaged++
		default:
			t.Fatal(err)
		}
	}
	if want := records / each; whole != records-want || damaged != want {
		t.Errorf("%d whole records and %d damaged ones, want %d and %d", whole, damaged, records-want, want)
	}
}

func isFormatError(err error) bool {
	_, ok := errors.AsType[*warc.FormatError](err)
	return ok
}

// A readCounter counts the bytes that are read.
type readCounter struct {
	io.ReaderAt
	n int64
}

func (c *readCounter) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.n += int64(n)
	return n, err
}
