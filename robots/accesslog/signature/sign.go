package signature

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Directory is where a robot publishes its keys, below the URL that Signature-Agent names.
const Directory = "/.well-known/http-message-signatures-directory"

// A Signer signs requests as a robot does (draft-meunier-web-bot-auth-architecture-05). It is safe for concurrent use if Sign is.
type Signer struct {
	Key   ed25519.PublicKey
	Sign  func(message []byte) []byte // with the secret part of Key
	Agent string                      // URL below which the directory of keys is: "https://robot.example"; "" says nothing of it
	Life  time.Duration               // how long a signature is valid; default 5m
}

// Fields returns what a request to an authority, the host with its port if it is not the usual one, carries from now on: each call
// has a nonce of its own.
func (s *Signer) Fields(authority string, now time.Time) http.Header {
	var nonce [64]byte
	rand.Read(nonce[:])
	return s.fields(authority, now, base64.StdEncoding.EncodeToString(nonce[:]))
}

func (s *Signer) fields(authority string, now time.Time, nonce string) http.Header {
	life := cmp.Or(max(s.Life, 0), 5*time.Minute)
	h := http.Header{}
	covered, base := `"@authority"`, `"@authority": `+strings.ToLower(authority)+"\n"
	if s.Agent != "" {
		h.Set("Signature-Agent", `"`+s.Agent+`"`)
		covered, base = covered+` "signature-agent"`, base+`"signature-agent": "`+s.Agent+"\"\n"
	}
	params := fmt.Sprintf(`(%s);created=%d;keyid="%s";alg="ed25519";expires=%d;nonce="%s";tag="web-bot-auth"`,
		covered, now.Unix(), Thumbprint(s.Key), now.Add(life).Unix(), nonce)
	h.Set("Signature-Input", "sig2="+params)
	signature := s.Sign([]byte(base + `"@signature-params": ` + params))
	h.Set("Signature", "sig2=:"+base64.StdEncoding.EncodeToString(signature)+":")
	return h
}

// FormatKeys returns the set of keys that a robot publishes at [Directory], as application/http-message-signatures-directory+json.
func FormatKeys(keys ...ed25519.PublicKey) []byte {
	type jwk struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		Kid string `json:"kid"`
		X   string `json:"x"`
		Use string `json:"use"`
	}
	set := struct {
		Keys []jwk `json:"keys"`
	}{Keys: []jwk{}}
	for _, k := range keys {
		set.Keys = append(set.Keys, jwk{"OKP", "Ed25519", Thumbprint(k), base64.RawURLEncoding.EncodeToString(k), "sig"})
	}
	text, err := json.MarshalIndent(set, "", "  ")
	if err != nil {
		panic(err) // strings can be written
	}
	return append(text, '\n')
}
