package warc

import (
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// known are payloads that are in the archive, and URLs whose server may say that nothing has changed; the oldest are forgotten.
// Nothing refers to a redirect, so that its payload is not among them.
type known struct {
	most     int
	payloads map[[sha1.Size]byte]original
	uris     map[string]original
	order    [][sha1.Size]byte // of payloads, oldest at next once it is full
	next     int
	asked    []string // of uris, likewise
	nextURI  int
}

// An original is the record with a payload.
type original struct {
	uri    string // "" when only the digest leads to it, as of what a revisit record has told
	time   time.Time
	digest [sha1.Size]byte
}

// add notes what a group has brought.
func (k *known) add(g *group) {
	of := original{g.capture.URL, g.capture.Time, g.digest}
	if g.stored && !isRedirect(g.capture.Status) {
		k.payload(of)
	}
	if g.revisit {
		of.uri = ""
	}
	if g.valid {
		k.uri(g.capture.URL, of)
	}
}

// unchanged returns what is known of the record with the payload of a URL whose server says that nothing has changed.
func (k *known) unchanged(url string) original {
	of := k.uris[url]
	if first, ok := k.payloads[of.digest]; ok && of.uri == "" {
		return first
	}
	return of
}

func (k *known) payload(of original) {
	digest := of.digest
	if k.payloads == nil {
		k.payloads = map[[sha1.Size]byte]original{}
	}
	if _, ok := k.payloads[digest]; ok {
		return
	}
	if len(k.order) < k.most {
		k.order = append(k.order, digest)
	} else {
		delete(k.payloads, k.order[k.next])
		k.order[k.next] = digest
		k.next = (k.next + 1) % k.most
	}
	k.payloads[digest] = of
}

// uri notes what a URL has brought last.
func (k *known) uri(url string, of original) {
	if k.uris == nil {
		k.uris = map[string]original{}
	}
	before, ok := k.uris[url]
	if ok && before.time.After(of.time) {
		return
	}
	if !ok {
		if len(k.asked) < k.most {
			k.asked = append(k.asked, url)
		} else {
			delete(k.uris, k.asked[k.nextURI])
			k.asked[k.nextURI] = url
			k.nextURI = (k.nextURI + 1) % k.most
		}
	}
	k.uris[url] = of
}

// load takes what it has room for from the indexes of earlier files in dir, the newest first. What was in a file that is gone is
// not known: it would not be stored again.
func (k *known) load(dir, indexDir string) error {
	names, err := indexed(indexDir)
	if err != nil {
		return err
	}
	for _, name := range slices.Backward(names) { // by the time in them
		if len(k.order) >= k.most {
			break
		}
		if isThere, err := exists(filepath.Join(dir, name)); err != nil {
			return err
		} else if !isThere {
			continue
		}
		if err := k.loadFile(filepath.Join(indexDir, name+IndexSuffix)); err != nil {
			return err
		}
	}
	return nil
}

func (k *known) loadFile(name string) error {
	for c, err := range ReadIndex(name) {
		if errors.Is(err, ErrNoCapture) {
			continue // it is not of use here
		}
		if err != nil {
			return err
		}
		if len(k.order) >= k.most {
			break
		}
		value, ok := strings.CutPrefix(c.Digest, "sha1:")
		sum, err := base32.StdEncoding.DecodeString(value)
		if !ok || err != nil || len(sum) != sha1.Size || [sha1.Size]byte(sum) == emptyDigest {
			continue
		}
		of := original{c.URL, c.Time, [sha1.Size]byte(sum)}
		if c.Type == RevisitType {
			of.uri = ""
		} else if !isRedirect(c.Status) {
			k.payload(of)
		}
		if _, ok := k.uris[c.URL]; c.Status == 200 && (ok || len(k.asked) < k.most) {
			k.uri(c.URL, of)
		}
	}
	return nil
}

// emptyDigest is that of no bytes.
var emptyDigest = sha1.Sum(nil)
