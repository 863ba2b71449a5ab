package audit

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
)

// Ranges are the addresses that the makers of robots publish, by product token in lower case.
type Ranges map[string][]netip.Prefix

// ParseRanges reads ranges from JSON: an object with a member for each product token, which is a list of addresses and prefixes, or
// the file that makers publish as it is:
//
//	{"examplebot": ["192.0.2.0/24", "2001:db8::1"],
//	 "googlebot": {"creationTime": "...",
//	   "prefixes": [{"ipv6Prefix": "2001:4860:4801:10::/64"}, {"ipv4Prefix": "66.249.64.0/27"}]}}
func ParseRanges(data []byte) (Ranges, error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read ranges: %w", err)
	}
	r := Ranges{}
	for token, raw := range file {
		var list []string
		var published struct {
			Prefixes []struct {
				V4 string `json:"ipv4Prefix"`
				V6 string `json:"ipv6Prefix"`
			} `json:"prefixes"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			if err := json.Unmarshal(raw, &published); err != nil {
				return nil, fmt.Errorf("ranges of %q: neither a list nor an object with prefixes: %w", token, err)
			}
		}
		for _, p := range published.Prefixes {
			list = append(list, p.V4+p.V6)
		}
		for _, text := range list {
			prefix, err := ParsePrefix(text)
			if err != nil {
				return nil, fmt.Errorf("ranges of %q: %w", token, err)
			}
			r[strings.ToLower(token)] = append(r[strings.ToLower(token)], prefix)
		}
	}
	return r, nil
}

// ParsePrefix reads a network, or an address, which is a network of one.
func ParsePrefix(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

// Identify says whether a client is in the ranges of the robot with that token. A robot without ranges, and a client that is no
// address, stay unchecked. It can be Options.Identify.
func (r Ranges) Identify(token, client string) Identity {
	ranges := r[strings.ToLower(token)]
	addr, err := netip.ParseAddr(client)
	if err != nil || len(ranges) == 0 {
		return Unchecked
	}
	for _, p := range ranges {
		if p.Contains(addr.Unmap()) {
			return Confirmed
		}
	}
	return Disproved
}
