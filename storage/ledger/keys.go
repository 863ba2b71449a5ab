package ledger

import (
	"strings"

	"github.com/cybermapper/cybermapper/storage/internal/contents"
)

// A Key is something that a record can be about.
type Key = contents.Key

// OfURL is the key of records with this URL.
func OfURL(url string) Key { return contents.KeyOf('u', url) }

// OfHost is the key of records with this site, or with a URL or a page that linked to it at this host, with its port if that is in
// the URL.
func OfHost(host string) Key { return contents.KeyOf('h', host) }

// OfRequests is the key of requests to a site.
func OfRequests(site string) Key { return contents.KeyOf('q', site) }

// OfRests is the key of the rests of a site.
func OfRests(site string) Key { return contents.KeyOf('r', site) }

// OfRobots is the key of requests for the robots.txt of an origin.
func OfRobots(origin string) Key { return contents.KeyOf('o', origin) }

// OfRuns is the key of records of a Run.
func OfRuns() Key { return contents.KeyOf('n', "") }

// keysOf appends the keys of a record. What it leaves out is not found.
func keysOf(keys []Key, r *Record) []Key {
	if r.URL != "" {
		keys = append(keys, OfURL(r.URL), OfHost(hostOf(r.URL)))
	}
	if r.Via != "" {
		keys = append(keys, OfHost(hostOf(r.Via)))
	}
	if r.Site != "" {
		keys = append(keys, OfHost(r.Site))
	}
	switch r.Type {
	case Request:
		keys = append(keys, OfRequests(r.Site))
		if r.Origin != "" {
			keys = append(keys, OfRobots(r.Origin))
		}
	case Rest:
		keys = append(keys, OfRests(r.Site))
	case Run:
		keys = append(keys, OfRuns())
	}
	return keys
}

// hostOf returns what stands between the scheme of a URL and its path.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
