package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestDoor: a certificate that was renewed is shown to who comes next, and nobody is turned away while the files do not fit. Of who
// comes in the operator hears what matters.
func TestDoor(t *testing.T) {
	job, _ := servedJob(t)
	dir := t.TempDir()
	a := &authority{t: t, root: dir}
	a.issue("ca")
	a.issue("door", "crawl.test")
	file, token := filepath.Join(dir, "door.pem"), filepath.Join(dir, "token")
	filetest.Write(t, token, "0123456789abcdef\n")
	o := serveOptions{flag: "listen", listen: ":0", hosts: []string{"crawl.test"}, token: token, cert: file, key: file}
	d, err := o.open(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(d.url())
	if err != nil || at.Scheme != "https" || at.Hostname() != "crawl.test" {
		t.Fatalf("url %v, %v", at, err)
	}
	byAddress := *d
	byAddress.options.Hosts = []string{"::1"}
	if got := byAddress.url(); got != "https://[::1]:"+at.Port()+"/" {
		t.Errorf("url %s of a server that is asked under ::1", got)
	}
	core, said := observer.New(zap.InfoLevel)
	s, err := d.server([]string{job}, zap.New(core))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- d.serveUntil(ctx, s, zap.New(core)) }()
	defer func() {
		stop()
		if err, cerr := <-ended, s.Close(); err != nil || cerr != nil {
			t.Error(err, cerr)
		}
	}()

	address := "127.0.0.1:" + at.Port()
	come := func() string {
		t.Helper()
		d.keyPair.mu.Lock()
		d.keyPair.looked = time.Time{}
		d.keyPair.mu.Unlock()
		c, err := tls.Dial("tcp", address, &tls.Config{ServerName: "crawl.test", InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	first := come()
	a.issue("door", "crawl.test")
	second := come()
	a.issue("next", "crawl.test")
	next := filepath.Join(dir, "next.pem")
	if info, err := os.Stat(file); err != nil || os.Chtimes(next, time.Time{}, info.ModTime()) != nil || os.Rename(next, file) != nil {
		t.Fatal("one certificate cannot take the place of the other")
	}
	if of := come(); of == second {
		t.Error("a certificate that is as old as the one before is not shown")
	} else {
		second = of
	}
	filetest.Write(t, file, "half of a certificate")
	if third := come(); second == first || third != second {
		t.Errorf("shown are the certificates %s, %s when it was renewed, %s when it cannot be read", first, second, third)
	}
	if said.FilterMessageSnippet("certificate cannot be read").Len() == 0 {
		t.Error("that the certificate cannot be read is told to nobody")
	}

	said.TakeAll()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
	io.ReadAll(c)
	c.Close()
	c, err = tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: crawl.test\r\n\r\n")
	io.ReadAll(c)
	c.Close()
	if n := said.Len(); n != 0 {
		t.Errorf("what a stranger does wrong is told: %v", said.All())
	}
	c, err = tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /sign-in HTTP/1.0\r\nHost: crawl.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: 11\r\n\r\ntoken=wrong")
	if answer, err := io.ReadAll(c); err != nil || !strings.Contains(string(answer), "403 Forbidden") {
		t.Errorf("another token is answered with %.80q, %v", answer, err)
	}
	if said.FilterMessage("sign-in refused").Len() != 1 {
		t.Errorf("that another token was tried is not told: %v", said.All())
	}
}
