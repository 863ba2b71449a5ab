package warc

import (
	"bufio"
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

// encode makes the records of an exchange with a response of which s is known.
func (a *Archive) encode(x *storage.Exchange, response content, s sight) (g *group, err error) {
	g = &group{digest: s.payload, valid: s.valid}
	g.capture = Capture{
		Key: SURT(x.URL), Time: x.Start, URL: x.URL, Type: cmp.Or(s.mediaType, "unk"), Status: s.status,
		Digest: sha1Digest(s.payload[:]),
	}
	first, head := newHeader(TypeResponse, x.Start), Fields{}
	id := first.Get("WARC-Record-ID")
	if profile, of := a.isRevisit(x, s); profile != "" {
		g.revisit, response, s.isPacked = true, response.first(min(x.HeadLen, response.size())), false
		first[0].Value = TypeRevisit
		g.capture.Type = RevisitType
		head.Add("WARC-Profile", profile)
		if profile == ProfileNotModified { // the payload is that of the other record
			g.capture.Digest = ""
			if of.digest != ([sha1.Size]byte{}) {
				g.capture.Digest = sha1Digest(of.digest[:])
			}
		}
		if of.uri != "" {
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
	if g.first, err = a.encoders.add(g.data, first, response, a.encoders.worth(response, s.isPacked)); err != nil {
		return nil, err
	}
	request := append(newHeader(TypeRequest, x.Start), Field{"WARC-Target-URI", x.URL}, Field{"WARC-Concurrent-To", id})
	request = append(request, common...)
	request.Add("Content-Type", "application/http;msgtype=request")
	sent := content{data: x.Request}
	if _, err := a.encoders.add(g.data, request, sent, a.encoders.worth(sent, false)); err != nil {
		return nil, err
	}
	metadata := append(newHeader(TypeMetadata, x.Start), Field{"WARC-Target-URI", x.URL}, Field{"WARC-Concurrent-To", id})
	metadata.Add("Content-Type", "application/warc-fields")
	block := a.encoders.buffer()
	defer a.encoders.putBuffer(block)
	metadataOf(x).appendTo(block)
	about := content{data: block.Bytes()}
	_, err = a.encoders.add(g.data, metadata, about, a.encoders.worth(about, false))
	return g, err
}

// wireFields are those that request and response share.
func wireFields(x *storage.Exchange) Fields {
	f := make(Fields, 0, 4)
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
	f := make(Fields, 0, usualFields)
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
	isPacked    bool // its body is compressed
	payload     [sha1.Size]byte
	payloadSize int64
}

// look reads a response.
func (e *encoders) look(response content) (s sight, err error) {
	br := e.heads.Get().(*bufio.Reader)
	defer e.heads.Put(br)
	br.Reset(response.from(0))
	m, err := readMessage(br)
	if err != nil {
		return s, err
	}
	s.status, s.mediaType, s.isPacked = m.Status, m.Type(), isPacked(m)
	s.valid = m.Status == 200 && (m.Header.Get("ETag") != "" || m.Header.Get("Last-Modified") != "")
	if !m.Chunked && response.section == nil {
		s.payload, s.payloadSize = sha1.Sum(response.data[m.HeadLen:]), int64(len(response.data))-m.HeadLen
		return s, nil
	}
	h := sha1.New()
	if m.Chunked {
		s.payloadSize, err = e.copy(h, m.Payload)
	} else {
		s.payloadSize, err = io.Copy(h, response.from(m.HeadLen))
	}
	if err == nil {
		h.Sum(s.payload[:0])
	}
	return s, err
}

// isPacked reports whether the body of a message is compressed.
func isPacked(m *Message) bool {
	if coding := m.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return true
	}
	kind, of, _ := strings.Cut(m.Type(), "/")
	switch kind {
	case "image":
		return of != "svg+xml" && of != "bmp" && of != "x-icon" && of != "vnd.microsoft.icon"
	case "video", "audio":
		return true
	case "font":
		return strings.HasPrefix(of, "woff")
	case "application":
		return of == "zip" || of == "gzip" || of == "pdf" || strings.HasSuffix(of, "+zip")
	}
	return false
}

// isRevisit returns the profile when the payload need not be written, and what is known of the record that has it.
func (a *Archive) isRevisit(x *storage.Exchange, s sight) (profile string, of original) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.status == 304 {
		return ProfileNotModified, a.known.unchanged(x.URL)
	}
	of, known := a.known.payloads[s.payload]
	// A server sends the same body with every redirect, and some replay tools take the Location from the record referred to.
	if !known || isRedirect(s.status) || s.payloadSize == 0 || x.Truncated != "" {
		return "", original{}
	}
	return ProfileIdentical, of
}

// isRedirect reports whether a response leads elsewhere.
func isRedirect(status int) bool { return status/100 == 3 }
