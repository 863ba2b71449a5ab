package block_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/block"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// order refuses a name and networks, and limits another name. It has more of them than the lines of some servers take.
var order = func() block.Order {
	o := block.Order{
		RefusedNames: []string{"Evil.Bot", "evil { } \"", "Mozilla"}, RefusedNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32"), netip.MustParsePrefix("2001:db8::/32")},
		LimitedNames: []string{"FastBot"}, LimitedNetworks: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")},
	}
	for i := range 800 {
		o.RefusedNames = append(o.RefusedNames, fmt.Sprintf("Crawler%03d-DeepResearch-of-the-Institute-for-Long-Names", i))
	}
	for i := range 200 {
		o.RefusedNetworks = append(o.RefusedNetworks, netip.MustParsePrefix(fmt.Sprintf("203.0.%d.0/24", i)))
	}
	return o
}()

func textFor(t *testing.T, server string) string {
	t.Helper()
	for _, b := range order.All() {
		if b.Server == server {
			return b.Text
		}
	}
	t.Fatalf("no block for %s", server)
	return ""
}

// find returns the path of a program; the test is skipped where it is not installed.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/sbin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// freePort returns a port at which nobody listens, and which no connection that goes out is given meanwhile.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// TestServers: each server refuses whom it should, limits whom it should, and leaves people alone, and robots.txt, also where
// another document answers for it.
func TestServers(t *testing.T) {
	for _, s := range []struct {
		server, program string
		limits          bool
		config          func(dir, text string, port int) string
		args            func(file string) []string
	}{
		{"nginx", "nginx", true, func(dir, text string, port int) string {
			http, server, _ := strings.Cut(text, "# in server {}\n")
			return fmt.Sprintf("daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/log;\nevents {}\nhttp { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%[2]s\nserver { listen 127.0.0.1:%[3]d; %[4]s location = /robots.txt { rewrite ^ /virtual; } location / { try_files /none @ok; } location @ok { return 200 ok; } } }\n", dir, http, port, server)
		}, func(file string) []string { return []string{"-c", file} }},
		{"Apache", "apache2", false, func(dir, text string, port int) string {
			if err := os.MkdirAll(dir+"/www", 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"index.html", "robots.txt", ".htpasswd"} {
				filetest.Write(t, dir+"/www/"+name, "ok")
			}
			modules := ""
			for _, m := range []string{"mpm_event", "authz_core", "authz_host", "setenvif", "dir", "rewrite"} {
				modules += fmt.Sprintf("LoadModule %s_module /usr/lib/apache2/modules/mod_%s.so\n", m, m)
			}
			return fmt.Sprintf("%sServerName localhost\nServerRoot %[2]s\nDefaultRuntimeDir %[2]s\nPidFile %[2]s/pid\nErrorLog %[2]s/log\nMutex file:%[2]s default\nUser nobody\nGroup nogroup\nListen 127.0.0.1:%[3]d\nDocumentRoot %[2]s/www\nDirectoryIndex index.html\n<Directory />\nAllowOverride None\n</Directory>\n<Directory %[2]s/www>\nRewriteEngine On\nRewriteRule ^robots\\.txt$ index.html\n</Directory>\n<Files \".ht*\">\nRequire all denied\n</Files>\n%[4]s", modules, dir, port, text)
		}, func(file string) []string { return []string{"-X", "-f", file} }},
		{"Caddy", "caddy", false, func(dir, text string, port int) string {
			return fmt.Sprintf("{\n admin off\n auto_https off\n storage file_system %s\n}\nhttp://127.0.0.1:%d {\n bind 127.0.0.1\n rewrite /robots.txt /virtual\n%s\n respond ok\n}\n", dir, port, text)
		}, func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} }},
		{"Caddy", "caddy", false, func(dir, text string, port int) string { // in each handle
			return fmt.Sprintf("{\n admin off\n auto_https off\n storage file_system %s\n}\nhttp://127.0.0.1:%d {\n bind 127.0.0.1\n handle /.htpasswd {\n%[3]s\n respond ok\n }\n"+
				" handle {\n%[3]s\n respond ok\n }\n}\n", dir, port, text)
		}, func(file string) []string { return []string{"run", "--adapter", "caddyfile", "--config", file} }},
		{"HAProxy", "haproxy", true, func(dir, text string, port int) string {
			return fmt.Sprintf("defaults\n mode http\n timeout client 5s\n timeout server 5s\n timeout connect 5s\nfrontend f\n bind 127.0.0.1:%d\n%s\n http-request return status 200 content-type text/plain string ok\n", port, text)
		}, func(file string) []string { return []string{"-db", "-f", file} }},
	} {
		t.Run(s.server, func(t *testing.T) {
			program, port, dir := find(t, s.program), freePort(t), t.TempDir()
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for d := dir; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
				// a server may run as somebody else
				_ = os.Chmod(d, 0o755)
			}
			file := filepath.Join(dir, "config")
			filetest.Write(t, file, s.config(dir, textFor(t, s.server), port))
			out, err := os.Create(filepath.Join(dir, "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd := exec.Command(program, s.args(file)...)
			cmd.Stdout, cmd.Stderr = out, out
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer stop(cmd)
			if !waitFor(port) {
				said, _ := os.ReadFile(dir + "/out")
				log, _ := os.ReadFile(dir + "/log")
				t.Fatalf("%s does not start: %s%s", program, said, log)
			}
			closed := http.StatusOK // what the site itself keeps closed, if it does
			if s.server == "Apache" {
				closed = http.StatusForbidden
			}
			refused := http.StatusForbidden
			if s.server == "HAProxy" { // to which that is no request
				refused = http.StatusBadRequest
			}
			for _, c := range []struct {
				from, agent, path string
				want              int
			}{
				{"127.0.0.1", "Mozilla/5.0 (X11) Firefox/140.0", "/", 200}, {"127.0.0.1", "Mozilla/5.0 (compatible; evil.bot/1.0)", "/", 403},
				{"127.0.0.1", "Mozilla/5.0 (compatible; evilxbot/1.0)", "/", 200}, {"127.0.0.1", "Evil.Bot/2", "/robots.txt", 200},
				{"127.0.0.1", "Mozilla/5.0 (X11) Firefox/140.0", "/.htpasswd", closed},
				{"127.0.0.9", "Mozilla/5.0 (X11) Firefox/140.0", "/", 403}, {"127.0.0.9", "Mozilla/5.0 (X11) Firefox/140.0", "/robots.txt", 200},
				{"127.0.0.9", "Mozilla/5.0 (X11) Firefox/140.0", "?/robots.txt?p=17", refused},
			} {
				if got := get(t, c.from, port, c.path, c.agent); got != c.want {
					t.Errorf("%s from %s for %s: %d, want %d", c.agent, c.from, c.path, got, c.want)
				}
			}
			if !s.limits {
				return
			}
			count := map[int]int{}
			for range 60 {
				count[get(t, "127.0.0.1", port, "/", "FastBot/1")]++
			}
			if got := get(t, "127.0.0.1", port, "/robots.txt", "FastBot/1"); got != 200 {
				t.Errorf("a fast robot got %d for robots.txt", got)
			}
			if count[200] < 2 || count[429] < 20 || get(t, "127.0.0.1", port, "/", "Firefox") != 200 {
				t.Errorf("a fast robot got %v", count)
			}
		})
	}
}

// stop ends a server with its children.
func stop(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	late.Stop()
}

func waitFor(port int) bool {
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// get returns the status that somebody gets. A query without a path goes out behind the host, as it does to a proxy.
func get(t *testing.T, from string, port int, path, agent string) int {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	req, err := http.NewRequest(http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(path, "?") {
		req.URL.Opaque = "//" + req.URL.Host + path
	}
	req.Header.Set("User-Agent", agent)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestFail2ban: the filter finds the lines of the robot, whatever quotes it sends, and no others; it bans no host that it names.
func TestFail2ban(t *testing.T) {
	program, dir := find(t, "fail2ban-regex"), t.TempDir()
	filter, _, _ := strings.Cut(textFor(t, "fail2ban"), "\n[refused-robots]")
	log := ""
	for i, agent := range []string{"Evil.Bot/1.0", "Mozilla/5.0 (compatible; evil.bot/2; +http://e.example/)", "Mozilla/5.0 Firefox/140.0", "evilxbot"} {
		log += fmt.Sprintf("192.0.2.%d - - [%s] \"GET /%d HTTP/1.1\" 200 5 \"-\" \"%s\"\n", i+1, time.Now().Format("02/Jan/2006:15:04:05 -0700"), i, agent)
	}
	for _, robotsTxt := range []string{"/robots.txt", "http://e.example/robots.txt?a"} { // the latter as Varnish has it
		log += fmt.Sprintf("192.0.2.9 - - [%s] \"GET %s HTTP/1.1\" 200 5 \"-\" \"Evil.Bot/1\"\n", time.Now().Format("02/Jan/2006:15:04:05 -0700"), robotsTxt)
	}
	for _, agent := range []string{`Evil.Bot/1`, `\"x\" Evil.Bot/1`, `x\" 200 5 \"-\" \"Firefox/140.0`} { // as Apache escapes them
		log += fmt.Sprintf(`192.0.2.10 - - [%s] "GET /?\"a\" HTTP/1.1" 200 5 "http://e.example/\"b\"" "%s"`+"\n", time.Now().Format("02/Jan/2006:15:04:05 -0700"), agent)
	}
	// The first is what the robot says is the host.
	log += fmt.Sprintf("localhost 192.0.2.11 - - [%s] \"GET / HTTP/1.1\" 200 5 \"-\" \"Evil.Bot/1\"\n", time.Now().Format("02/Jan/2006:15:04:05 -0700"))
	// Nor is an address the robot's that it says is the host.
	for _, client := range []string{"192.0.2.12 192.0.2.11", "2001:db8::12 2001:db8::11"} {
		log += fmt.Sprintf("%s - - [%s] \"GET / HTTP/1.1\" 200 5 \"-\" \"Evil.Bot/1\"\n", client, time.Now().Format("02/Jan/2006:15:04:05 -0700"))
	}
	// These are user names that robots send, and the host where lighttpd has it.
	for _, user := range []string{"- 2020-01-01 00:00:00", `- [01/Jan/2020:00:00:00 +0000] \"`, "de.example:8080 -"} {
		log += fmt.Sprintf("192.0.2.13 %s [%s] \"GET / HTTP/1.1\" 200 5 \"-\" \"Evil.Bot/1\"\n", user, time.Now().Format("02/Jan/2006:15:04:05 -0700"))
	}
	for name, text := range map[string]string{"filter.conf": filter, "access.log": log} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	out, err := exec.Command(program, "--verbose", "--print-no-missed", "--print-no-ignored", filepath.Join(dir, "access.log"), filepath.Join(dir, "filter.conf")).CombinedOutput()
	if !regexp.MustCompile(`Lines: 15 lines, 2 ignored, 7 matched, 6 missed`).Match(out) || bytes.Contains(out, []byte(" 00:00:00 2020")) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFail2ban_Journal: the jail reads the log also where the system says that jails read the journal, as Fedora does.
func TestFail2ban_Journal(t *testing.T) {
	program, dir := find(t, "fail2ban-client"), t.TempDir()
	filter, jail, _ := strings.Cut(textFor(t, "fail2ban"), "\n[refused-robots]")
	for name, text := range map[string]string{
		"fail2ban.conf": "[Definition]\n", "jail.conf": "[DEFAULT]\nbackend = systemd\nusedns = no\n", "access.log": "",
		"filter.d/refused-robots.conf": filter,
		"jail.d/refused-robots.conf":   strings.Replace("[refused-robots]"+jail, "/var/log/nginx/", dir+"/", 1),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, file, text)
	}
	out, err := exec.Command(program, "-c", dir, "-d").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(dir+"/access.log")) {
		t.Errorf("%v: the log is not read: %s", err, out)
	}
}

// TestNftables: the kernel, or at least nft, takes the set, and what comes over UDP is dropped like TCP.
func TestNftables(t *testing.T) {
	if n := strings.Count(textFor(t, "nftables"), "saddr @"); n != 2 || strings.Count(textFor(t, "nftables"), "{ tcp, udp } th dport") != n {
		t.Errorf("it has %d rules, or one for TCP alone", n)
	}
	program := find(t, "nft")
	file := filepath.Join(t.TempDir(), "refused.nft")
	filetest.Write(t, file, textFor(t, "nftables"))
	out, err := exec.Command(program, "-c", "-f", file).CombinedOutput()
	if err != nil && strings.Contains(string(out), "Operation not permitted") {
		t.Skipf("nft may not look here: %s", out)
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOrder_Names: what is no plain name is in no block, and an order for nobody has none.
func TestOrder_Names(t *testing.T) {
	if n := len((block.Order{}).All()); n != 0 {
		t.Errorf("%d blocks for nobody", n)
	}
	if n := len((block.Order{RefusedNames: []string{"a\n}", "x", "Mozilla", `"`}}).All()); n != 0 {
		t.Errorf("%d blocks for names that are none", n)
	}
	for _, b := range order.All() {
		if strings.Contains(b.Text, "evil {") || strings.Contains(b.Text, "Mozilla") {
			t.Errorf("%s: %s", b.Server, b.Text)
		}
	}
}

// TestCaddy_Where: Caddy answers in its blocks handle and route before it looks at what stands beside them.
func TestCaddy_Where(t *testing.T) {
	for _, b := range (block.Order{RefusedNames: []string{"evil.bot"}}).All() {
		if b.Server == "Caddy" && !strings.Contains(b.Where, "first in each") {
			t.Errorf("Caddy's is to be pasted %s", b.Where)
		}
	}
}
