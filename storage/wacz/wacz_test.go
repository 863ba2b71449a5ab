package wacz_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/wacz"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// writeWARC writes responses with the metadata that says how many links from a seed each is, and returns the name.
func writeWARC(t testing.TB, name string, pages int) string {
	t.Helper()
	var b bytes.Buffer
	add := func(header, block string) {
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, "WARC/1.1\r\n%sWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", header, len(block), block)
		z.Close()
	}
	for i := range pages {
		id, at := fmt.Sprintf("<urn:x:%d>", i), fmt.Sprintf("http://h/%05d", i)
		add("WARC-Type: response\r\nWARC-Record-ID: "+id+"\r\nWARC-Target-URI: "+at+"\r\nContent-Type: application/http;msgtype=response\r\n",
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage %d", i))
		add("WARC-Type: metadata\r\nWARC-Record-ID: <urn:m>\r\nWARC-Target-URI: "+at+"\r\nWARC-Concurrent-To: "+id+
			"\r\nContent-Type: application/warc-fields\r\n", "hopsFromSeed: "+strings.Repeat("L", i)+"\r\n")
	}
	file := filepath.Join(t.TempDir(), name)
	filetest.Write(t, file, b.Bytes())
	return file
}

// titleOf takes every response for a page.
func titleOf(_ context.Context, rec *warc.Record) (title, text string, ok bool, err error) {
	m, err := warc.ReadMessage(rec.Block)
	if err != nil {
		return "", "", false, err
	}
	body, err := io.ReadAll(m.Payload)
	return "T" + string(body), string(body), true, err
}

func pack(t testing.TB, o wacz.Options, files ...string) ([]byte, wacz.Summary) {
	t.Helper()
	var b bytes.Buffer
	o.TempDir = t.TempDir()
	s, err := wacz.Write(t.Context(), &b, files, o)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return b.Bytes(), s
}

// entries returns what is in a WACZ.
func entries(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range z.File {
		if f.Method != zip.Store {
			t.Errorf("%s is compressed", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(content)
	}
	return all
}

func TestWrite(t *testing.T) {
	one, two := writeWARC(t, "b.warc.gz", 3), writeWARC(t, "a.warc.gz", 3100)
	o := wacz.Options{Title: "T", Software: "test/1", Page: titleOf}
	data, s := pack(t, o, one, two)
	if s.Captures != 3103 || s.Pages != 3103 || s.Seeds != 2 || s.Damaged != 0 {
		t.Errorf("summary %+v", s)
	}
	if again, _ := pack(t, o, two, one); !bytes.Equal(again, data) {
		t.Error("the same files in another order make another WACZ")
	}
	all := entries(t, data)
	var d struct {
		Profile     string
		WACZVersion string `json:"wacz_version"`
		Created     string
		MainPageURL string
		Resources   []struct {
			Path, Hash string
			Bytes      int
		}
	}
	if err := json.Unmarshal([]byte(all["datapackage.json"]), &d); err != nil {
		t.Fatal(err)
	}
	if d.Profile != "data-package" || d.WACZVersion != "1.1.1" || d.Created != "2026-01-02T03:04:05Z" || d.MainPageURL != "http://h/00000" {
		t.Errorf("datapackage %+v", d)
	}
	if len(d.Resources) != len(all)-2 {
		t.Errorf("%d resources of %d entries", len(d.Resources), len(all))
	}
	for _, r := range d.Resources {
		if sum := sha256.Sum256([]byte(all[r.Path])); r.Hash != "sha256:"+hex.EncodeToString(sum[:]) || r.Bytes != len(all[r.Path]) {
			t.Errorf("resource %+v does not fit the entry", r)
		}
	}
	if lines := strings.Count(all["pages/pages.jsonl"], "\n"); lines != 3 || !strings.Contains(all["pages/pages.jsonl"], `"title":"Tpage 0"`) {
		t.Errorf("pages.jsonl has %d lines: %.300s", lines, all["pages/pages.jsonl"])
	}
	checkIndex(t, all)
}

// A block of the index has so many lines, or so many bytes where URLs are long, as it is in memory as a whole.
func TestWrite_LongURLs(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://h/%d%s\r\n"+
			"Content-Length: 0\r\n\r\n\r\n\r\n", i, strings.Repeat("x", 200_000))
	}
	name := filepath.Join(t.TempDir(), "a.warc")
	filetest.Write(t, name, text.String())
	data, s := pack(t, wacz.Options{}, name)
	blocks := strings.Count(entries(t, data)["indexes/index.idx"], "\n") - 1
	if s.Captures != 30 || blocks != 3 {
		t.Errorf("%d captures, want 30; 12 MB of them in %d blocks, want 3", s.Captures, blocks)
	}
}

// The names of resources are those that a data package may have. Heritrix has a tilde in the names of its files.
func TestWrite_ResourceNames(t *testing.T) {
	for file, want := range map[string]string{
		"BL-1-00000-32090~opera~8443.warc.gz": "bl-1-00000-32090-7eopera-7e8443.warc.gz",
		"Größe 1_2.warc.gz":                   "gr-f6-dfe-201_2.warc.gz",
	} {
		data, _ := pack(t, wacz.Options{Page: titleOf}, writeWARC(t, file, 1))
		var d struct{ Resources []struct{ Name, Path string } }
		if err := json.Unmarshal([]byte(entries(t, data)["datapackage.json"]), &d); err != nil {
			t.Fatal(err)
		}
		if got := d.Resources[0]; got.Name != want || got.Path != "archive/"+file {
			t.Errorf("%s is %+v, want the name %s", file, got, want)
		}
	}
}

// checkIndex follows the index of the index to blocks, and their lines to records.
func checkIndex(t *testing.T, all map[string]string) {
	t.Helper()
	packed, n, last := all["indexes/index.cdx.gz"], 0, ""
	for i, entry := range strings.Split(strings.TrimSpace(all["indexes/index.idx"]), "\n") {
		if i == 0 {
			continue // what the format is
		}
		var b struct{ Offset, Length int }
		if err := json.Unmarshal([]byte(entry[strings.IndexByte(entry, '{'):]), &b); err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(strings.NewReader(packed[b.Offset : b.Offset+b.Length]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || !strings.HasPrefix(string(text), entry[:strings.IndexByte(entry, '{')]) {
			t.Fatalf("block %q, %v", entry, err)
		}
		for line := range strings.Lines(string(text)) {
			c, err := warc.ParseCapture([]byte(line))
			if err != nil || line <= last {
				t.Fatalf("%q after %q, %v", line, last, err)
			}
			if n, last = n+1, line; n%100 != 1 {
				continue
			}
			file := all["archive/"+c.Filename]
			r, err := warc.NewReader(c.Filename, strings.NewReader(file[c.Offset:c.Offset+c.Length]), c.Length)
			if err != nil {
				t.Fatal(err)
			}
			if rec, err := r.Next(); err != nil || rec.URI() != c.URL {
				t.Fatalf("%s: %v", line, err)
			}
		}
	}
	if n != 3103 {
		t.Errorf("the index leads to %d captures, want 3103", n)
	}
}

func TestWrite_Refuses(t *testing.T) {
	a := writeWARC(t, "a.warc.gz", 1)
	for what, files := range map[string][]string{
		"no WARC file": {}, "two files are called a.warc.gz": {a, writeWARC(t, "a.warc.gz", 1)}, "expected a file whose name ends in": {"x.warc.zst"},
	} {
		if _, err := wacz.Write(t.Context(), io.Discard, files, wacz.Options{}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v, want %q", files, err, what)
		}
	}
}

// Damage is told and counted, and costs what is damaged only.
func TestWrite_Damage(t *testing.T) {
	name := writeWARC(t, "a.warc.gz", 3)
	data := filetest.Read(t, name)
	filetest.Write(t, name, data[:len(data)-300])
	var told []string
	o := wacz.Options{Page: titleOf, Damaged: func(e *warc.FormatError) { told = append(told, e.Error()) }}
	_, s := pack(t, o, name)
	if s.Captures != 2 || s.Pages != 2 || s.Damaged != 1 || len(told) != 1 {
		t.Errorf("summary %+v, told %q", s, told)
	}
}

// Ensure that a page is listed whose body was archived under another URL: once, and not if it is no page or only visited again.
func TestWrite_Copies(t *testing.T) {
	var b bytes.Buffer
	revisit := func(url, of, status, mediaType string) {
		block := "HTTP/1.1 " + status + "\r\nContent-Type: " + mediaType + "\r\n\r\n"
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:r>\r\nWARC-Target-URI: %s\r\n"+
			"WARC-Refers-To-Target-URI: %s\r\nWARC-Profile: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"+
			"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			url, of, warc.ProfileIdentical, len(block), block)
		z.Close()
	}
	revisit("http://h/copy", "http://h/00000", "200 OK", "text/html; charset=utf-8")
	revisit("http://h/copy", "http://h/00000", "200 OK", "text/html")
	revisit("http://h/00000", "http://h/00000", "200 OK", "text/html")
	revisit("http://h/image", "http://h/00000", "200 OK", "image/png")
	revisit("http://h/lost", "http://h/00000", "404 Not Found", "text/html")
	file := filepath.Join(t.TempDir(), "z.warc.gz")
	filetest.Write(t, file, b.Bytes())
	data, s := pack(t, wacz.Options{Page: titleOf}, writeWARC(t, "a.warc.gz", 1), file)
	list := entries(t, data)["pages/pages.jsonl"]
	if s.Pages != 2 || strings.Count(list, "http://h/copy") != 1 {
		t.Errorf("%d pages: %s", s.Pages, list)
	}
}

// Ensure that neither the answer to a POST, whichever of the two records comes first, nor one without a URL is a page: nobody can
// go there.
func TestWrite_Posted(t *testing.T) {
	var b bytes.Buffer
	add := func(kind, url, block string) {
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\nWARC-Target-URI: %s\r\n"+
			"WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, kind, url, len(block), block)
		z.Close()
	}
	answer := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\npage"
	post, get := "POST /x HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"k\":1}", "GET /x HTTP/1.1\r\n\r\n"
	add("request", "http://h/before", post)
	add("response", "http://h/before", answer)
	add("response", "http://h/behind", answer)
	add("request", "http://h/behind", post)
	add("response", "http://h/page", answer)
	add("request", "http://h/page", get)
	add("response", "http://h/alone", answer)
	add("response", "", answer)
	file := filepath.Join(t.TempDir(), "p.warc.gz")
	filetest.Write(t, file, b.Bytes())
	data, s := pack(t, wacz.Options{Page: titleOf}, file)
	list := entries(t, data)["pages/pages.jsonl"]
	if s.Captures != 4 || s.Pages != 2 || strings.Contains(list, "http://h/be") {
		t.Errorf("%+v: %s", s, list)
	}
}
