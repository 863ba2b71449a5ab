package main

import (
	"crypto/tls"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A server whose certificate nobody vouches for is left alone, in words, until --ca vouches for it; the job remembers that.
func TestCrawlTrustsTheAuthoritiesGiven(t *testing.T) {
	site := webtest.New(t).TLSSite(webtest.Pages{"/": {Body: "x"}})
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	c, err := tls.Dial("tcp", site.Addr.String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	good := write("good.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.ConnectionState().PeerCertificates[0].Raw}))
	bad := write("bad.pem", []byte("no certificate"))
	crawl := "crawl --allow-private --delay 1ms --delay-factor 0 --patience 1s --job " + dir + "/"
	for _, tt := range []struct {
		args, says string
		code       int
	}{
		{crawl + "strange " + site.URL, "certificate signed by unknown authority", cli.ExitNoPages},
		{crawl + "known --ca " + good + " " + site.URL, "done", cli.ExitDone},
		{crawl + "known", "done", cli.ExitDone},
		{crawl + "none --ca " + good + "x " + site.URL, "read certificate authorities", cli.ExitConfig},
		{crawl + "bad --ca " + bad + " " + site.URL, "holds no certificate", cli.ExitConfig},
	} {
		if code, out := runCommand(t.Context(), tt.args); code != tt.code || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", tt.args, code, tt.code, tt.says, out)
		}
	}
	if n := len(site.Hits()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}
