package owner_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
)

const table = `network,owner,contact
# ours
192.0.2.0/24	Example Hosting	abuse@hosting.example
192.0.2.64/26,"Customer, Inc."
192.0.2.70,The one
198.51.100.0	198.51.100.255	64500	DE	EXAMPLE-AS Example, GmbH
198.51.100.100,198.51.100.199,AS64501,FR,Overlap, SA
198.51.101.0	198.51.101.255	0	None	Not routed

2001:db8::/32	Six
2001:db8:1::	2001:db8:1:ffff:ffff:ffff:ffff:ffff	64502	None	SIX-CUSTOMER
203.0.113.0/24	Old
203.0.113.0/24	New
::ffff:10.0.0.0/104	Mapped
`

func TestTable(t *testing.T) {
	tab, err := owner.Read(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	if tab.Len() != 10 {
		t.Errorf("%d networks, want 10", tab.Len())
	}
	for addr, want := range map[string]owner.Owner{
		"192.0.2.0":          {Name: "Example Hosting", Contact: "abuse@hosting.example"},
		"192.0.2.255":        {Name: "Example Hosting", Contact: "abuse@hosting.example"},
		"::ffff:192.0.2.63":  {Name: "Example Hosting", Contact: "abuse@hosting.example"},
		"192.0.2.64":         {Name: "Customer, Inc."},
		"192.0.2.70":         {Name: "The one"},
		"192.0.2.71":         {Name: "Customer, Inc."},
		"192.0.2.128":        {Name: "Example Hosting", Contact: "abuse@hosting.example"},
		"198.51.100.99":      {Name: "EXAMPLE-AS Example, GmbH", ASN: "64500", Country: "DE"},
		"198.51.100.100":     {Name: "Overlap,SA", ASN: "64501", Country: "FR"},
		"198.51.100.200":     {Name: "EXAMPLE-AS Example, GmbH", ASN: "64500", Country: "DE"},
		"2001:db8::1":        {Name: "Six"},
		"2001:db8:1::1":      {Name: "SIX-CUSTOMER", ASN: "64502"},
		"2001:db8:2::1%eth0": {Name: "Six"},
		"203.0.113.9":        {Name: "New"},
		"10.1.2.3":           {Name: "Mapped"},
		"192.0.1.255":        {}, "192.0.3.0": {}, "198.51.101.1": {}, "2001:db9::": {}, "0.0.0.0": {}, "255.255.255.255": {},
	} {
		if got, ok := tab.Of(netip.MustParseAddr(addr)); got != want || ok != (want.Name != "") {
			t.Errorf("Of(%s) = %+v, %t, want %+v", addr, got, ok, want)
		}
	}
	if _, ok := tab.Of(netip.Addr{}); ok {
		t.Error("no address has an owner")
	}
	if _, ok := (*owner.Table)(nil).Of(netip.MustParseAddr("192.0.2.1")); ok {
		t.Error("no table has an owner")
	}
}

func TestRead_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "there is no network in it",
		"network,owner\n":                 "there is no network in it",
		"192.0.2.0/24\tA\nnonsense":       "line 2: there is no owner: fields are divided by tabs or commas",
		"192.0.2.0/33\tA":                 `line 1: "192.0.2.0/33" is no network`,
		"192.0.2.0/24\tA\nb\tA":           `line 2: "b" is no network`,
		"192.0.2.0/24,":                   "line 1: there is no owner",
		"192.0.2.9\t192.0.2.1\t1\tDE\tA":  "line 1: 192.0.2.9 to 192.0.2.1 is no network",
		"192.0.2.9\t2001:db8::\t1\tDE\tA": "line 1: 192.0.2.9 to 2001:db8:: is no network",
		"192.0.2.1,192.0.2.9,A":           "line 1: 3 fields: write network, owner and contact, or",
		"192.0.2.0/24\tA\tb\tc":           "line 1: 4 fields: ",
		`192.0.2.0/24,"A`:                 "line 1: fields in quotes: ",
		"fe80::1%x\tA":                    `line 1: "fe80::1%x" is no network`,
		"192.0.2.0/24," + strings.Repeat("x", 20_000): "line 1: bufio.Scanner: token too long",
	} {
		if _, err := owner.Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Read(%.40q) has the error %v, want %s", text, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := owner.Read(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

// TestTable_Nested compares with looking at every network, for networks that lie in each other.
func TestTable_Nested(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	var networks []netip.Prefix
	for i := range 300 {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(rnd.IntN(4)), byte(rnd.IntN(256)), byte(rnd.IntN(256))}), 14+rnd.IntN(19)).Masked()
		networks = append(networks, p)
		fmt.Fprintf(&b, "%s\t%d\n", p, i)
	}
	tab, err := owner.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		addr := netip.AddrFrom4([4]byte{10, byte(rnd.IntN(5)), byte(rnd.IntN(256)), byte(rnd.IntN(256))})
		want, best := "", -1
		for i, p := range networks {
			if p.Contains(addr) && p.Bits() >= best {
				want, best = fmt.Sprint(i), p.Bits()
			}
		}
		if got, _ := tab.Of(addr); got.Name != want {
			t.Fatalf("Of(%s) = %q, want %q", addr, got.Name, want)
		}
	}
}

// FuzzRead: the first and the last address of a network that was read alone have its owner, and their neighbours have not.
func FuzzRead(f *testing.F) {
	f.Add("192.0.2.0/24\tA\tb")
	f.Add("192.0.2.0,192.0.2.9,AS1,DE,\"A, b\"")
	f.Add("2001:db8::\t2001:db8::ffff\t1\tDE\tA")
	f.Fuzz(func(t *testing.T, text string) {
		tab, err := owner.Read(strings.NewReader(text))
		if err != nil || strings.Contains(text, "\n") {
			return
		}
		first, _, _ := strings.Cut(strings.TrimSpace(strings.NewReplacer(",", "\t", `"`, "").Replace(text)), "\t")
		p, err := netip.ParsePrefix(strings.TrimSpace(first))
		if err != nil {
			return
		}
		if o, ok := tab.Of(p.Masked().Addr()); !ok || o.Name == "" {
			t.Fatalf("%q: %s has no owner", text, p.Addr())
		}
		if before := p.Masked().Addr().Prev(); before.IsValid() && !p.Addr().Is4In6() {
			if _, ok := tab.Of(before); ok {
				t.Fatalf("%q: %s has an owner", text, before)
			}
		}
	})
}

// BenchmarkTable reads a table of the size of the public one, and finds owners in it.
func BenchmarkTable(b *testing.B) {
	var text strings.Builder
	for i := range 500_000 {
		from := netip.AddrFrom4([4]byte{byte(1 + i>>15), byte(i >> 7), byte(i << 1), 0})
		to := netip.AddrFrom4([4]byte{byte(1 + i>>15), byte(i >> 7), byte(i<<1 | 1), 255})
		fmt.Fprintf(&text, "%s\t%s\t%d\tDE\tEXAMPLE-%d\n", from, to, i%70_000+1, i%70_000)
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := owner.Read(strings.NewReader(text.String())); err != nil {
				b.Fatal(err)
			}
		}
	})
	tab, err := owner.Read(strings.NewReader(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("find", func(b *testing.B) {
		b.ReportAllocs()
		addr := netip.MustParseAddr("7.77.77.77")
		for b.Loop() {
			if _, ok := tab.Of(addr); !ok {
				b.Fatal("not found")
			}
		}
	})
}
