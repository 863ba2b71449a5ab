package fetch

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
	"unicode/utf8"
)

// Why a body is not whole: the values of [Response.Truncated]. The first three are also values of WARC-Truncated (WARC 1.1,
// 5.13).
const (
	CutLength     = "length"     // longer than MaxBody or, as sent, than MaxWire
	CutTime       = "time"       // took longer than BodyTimeout, at less than BodyRate
	CutDisconnect = "disconnect" // the server ended it early or broke the protocol
	CutRate       = "rate"       // came more slowly than MinRate
	CutRatio      = "ratio"      // decoded to more than MaxRatio times what was sent
	CutDecode     = "decode"     // Content-Encoding could not be undone, wholly or in part
	CutUnwanted   = "unwanted"   // Request.Unwanted did not want it
	CutPartial    = "partial"    // the server sent a range (206) that was not asked for
)

// A Response is what came back: any status, and a body that may be cut.
type Response struct {
	Status int
	Header http.Header // as sent; Content-Encoding and Content-Length are those of the encoded body
	Body   []byte      // decoded; nil when empty, or spooled
	// Truncated tells why Body is not whole, or is "". A body that could not be decoded at all is as sent.
	Truncated string

	Proto   string         // "HTTP/1.1", "HTTP/2.0"
	TLS     bool           // whether the connection was encrypted
	Address netip.AddrPort // the server's; zero if the connection has none
	From    netip.Addr     // ours, as the server saw it; zero where that is not known: see visibleAddress

	Start     time.Time // before the connection was made or taken from the idle ones
	FirstByte time.Time // of the response
	End       time.Time // of the body on the wire
	WireBytes int64     // length of the body as received

	Wire *Wire // as it was on the wire; nil unless Options.Wire

	share   share
	wires   *wires
	bodies  *bodyPool
	spooled *spooledBody // nil unless the body was spooled
}

// Location returns the header field Location, empty if there is none. If it is no UTF-8, as where an old server writes umlauts in
// Latin-1, its bytes beyond ASCII are percent-encoded one by one, as browsers do.
func (r *Response) Location() string {
	location := r.Header.Get("Location")
	if utf8.ValidString(location) {
		return location
	}
	var b strings.Builder
	for _, c := range []byte(location) {
		if c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Release gives back the part of [Options.BodyMemory] that Body holds. Call it when done with the body, whatever its size:
// while large bodies are not released, others wait to be read. The response stays usable, its body just no longer
// counts; but its Wire is gone, and so is a body that was spooled. Releasing nil, or twice, does nothing.
func (r *Response) Release() {
	if r != nil {
		r.share.release()
		if r.spooled != nil {
			r.spooled.close()
		}
		r.wires.end(r.Wire)
		r.Wire = nil
	}
}

// Recycle is Release for a body that nobody looks at any more, be it by another name: its memory is used for other bodies. Body is
// nil from then on. Recycling nil, or twice, does nothing.
func (r *Response) Recycle() {
	if r != nil {
		r.Release()
		r.bodies.give(r.Body)
		r.Body = nil
	}
}
