package warc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// exchange returns one with a response as on the wire.
func exchange(url, response string) *storage.Exchange {
	return &storage.Exchange{
		URL: url, Purpose: "page", Start: noon, End: noon.Add(30 * time.Millisecond), Address: netip.MustParseAddr("192.0.2.7"),
		Protocol: "http/1.1", Request: []byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"), RobotsAllowed: true, RobotsRule: "no-rule",
		Response: io.NewSectionReader(strings.NewReader(response), 0, int64(len(response))),
		HeadLen:  int64(strings.Index(response, "\r\n\r\n") + 4),
	}
}

func ok(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func open(t testing.TB, dir string, o warc.Options) *warc.Archive {
	t.Helper()
	a, err := warc.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func record(t testing.TB, a *warc.Archive, x *storage.Exchange) {
	t.Helper()
	if err := a.Record(context.Background(), x); err != nil {
		t.Fatal(err)
	}
}

// files returns the names that match, which must be n.
func files(t testing.TB, dir, pattern string, n int) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) != n {
		all, _ := filepath.Glob(filepath.Join(dir, "*"))
		t.Fatalf("%d files match %s, want %d: %q, %v", len(names), pattern, n, all, err)
	}
	return names
}

// A seen record is what a test looks at.
type seen struct {
	kind, uri string
	header    warc.Fields
	block     string
	offset    int64
	length    int64
}

// read returns all records of a file, and the damage met.
func read(t testing.TB, name string) (all []seen, damage []error) {
	t.Helper()
	r, err := warc.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, damage
		}
		var block []byte
		var length int64
		if err == nil {
			block, err = io.ReadAll(rec.Block)
		}
		if err == nil {
			length, err = rec.Finish()
		}
		if errors.As(err, new(*warc.FormatError)) {
			damage = append(damage, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, seen{rec.Type(), rec.URI(), rec.Header, string(block), rec.Offset, length})
	}
}

// check fails the test unless a file is without problems.
func check(t testing.TB, name string) warc.Result {
	t.Helper()
	result, err := warc.Check(t.Context(), name, func(f warc.Finding) error {
		t.Errorf("check: %+v", f)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return result
}

func TestArchive_Records(t *testing.T) {
	for _, compression := range []string{warc.Gzip, warc.Zstd, warc.Plain} {
		t.Run(compression, func(t *testing.T) {
			dir := t.TempDir()
			a := open(t, dir, warc.Options{Compression: compression, Info: warc.Fields{{Name: "software", Value: "test/1"}}})
			page := ok("<title>x</title>")
			x := exchange("https://example.org/a?b=c", page)
			x.Via, x.Depth, x.Redirects, x.TLS, x.Cipher = "https://example.org/", 2, 1, "tls/1.3", "TLS_AES_128_GCM_SHA256"
			x.RobotsDigest, x.RobotsLine, x.RobotsRule = "sha256:00", 4, "Allow: /a"
			record(t, a, x)
			hidden := exchange("https://example.org/hidden", ok("secret"))
			hidden.Noindex = true
			record(t, a, hidden)
			again := exchange("https://example.org/copy", page)
			record(t, a, again)
			same := exchange("https://example.org/robots.txt", "HTTP/1.1 304 Not Modified\r\n\r\n")
			same.Purpose = "robots"
			record(t, a, same)
			cut := exchange("https://example.org/cut", ok("some of it"))
			cut.Truncated = "time"
			record(t, a, cut)
			open := files(t, dir, "*.open", 1)[0]
			filetest.Close(t, a)
			name := strings.TrimSuffix(open, ".open")
			result := check(t, name)
			if want := map[string]int{"warcinfo": 1, "response": 2, "revisit": 2, "request": 4, "metadata": 4}; fmt.Sprint(result.Records) != fmt.Sprint(want) {
				t.Errorf("records %v, want %v", result.Records, want)
			}
			all, damage := read(t, name)
			if len(damage) > 0 {
				t.Fatal(damage)
			}
			if !strings.Contains(all[0].block, "software: test/1\r\n") || all[0].header.Get("WARC-Filename") != filepath.Base(name) {
				t.Errorf("warcinfo %+v", all[0])
			}
			first := all[1]
			if first.block != page || first.uri != x.URL || first.header.Get("WARC-IP-Address") != "192.0.2.7" ||
				first.header.Get("WARC-Date") != "2026-11-22T12:00:00Z" || first.header.Get("WARC-Cipher-Suite") != x.Cipher {
				t.Errorf("response %+v", first)
			}
			if request := all[2]; request.block != string(x.Request) || request.header.Get("WARC-Concurrent-To") != first.header.Get("WARC-Record-ID") {
				t.Errorf("request %+v", request)
			}
			const metadata = "via: https://example.org/\r\nhopsFromSeed: LLR\r\nfetchTimeMs: 30\r\npurpose: page\r\nrobots-verdict: allowed\r\n" +
				"robots-file: sha256:00\r\nrobots-line: 4\r\nrobots-rule: Allow: /a\r\n"
			if all[3].block != metadata {
				t.Errorf("metadata %q, want %q", all[3].block, metadata)
			}
			revisit := all[4]
			if revisit.header.Get("WARC-Profile") != warc.ProfileIdentical || revisit.header.Get("WARC-Refers-To-Target-URI") != x.URL ||
				revisit.header.Get("WARC-Refers-To-Date") != "2026-11-22T12:00:00Z" || revisit.block != page[:again.HeadLen] ||
				revisit.header.Get("WARC-Payload-Digest") != first.header.Get("WARC-Payload-Digest") {
				t.Errorf("revisit %+v", revisit)
			}
			if got := all[7].header.Get("WARC-Profile"); got != warc.ProfileNotModified {
				t.Errorf("profile %q of 304", got)
			}
			if got := all[10].header.Get("WARC-Truncated"); got != "time" || all[10].kind != "response" {
				t.Errorf("%s truncated %q", all[10].kind, got)
			}
			index := filetest.Read(t, name+".cdxj")
			lines := strings.Split(strings.TrimSpace(string(index)), "\n")
			if len(lines) != 4 || !slices.IsSorted(lines) {
				t.Fatalf("index:\n%s", index)
			}
			c, err := warc.ParseCapture([]byte(lines[0]))
			if err != nil || c.URL != x.URL || c.Key != "org,example)/a?b=c" || c.Status != 200 || c.Type != "text/html" ||
				c.Offset != first.offset || c.Length != first.length {
				t.Errorf("capture %+v, %v; the record has %d+%d", c, err, first.offset, first.length)
			}
		})
	}
}

// Of exchanges with one payload that are recorded at once, one stores it, and the others refer to it.
func TestArchive_SamePayloadAtOnce(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, warc.Options{})
	body := strings.Repeat("the same text again and again; ", 1<<14)
	var together sync.WaitGroup
	for i := range 16 {
		together.Go(func() { record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(body))) })
	}
	together.Wait()
	filetest.Close(t, a)
	records := map[string]int{}
	all, _ := read(t, files(t, dir, "*.warc.gz", 1)[0])
	for _, r := range all {
		records[r.kind]++
	}
	if records[warc.TypeResponse] != 1 || records[warc.TypeRevisit] != 15 {
		t.Errorf("records: %v, want 1 response and 15 revisits", records)
	}
}

// Each record of a compressed file can be read alone, at the place that the index tells.
func TestArchive_Seek(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, warc.Options{})
	for i := range 20 {
		record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(fmt.Sprintf("page %d", i))))
	}
	filetest.Close(t, a)
	name := files(t, dir, "*.warc.gz", 1)[0]
	index := filetest.Read(t, name+".cdxj")
	r, err := warc.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for line := range strings.Lines(string(index)) {
		c, err := warc.ParseCapture([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		r.GoTo(c.Offset)
		rec, err := r.Next()
		if err != nil || rec.URI() != c.URL {
			t.Fatalf("at %d: %v, %v; want %s", c.Offset, rec, err, c.URL)
		}
	}
}

func TestArchive_NoResponse(t *testing.T) {
	x := exchange("http://example.org/", ok("hello"))
	x.Response = nil
	if err := open(t, t.TempDir(), warc.Options{}).Record(t.Context(), x); err == nil {
		t.Error("an exchange without a response was recorded")
	}
}

func TestArchive_Rotation(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, warc.Options{MaxFile: 3000})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(strings.Repeat(fmt.Sprint(i), 100)))) })
	}
	wg.Wait()
	filetest.Close(t, a)
	names, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	responses := 0
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || info.Size() > 3000 {
			t.Errorf("%s has %d bytes, %v", name, info.Size(), err)
		}
		responses += check(t, name).Records["response"]
	}
	if len(names) < 3 || responses != 20 {
		t.Errorf("%d files, %d responses", len(names), responses)
	}
	files(t, dir, "*.cdxj", len(names))
	files(t, dir, "*.open", 0)
	if err := a.Record(t.Context(), exchange("http://h/", ok("x"))); !errors.Is(err, warc.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Wherever a file is cut, as by the death of the process or of the machine, the next Open keeps all whole records, and nothing
// else.
func TestArchive_CutAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	for _, compression := range []string{warc.Gzip, warc.Zstd, warc.Plain} {
		t.Run(compression, func(t *testing.T) {
			dir := t.TempDir()
			a := open(t, dir, warc.Options{Compression: compression})
			record(t, a, exchange("http://h/1", ok("one")))
			record(t, a, exchange("http://h/2", ok("two")))
			unfinished := files(t, dir, "*.open", 1)[0]
			data := filetest.Read(t, unfinished)
			filetest.Close(t, a)
			name := strings.TrimSuffix(filepath.Base(unfinished), ".open")
			all, _ := read(t, filepath.Join(dir, name))
			for cut := 0; cut < len(data); cut += 1 + cut%60 {
				dir := t.TempDir()
				filetest.Write(t, filepath.Join(dir, name+".open"), append(data[:cut:cut], bytes.Repeat([]byte("x"), cut%3*100)...))
				a, err := warc.Open(dir, warc.Options{Compression: compression})
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				a.Close()
				want := 0
				for _, r := range all {
					if r.offset+r.length <= int64(cut) {
						want++
					}
				}
				if want <= 1 {
					files(t, dir, "*.warc*", 0)
					continue
				}
				got, damage := read(t, filepath.Join(dir, name))
				if len(got) != want || len(damage) > 0 {
					t.Fatalf("cut at %d: %d records, want %d; %v", cut, len(got), want, damage)
				}
				files(t, dir, "*.cdxj", 1)
			}
		})
	}
}

// What an earlier process has kept is known to the next.
func TestArchive_KnownAfterwards(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []string{"response", "revisit"} {
		a := open(t, dir, warc.Options{Prefix: fmt.Sprintf("p%d", i)})
		record(t, a, exchange("http://h/x", ok("the same")))
		filetest.Close(t, a)
		all, _ := read(t, files(t, dir, fmt.Sprintf("p%d-*.warc.gz", i), 1)[0])
		if all[1].kind != want {
			t.Errorf("run %d wrote a %s, want a %s", i, all[1].kind, want)
		}
	}
}

// A redirect is written whole though its body is that of another, as all those of a server are, also after a page with that body.
func TestArchive_RedirectsAreWhole(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, warc.Options{})
	const head = "HTTP/1.1 %s\r\nLocation: /to%d\r\nContent-Length: 5\r\n\r\nmoved"
	record(t, a, exchange("http://h/page", ok("moved")))
	for i, status := range []string{"301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"} {
		record(t, a, exchange(fmt.Sprint("http://h/", i), fmt.Sprintf(head, status, i)))
	}
	filetest.Close(t, a)
	if got := check(t, files(t, dir, "*.warc.gz", 1)[0]).Records; got["response"] != 5 || got["revisit"] != 0 {
		t.Errorf("records: %v, want 5 responses and no revisit", got)
	}
}

// A page whose body a redirect had before is written whole, also after a restart: replay would follow the redirect in its place.
func TestArchive_NothingRefersToRedirects(t *testing.T) {
	const moved = "HTTP/1.1 301 Moved Permanently\r\nLocation: /to\r\nContent-Length: 5\r\n\r\nmoved"
	for _, restart := range []bool{false, true} {
		dir := t.TempDir()
		a := open(t, dir, warc.Options{})
		record(t, a, exchange("http://h/from", moved))
		if restart {
			filetest.Close(t, a)
			a = open(t, dir, warc.Options{})
		}
		record(t, a, exchange("http://h/page", ok("moved")))
		record(t, a, exchange("http://h/same", ok("moved")))
		filetest.Close(t, a)
		responses, revisits := 0, 0
		for _, name := range files(t, dir, "*.warc.gz", map[bool]int{false: 1, true: 2}[restart]) {
			got := check(t, name).Records
			responses, revisits = responses+got["response"], revisits+got["revisit"]
		}
		if responses != 2 || revisits != 1 {
			t.Errorf("restart %t: %d responses and %d revisits, want 2 and 1", restart, responses, revisits)
		}
	}
}

// A flipped or lost byte anywhere costs the record it is in and no other, and is reported with its place.
func TestReader_Damage(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	dir := t.TempDir()
	a := open(t, dir, warc.Options{})
	for i := range 3 {
		record(t, a, exchange(fmt.Sprintf("http://h/%d", i), ok(strings.Repeat(fmt.Sprint(i, " "), 50))))
	}
	filetest.Close(t, a)
	name := files(t, dir, "*.warc.gz", 1)[0]
	data := filetest.Read(t, name)
	all, _ := read(t, name)
	broken := filepath.Join(dir, "broken.warc.gz")
	for at := 0; at < len(data); at += 7 {
		if i := slices.IndexFunc(all, func(r seen) bool { return r.offset <= int64(at) && int64(at) < r.offset+r.length }); int64(at)-all[i].offset < 10 {
			continue // in the header of a member a flipped time changes nothing
		}
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x55
		for what, content := range map[string][]byte{"flipped": flipped, "lost": slices.Delete(bytes.Clone(data), at, at+1)} {
			if at > 1000 && at%11 != 0 {
				continue // enough of the same
			}
			filetest.Write(t, broken, content)
			got, damage := read(t, broken)
			if len(got) != len(all)-1 || len(damage) == 0 {
				t.Errorf("%s at %d: %d records, want %d; %v", what, at, len(got), len(all)-1, damage)
			}
			for _, d := range damage {
				if !strings.Contains(d.Error(), "broken.warc.gz: offset ") || !strings.Contains(d.Error(), ": expected ") {
					t.Errorf("%s at %d: %v", what, at, d)
				}
			}
		}
	}
}

// What is small, and what came compressed, lies in its gzip member as it is; a text does not.
func TestArchive_StoresWhatGainsNothing(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, warc.Options{})
	text := strings.Repeat("a text that can be compressed well. ", 200)
	head := "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
	is := func(kind, field, body string) string { return fmt.Sprintf(head, kind, len(body), field) + body }
	for _, x := range []struct{ path, response string }{
		{"text", is("text/html", "", text+"of a page")},
		{"coded", is("text/html", "Content-Encoding: gzip\r\n", text+"that counts as coded")},
		{"identity", is("text/html", "Content-Encoding: identity\r\n", text+"that is not")},
		{"image", is("image/jpeg", "", text+"of an image")},
		{"drawing", is("image/svg+xml", "", text+"of a drawing")},
	} {
		record(t, a, exchange("http://example.org/"+x.path, x.response))
	}
	filetest.Close(t, a)
	name := files(t, dir, "*.warc.gz", 1)[0]
	check(t, name)
	data := filetest.Read(t, name)
	for end, want := range map[string]bool{
		"of a page": false, "that counts as coded": true, "that is not": false, "of an image": true, "of a drawing": false,
	} {
		if got := bytes.Contains(data, []byte(text+end)); got != want {
			t.Errorf("the body that ends in %q stands in the file as it is: %t, want %t", end, got, want)
		}
	}
	if n := bytes.Count(data, []byte("WARC-Type: request")); n != 5 {
		t.Errorf("%d requests stand in the file as they are, want 5", n)
	}
}

// What a server says has not changed refers to the record with its payload, also in another process, and after a revisit of what
// another URL had brought.
func TestArchive_NotModified(t *testing.T) {
	dir := t.TempDir()
	valid := func(body string) string {
		return strings.Replace(ok(body), "Content-Length", "ETag: \"1\"\r\nContent-Length", 1)
	}
	later := func(x *storage.Exchange, hours int) *storage.Exchange {
		x.Start = x.Start.Add(time.Duration(hours) * time.Hour)
		x.End = x.Start
		return x
	}
	a := open(t, dir, warc.Options{Prefix: "first"})
	record(t, a, exchange("http://h/a", valid("the first edition")))
	record(t, a, later(exchange("http://h/a", valid("the second edition")), 1))
	record(t, a, later(exchange("http://h/copy", valid("the second edition")), 2))
	record(t, a, later(exchange("http://h/gone", "HTTP/1.1 404 Not Found\r\n\r\n"), 2))
	filetest.Close(t, a)
	b := open(t, dir, warc.Options{Prefix: "second"})
	for _, url := range []string{"http://h/a", "http://h/copy", "http://h/gone", "http://h/new"} {
		record(t, b, later(exchange(url, "HTTP/1.1 304 Not Modified\r\n\r\n"), 3))
	}
	filetest.Close(t, b)
	first, _ := read(t, files(t, dir, "first-*.warc.gz", 1)[0])
	second, _ := read(t, files(t, dir, "second-*.warc.gz", 1)[0])
	of := first[4] // of /a an hour later
	for i, known := range []bool{true, true, false, false} {
		h := second[1+3*i].header
		var want, date, digest string
		if known {
			want, date, digest = of.uri, of.header.Get("WARC-Date"), of.header.Get("WARC-Payload-Digest")
		}
		if h.Get("WARC-Profile") != warc.ProfileNotModified || h.Get("WARC-Refers-To-Target-URI") != want ||
			h.Get("WARC-Refers-To-Date") != date || h.Get("WARC-Payload-Digest") != digest {
			t.Errorf("%s: %v, want %q of %q, digest %q", h.Get("WARC-Target-URI"), h, want, date, digest)
		}
	}
}
