package fetch

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A name whose servers never answer about one family, as RFC 4074 4.1 tells of IPv6, has the addresses of the other; and nobody is
// asked twice, or waits longer, for a name of which both are known.
func TestLookupFamilies_RFC4074_4_1(t *testing.T) {
	v4, v6 := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("2606:2800:220:1::1")
	never, missing := time.Hour, errors.New("no such host")
	type answer struct {
		after time.Duration
		addr  netip.Addr // none: there is no such name
	}
	for name, tt := range map[string]struct {
		ip4, ip6 answer
		want     []netip.Addr
		err      error
		took     time.Duration
		asked    int
	}{
		"both at once":       {answer{0, v4}, answer{0, v6}, []netip.Addr{v6, v4}, nil, 0, 1},
		"IPv6 a little late": {answer{0, v4}, answer{2 * time.Second, v6}, []netip.Addr{v6, v4}, nil, 2 * time.Second, 1},
		"both late":          {answer{7 * time.Second, v4}, answer{7 * time.Second, v6}, []netip.Addr{v6, v4}, nil, 7 * time.Second, 3},
		"IPv6 never":         {answer{0, v4}, answer{after: never}, []netip.Addr{v4}, nil, 6 * time.Second, 3},
		"IPv4 never":         {answer{after: never}, answer{0, v6}, []netip.Addr{v6}, nil, 6 * time.Second, 3},
		"never":              {answer{after: never}, answer{after: never}, nil, context.DeadlineExceeded, 10 * time.Second, 3},
		"no such name":       {answer{}, answer{}, nil, missing, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start, asked := time.Now(), make(chan string, 9)
				got, err := lookupFamilies(ctx, func(ctx context.Context, network string) ([]netip.Addr, error) {
					asked <- network
					answers := map[string][]answer{"ip": {tt.ip6, tt.ip4}, "ip4": {tt.ip4}, "ip6": {tt.ip6}}[network]
					var addrs []netip.Addr
					for _, a := range answers {
						select {
						case <-time.After(time.Until(start.Add(a.after))):
						case <-ctx.Done():
							return nil, ctx.Err()
						}
						if a.addr.IsValid() {
							addrs = append(addrs, a.addr)
						}
					}
					if len(addrs) == 0 {
						return nil, missing
					}
					return addrs, nil
				})
				if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) || time.Since(start) != tt.took || len(asked) != tt.asked {
					t.Errorf("got %v, %v after %v and %d questions, want %v, %v after %v and %d", got, err, time.Since(start), len(asked),
						tt.want, tt.err, tt.took, tt.asked)
				}
			})
		})
	}
}
