package webtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Encode returns data in a content coding: "gzip", "x-gzip", "deflate" (zlib), "br", "zstd" or "identity". Several are applied
// in the order of the list "br, gzip". An unknown coding panics.
func Encode(coding string, data []byte) []byte {
	for c := range strings.SplitSeq(coding, ",") {
		var b bytes.Buffer
		w := encoder(strings.TrimSpace(c), &b)
		w.Write(data)
		w.Close()
		data = b.Bytes()
	}
	return data
}

func encoder(coding string, w io.Writer) io.WriteCloser {
	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewWriter(w)
	case "deflate":
		return zlib.NewWriter(w)
	case "br":
		return brotli.NewWriterLevel(w, brotli.BestSpeed)
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
		if err != nil {
			panic(err)
		}
		return z
	case "identity":
		return nopCloser{w}
	}
	panic(fmt.Sprintf("webtest: unknown coding %q", coding))
}

// EncodeZstd returns data in zstd with a window of this size, a power of two.
func EncodeZstd(data []byte, window int) []byte {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		panic(err)
	}
	z.Write(data)
	z.Flush() // a stream of unknown length must name its window
	z.Close()
	return b.Bytes()
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Encoded answers with an HTML body in a content coding, or a list of codings as for [Encode].
func Encoded(coding, body string) http.Handler {
	return Page{Header: map[string]string{"Content-Encoding": coding}, Body: string(Encode(coding, []byte(body)))}
}

// CutEncoded answers with the first half of an encoded body, as if it were the whole.
func CutEncoded(coding, body string) http.Handler {
	data := Encode(coding, []byte(body))
	return Page{Header: map[string]string{"Content-Encoding": coding}, Body: string(data[:len(data)/2])}
}

// Mislabelled answers with a plain body that claims to be encoded.
func Mislabelled(coding, body string) http.Handler {
	return Page{Header: map[string]string{"Content-Encoding": coding}, Body: body}
}

// Bomb answers with a body that decodes to size bytes of a page with few links and very much white space. It is made
// at the first request. Codings as for [Encode].
func Bomb(coding string, size int64) http.Handler {
	data := sync.OnceValue(func() []byte { return bomb(coding, size) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", coding)
		w.Write(data())
	})
}

func bomb(coding string, size int64) []byte {
	first, rest, nested := strings.Cut(coding, ",")
	var b bytes.Buffer
	w := encoder(strings.TrimSpace(first), &b)
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	n, _ := io.WriteString(w, `<html><title>bomb</title><a href="/inside">inside</a>`)
	for size -= int64(n); size > 0; size -= int64(len(spaces)) {
		w.Write(spaces[:min(size, int64(len(spaces)))])
	}
	w.Close()
	if nested {
		return Encode(rest, b.Bytes())
	}
	return b.Bytes()
}
