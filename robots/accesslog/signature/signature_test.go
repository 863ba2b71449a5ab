package signature_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
)

// testKeys is the key of RFC 9421 appendix B.1.4, which the drafts of Web Bot Auth use too, among keys of other kinds.
const testKeys = `{"TestBot": {"keys": [{"kty": "EC", "crv": "P-256", "x": "a", "y": "b"},
	{"kty": "OKP", "crv": "Ed25519", "kid": "test-key-ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}]}}`

func parseKeys(t testing.TB, text string) signature.Keys {
	t.Helper()
	keys, err := signature.ParseKeys([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// vectorB26 is the request of RFC 9421 appendix B.2 with the signature of B.2.6.
func vectorB26() *signature.Request {
	return &signature.Request{
		Time: time.Unix(1618884475, 0), Method: "POST", Authority: "example.com", Target: "/foo?param=Value&Pet=dog", AuthorityAsSent: true, TargetAsSent: true,
		Header: map[string][]string{
			"date": {"Tue, 20 Apr 2021 02:07:55 GMT"}, "content-type": {"application/json"}, "content-length": {"18"},
			"signature-input": {`sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"`},
			"signature":       {"sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"},
		},
	}
}

// TestCheck_RFC9421_B_2_6: the vector of the standard, and what is made of it.
func TestCheck_RFC9421_B_2_6(t *testing.T) {
	c := signature.Checker{Keys: parseKeys(t, testKeys), Tag: signature.AnyTag}
	for _, k := range []struct {
		name   string
		change func(r *signature.Request)
		want   signature.Result
	}{
		{"as it is", func(*signature.Request) {}, signature.Result{Verdict: signature.Confirmed}},
		{"host in capitals and with port", func(r *signature.Request) { r.Authority = "EXAMPLE.com:443" }, signature.Result{Verdict: signature.Confirmed}},
		{"blanks around a value", func(r *signature.Request) { r.Header["date"][0] += " " }, signature.Result{Verdict: signature.Confirmed}},
		{"another query, which is not covered", func(r *signature.Request) { r.Target = "/foo?x" }, signature.Result{Verdict: signature.Confirmed}},
		{"confirmed though the host may be rewritten", func(r *signature.Request) { r.AuthorityAsSent = false }, signature.Result{Verdict: signature.Confirmed}},
		{"another path", func(r *signature.Request) { r.Target = "/bar" }, signature.Result{Verdict: signature.Disproved}},
		{"another path, perhaps rewritten", func(r *signature.Request) { r.Target, r.TargetAsSent = "/bar", false }, signature.Result{Why: signature.NotAsSent}},
		{"another host, perhaps rewritten", func(r *signature.Request) { r.Authority, r.AuthorityAsSent = "b.example", false }, signature.Result{Why: signature.NotAsSent}},
		{"another method", func(r *signature.Request) { r.Method = "GET" }, signature.Result{Verdict: signature.Disproved}},
		{"a header that is not logged", func(r *signature.Request) { delete(r.Header, "date") }, signature.Result{Why: signature.NotLogged}},
		{"a target that is not logged", func(r *signature.Request) { r.Target = "" }, signature.Result{Why: signature.NotLogged}},
		{"before its time", func(r *signature.Request) { r.Time = time.Unix(1618884000, 0) }, signature.Result{Why: signature.OutOfTime}},
		{"after its time", func(r *signature.Request) { r.Time = time.Unix(1618884473+3661, 0) }, signature.Result{Why: signature.OutOfTime}},
		{"no signature of that name", func(r *signature.Request) { r.Header["signature"][0] = "sig=:AAAA:" }, signature.Result{Why: signature.Malformed}},
		{"a signature that is too short", func(r *signature.Request) { r.Header["signature"][0] = "sig-b26=:AAAA:" }, signature.Result{Why: signature.Malformed}},
		{"no signature", func(r *signature.Request) { r.Header = nil }, signature.Result{Why: signature.Malformed}},
	} {
		r := vectorB26()
		k.change(r)
		if got := c.Check("testbot", r); got != k.want {
			t.Errorf("%s: %+v, want %+v", k.name, got, k.want)
		}
	}
	if got := c.Check("OtherBot", vectorB26()); got != (signature.Result{Why: signature.NoKey}) {
		t.Errorf("a robot without keys: %+v", got)
	}
	c.Tag = ""
	if got := c.Check("TestBot", vectorB26()); got != (signature.Result{Why: signature.OtherTag}) {
		t.Errorf("a signature for another purpose: %+v", got)
	}
}

// TestCheck_Draft_A_2_3: the vector of draft-meunier-web-bot-auth-architecture-05, appendix A.2.3.
func TestCheck_Draft_A_2_3(t *testing.T) {
	c := signature.Checker{Keys: parseKeys(t, testKeys)}
	r := &signature.Request{
		Time: time.Unix(1735689700, 0), Method: "GET", Authority: "example.com", Target: "/path", AuthorityAsSent: true, TargetAsSent: true,
		Header: map[string][]string{
			"signature-agent": {`"https://signature-agent.test"`},
			"signature-input": {`sig2=("@authority" "signature-agent");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";tag="web-bot-auth"`},
			"signature":       {"sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:"},
		},
	}
	if got := c.Check("TestBot", r); got.Verdict != signature.Confirmed {
		t.Errorf("the vector is %+v", got)
	}
	r.Time = time.Unix(1735693200+61, 0)
	if got := c.Check("TestBot", r); got.Why != signature.OutOfTime {
		t.Errorf("the vector, too late, is %+v", got)
	}
	r.Time, r.Header["signature-agent"] = time.Unix(1735689700, 0), []string{`"https://b.example"`}
	if got := c.Check("TestBot", r); got.Verdict != signature.Disproved {
		t.Errorf("the vector with another agent is %+v", got)
	}
}

// A signer signs as a robot does: it is given the lines of the base as they should be.
type signer struct {
	key ed25519.PrivateKey
}

func (s signer) sign(params string, lines ...string) string {
	base := strings.Join(append(lines, `"@signature-params": `+params), "\n")
	return "s=:" + base64.StdEncoding.EncodeToString(ed25519.Sign(s.key, []byte(base))) + ":"
}

// TestCheck_Components: each component that occurs in practice, in the form that RFC 9421 section 2 gives it.
func TestCheck_Components(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := signer{private}
	keys := signature.Keys{"bot": {signature.Thumbprint(public): public}}
	tail := fmt.Sprintf(`;created=1700000000;expires=1700000060;keyid="%s";alg="ed25519";tag="web-bot-auth"`, signature.Thumbprint(public))
	for _, k := range []struct {
		name, components string
		lines            []string
		sent             string // the input as sent, if it is not the canonical form
		want             signature.Result
	}{
		{"authority", `"@authority"`, []string{`"@authority": a.example:8080`}, "", signature.Result{Verdict: signature.Confirmed}},
		{"method and target", `"@method" "@target-uri"`, []string{`"@method": GET`, `"@target-uri": http://a.example:8080/p/a?q=1&r`}, "", signature.Result{Verdict: signature.Confirmed}},
		{"path and query", `"@authority" "@path" "@query" "@scheme" "@request-target"`, []string{`"@authority": a.example:8080`, `"@path": /p/a`, `"@query": ?q=1&r`, `"@scheme": https`, `"@request-target": /p/a?q=1&r`}, "", signature.Result{Verdict: signature.Confirmed}},
		{"header fields", `"@authority" "user-agent" "accept"`, []string{`"@authority": a.example:8080`, `"user-agent": Bot/1`, `"accept": a, b`}, "", signature.Result{Verdict: signature.Confirmed}},
		{"member of a dictionary", `"@authority" "signature-agent";key="x"`, []string{`"@authority": a.example:8080`, `"signature-agent";key="x": "https://bot.example"`}, "", signature.Result{Verdict: signature.Confirmed}},
		{"signed as sent", `"@authority"`, []string{`"@authority": a.example:8080`}, `( "@authority" )` + tail, signature.Result{Verdict: signature.Confirmed}},
		{"wrong", `"@authority"`, []string{`"@authority": b.example`}, "", signature.Result{Verdict: signature.Disproved}},
		{"no site", `"@path"`, []string{`"@path": /p/a`}, "", signature.Result{Why: signature.NoSite}},
		{"parameter of a query", `"@authority" "@query-param";name="q"`, nil, "", signature.Result{Why: signature.Unsupported}},
		{"field in bytes", `"@authority" "user-agent";bs`, nil, "", signature.Result{Why: signature.Unsupported}},
		{"status", `"@authority" "@status"`, nil, "", signature.Result{Why: signature.Unsupported}},
		{"twice", `"@authority" "@authority"`, nil, "", signature.Result{Why: signature.Malformed}},
		{"no such member", `"@authority" "signature-agent";key="z"`, nil, "", signature.Result{Why: signature.Malformed}},
		{"no dictionary", `"@authority" "user-agent";key="z"`, nil, "", signature.Result{Why: signature.Malformed}},
		{"not logged", `"@authority" "cookie"`, nil, "", signature.Result{Why: signature.NotLogged}},
	} {
		params := "(" + k.components + ")" + tail
		if k.sent == "" {
			k.sent = params
		}
		r := &signature.Request{
			Time: time.Unix(1700000030, 0), Method: "GET", Authority: "a.example:8080", Target: "/p/a?q=1&r", AuthorityAsSent: true, TargetAsSent: true,
			Header: map[string][]string{
				"user-agent": {"Bot/1"}, "accept": {"a", "b"}, "signature-agent": {`x="https://bot.example", y=(a b)`},
				"signature-input": {"s=" + k.sent}, "signature": {s.sign(k.sent, k.lines...)},
			},
		}
		if got := (&signature.Checker{Keys: keys}).Check("Bot", r); got != k.want {
			t.Errorf("%s: %+v, want %+v", k.name, got, k.want)
		}
	}
}

// TestCheck_Several: of several signatures the one that is confirmed counts, and those of other purposes do not.
func TestCheck_Several(t *testing.T) {
	c := signature.Checker{Keys: parseKeys(t, testKeys), Tag: signature.AnyTag}
	r := vectorB26()
	r.Header["signature-input"] = append([]string{`other=("@authority");created=1618884473;keyid="test-key-ed25519"`, `rsa=("@authority");alg="rsa-pss-sha512"`}, r.Header["signature-input"]...)
	zero := base64.StdEncoding.EncodeToString(make([]byte, ed25519.SignatureSize))
	r.Header["signature"] = append(r.Header["signature"], "other=:"+zero+":, rsa=:"+zero+":")
	if got := c.Check("TestBot", r); got.Verdict != signature.Confirmed {
		t.Errorf("the good one does not count: %+v", got)
	}
	r.Method = "GET"
	if got := c.Check("TestBot", r); got.Verdict != signature.Disproved {
		t.Errorf("none is good: %+v", got)
	}
}

func TestRequest_Agent(t *testing.T) {
	for value, want := range map[string]string{
		`"https://a.example"`: "https://a.example", `x=1, sig="https://b.example";p`: "https://b.example", "https://a.example": "", "": "", `x=1`: "",
	} {
		r := signature.Request{Header: map[string][]string{"signature-agent": {value}}}
		if got := r.Agent(); got != want {
			t.Errorf("the agent of %s is %q, want %q", value, got, want)
		}
	}
	if got := (&signature.Request{}).Agent(); got != "" {
		t.Errorf("no field has the agent %q", got)
	}
}

func TestParseKeys(t *testing.T) {
	keys := parseKeys(t, testKeys)
	key := keys["testbot"]["test-key-ed25519"]
	if got := signature.Thumbprint(key); got != "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U" || keys["testbot"][got] == nil {
		t.Errorf("the thumbprint is %s", got) // RFC 8037 appendix A.3 explains how it is made
	}
	for text, want := range map[string]string{
		"[]":                         "read keys",
		"{":                          "read keys",
		`{"a": []}`:                  `keys of "a": not a set of keys`,
		`{"a": {"keys": []}}`:        `keys of "a": there is no Ed25519 key`,
		`{"keys": [{"kty": "OKP"}]}`: `keys of "keys": not a set of keys`,
		`{"a": {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AAAA"}]}}`: `keys of "a": key 1: x is not 32 bytes`,
	} {
		if _, err := signature.ParseKeys([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseKeys(%s) has the error %v, want %s", text, err, want)
		}
	}
}

// FuzzCheck: nobody who does not have the key is confirmed, whatever is sent, and without a doubt about the log nothing is left in
// doubt for it.
func FuzzCheck(f *testing.F) {
	r := vectorB26()
	f.Add(r.Header["signature-input"][0], r.Header["signature"][0], `"https://a.example"`)
	f.Add(`a=();created=1;expires=2, b;x="\"", c=("@authority" "x";key="y")`, "a=:AA==:", `y=1.5;z`)
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		f.Fatal(err)
	}
	c := signature.Checker{Keys: signature.Keys{"bot": {"test-key-ed25519": public}}, Tag: signature.AnyTag}
	f.Fuzz(func(t *testing.T, input, sig, agent string) {
		r := vectorB26()
		r.Header["signature-input"], r.Header["signature"], r.Header["signature-agent"] = []string{input}, []string{sig}, []string{agent}
		got := c.Check("bot", r)
		if got.Verdict == signature.Confirmed || got.Why == signature.NotAsSent || (got.Verdict == signature.Unchecked) != (got.Why != "") {
			t.Fatalf("%+v", got)
		}
	})
}

// BenchmarkCheck checks a signature that is right.
func BenchmarkCheck(b *testing.B) {
	c := signature.Checker{Keys: parseKeys(b, testKeys), Tag: signature.AnyTag}
	r := vectorB26()
	b.ReportAllocs()
	for b.Loop() {
		if c.Check("TestBot", r).Verdict != signature.Confirmed {
			b.Fatal("it is not confirmed")
		}
	}
}
