package warc

import (
	"bufio"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// known are payloads that are in the archive, and URLs whose server may say that nothing has changed; the oldest are forgotten.
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
	uri  string
	time time.Time
}

// add notes what a group has brought.
func (k *known) add(g *group) {
	of := original{g.capture.URL, g.capture.Time}
	if g.stored {
		k.payload(g.digest, of)
	}
	if g.valid {
		k.uri(of)
	}
}

func (k *known) payload(digest [sha1.Size]byte, of original) {
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

func (k *known) uri(of original) {
	if k.uris == nil {
		k.uris = map[string]original{}
	}
	if _, ok := k.uris[of.uri]; !ok {
		if len(k.asked) < k.most {
			k.asked = append(k.asked, of.uri)
		} else {
			delete(k.uris, k.asked[k.nextURI])
			k.asked[k.nextURI] = of.uri
			k.nextURI = (k.nextURI + 1) % k.most
		}
	}
	k.uris[of.uri] = of
}

// load takes what it has room for from the indexes of earlier files, the newest first.
func (k *known) load(dir string) error {
	names, err := filepath.Glob(filepath.Join(globSafe.Replace(dir), "*"+indexSuffix))
	if err != nil {
		return err
	}
	slices.Sort(names) // by the time in their names
	for _, name := range slices.Backward(names) {
		if len(k.order) >= k.most {
			break
		}
		if err := k.loadFile(name); err != nil {
			return err
		}
	}
	return nil
}

var globSafe = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `*`, `\*`, `?`, `\?`)

func (k *known) loadFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	for len(k.order) < k.most {
		line, err := readLine(r, 1<<20)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read %s: %w", name, err)
		}
		c, err := ParseCapture(line)
		if err != nil || c.Type == "warc/revisit" {
			continue // it is not of use here
		}
		value, ok := strings.CutPrefix(c.Digest, "sha1:")
		sum, err := base32.StdEncoding.DecodeString(value)
		if !ok || err != nil || len(sum) != sha1.Size || [sha1.Size]byte(sum) == emptyDigest {
			continue
		}
		k.payload([sha1.Size]byte(sum), original{c.URL, c.Time})
	}
	return nil
}

// emptyDigest is that of no bytes.
var emptyDigest = sha1.Sum(nil)
