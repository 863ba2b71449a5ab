package fetch_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// selfSigned returns a certificate for an address, which vouches for itself as server and as client, and its two PEM files.
func selfSigned(t *testing.T, dir, address string) (cert tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		filetest.Write(t, name, pem.EncodeToMemory(block))
	}
	if cert, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		t.Fatal(err)
	}
	return cert, certFile, keyFile
}

// A real nginx that wants a certificate of ours and a password lets us in with both, and with nothing less.
func TestGet_RealMutualTLSAndBasic(t *testing.T) {
	dir, address := t.TempDir(), webtest.FreeAddress(t)
	cert, certFile, keyFile := selfSigned(t, dir, address)
	filetest.Write(t, filepath.Join(dir, "users"), "crawl:{PLAIN}open-sesame\n")
	if err := os.Mkdir(filepath.Join(dir, "www"), 0o755); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(dir, "www", "index.html"), "inside")
	os.Chmod(dir, 0o755)
	os.Chmod(filepath.Dir(dir), 0o755)
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f;
	uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server { listen %[2]s ssl http2; root %[1]s/www; ssl_certificate %[3]s; ssl_certificate_key %[4]s;
		ssl_client_certificate %[3]s; ssl_verify_client on; auth_basic in; auth_basic_user_file %[1]s/users; } }
`, dir, address, certFile, keyFile)
	filetest.Write(t, filepath.Join(dir, "nginx.conf"), config)
	run(t, address, "nginx", "-e", "stderr", "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	pool, url := x509.NewCertPool(), "https://"+address
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(leaf)
	basic := http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("crawl:open-sesame"))}}
	for _, wire := range []*fetch.WireOptions{nil, {}} {
		for _, test := range []struct {
			name   string
			access *fetch.Access
			status int
		}{
			{"both", &fetch.Access{Certificate: &cert, Header: basic}, 200},
			{"no password", &fetch.Access{Certificate: &cert}, 401},
			{"no certificate", &fetch.Access{Header: basic}, 400},
			{"nothing", nil, 400},
		} {
			c := fetch.New(fetch.Options{
				AllowPrivate: true, RootCAs: pool, Access: map[string]*fetch.Access{url: test.access}, Wire: wire,
			})
			r := get(t, c, url+"/")
			if r.Status != test.status || test.status == 200 && string(r.Body) != "inside" {
				t.Errorf("%s: %d %q, want %d", test.name, r.Status, r.Body, test.status)
			}
			if wire != nil && strings.Contains(string(r.Wire.Request()), basic.Get("Authorization")) {
				t.Errorf("the password is kept: %q", r.Wire.Request())
			}
			c.Close()
		}
	}
}

// What belongs to one origin goes to no other: not to another port or scheme, not to a host below it, not to the target of a
// redirect; and it is not kept.
func TestGet_AccessIsForOneOrigin(t *testing.T) {
	w := webtest.New(t)
	pages := webtest.Pages{"/": {Body: "in"}, "/shop/x": {}, "/shopping": {}}
	ours, others := w.Site(pages), []*webtest.Site{w.Site(pages), w.TLSSite(pages)}
	name := ours.Addr.Addr().String()
	access := &fetch.Access{
		Header:  http.Header{"Authorization": {"Bearer token-4711"}, "X-Team": {"crawl"}, "User-Agent": {"somebody else"}},
		Cookies: fetch.NewCookies(false),
	}
	access.Cookies.Add(name, &http.Cookie{Name: "all", Value: "secret-1", Path: "/"},
		&http.Cookie{Name: "shop", Value: "secret-2", Path: "/shop"},
		&http.Cookie{Name: "old", Value: "secret-4", Path: "/", Expires: time.Now().Add(-time.Hour)},
		&http.Cookie{Name: "other", Value: "secret-5", Domain: "other.test", Path: "/"})
	c := newClient(t, w, fetch.Options{
		UserAgent: "cybermapper/1", RootCAs: w.RootCAs(), Wire: &fetch.WireOptions{}, Access: map[string]*fetch.Access{ours.URL: access},
	})
	for path, cookies := range map[string]string{"/": "all=secret-1", "/shop/x": "shop=secret-2; all=secret-1", "/shopping": "all=secret-1"} {
		r := get(t, c, ours.URL+path)
		if kept := string(r.Wire.Request()); strings.Contains(kept, "secret-") || strings.Contains(kept, "token-") ||
			!strings.Contains(kept, "Authorization: (not kept)\r\n") || !strings.HasSuffix(kept, "\r\n\r\n") {
			t.Errorf("%s: kept %q", path, kept)
		}
		hits := ours.Hits()
		h := hits[len(hits)-1].Header
		if h.Get("Cookie") != cookies || h.Get("Authorization") != "Bearer token-4711" || h.Get("X-Team") != "crawl" ||
			h.Get("User-Agent") != "cybermapper/1" {
			t.Errorf("%s: sent %v, want the cookies %q", path, h, cookies)
		}
	}
	for _, s := range others {
		get(t, c, s.URL+"/")
		for _, h := range s.Hits() {
			if h.Header.Get("Cookie")+h.Header.Get("Authorization")+h.Header.Get("X-Team") != "" {
				t.Errorf("%s got %v", s.URL, h.Header)
			}
		}
	}
}

// Ensure that what a server sets goes back where it belongs, replaces what was there and does not pile up, and that it is forgotten
// without a word of the operator.
func TestGet_CookiesAreTakenWhereAsked(t *testing.T) {
	w := webtest.New(t)
	sets := func(cookies ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for _, c := range cookies {
				w.Header().Add("Set-Cookie", c)
			}
		}
	}
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf("c%d=1; Path=/many", i))
	}
	mux := http.NewServeMux()
	mux.Handle("/", sets())
	mux.Handle("/sign-in", sets(`session="a b"; Path=/`, "deep=1; Path=/deep", "foreign=1; Domain=other.test"))
	mux.Handle("/renew", sets("session=2; Path=/"))
	mux.Handle("/sign-out", sets("session=; Path=/; Max-Age=0"))
	mux.Handle("/many", sets(append(many, "large="+strings.Repeat("x", 5000))...))
	site := w.Site(mux)
	for _, take := range []bool{true, false} {
		cookies := fetch.NewCookies(take)
		cookies.Add(site.Addr.Addr().String(), &http.Cookie{Name: "session", Value: "0", Path: "/"})
		c := newClient(t, w, fetch.Options{Access: map[string]*fetch.Access{site.URL: {Cookies: cookies}}})
		if c.TakesCookies(site.URL) != take || c.TakesCookies("https://elsewhere.test") {
			t.Errorf("take %v: TakesCookies says otherwise", take)
		}
		for _, step := range []struct{ path, taken string }{
			{"/sign-in", "session=0"}, {"/", `session="a b"`}, {"/deep/x", `deep=1; session="a b"`}, {"/renew", `session="a b"`},
			{"/", "session=2"}, {"/sign-out", "session=2"}, {"/", ""}, {"/many", ""}, {"/many", "50"},
		} {
			get(t, c, site.URL+step.path)
			log := w.Log()
			sent, want := log[len(log)-1].Header.Get("Cookie"), step.taken
			switch {
			case !take:
				want = "session=0"
			case want == "50": // less those set before
				if n := strings.Count(sent, "="); n < 40 || n > 50 || strings.Contains(sent, "large") {
					t.Errorf("%d cookies are sent", n)
				}
				continue
			}
			if sent != want {
				t.Errorf("take %v, %s: sent %q, want %q", take, step.path, sent, want)
			}
		}
	}
}
