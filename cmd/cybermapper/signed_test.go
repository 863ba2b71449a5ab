package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A crawl with a key signs every request, and whoever reads the log of the site with the directory that identity writes knows that
// it was us: our own audit confirms each, and none that somebody else sends again to another site.
func TestCrawl_SignsRequests(t *testing.T) {
	web := webtest.New(t)
	site := web.Site(webtest.Pages{"/": {Body: "<a href=/a?x=%20y>"}, "/a": {Body: "x"}})
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		filetest.Write(t, name, text)
		return name
	}
	must := func(args string) string {
		t.Helper()
		out := mustRun(t, strings.Fields(args)...)
		return out
	}
	key := filepath.Join(dir, "key")
	must("key new --name bot.example.org " + key)
	config := file("config.yaml", "agent: {signature_key: "+key+", contact: 'https://bot.example.org/about'}\n")
	must("crawl --config " + config + " --allow-private --delay 1ms --job " + dir + "/job " + site.URL)
	if out := must("identity --config " + config); !strings.Contains(out,
		"directory   https://bot.example.org/.well-known/http-message-signatures-directory\n") {
		t.Errorf("identity does not say where the directory is:\n%s", out)
	}
	keys := file("keys.json", `{"cybermapper": `+must("identity --config "+config+" --directory -")+"}")
	var log strings.Builder
	hits := site.Hits()
	for i, h := range hits {
		if got := h.Header.Get("Signature-Agent"); got != `"https://bot.example.org"` {
			t.Errorf("%s: Signature-Agent %s", h.Path, got)
		}
		for _, host := range []string{site.Addr.String(), "other.example"}[:1+i%2] { // every second one is sent again, elsewhere
			line, err := json.Marshal(map[string]any{
				"ts": float64(h.Start.UnixMilli()) / 1000, "logger": "http.log.access", "msg": "handled request", "status": 200, "size": 1,
				"request": map[string]any{
					"remote_ip": "192.0.2.1", "proto": "HTTP/1.1", "method": "GET", "host": host, "uri": h.Path, "headers": h.Header,
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&log, "%s\n", line)
		}
	}
	if len(hits) != 3 {
		t.Fatalf("%d requests, want 3", len(hits))
	}
	_, out := runCommand(t.Context(), "audit --keys "+keys+" "+file("access.log", log.String()))
	for _, want := range []string{"3 requests signed: 3 confirmed, 0 wrong", "1 request signed: 0 confirmed, 1 wrong"} {
		if !strings.Contains(out, want) {
			t.Errorf("audit does not say %q:\n%s", want, out)
		}
	}
	if code, out := runCommand(t.Context(), "crawl --allow-private --config "+file("none.yaml", "agent: {signature_key: none}\n")+
		" --job "+dir+"/none "+site.URL); code != cli.ExitConfig || !strings.Contains(out, "agent.signature_key") {
		t.Errorf("without the key: exit code %d\n%s", code, out)
	}
}
