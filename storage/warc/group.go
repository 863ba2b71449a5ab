package warc

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage"
)

// A group is what is written of one exchange: its response first, then the others.
type group struct {
	data    *bytes.Buffer
	first   int64 // bytes of the first record
	capture Capture
	digest  [sha1.Size]byte
	revisit bool
	stored  bool // the payload is in this group, and has a length
	valid   bool // the answer has a validator, by which the server can say later that nothing has changed
}

// encode makes the records of an exchange, of which s is known.
func (a *Archive) encode(x *storage.Exchange, s sight) (g *group, err error) {
	g = &group{digest: s.payload, valid: s.valid}
	g.capture = Capture{
		Key: SURT(x.URL), Time: x.Start, URL: x.URL, Type: cmp.Or(s.mediaType, "unk"), Status: s.status,
		Digest: sha1Digest(s.payload[:]),
	}
	first, head := newHeader(TypeResponse, x.Start), Fields{}
	id := first.Get("WARC-Record-ID")
	size := x.Response.Size()
	if profile, of := a.isRevisit(x, s); profile != "" {
		g.revisit, size = true, x.HeadLen
		first[0].Value = TypeRevisit
		g.capture.Type = "warc/revisit"
		head.Add("WARC-Profile", profile)
		if !of.time.IsZero() {
			head.Add("WARC-Refers-To-Target-URI", of.uri)
			head.Add("WARC-Refers-To-Date", of.time.UTC().Format(time.RFC3339))
		}
		if profile == ProfileIdentical {
			head.Add("WARC-Truncated", "length") // WARC 1.1 section 6.7.2: the payload is left out
		}
	} else {
		g.stored = s.payloadSize > 0
		head.Add("WARC-Truncated", x.Truncated)
	}
	first.Add("WARC-Target-URI", x.URL)
	common := wireFields(x)
	first = append(append(first, head...), common...)
	first.Add("WARC-Payload-Digest", g.capture.Digest)
	first.Add("Content-Type", "application/http;msgtype=response")
	g.data = a.encoders.buffer()
	if g.first, err = a.encoders.add(g.data, first, io.NewSectionReader(x.Response, 0, size), size); err != nil {
		return nil, err
	}
	request := append(newHeader(TypeRequest, x.Start), Field{"WARC-Target-URI", x.URL}, Field{"WARC-Concurrent-To", id})
	request = append(request, common...)
	request.Add("Content-Type", "application/http;msgtype=request")
	if _, err := a.encoders.add(g.data, request, bytes.NewReader(x.Request), int64(len(x.Request))); err != nil {
		return nil, err
	}
	metadata := append(newHeader(TypeMetadata, x.Start), Field{"WARC-Target-URI", x.URL}, Field{"WARC-Concurrent-To", id})
	metadata.Add("Content-Type", "application/warc-fields")
	var block bytes.Buffer
	metadataOf(x).appendTo(&block)
	_, err = a.encoders.add(g.data, metadata, bytes.NewReader(block.Bytes()), int64(block.Len()))
	return g, err
}

// wireFields are those that request and response share.
func wireFields(x *storage.Exchange) Fields {
	var f Fields
	if x.Address.IsValid() {
		f.Add("WARC-IP-Address", x.Address.String())
	}
	f.Add("WARC-Protocol", x.Protocol)
	f.Add("WARC-Protocol", x.TLS)
	f.Add("WARC-Cipher-Suite", x.Cipher)
	return f
}

// metadataOf is what is known of an exchange beyond its bytes: the customary fields, and those of the robots verdict.
func metadataOf(x *storage.Exchange) Fields {
	var f Fields
	f.Add("via", x.Via)
	f.Add("hopsFromSeed", hops(x))
	f.Add("fetchTimeMs", strconv.FormatInt(x.End.Sub(x.Start).Milliseconds(), 10))
	f.Add("purpose", x.Purpose)
	verdict := "disallowed"
	if x.RobotsAllowed {
		verdict = "allowed"
	}
	f.Add("robots-verdict", verdict)
	f.Add("robots-file", string(x.RobotsDigest))
	if x.RobotsLine > 0 {
		f.Add("robots-line", strconv.Itoa(x.RobotsLine))
	}
	f.Add("robots-rule", x.RobotsRule)
	return f
}

// hops are the steps from a seed, a letter each, as Heritrix writes them: L is a link, R a redirect, E what a page embeds, P what
// it presupposes, M a manifest.
func hops(x *storage.Exchange) string {
	s := strings.Repeat("L", min(x.Depth, 100)) + strings.Repeat("R", min(x.Redirects, 100))
	switch x.Purpose {
	case "page":
	case "sitemap":
		s += "M"
	case "requisite":
		s += "E"
	default:
		s += "P"
	}
	return s
}

// A sight is what has to be known of a response before its record can begin.
type sight struct {
	status      int
	mediaType   string
	valid       bool
	payload     [sha1.Size]byte
	payloadSize int64
}

// look reads a response.
func look(x *storage.Exchange) (s sight, err error) {
	m, err := ReadMessage(io.NewSectionReader(x.Response, 0, x.Response.Size()))
	if err != nil {
		return s, err
	}
	s.status, s.mediaType = m.Status, m.Type()
	s.valid = m.Status == 200 && (m.Header.Get("ETag") != "" || m.Header.Get("Last-Modified") != "")
	h := sha1.New()
	if s.payloadSize, err = io.Copy(h, m.Payload); err == nil {
		h.Sum(s.payload[:0])
	}
	return s, err
}

// isRevisit returns the profile when the payload need not be written, and what is known of the record that has it.
func (a *Archive) isRevisit(x *storage.Exchange, s sight) (profile string, of original) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.status == 304 {
		return ProfileNotModified, a.known.uris[x.URL]
	}
	of, known := a.known.payloads[s.payload]
	if !known || s.payloadSize == 0 || x.Truncated != "" {
		return "", original{}
	}
	return ProfileIdentical, of
}
