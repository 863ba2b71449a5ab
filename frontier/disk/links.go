package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// What is said of a link in a list besides its entry.
const (
	linkForce = 1 << iota
	linkSite  // another site than that of the link before
)

// AppendLinks appends a list of links to b in a form that DecodeLinks reads. Links of one site that follow each other take less.
func AppendLinks(b []byte, links []frontier.Link) []byte {
	b = binary.AppendUvarint(append(b, recordVersion), uint64(len(links)))
	var site string
	var entry []byte
	for i := range links {
		l := &links[i]
		flags, name := byte(0), l.URL.Site()
		if l.Force {
			flags |= linkForce
		}
		if name != site {
			flags |= linkSite
		}
		b = append(b, flags)
		if name != site {
			b = appendString(b, name)
		}
		site = name
		entry = appendEntry(entry[:0], name, &frontier.Entry{Link: *l, Added: time.Unix(0, 0)})
		b = append(binary.AppendUvarint(b, uint64(len(entry))), entry...)
	}
	return b
}

// DecodeLinks reads what AppendLinks has written, which may come from elsewhere: it takes memory in proportion to b, whatever b
// claims. Priorities and depths beyond their bounds come back as the bounds, times to the second.
func DecodeLinks(b []byte) ([]frontier.Link, error) {
	d := newDecoder(b)
	n := d.uvarint()
	if n > uint64(len(d.b)) { // a link takes a byte at least
		d.bad = true
	}
	var links []frontier.Link
	var site string
	for i := uint64(0); i < n && !d.bad; i++ {
		flags := d.byte()
		if flags&linkSite != 0 {
			site = d.string()
		}
		entry := d.bytes()
		if d.bad || flags > linkForce|linkSite {
			return nil, fmt.Errorf("list of links: link %d of %d: %w", i+1, n, errRecord)
		}
		e, err := decodeEntry(entry, site)
		if err != nil {
			return nil, fmt.Errorf("list of links: link %d of %d: %w", i+1, n, err)
		}
		if e.URL.Site() != site {
			return nil, fmt.Errorf("list of links: %s is not of site %q: %w", e.URL, site, errRecord)
		}
		e.Link.Force = flags&linkForce != 0
		e.Link.State = bytes.Clone(e.Link.State)
		links = append(links, e.Link)
	}
	return links, d.end("list of links")
}
