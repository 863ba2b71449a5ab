package optout_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

const file = `# who does not want us
example.org            # by mail, 3 May
*.Example.NET
münchen.example.
192.0.2.7
198.51.100.0/24
[2001:db8::1]
2001:db8:5::/48
::ffff:203.0.113.9
`

func parse(t testing.TB, text string) *optout.List {
	t.Helper()
	l, bad, err := optout.Parse(strings.NewReader(text))
	if err != nil || len(bad) > 0 {
		t.Fatalf("Parse: %v, bad %v", err, bad)
	}
	return l
}

func TestList_Host(t *testing.T) {
	l := parse(t, file)
	for host, want := range map[string]string{
		"example.org": "example.org", "www.example.org": "", "example.org.": "example.org", "anexample.org": "",
		"example.net": "*.example.net", "a.b.example.net": "*.example.net", "anexample.net": "", "net": "", "": "",
		"xn--mnchen-3ya.example": "xn--mnchen-3ya.example",
		"192.0.2.7":              "192.0.2.7", "198.51.100.200": "198.51.100.0/24", "[2001:db8::1]": "2001:db8::1", "192.0.2.8": "",
	} {
		if got, out := l.Host(host); got != want || out != (want != "") {
			t.Errorf("Host(%q) = %q, %v, want %q", host, got, out, want)
		}
	}
}

// Ensure that every host that a crawl may ask can be left alone: in URLs "_" and "-" stand where they may not in host names.
func TestList_Host_AsInURLs(t *testing.T) {
	for _, host := range []string{
		"foo_bar.example.org", "_shop.example.org", "-anna-.example.org", "r3---sn.example.org", "xn--n3h.example.org",
	} {
		if got, out := parse(t, host+"\n").Host(host); got != host || !out {
			t.Errorf("Host(%q) = %q, %t", host, got, out)
		}
		if got, out := parse(t, "*."+host+"\n").Host("www." + host); got != "*."+host || !out {
			t.Errorf("Host(%q) = %q, %t", "www."+host, got, out)
		}
	}
}

func TestList_Address(t *testing.T) {
	l := parse(t, file)
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "198.51.100.255": "198.51.100.0/24", "198.51.101.0": "",
		"2001:db8::1": "2001:db8::1", "2001:db8:5:1::": "2001:db8:5::/48", "2001:db8:6::": "", "203.0.113.9": "203.0.113.9",
	} {
		if got, out := l.Address(netip.MustParseAddr(address)); got != want || out != (want != "") {
			t.Errorf("Address(%s) = %q, %v, want %q", address, got, out, want)
		}
	}
	if _, out := l.Address(netip.Addr{}); out {
		t.Error("no address is opted out")
	}
}

func TestParse_BadLines(t *testing.T) {
	for text, why := range map[string]string{
		"https://example.org/":  "a URL",
		"example.org:8080":      "ports",
		"exa mple.org":          "not a host",
		"*":                     "*.example.org",
		"*.*.example.org":       "*.example.org",
		"www.*.org":             "*.example.org",
		"10.0.0.0/33":           "not a range",
		"10.0.0":                "not an address",
		"1.2.3.4.5":             "not an address",
		"fe80::1%eth0":          "zone",
		"::ffff:10.0.0.0/8":     "96 bits",
		"..":                    "not a host",
		"_.example.org":         "not a host",
		"-":                     "not a host",
		strings.Repeat("a", 64): "not a host",
	} {
		l, bad, err := optout.Parse(strings.NewReader("# first\n" + text + "\ngood.example\n"))
		if err != nil || len(bad) != 1 || bad[0].Line != 2 || !strings.Contains(bad[0].String(), why) {
			t.Errorf("Parse(%q): bad lines %v, %v, want line 2 for %q", text, bad, err, why)
		}
		if _, out := l.Host("good.example"); !out {
			t.Errorf("Parse(%q): the good line behind it does not count", text)
		}
	}
}

func TestParse_TooLarge(t *testing.T) {
	_, _, err := optout.Parse(endless{})
	if err == nil {
		t.Error("an endless file was read")
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '#'
	}
	return len(b), nil
}

func TestList_SetOperations(t *testing.T) {
	a, b := parse(t, "one.example\n10.0.0.0/8\n"), parse(t, "two.example\n10.1.2.3/8\n")
	if got := a.Missing(b); !slices.Equal(got, []string{"one.example"}) {
		t.Errorf("Missing = %q", got)
	}
	if got := a.With(b).Entries(); !slices.Equal(got, []string{"10.0.0.0/8", "one.example", "two.example"}) {
		t.Errorf("With = %q", got)
	}
	var none *optout.List
	if none.Len() != 0 || len(none.Entries()) != 0 || !slices.Equal(none.With(a).Entries(), a.Entries()) || len(none.Missing(a)) != 0 {
		t.Error("the nil list is not empty")
	}
}

// Whatever the file holds, what was read is written as it was understood, and nothing but bad lines is lost.
func FuzzParse(f *testing.F) {
	f.Add(file)
	f.Add("\xff\x00\n*.\n::/0\n0.0.0.0/0")
	f.Fuzz(func(t *testing.T, text string) {
		l, _, err := optout.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := l.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		again := parse(t, b.String())
		if !slices.Equal(again.Entries(), l.Entries()) {
			t.Fatalf("read %q, written and read again %q", l.Entries(), again.Entries())
		}
		for _, entry := range l.Entries() {
			host := strings.TrimPrefix(entry, "*.")
			if p, err := netip.ParsePrefix(entry); err == nil {
				host = p.Addr().String()
			}
			if _, out := l.Host(host); !out {
				t.Fatalf("%q does not hold for %q", entry, host)
			}
		}
	})
}
