package fetch

import (
	"net/netip"
	"strings"
	"testing"
)

func TestWhySpecial(t *testing.T) {
	tests := []struct{ addr, want string }{
		{"8.8.8.8", ""}, {"1.1.1.1", ""}, {"172.15.255.255", ""}, {"172.32.0.0", ""}, {"100.63.255.255", ""}, {"100.128.0.0", ""},
		{"198.17.255.255", ""}, {"198.20.0.0", ""}, {"223.255.255.255", ""}, {"192.0.1.1", ""},
		{"2606:4700::1111", ""}, {"2a00:1450::1", ""}, {"::ffff:8.8.8.8", ""},
		{"64:ff9b::8.8.8.8", ""}, {"2002:808:808::1", ""},

		{"0.0.0.0", "this network"}, {"0.1.2.3", "this network"}, {"10.1.2.3", "private"}, {"172.16.0.1", "private"},
		{"172.31.255.255", "private"}, {"192.168.1.1", "private"}, {"100.64.0.1", "shared"}, {"100.127.255.255", "shared"},
		{"127.0.0.1", "loopback"}, {"127.255.255.254", "loopback"}, {"169.254.169.254", "link-local"},
		{"192.0.0.8", "assignment"}, {"192.0.2.1", "documentation"}, {"198.51.100.1", "documentation"}, {"203.0.113.9", "documentation"},
		{"192.88.99.1", "6to4 relay"}, {"198.18.0.1", "benchmarking"}, {"198.19.255.255", "benchmarking"},
		{"224.0.0.1", "multicast"}, {"239.1.1.1", "multicast"}, {"240.0.0.1", "reserved"}, {"255.255.255.255", "reserved"},
		{"::", "unspecified"}, {"::1", "loopback"}, {"::ffff:127.0.0.1", "loopback"}, {"::127.0.0.1", "reserved"},
		{"fe80::1", "link-local"}, {"fe80::1%eth0", "link-local"}, {"fc00::1", "unique-local"}, {"fd12:3456::1", "unique-local"},
		{"ff02::1", "multicast"}, {"fec0::1", "reserved"}, {"100::1", "reserved"}, {"5f00::1", "reserved"},
		{"2001:db8::1", "documentation"}, {"3fff::1", "documentation"}, {"2001::1", "assignment"}, {"2001:10::1", "assignment"},
		{"64:ff9b::10.0.0.1", "NAT64 address for 10.0.0.1, a private"}, {"64:ff9b::127.0.0.1", "loopback"}, {"64:ff9b:1::1", "reserved"},
		{"2002:a00:1::1", "6to4 address for 10.0.0.1, a private"}, {"2002:7f00:1::", "loopback"},
	}
	for _, test := range tests {
		got := whySpecial(netip.MustParseAddr(test.addr))
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s is %q, want %q", test.addr, got, test.want)
		}
	}
	if whySpecial(netip.Addr{}) == "" {
		t.Error("the invalid address is public")
	}
}

// Our own address is told where the server saw it: not one from behind a router that translates addresses.
func TestVisibleAddress(t *testing.T) {
	for _, tt := range []struct{ local, remote, want string }{
		{"8.8.8.8", "1.1.1.1", "8.8.8.8"},
		{"192.168.1.5", "1.1.1.1", "invalid IP"},
		{"100.64.0.9", "1.1.1.1", "invalid IP"},
		{"127.0.0.1", "127.0.0.2", "127.0.0.1"},
		{"192.168.1.5", "192.168.1.9", "192.168.1.5"},
		{"fe80::1%eth0", "fe80::2", "fe80::1"},
		{"fd00::1", "2606:4700::1111", "invalid IP"},
	} {
		if got := visibleAddress(netip.MustParseAddr(tt.local), netip.MustParseAddr(tt.remote)); got.String() != tt.want {
			t.Errorf("visibleAddress(%s, %s) = %s, want %s", tt.local, tt.remote, got, tt.want)
		}
	}
	if got := visibleAddress(netip.Addr{}, netip.Addr{}); got.IsValid() {
		t.Errorf("of nothing: %s", got)
	}
}
