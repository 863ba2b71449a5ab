package accesslog_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestHAProxy: what the program itself logs is read as it was sent.
func TestHAProxy(t *testing.T) {
	program, err := exec.LookPath("haproxy")
	if err != nil {
		t.Skip("haproxy is not installed")
	}
	syslog, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer syslog.Close()
	for _, option := range []string{"httplog", "httplog clf"} {
		t.Run(option, func(t *testing.T) {
			port := freePort(t)
			config := filepath.Join(t.TempDir(), "config")
			text := fmt.Sprintf("global\n log %s local0\ndefaults\n mode http\n timeout client 5s\n timeout server 5s\n timeout connect 5s\n log global\n"+
				"frontend f\n bind 127.0.0.1:%d\n option %s\n capture request header Host len 64\n capture request header Accept len 64\n"+
				" capture request header User-Agent len 256\n capture request header Referer len 256\n"+
				" http-request return status 200 content-type text/plain string hello\n", syslog.LocalAddr(), port, option)
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(program, "-db", "-f", config)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			for i, c := range []struct{ target, agent, referrer string }{
				{`/a?b="c"`, `GPTBot/1.2 ({x|y}; +https://openai.com/gptbot)`, "https://e.example/"}, {"/robots.txt", "Mozilla/5.0 (X11)", ""},
			} {
				req := &http.Request{Method: "GET", Host: "E.example", Header: http.Header{"User-Agent": {c.agent}, "Accept": {"*/*"}}}
				if c.referrer != "" {
					req.Header.Set("Referer", c.referrer)
				}
				send(t, port, req, c.target)
				e := logged(t, syslog)
				if string(e.Target) != c.target || string(e.Agent) != c.agent || string(e.Referrer) != c.referrer || string(e.Client) != "127.0.0.1" ||
					string(e.Host) != "e.example" || e.Status != 200 || time.Since(e.Time).Abs() > 26*time.Hour {
					t.Errorf("request %d is read as %+v, target %s, agent %s, host %s", i, e, e.Target, e.Agent, e.Host)
				}
			}
		})
	}
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

// send sends a request whose target is written as it is, when the server is there.
func send(t *testing.T, port int, req *http.Request, target string) {
	t.Helper()
	var conn net.Conn
	var err error
	for range 100 {
		if conn, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", req.Method, target, req.Host)
	_ = req.Header.Write(&head)
	if _, err := conn.Write([]byte(head.String() + "\r\n")); err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Read(make([]byte, 4096))
}

// logged returns the request in the next line that a server sent to syslog; other lines say that it begins and ends.
func logged(t *testing.T, syslog net.PacketConn) *accesslog.Entry {
	t.Helper()
	packet := make([]byte, 65536)
	for range 20 {
		_ = syslog.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, _, err := syslog.ReadFrom(packet)
		if err != nil {
			t.Fatal(err)
		}
		var p accesslog.Parser
		e := &accesslog.Entry{}
		if err := p.Parse(packet[:n], e); err == nil {
			return e
		}
		t.Logf("no request: %s", packet[:n])
	}
	t.Fatal("no request is logged")
	return nil
}

// TestReader_AbsoluteTargets: a log all targets of which name a host is of a server that writes them so. If one names none, or only
// few name one, that is what clients sent; so it is where the host of the log is known. How much can be read ahead does not matter.
func TestReader_AbsoluteTargets(t *testing.T) {
	const format = `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET %s HTTP/1.1" 200 5 "-" "GPTBot/1.2"` + "\n"
	for _, c := range []struct {
		name, first, host, want string
		lines                   int
	}{
		{"all", "http://a.example/0", "", "a.example  b.example ", 60},
		{"all, after a request for no page", "*", "", "a.example  b.example ", 60},
		{"all but one", "/0", "", " a.example  b.example", 60},
		{"few", "http://a.example/0", "", " a.example  b.example", 10},
		{"the host is known", "http://a.example/0", "e.example", "e.example a.example e.example b.example", 60},
	} {
		in := fmt.Sprintf(format, c.first)
		for i := range c.lines {
			in += fmt.Sprintf(format, fmt.Sprintf("http://%c.example/%d", 'a'+i%2, i))
		}
		for how, from := range map[string]io.Reader{
			"at once": strings.NewReader(in), "as it is written": iotest.OneByteReader(strings.NewReader(in)),
		} {
			log := accesslog.NewReader(from, accesslog.Auto)
			log.Host(c.host)
			var got []string
			for log.Next() {
				e := log.Entry()
				got = append(got, string(e.Host)+" "+string(e.Authority))
			}
			if last := strings.Join(got[len(got)-2:], " "); len(got) != c.lines+1 || last != c.want {
				t.Errorf("%s, %s: %d lines, the last with %q, want %q", c.name, how, len(got), last, c.want)
			}
		}
	}
}
