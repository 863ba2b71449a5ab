package signature

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// Keys are the public keys of robots, by product token in lower case, and by key id: the thumbprint of the key (RFC 7638), and the
// kid that its set gives it.
type Keys map[string]map[string]ed25519.PublicKey

// ParseKeys reads keys from JSON: an object with a member for each product token, which is a set of keys (RFC 7517) as robots
// publish it at /.well-known/http-message-signatures-directory:
//
//	{"examplebot": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}}
//
// Keys of other kinds are passed over; a robot must have at least one of Ed25519 (RFC 8037).
func ParseKeys(data []byte) (Keys, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	k := Keys{}
	for token, raw := range file {
		ring, err := parseSet(raw)
		if err != nil {
			return nil, fmt.Errorf("keys of %q: %w", token, err)
		}
		if len(ring) == 0 {
			return nil, fmt.Errorf("keys of %q: there is no Ed25519 key", token)
		}
		k[strings.ToLower(token)] = ring
	}
	return k, nil
}

// parseSet reads the keys of one robot.
func parseSet(raw json.RawMessage) (map[string]ed25519.PublicKey, error) {
	var set struct {
		Keys []struct {
			Kty string `json:"kty"`
			Crv string `json:"crv"`
			X   string `json:"x"`
			Kid string `json:"kid"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("not a set of keys: %w", err)
	}
	ring := map[string]ed25519.PublicKey{}
	for i, jwk := range set.Keys {
		if jwk.Kty != "OKP" || jwk.Crv != "Ed25519" {
			continue
		}
		x, err := base64.RawURLEncoding.DecodeString(jwk.X)
		if err != nil || len(x) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("key %d: x is not %d bytes in base64url", i+1, ed25519.PublicKeySize)
		}
		ring[Thumbprint(x)] = x
		if jwk.Kid != "" {
			ring[jwk.Kid] = x
		}
	}
	return ring, nil
}

// Thumbprint returns the thumbprint of a key (RFC 7638, RFC 8037 section 2), by which Web Bot Auth names it.
func Thumbprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + base64.RawURLEncoding.EncodeToString(key) + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
