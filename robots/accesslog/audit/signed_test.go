package audit_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
)

// A signedLog writes a log of Caddy's, whose requests may be signed.
type signedLog struct {
	b   strings.Builder
	n   int64
	key ed25519.PrivateKey
}

// at writes a request; host is what was signed, empty for none, and cover what else.
func (w *signedLog) at(seconds int, client, agent, host string, cover ...string) int64 {
	const sent = "a.example"
	when := start.Add(time.Duration(seconds) * time.Second)
	header := map[string][]string{"User-Agent": {agent}, "Cookie": {"REDACTED"}}
	if host != "" {
		ids := `"@authority" "user-agent"` + strings.Join(append([]string{""}, cover...), " ")
		params := fmt.Sprintf(`(%s);created=%d;expires=%d;keyid="%s";tag="web-bot-auth"`, ids, when.Unix()-5, when.Unix()+60,
			signature.Thumbprint(w.key.Public().(ed25519.PublicKey)))
		base := fmt.Sprintf("\"@authority\": %s\n\"user-agent\": %s\n\"@signature-params\": %s", host, agent, params)
		header["Signature-Input"] = []string{"s=" + params}
		header["Signature"] = []string{"s=:" + base64.StdEncoding.EncodeToString(ed25519.Sign(w.key, []byte(base))) + ":"}
	}
	line, err := json.Marshal(map[string]any{
		"ts": float64(when.UnixMilli()) / 1000, "status": 200, "size": 10, "duration": 0.01,
		"request": map[string]any{"remote_ip": client, "method": "GET", "host": sent, "uri": fmt.Sprintf("/%d", w.n), "headers": header},
	})
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(&w.b, "%s\n", line)
	w.n++
	return w.n
}

// TestSignatures: each request counts as what its signature shows it to be, with every count exact.
func TestSignatures(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &signedLog{key: private}
	w.at(0, "192.0.2.1", "SignBot/1", "") // not signed yet
	for i := range 4 {
		w.at(60+i, "192.0.2.1", "SignBot/1", "a.example")
	}
	w.at(70, "192.0.2.1", "SignBot/1", "") // from an address that has shown whose it is
	var wrong []int64
	for i := range 3 {
		wrong = append(wrong, w.at(80+i, "198.51.100.1", "SignBot/1", "b.example")) // made for another site
	}
	w.at(90, "203.0.113.1", "SignBot/1", "a.example", `"cookie"`)
	w.at(91, "203.0.113.2", "KeylessBot/1", "a.example")
	for i := range 2 {
		w.at(100+i, "203.0.113.9", browser, "a.example")
	}
	checker := &signature.Checker{Keys: signature.Keys{"signbot": {signature.Thumbprint(public): public}}}
	r := run(t, w.b.String(), audit.Options{Signatures: checker})

	type count struct {
		id                                         audit.Identity
		requests                                   int64
		clients                                    int
		signed, confirmed, bad, uncheckedSignature int64
	}
	var got []count
	for _, one := range r.Robots {
		c := count{id: one.Identity, requests: one.Requests, clients: one.Clients}
		if s := one.Signatures; s != nil {
			c.signed, c.confirmed, c.bad, c.uncheckedSignature = s.Signed, s.Confirmed, s.Disproved, s.Unchecked
		}
		got = append(got, c)
		listed := int64(0)
		for _, a := range one.Addresses {
			listed += a.Requests
		}
		if listed != one.Requests || len(one.Addresses) != one.Clients {
			t.Errorf("%s %q: %d of %d requests are from the addresses listed", one.Token, one.Identity, listed, one.Requests)
		}
	}
	if want := []count{{audit.Confirmed, 5, 1, 4, 4, 0, 0}, {audit.Disproved, 3, 1, 3, 0, 3, 0}, {"", 2, 2, 1, 0, 0, 1}, {"", 1, 1, 1, 0, 0, 1}}; !slices.Equal(got, want) {
		t.Errorf("counts are\n%+v, want\n%+v", got, want)
	}
	var lines []int64
	for _, e := range r.Robots[1].Signatures.Evidence {
		lines = append(lines, e.Line)
	}
	if !slices.Equal(lines, wrong) || len(r.Robots[1].Notes) == 0 || !strings.Contains(r.Robots[1].Notes[0], "not of the key it names: 3;") {
		t.Errorf("wrong are lines %v, want %v; notes %q", lines, wrong, r.Robots[1].Notes)
	}
	why := []map[signature.Reason]int64{find(t, r.Robots, "KeylessBot").Signatures.Why, r.Robots[2].Signatures.Why}
	if want := []map[signature.Reason]int64{{signature.NoKey: 1}, {signature.NotLogged: 1}}; !reflect.DeepEqual(why, want) {
		t.Errorf("reasons are %v, want %v", why, want)
	}
	if len(r.Unusual) != 1 || r.Unusual[0].Why[0] != "it signed 2 requests, as robots do" {
		t.Errorf("a browser that signs is not unusual: %+v", r.Unusual)
	}

	r = run(t, w.b.String(), audit.Options{})
	if s := r.Robots[0].Signatures; len(r.Robots) != 2 || s.Signed != 8 || s.Unchecked != 8 || s.Why[signature.NoKey] != 8 {
		t.Errorf("without keys: %+v", s)
	}
	first := &signedLog{key: private}
	first.at(0, "192.0.2.1", "SignBot/1", "a.example")
	r = run(t, first.b.String(), audit.Options{Signatures: checker})
	if len(r.Robots) != 1 || r.Robots[0].Identity != audit.Confirmed || r.Robots[0].Clients != 1 {
		t.Errorf("a robot whose first request is signed: %+v", r.Robots)
	}
	confirmed := func(string, string) audit.Identity { return audit.Confirmed }
	r = run(t, w.b.String(), audit.Options{Signatures: checker, Identify: confirmed})
	if one := r.Robots[0]; one.Identity != audit.Confirmed || one.Requests != 10 || one.Signatures.Disproved != 3 {
		t.Errorf("an address that is the robot's: %q, %+v", one.Identity, one.Signatures)
	}
}
