package explain

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxNear bounds the names that are compared with one that is not known.
const maxNear = 10_000

// maxPorts is how many sites of one host are named.
const maxPorts = 3

// NearSite returns the site of the job whose name is nearest to one that is not known; empty when none is near. Of a host that the
// job knows at other ports it returns these, the first few of them with commas between.
func NearSite(ctx context.Context, v *job.View, site string) (string, error) {
	near, err := nearSites(ctx, v, site)
	return strings.Join(near, ", "), err
}

// nearSites returns the sites of the same host, or else the one whose name is nearest.
func nearSites(ctx context.Context, v *job.View, site string) ([]string, error) {
	names, err := siteNames(ctx, v)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	host := hostOf(site)
	if same := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return hostOf(n) != host }); len(same) > 0 {
		return same[:min(len(same), maxPorts)], nil
	}
	if near, ok := guess.Word(site, names); ok {
		return []string{near}, nil
	}
	return nil, nil
}

// hostOf returns a site without its port.
func hostOf(site string) string {
	if host, _, err := net.SplitHostPort(site); err == nil {
		return host
	}
	return strings.Trim(site, "[]")
}

// siteNames returns the names of the first sites of the job.
func siteNames(ctx context.Context, v *job.View) (names []string, err error) {
	if v.Frontier == nil {
		return values(v, []byte(`,"site":"`), "site")
	}
	for s, err := range v.Frontier.Sites(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list sites: %w", err)
		}
		if names = append(names, s.Site); len(names) == maxNear {
			break
		}
	}
	return names, nil
}

// NearURL returns the URL in the ledger of the job that is nearest to one that is not known, on the same site; if that is not
// known either, the front page of the nearest site. It is empty when nothing is near.
func NearURL(ctx context.Context, v *job.View, u frontier.URL) (string, error) {
	_, host, _ := strings.Cut(u.Origin(), "://")
	urls, err := values(v, []byte(`,"url":"`+u.Origin()+"/"), "url", ledger.OfHost(host))
	if err != nil {
		return "", err
	}
	if near, ok := guess.Word(u.String(), urls); ok {
		return near, nil
	}
	sites, err := nearSites(ctx, v, u.Site())
	if err != nil || len(sites) == 0 || slices.Contains(sites, u.Site()) {
		return "", err
	}
	return u.Scheme() + "://" + sites[0] + "/", nil
}

// values returns the values of a key in the records that contain part; if it is told what these are of, in those only.
func values(v *job.View, part []byte, key string, of ...ledger.Key) (words []string, err error) {
	seen := map[string]bool{}
	err = eachLine(v, func(l line) {
		if len(words) == maxNear || !bytes.Contains(l, part) {
			return
		}
		if w := l.text(key); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}, of...)
	return words, err
}
