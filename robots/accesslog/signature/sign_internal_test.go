package signature

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// vectorKey is the key test-key-ed25519 of RFC 9421 appendix B.1.4.
func vectorKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString("MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF")
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		t.Fatal(err)
	}
	return key.(ed25519.PrivateKey)
}

func signerOf(key ed25519.PrivateKey, agent string) *Signer {
	return &Signer{
		Key: key.Public().(ed25519.PublicKey), Agent: agent, Life: time.Hour,
		Sign: func(m []byte) []byte { return ed25519.Sign(key, m) },
	}
}

// What is signed is to the byte what draft-meunier-web-bot-auth-architecture-05 has in appendix A.2.3.
func TestSigner_Draft_A_2_3(t *testing.T) {
	s := signerOf(vectorKey(t), "https://signature-agent.test")
	const nonce = "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg=="
	h := s.fields("example.com", time.Unix(1735689600, 0), nonce)
	for name, want := range map[string]string{
		"Signature-Agent": `"https://signature-agent.test"`,
		"Signature-Input": `sig2=("@authority" "signature-agent");created=1735689600;` +
			`keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="` + nonce + `";tag="web-bot-auth"`,
		"Signature": "sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s\n got %s\nwant %s", name, got, want)
		}
	}
}

// Whatever is signed is confirmed by whoever has the directory, for that host and time and no other, and no nonce comes twice.
func TestSigner_IsConfirmed(t *testing.T) {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	nonces := map[string]bool{}
	for _, agent := range []string{"", "https://robot.example"} {
		s := signerOf(private, agent)
		keys, err := ParseKeys(fmt.Appendf(nil, `{"bot": %s}`, FormatKeys(s.Key)))
		if err != nil {
			t.Fatal(err)
		}
		c := Checker{Keys: keys}
		for _, authority := range []string{"a.example", "A.example:8080", "[::1]:80"} {
			request := func(h http.Header, authority string, at time.Time) *Request {
				r := &Request{Time: at, Method: "GET", Authority: authority, Target: "/", AuthorityAsSent: true, TargetAsSent: true,
					Header: map[string][]string{}}
				for name, values := range h {
					r.Header[strings.ToLower(name)] = values
				}
				return r
			}
			h := s.Fields(authority, now)
			if nonces[h.Get("Signature-Input")] {
				t.Error("a nonce came twice")
			}
			nonces[h.Get("Signature-Input")] = true
			if got := c.Check("bot", request(h, authority, now)); got.Verdict != Confirmed {
				t.Errorf("%s: %+v", authority, got)
			}
			if got := c.Check("bot", request(h, "b.example", now)); got.Verdict != Disproved {
				t.Errorf("for another host: %+v", got)
			}
			if got := c.Check("bot", request(h, authority, now.Add(2*time.Hour))); got.Why != OutOfTime {
				t.Errorf("two hours later: %+v", got)
			}
		}
	}
}
