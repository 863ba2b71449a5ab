package fetch

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
)

// tap lets w note from now on.
func (c *connection) tap(w *Wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire = w
}

// untap ends that, unless another exchange has the connection already: net/http hands it on as soon as a body is read to its end.
func (c *connection) untap(w *Wire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wire == w {
		c.wire = nil
	}
}

// tapConn begins to note what goes over a connection.
func (x *exchange) tapConn(conn net.Conn) {
	w := x.response.Wire
	if w == nil {
		return
	}
	x.untap()
	w.restart()
	if c, ok := conn.(*connection); ok {
		x.tapped = c
		c.tap(w)
	}
}

// untap ends that.
func (x *exchange) untap() {
	if x.tapped != nil {
		x.tapped.untap(x.response.Wire)
		x.tapped = nil
	}
}

// beginWire notes what is known with the response head. What follows of the body is noted from what it returns.
func (x *exchange) beginWire(sent *http.Request, resp *http.Response) io.Reader {
	w := x.response.Wire
	if w == nil {
		return resp.Body
	}
	w.Protocol = strings.ToLower(resp.Proto)
	state := resp.TLS
	if x.tapped != nil {
		state = x.tapped.state
	}
	if state != nil {
		w.TLS = strings.ToLower(strings.Replace(tls.VersionName(state.Version), "TLS ", "tls/", 1))
		w.Cipher = tls.CipherSuiteName(state.CipherSuite)
	}
	if x.tapped != nil {
		return resp.Body
	}
	w.Protocol = "h2"
	writeRequestHead(&w.request, sent)
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %03d %s\r\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	writeFields(&head, resp.Header)
	w.received(head.Bytes())
	return io.TeeReader(resp.Body, receiver{w})
}

// A receiver notes what is read of a body.
type receiver struct{ wire *Wire }

func (r receiver) Write(p []byte) (int, error) {
	r.wire.received(p)
	return len(p), nil
}

func writeRequestHead(b *bytes.Buffer, r *http.Request) {
	fmt.Fprintf(b, "GET %s HTTP/1.1\r\nHost: %s\r\n", r.URL.RequestURI(), r.Host)
	writeFields(b, r.Header)
}

// writeFields writes the fields of a head, and the empty line behind it.
func writeFields(b *bytes.Buffer, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, v := range h[name] {
			fmt.Fprintf(b, "%s: %s\r\n", name, v)
		}
	}
	b.WriteString("\r\n")
}

// endWire finds the response among what was received: behind interim responses, and without what a server sends beyond its end.
// chunked says that only the body itself tells where it ends. The error is that of the place where it is kept.
func (x *exchange) endWire(sent *http.Request, body int64, chunked bool) error {
	w := x.response.Wire
	if w == nil {
		return nil
	}
	x.untap()
	if w.request.Len() == 0 { // the server did not wait for it
		writeRequestHead(&w.request, sent)
	}
	if len(x.secret) > 0 {
		kept := hideFields(w.request.Bytes(), x.secret)
		w.request.Reset()
		w.request.Write(kept)
	}
	if w.err != nil {
		return fmt.Errorf("%w: %w", errWire, w.err)
	}
	br := x.client.wires.heads.Get().(*bufio.Reader)
	defer x.client.wires.heads.Put(br)
	for {
		blank, n, interim, err := headLength(br, io.NewSectionReader(&w.response, w.start, w.response.size-w.start))
		if err != nil {
			return err // it is asked for again
		}
		w.start += blank
		if !interim {
			w.head = n
			break
		}
		w.start += n
	}
	w.end = w.response.size
	if end := w.start + w.head + body; !chunked {
		w.end = min(w.end, end)
	}
	return nil
}

// errNoHead says that what was noted is not what net/http has read.
var errNoHead = errors.New("no response head among what was received")

// headLength returns how many bytes of empty lines are at the start of r, how many the response head behind them has, and whether
// it is of an interim response. It reads with br.
func headLength(br *bufio.Reader, r io.Reader) (blank, n int64, interim bool, err error) {
	br.Reset(r)
	for ; blank < maxBlank; blank++ {
		if c, err := br.ReadByte(); err != nil || c != '\r' && c != '\n' {
			br.UnreadByte()
			break
		}
	}
	for first := true; ; first = false {
		line, err := br.ReadSlice('\n')
		n += int64(len(line))
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = br.ReadSlice('\n')
			n += int64(len(line))
			if !errors.Is(err, bufio.ErrBufferFull) {
				line = []byte("x") // the end of a long line is no empty one
			}
		}
		if err != nil {
			return blank, n, false, errors.Join(errNoHead, err)
		}
		if first {
			interim = isInterim(line)
		} else if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return blank, n, interim, nil
		}
	}
}
