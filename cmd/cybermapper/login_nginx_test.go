package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// loginConfig is of two servers: one that lets nobody in without a certificate, a password and, below /members/, the cookie that it
// gives; and one that notes what it is sent. Both note whether they were sent a certificate.
const loginConfig = `daemon off; master_process off; pid ROOT/pid; error_log ROOT/error.log;
events {}
http {
	log_format sent '$host $request_uri $status from=$remote_addr auth=$http_authorization cookie=$http_cookie key=$http_x_key '
		'certificate=$ssl_client_s_dn referer=$http_referer';
	access_log ROOT/sent.log sent;
	client_body_temp_path ROOT/t1; proxy_temp_path ROOT/t2; fastcgi_temp_path ROOT/t3; uwsgi_temp_path ROOT/t4; scgi_temp_path ROOT/t5;
	ssl_certificate ROOT/server.pem; ssl_certificate_key ROOT/server.pem; ssl_client_certificate ROOT/ca.pem;
	default_type text/html;
	server {
		listen HOST:PORT ssl; server_name intranet.test; ssl_verify_client on;
		auth_basic intranet; auth_basic_user_file ROOT/users;
		location = /robots.txt { return 200 "User-agent: *\nDisallow: /closed/\n"; default_type text/plain; }
		location = /login { auth_basic off; add_header Set-Cookie "session=sesame-cookie; Path=/members/; Secure; HttpOnly"; return 200 in; }
		location = / { root ROOT/site; try_files /index.html =404; }
		location = /away { return 302 https://other.test:PORT/landing; }
		location /members/ { root ROOT/site; if ($cookie_session != "sesame-cookie") { return 403; } }
	}
	server {
		listen HOST:PORT ssl; server_name other.test; ssl_verify_client optional;
		location = /robots.txt { return 404; }
		location / { return 200 "<title>$request_uri</title>"; }
	}
}
`

// An authority vouches for what is in a folder.
type authority struct {
	t    *testing.T
	root string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// issue writes NAME.pem, a certificate with its key; the first one is that of the authority itself.
func (a *authority) issue(name string, hosts ...string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	if a.cert == nil {
		c.IsCA, c.KeyUsage, c.ExtKeyUsage = true, x509.KeyUsageCertSign, nil
		a.cert, a.key = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	secret, kerr := x509.MarshalPKCS8PrivateKey(key)
	if err != nil || kerr != nil {
		a.t.Fatal(err, kerr)
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	if err := os.WriteFile(filepath.Join(a.root, name+".pem"), text, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// TestCrawl_IntoWhatIsClosed: a real nginx lets the crawl in with a certificate, a password and the cookie that curl got, and
// without any of them it does not. None of it is sent elsewhere, or kept anywhere.
func TestCrawl_IntoWhatIsClosed(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		nginx, err = exec.LookPath("/usr/sbin/nginx")
	}
	curl, cerr := exec.LookPath("curl")
	if err != nil || cerr != nil {
		t.Skip("nginx or curl is not installed")
	}
	const password, key, cookie = "open-sesame", "key-4711", "sesame-cookie"
	root := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, name, text)
		return name
	}
	a := &authority{t: t, root: root}
	a.issue("ca")
	a.issue("server", "intranet.test", "other.test")
	a.issue("crawler")
	host, port, _ := net.SplitHostPort(webtest.FreeAddress(t))
	intranet, other := "https://intranet.test:"+port, "https://other.test:"+port
	write("users", "crawl:{PLAIN}"+password+"\n")
	write("site/index.html", "<a href=/members/>m</a> <a href=/away>a</a> <a href="+other+"/direct>d</a>")
	write("site/members/index.html", "<title>Members</title><a href=/closed/x>x</a>")
	config := write("conf", strings.NewReplacer("ROOT", root, "HOST", host, "PORT", port).Replace(loginConfig))
	server := exec.Command(nginx, "-c", config)
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	address := net.JoinHostPort(host, port)
	for i := 0; ; i++ {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		if i > 100 {
			t.Fatalf("nginx does not listen: %s", &said)
		}
		time.Sleep(50 * time.Millisecond)
	}
	jar, pem := filepath.Join(root, "jar.txt"), filepath.Join(root, "crawler.pem")
	if out, err := exec.Command(curl, "-sS", "--cacert", filepath.Join(root, "ca.pem"), "--cert", pem, "--resolve", "intranet.test:"+
		port+":"+host, "--cookie-jar", jar, "--write-out", "%{http_code}", intranet+"/login").CombinedOutput(); err != nil {
		t.Fatalf("curl: %v: %s", err, out)
	}
	for range 100 { // nginx writes its log after it has answered
		if logged, err := os.ReadFile(filepath.Join(root, "sent.log")); err == nil && len(logged) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Setenv("LOGIN", "crawl:"+password)
	t.Setenv("KEY", key)
	whole := fmt.Sprintf("basic: env:LOGIN, cookies: %s, certificate: %s, headers: ['X-Key: env:KEY']", jar, pem)
	for name, tt := range map[string]struct {
		access string
		pages  string
	}{
		"all":            {whole, "/ /direct /landing /members/"},
		"no cookie":      {strings.Replace(whole, "cookies: "+jar+", ", "", 1), "/ /direct /landing"},
		"no password":    {strings.Replace(whole, "basic: env:LOGIN, ", "", 1), "/seed"},
		"no certificate": {strings.Replace(whole, "certificate: "+pem+", ", "", 1), "/seed"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.Truncate(filepath.Join(root, "sent.log"), 0); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "job")
			settings := filepath.Join(t.TempDir(), "config.yaml")
			text := fmt.Sprintf("hosts:\n  %q: {%s}\nfetch:\n  resolve: [%q, %q]\n", "intranet.test:"+port, tt.access,
				"intranet.test:"+address[strings.LastIndex(address, ":")+1:]+":"+host, "other.test:"+port+":"+host)
			filetest.Write(t, settings, text)
			code, out := runCommand(t.Context(), "crawl --config "+settings+" --allow-private --contact a@example.org --delay 1ms "+
				"--delay-factor 0 --scope any --warc --log-level debug --bind 127.0.0.7 --patience 1s --ca "+filepath.Join(root, "ca.pem")+
				" --job "+dir+" "+intranet+"/ "+other+"/seed")
			sent := mustRead(t, filepath.Join(root, "sent.log"))
			fetched := []string{}
			for line := range strings.Lines(sent) {
				f := strings.Fields(line)
				if f[2] == "200" && f[1] != "/robots.txt" {
					fetched = append(fetched, f[1])
				}
				referer := strings.TrimPrefix(f[len(f)-1], "referer=")
				if f[0] != "intranet.test" && (!strings.Contains(line, " auth=- cookie=- key=- certificate=- referer=") ||
					referer != "-" && referer != intranet+"/") {
					t.Errorf("another origin was sent %s", line)
				}
				if f[3] != "from=127.0.0.7" {
					t.Errorf("it does not come from the address of --bind: %s", line)
				}
				if strings.Contains(line, "/closed/") {
					t.Errorf("%s", line)
				}
			}
			for _, page := range strings.Fields(tt.pages) {
				if !strings.Contains(" "+strings.Join(fetched, " ")+" ", " "+page+" ") {
					t.Errorf("%s was not had; exit code %d\n%s\n%s", page, code, sent, out)
				}
			}
			if tt.pages != "/ /direct /landing /members/" && strings.Contains(strings.Join(fetched, " "), "/members/") {
				t.Errorf("nginx let it in:\n%s", sent)
			}
			secrets := []string{password, "Y3Jhd2w6b3Blbi1zZXNhbWU", key, cookie}
			for _, secret := range secrets {
				if strings.Contains(out, secret) {
					t.Errorf("%q is printed", secret)
				}
			}
			grepJob(t, dir, secrets)
		})
	}
}

// grepJob looks for secrets in what a job holds, packed or not.
func grepJob(t *testing.T, dir string, secrets []string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(name)
		if r, zerr := gzip.NewReader(bytes.NewReader(data)); zerr == nil {
			more, _ := io.ReadAll(r)
			data = append(data, more...)
		}
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files in the job: %v", files, err)
	}
}
