package wacz_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cybermapper/cybermapper/storage/wacz"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var record bytes.Buffer
	z := gzip.NewWriter(&record)
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"
	fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Target-URI: https://example.org/\r\n"+
		"WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(block), block)
	z.Close()
	name := filepath.Join(dir, "example.warc.gz")
	if err := os.WriteFile(name, record.Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	summary, err := wacz.Write(context.Background(), &out, []string{name}, wacz.Options{Software: "example/1", Page: titleOf})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Captures, summary.Pages)
	// Output:
	// 1 1
}
