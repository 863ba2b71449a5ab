package accesslog_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A webServer is one that is run to see what it logs.
type webServer struct {
	name, program string
	config        string // %[1]s is its directory, %[2]d its port
	args          []string
	hasTaken      bool // the log has response times
}

var webServers = []webServer{
	{
		name: "nginx combined", program: "nginx", args: []string{"-c"},
		config: "daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/errors;\nevents {}\nhttp { client_body_temp_path %[1]s/a; " +
			"proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n" +
			"access_log %[1]s/log combined;\nserver { listen 127.0.0.1:%[2]d; location / { return 200 hello; } } }\n",
	},
	{
		name: "nginx JSON", program: "nginx", args: []string{"-c"}, hasTaken: true,
		config: "daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/errors;\nevents {}\nhttp { client_body_temp_path %[1]s/a; " +
			"proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n" +
			`log_format json escape=json '{"time":"$time_iso8601","remote_addr":"$remote_addr","host":"$http_host",` +
			`"request":"$request","status":$status,"bytes":$body_bytes_sent,"referer":"$http_referer","agent":"$http_user_agent",` +
			`"request_time":$request_time}';` + "\naccess_log %[1]s/log json;\n" +
			"server { listen 127.0.0.1:%[2]d; location / { return 200 hello; } } }\n",
	},
	{
		name: "Apache vhost_combined", program: "apache2", args: []string{"-X", "-f"}, hasTaken: true,
		config: "LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so\n" +
			"LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so\n" +
			"LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so\n" +
			"ServerName e.example\nUseCanonicalName Off\nServerRoot %[1]s\nDefaultRuntimeDir %[1]s\nPidFile %[1]s/pid\nErrorLog %[1]s/errors\n" +
			"Mutex file:%[1]s default\nUser nobody\nGroup nogroup\nListen 127.0.0.1:%[2]d\nDocumentRoot %[1]s\nRedirectMatch 410 .\n" +
			`LogFormat "%%V:%%p %%h %%l %%u %%t \"%%r\" %%>s %%O \"%%{Referer}i\" \"%%{User-Agent}i\" %%D" timed` +
			"\nCustomLog %[1]s/log timed\n",
	},
	{
		name: "Caddy", program: "caddy", args: []string{"run", "--adapter", "caddyfile", "--config"}, hasTaken: true,
		config: "{\n admin off\n auto_https off\n storage file_system %[1]s\n}\nhttp://:%[2]d {\n bind 127.0.0.1\n log {\n  output file %[1]s/log\n }\n" +
			" respond hello\n}\n",
	},
	{
		name: "Caddy console", program: "caddy", args: []string{"run", "--adapter", "caddyfile", "--config"}, hasTaken: true,
		config: "{\n admin off\n auto_https off\n storage file_system %[1]s\n}\nhttp://:%[2]d {\n bind 127.0.0.1\n log {\n  output file %[1]s/log\n" +
			"  format console\n }\n respond hello\n}\n",
	},
}

// TestWebServers: what the servers themselves log is read as it was sent, names that are to break the line too.
func TestWebServers(t *testing.T) {
	for _, s := range webServers {
		t.Run(s.name, func(t *testing.T) {
			log, port := s.start(t)
			for i, c := range []struct{ target, agent, referrer string }{
				{`/a?b="c"\d`, `GPTBot/1.2 ("x" \y; +https://openai.com/gptbot)`, "https://e.example/"}, {"/robots.txt", "Mozilla/5.0 (X11)", ""},
				{"/%C3%A4/ä", "Änderungs\u202eBot/1 \tx", ""},
			} {
				req := &http.Request{Method: "GET", Host: fmt.Sprint("E.example:", port), Header: http.Header{"User-Agent": {c.agent}}}
				if c.referrer != "" {
					req.Header.Set("Referer", c.referrer)
				}
				send(t, port, req, c.target)
				e := log.next(t)
				if string(e.Target) != c.target || string(e.Agent) != c.agent || string(e.Referrer) != c.referrer || string(e.Client) != "127.0.0.1" ||
					e.Status != 200 && e.Status != 410 || time.Since(e.Time).Abs() > time.Minute || e.Taken >= 0 != s.hasTaken || e.Taken > time.Minute {
					t.Errorf("request %d is read as %+v\ntarget %s, agent %q, referrer %s", i, e, e.Target, e.Agent, e.Referrer)
				}
				if host := string(e.Host); host != "" && !strings.HasPrefix(host, "e.example") || host == "" && s.name != "nginx combined" {
					t.Errorf("request %d is of the host %q", i, host)
				}
			}
		})
	}
}

// start starts a server that runs until the test ends.
func (s webServer) start(t *testing.T) (log *growingLog, port int) {
	t.Helper()
	program := ""
	for _, dir := range []string{"", "/usr/sbin/"} {
		if path, err := exec.LookPath(dir + s.program); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skipf("%s is not installed", s.program)
	}
	dir, port := t.TempDir(), freePort(t)
	for d := dir; strings.HasPrefix(d, os.TempDir()) && d != os.TempDir(); d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755) // a server may run as somebody else
	}
	config := filepath.Join(dir, "config")
	filetest.Write(t, config, fmt.Sprintf(s.config, dir, port))
	cmd := exec.Command(program, append(s.args, config)...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &growingLog{name: filepath.Join(dir, "log")}, port
}

// A growingLog is a file that a server writes.
type growingLog struct {
	name string
	read int
}

// next returns the request in the next line.
func (l *growingLog) next(t *testing.T) *accesslog.Entry {
	t.Helper()
	for range 200 {
		body, _ := os.ReadFile(l.name)
		if line, _, whole := strings.Cut(string(body[min(l.read, len(body)):]), "\n"); whole {
			l.read += len(line) + 1
			e := &accesslog.Entry{}
			if err := new(accesslog.Parser).Parse([]byte(line), e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			return e
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("no request is logged")
	return nil
}
