package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// startProxy starts a real proxy that listens on a loopback port, and skips the test where it is not installed.
func startProxy(t *testing.T, name string, args func(host, port string) []string) (address string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	address = webtest.FreeAddress(t)
	host, port, _ := net.SplitHostPort(address)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args(host, port)...)
	mustStart(t, cmd)
	t.Cleanup(func() { cancel(); cmd.Wait() })
	for range 100 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not listen at %s", name, address)
	return ""
}

// A crawl goes through real proxies; the ledger says so, and what it cannot show then; the password is nowhere.
func TestCrawl_ThroughProxies(t *testing.T) {
	t.Setenv("PROXY_LOGIN", "crawl:open-sesame")
	tiny := func(host, port string) []string {
		config := filepath.Join(t.TempDir(), "conf")
		text := fmt.Sprintf("Listen %s\nPort %s\nMaxClients 20\nBasicAuth crawl open-sesame\n", host, port)
		filetest.Write(t, config, text)
		return []string{"-d", "-c", config}
	}
	squid := func(host, port string) []string {
		dir := t.TempDir()
		config := filepath.Join(dir, "conf")
		text := fmt.Sprintf("http_port %s:%s\nhttp_access allow all\ncache deny all\naccess_log none\ncache_log %[3]s/log\n"+
			"pid_filename none\ncoredump_dir %[3]s\nvisible_hostname proxy.test\nshutdown_lifetime 0 seconds\n", host, port, dir)
		filetest.Write(t, config, text)
		return []string{"-N", "-f", config}
	}
	socks := func(host, port string) []string {
		return []string{"-i", host, "-p", port, "-u", "crawl", "-P", "open-sesame"}
	}
	for _, tt := range []struct {
		scheme, program string
		args            func(host, port string) []string
		proven          int
	}{
		{"http", "tinyproxy", tiny, cli.ExitNotShown},
		{"http", "squid", squid, cli.ExitNotShown},
		{"socks5h", "microsocks", socks, cli.ExitNotShown},
		{"socks5", "microsocks", socks, cli.ExitDone},
	} {
		t.Run(tt.scheme+" "+tt.program, func(t *testing.T) {
			site := webtest.New(t).Site(webtest.Pages{"/": {Body: "<a href=/a>"}, "/a": {Body: "x"}})
			proxy, dir := tt.scheme+"://"+startProxy(t, tt.program, tt.args), t.TempDir()
			code, out := runCommand(t.Context(), "crawl --allow-private --contact a@example.org --delay 1ms --delay-factor 0 --patience 1s"+
				" --proxy "+proxy+" --proxy-login env:PROXY_LOGIN --job "+dir+" "+site.URL)
			if code != cli.ExitDone || len(site.Hits()) != 3 {
				t.Fatalf("exit code %d, %d requests:\n%s", code, len(site.Hits()), out)
			}
			if code, out := runCommand(t.Context(), "explain --job "+dir+" "+site.URL+"/a"); code != 0 ||
				!strings.Contains(out, "by way of "+proxy) {
				t.Errorf("explain: exit code %d\n%s", code, out)
			}
			if code, out := runCommand(t.Context(), "verify --job "+dir); code != tt.proven {
				t.Errorf("verify: exit code %d, want %d\n%s", code, tt.proven, out)
			}
			err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(name)
				if strings.Contains(string(data), "open-sesame") || strings.Contains(string(data), "Y3Jhd2w6b3Blbi1zZXNhbWU") {
					t.Errorf("%s holds the password", name)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
