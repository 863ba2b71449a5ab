package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A webServer is a real server with a site of ten pages, one of which robots.txt closes, and a log of its own.
type webServer struct {
	name   string
	site   string // host and port
	log    string // file
	config func(root, addr, log string) string
	args   func(root, config string) []string
}

// webServers are those that Debian has.
func webServers() []*webServer {
	return []*webServer{
		{
			name: "nginx",
			config: func(root, addr, log string) string {
				return fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http { access_log %[3]s combined; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c;
uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
server { listen %[2]s; root %[1]s/site; } }
`, root, addr, log)
			},
			args: func(root, config string) []string {
				return []string{"-p", root, "-c", config, "-e", root + "/error.log"}
			},
		},
		{
			name: "apache2",
			config: func(root, addr, log string) string {
				return fmt.Sprintf(`ServerRoot %[1]s
ServerName localhost
PidFile %[1]s/pid
ErrorLog %[1]s/error.log
Mutex file:%[1]s
Listen %[2]s
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
DirectoryIndex index.html
User nobody
Group nogroup
LogFormat "%%h %%l %%u %%t \"%%r\" %%>s %%O \"%%{Referer}i\" \"%%{User-Agent}i\"" combined
CustomLog %[3]s combined
DocumentRoot %[1]s/site
<Directory %[1]s/site>
Require all granted
</Directory>
`, root, addr, log)
			},
			args: func(_, config string) []string { return []string{"-X", "-f", config} },
		},
	}
}

// start serves the site until the test ends.
func (s *webServer) start(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath(s.name)
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/" + s.name)
	}
	if err != nil {
		t.Skipf("there is no %s (apt-get install %s)", s.name, s.name)
	}
	s.site = webtest.FreeAddress(t)
	root, err := os.MkdirTemp("", "cybermapper-"+s.name) // that others may read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	s.log = filepath.Join(root, "access.log")
	write := func(name, text string) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, file, text)
	}
	var links strings.Builder
	for i := range 10 {
		fmt.Fprintf(&links, `<a href="/page%d.html?a=b%%20c&amp;d=%d">%d</a> `, i, i, i)
		write(fmt.Sprintf("site/page%d.html", i), fmt.Sprintf("<title>%d</title>page %d", i, i))
	}
	write("site/index.html", links.String()+`<a href="/missing.html">m</a> <a href="/closed/x.html">x</a> <a href="/caf%C3%A9.html">c</a>`)
	write("site/robots.txt", "User-agent: *\nDisallow: /closed/\n")
	write("site/closed/x.html", "closed")
	write("conf", s.config(root, s.site, s.log))
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, s.args(root, filepath.Join(root, "conf"))...)
	var said bytes.Buffer
	cmd.Stderr, cmd.Stdout = &said, &said
	mustStart(t, cmd)
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 200 {
		if c, err := net.Dial("tcp", s.site); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	errors, _ := os.ReadFile(filepath.Join(root, "error.log"))
	t.Skipf("%s does not start here: %s%s", s.name, &said, errors)
}

// visitAs asks for a page as another visitor.
func (s *webServer) visitAs(t *testing.T, agent, path string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.site+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", agent)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// self runs this program and returns what it printed.
func self(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := process(t, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		t.Fatalf("cybermapper %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return out
}

// TestVerify_AgainstLogsOfRealServers holds a real crawl against the logs that nginx and Apache write of it, and against what may
// become of these logs.
func TestVerify_AgainstLogsOfRealServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers of others")
	}
	for _, s := range webServers() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.start(t)
			job := filepath.Join(t.TempDir(), "job")
			s.visitAs(t, "Mozilla/5.0 (X11)", "/")
			self(t, "crawl", "--quiet", "--allow-private", "--delay", "20ms", "--delay-factor", "0", "--job", job, "http://"+s.site+"/")
			s.visitAs(t, "Mozilla/5.0 (X11)", "/closed/x.html")
			time.Sleep(200 * time.Millisecond) // the log is written behind the answer
			data := mustRead(t, s.log)
			lines := strings.SplitAfter(strings.TrimSpace(data)+"\n", "\n")
			lines = lines[:len(lines)-1]
			var ours []int
			for i, l := range lines {
				if strings.Contains(l, "cybermapper") {
					ours = append(ours, i)
				}
			}
			if len(ours) < 14 {
				t.Fatalf("the log has %d lines of ours: %s", len(ours), data)
			}
			bundle := filepath.Join(t.TempDir(), "out.zip")
			self(t, "verify", "--job", job, "--host", s.site, "--bundle", bundle)
			for _, from := range [][]string{{"--job", job, "--host", s.site}, {bundle}} {
				judgeLogs(t, from, lines, ours)
			}
		})
	}
}

// judgeLogs lets verify judge a log, and what may become of it.
func judgeLogs(t *testing.T, from []string, lines []string, ours []int) {
	t.Helper()
	stamp := regexp.MustCompile(`\[([^\]]+)\]`)
	moved := func(by time.Duration) []string {
		out := slices.Clone(lines)
		for i, l := range out {
			at, err := time.Parse("02/Jan/2006:15:04:05 -0700", stamp.FindStringSubmatch(l)[1])
			if err != nil {
				t.Fatal(err)
			}
			out[i] = stamp.ReplaceAllString(l, "["+at.Add(by).Format("02/Jan/2006:15:04:05 -0700")+"]")
		}
		return out
	}
	middle := ours[len(ours)/2]
	for _, tt := range []struct {
		name, what string
		lines      []string
		want       verify.Verdict
	}{
		{"as it is", fmt.Sprintf("%d of them with our name; %d are among", len(ours), len(ours)), lines, verify.Proven},
		{"40 s ahead", "the clock of the server was 40s ahead", moved(40 * time.Second), verify.Proven},
		{"an hour behind", "the clock of the server was 1h0m0s behind", moved(-time.Hour), verify.NotShown},
		{"put away to its middle", "from before the log begins", lines[middle:], verify.Proven},
		{"a line removed", "is not in the log", slices.Delete(slices.Clone(lines), middle, middle+1), verify.NotShown},
		{
			"a line added", "/closed/x.html", slices.Insert(slices.Clone(lines), middle, strings.Replace(lines[middle], "GET /", "GET /closed/x.html?", 1)),
			verify.Refuted,
		},
	} {
		file := filepath.Join(t.TempDir(), "access.log")
		filetest.Write(t, file, strings.Join(tt.lines, ""))
		out := self(t, append(append([]string{"verify"}, from...), "--access-log", file, "--json")...)
		var c verify.Certificate
		if err := json.Unmarshal(out, &c); err != nil {
			t.Fatal(err)
		}
		got := verify.Proven
		for _, p := range c.Log.Promises {
			got = got.Worse(p.Verdict)
		}
		text, _ := json.Marshal(c.Log)
		if got != tt.want || !strings.Contains(string(text), tt.what) {
			t.Errorf("%v, a log %s: %s, want %s and %q:\n%s", from, tt.name, got, tt.want, tt.what, text)
		}
	}
}
