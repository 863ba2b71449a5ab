package explain

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxNear bounds the names that are compared with one that is not known.
const maxNear = 10_000

// NearSite returns the site of the job whose name is nearest to one that is not known; empty when none is near.
func NearSite(ctx context.Context, v *job.View, site string) (string, error) {
	var names []string
	if v.Frontier == nil {
		return nearest(site, v, []byte(`,"site":"`), "site")
	}
	for s, err := range v.Frontier.Sites(ctx) {
		if err != nil {
			return "", fmt.Errorf("list sites: %w", err)
		}
		if names = append(names, s.Site); len(names) == maxNear {
			break
		}
	}
	near, _ := guess.Word(site, names)
	return near, nil
}

// NearURL returns the URL in the ledger of the job that is nearest to one that is not known, on the same site; if that is not
// known either, the front page of the nearest site. It is empty when nothing is near.
func NearURL(ctx context.Context, v *job.View, u frontier.URL) (string, error) {
	_, host, _ := strings.Cut(u.Origin(), "://")
	near, err := nearest(u.String(), v, []byte(`,"url":"`+u.Origin()+"/"), "url", ledger.OfHost(host))
	if near != "" || err != nil {
		return near, err
	}
	site, err := NearSite(ctx, v, u.Site())
	if site == "" || site == u.Site() || err != nil {
		return "", err
	}
	return u.Scheme() + "://" + site + "/", nil
}

// nearest compares word with the values of a key in the records that contain part; if it is told what these are of, in those only.
func nearest(word string, v *job.View, part []byte, key string, of ...ledger.Key) (string, error) {
	seen := map[string]bool{}
	var words []string
	err := eachLine(v, func(l line) {
		if len(words) == maxNear || !bytes.Contains(l, part) {
			return
		}
		if w := l.text(key); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}, of...)
	near, _ := guess.Word(word, words)
	return near, err
}
