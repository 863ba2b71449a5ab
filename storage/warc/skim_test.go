package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/warc"
)

// captures returns the lines of the index of a file, and the damage.
func captures(t testing.TB, file []byte, skim bool) (lines []string, damage []error) {
	t.Helper()
	r, err := warc.NewReader("x.warc.gz", bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, []error{err}
	}
	defer r.Close()
	if skim {
		r.Skim()
	}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, damage
		}
		var c warc.Capture
		var ok bool
		if err == nil {
			c, ok, err = warc.CaptureOf(rec, "x.warc.gz")
		}
		if errors.As(err, new(*warc.FormatError)) {
			if damage = append(damage, err); len(damage) > 1000 {
				t.Fatalf("no end of damage: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			lines = append(lines, string(c.AppendTo(nil)))
		}
	}
}

// response returns a response record of a page, with further fields.
func response(url, page, fields string) string {
	message := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n%s"+
		"Content-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, fields, len(message), message)
}

// text returns text that is compressed to about a third.
func text(seed uint64, n int) string {
	random := rand.New(rand.NewPCG(seed, seed))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "<p>%x and %d", random.Uint32(), random.IntN(100))
	}
	return b.String()[:n]
}

const digested = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"

// variety is a file of members as different writers make them.
func variety() string {
	var b strings.Builder
	for i := range 12 {
		url, page := fmt.Sprintf("http://h/%d", i), text(uint64(i), i*i*1500)
		switch i % 6 {
		case 0:
			b.WriteString(gzipped(response(url, page, "")))
		case 1: // several in one member
			b.WriteString(gzipped(response(url, page, digested) + response(url+"b", page, digested)))
		case 2: // without the empty lines behind it
			b.WriteString(gzipped(strings.TrimSuffix(response(url, page, digested), "\r\n\r\n")))
		case 3: // headers longer than what is looked at first
			b.WriteString(gzipped(response(url, page, digested+"X: "+text(99, 20_000)+"\r\n")))
		case 4: // an empty member, and a member of white space
			b.WriteString(gzipped("") + gzipped("\r\n\r\n"))
			b.WriteString(gzipped(response(url, page, digested)))
		default:
			b.WriteString(gzipped(response(url, page, digested)))
			b.WriteString(gzipped("WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 3\r\n\r\na: \r\n\r\n"))
		}
	}
	return b.String()
}

// nested is a file of a page that is a WARC file itself, which is not compressed again.
func nested(inner string) string {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err != nil {
		panic(err)
	}
	io.WriteString(w, response("http://h/outer", inner, digested))
	w.Close()
	return b.String() + gzipped(response("http://h/last", text(5, 50_000), digested))
}

// Whoever passes over the payloads lists the same as who reads them.
func TestReader_SkimListsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	small := gzipped(response("http://h/inner", text(7, 30_000), digested))
	for name, file := range map[string]string{
		"variety": variety(), "a WARC file in it": nested(small + small), "one": gzipped(response("http://h/", text(1, 1<<20), digested)),
		"white space behind": variety() + gzipped("\r\n"), "plain": response("http://h/", text(3, 100_000), digested),
	} {
		want, damage := captures(t, []byte(file), false)
		got, other := captures(t, []byte(file), true)
		if strings.Join(got, "\n") != strings.Join(want, "\n") || fmt.Sprint(damage) != fmt.Sprint(other) {
			t.Errorf("%s: skimmed\n%s\n%v, want\n%s\n%v", name, strings.Join(got, "\n"), other, strings.Join(want, "\n"), damage)
		}
		if len(want) == 0 {
			t.Errorf("%s: nothing listed", name)
		}
	}
}

// What is passed over is not decompressed: damage in the middle of a payload is not seen. A file that is cut is.
func TestReader_SkimPassesOverPayloads(t *testing.T) {
	first, second := gzipped(response("http://h/1", text(1, 200_000), digested)), gzipped(response("http://h/2", text(2, 200_000), digested))
	file := []byte(first + second)
	for i := range 1000 {
		file[len(first)/2+i] ^= 0x55
	}
	if got, damage := captures(t, file, false); len(got) != 1 || len(damage) != 1 {
		t.Fatalf("read whole: %q, %v", got, damage)
	}
	if got, damage := captures(t, file, true); len(got) != 2 || len(damage) > 0 {
		t.Errorf("skimmed: %q, %v", got, damage)
	}
	if got, damage := captures(t, []byte(first + second)[:len(first)+len(second)-9], true); len(got) != 1 || len(damage) != 1 {
		t.Errorf("cut: %q, %v", got, damage)
	}
}

// Whatever a file is, skimming comes to an end, and lists the same of one that is whole.
func FuzzReader_Skim(f *testing.F) {
	f.Add([]byte(gzipped(response("http://h/1", text(1, 9000), digested))+gzipped(response("http://h/2", "x", ""))), uint16(0), byte(0))
	f.Add([]byte(gzipped(twoPlain)), uint16(50), byte(255))
	f.Fuzz(func(t *testing.T, file []byte, at uint16, with byte) {
		if len(file) > 0 {
			file = bytes.Clone(file)
			file[int(at)%len(file)] ^= with
		}
		want, damage := captures(t, file, false)
		got, _ := captures(t, file, true)
		if len(damage) == 0 && strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("skimmed\n%q, want\n%q", got, want)
		}
	})
}

// BenchmarkReader_Index lists pages of 100 KB, read whole and skimmed.
func BenchmarkReader_Index(b *testing.B) {
	var file bytes.Buffer
	for i := range 100 {
		file.WriteString(gzipped(response(fmt.Sprintf("http://h/%d", i), text(uint64(i), 100_000), digested)))
		file.WriteString(gzipped("WARC/1.1\r\nWARC-Type: request\r\nContent-Length: 20\r\n\r\nGET / HTTP/1.1\r\nA: b\r\n\r\n\r\n"))
	}
	for _, skim := range []bool{false, true} {
		b.Run(fmt.Sprintf("skim=%v", skim), func(b *testing.B) {
			b.SetBytes(int64(file.Len()))
			for b.Loop() {
				if lines, damage := captures(b, file.Bytes(), skim); len(lines) != 100 || len(damage) > 0 {
					b.Fatalf("%d lines, %v", len(lines), damage)
				}
			}
		})
	}
}
