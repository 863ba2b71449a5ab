package fetch_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

// Old servers are read as long as browsers read them; what is wrong with older ones is said.
func TestGet_OldServers(t *testing.T) {
	old := func(cipher uint16) *tls.Config {
		return &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{cipher}}
	}
	for _, test := range []struct {
		name string
		tls  *tls.Config
		said string // nothing: it is read
	}{
		{"a key that RSA transports", old(tls.TLS_RSA_WITH_AES_128_GCM_SHA256), ""},
		{"and CBC", old(tls.TLS_RSA_WITH_AES_256_CBC_SHA), ""},
		{"TLS 1.1", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "versions of TLS before 1.2 only"},
		{"3DES", old(tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA), "too old to have a cipher"},
	} {
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = test.tls
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		pool := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		c := fetch.New(fetch.Options{AllowPrivate: true, RootCAs: pool})
		if test.said == "" {
			get(t, c, server.URL)
		} else if e := getError(t, c, server.URL); e.Kind != fetch.KindTLS || !strings.Contains(e.Error(), test.said) {
			t.Errorf("%s: %v, want %q", test.name, e, test.said)
		}
		c.Close()
		server.Close()
	}
}
