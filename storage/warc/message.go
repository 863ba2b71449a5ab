package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Message is the HTTP message in the block of a record.
type Message struct {
	StartLine string
	Status    int // 0 in a request
	Header    Fields
	HeadLen   int64     // bytes of the head, with the empty line behind it
	Payload   io.Reader // the body without transfer coding; content coding is kept
	Chunked   bool      // a transfer coding was there to be removed
}

// maxHead bounds the head of an HTTP message.
const maxHead = 1 << 20

// errHead says that a message has no head that can be read.
var errHead = errors.New("no head of an HTTP message")

// ReadMessage reads the head of an HTTP message. Interim responses before it (RFC 9110 section 15.2), which crawlers that keep all
// bytes of a connection leave there, count to its length and to nothing else. A body that is said to be chunked and is not, which
// some writers leave behind, is taken as it is.
func ReadMessage(r io.Reader) (*Message, error) { return readMessage(bufio.NewReaderSize(r, 4<<10)) }

func readMessage(br *bufio.Reader) (*Message, error) {
	m := &Message{Payload: br}
	for {
		line, err := readLine(br, maxHead-int(m.HeadLen))
		m.HeadLen += int64(len(line))
		switch {
		case err == nil, errors.Is(err, io.EOF) && m.HeadLen > 0:
		case errors.Is(err, io.EOF), errors.Is(err, errLong):
			return nil, errHead
		default:
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		switch {
		case m.StartLine == "":
			if m.StartLine = text; !m.start() {
				return nil, errHead
			}
		case text == "" && m.isInterim() && startsResponse(br):
			m.StartLine, m.Status, m.Header = "", 0, nil
		case text == "" || err != nil:
			if isChunked(m.Header) {
				m.unchunk(br)
			}
			return m, nil
		default:
			m.Header.addLine(line)
		}
		if err != nil {
			return m, nil
		}
	}
}

// isInterim reports whether the message is one that another follows as the answer, as 103 (Early Hints).
func (m *Message) isInterim() bool {
	return m.Status >= 100 && m.Status < 200 && m.Status != http.StatusSwitchingProtocols
}

func startsResponse(br *bufio.Reader) bool {
	next, _ := br.Peek(len("HTTP/"))
	return string(next) == "HTTP/"
}

// start reads the start line. That of a careless server may have small letters and tabs, and that of an old one no version.
func (m *Message) start() bool {
	version, rest, _ := strings.Cut(strings.ReplaceAll(m.StartLine, "\t", " "), " ")
	if v := strings.ToUpper(version); v != "HTTP" && !strings.HasPrefix(v, "HTTP/") {
		isMethod := version != "" && strings.Trim(version, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
		return strings.Contains(rest, " HTTP/") || isMethod && !strings.Contains(rest, " ")
	}
	code, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, err := strconv.Atoi(code)
	m.Status = n
	return err == nil && n >= 100 && n < 1000
}

// Type returns the media type, without parameters and in lower case.
func (m *Message) Type() string {
	full := m.Header.Get("Content-Type")
	if t, _, err := mime.ParseMediaType(full); err == nil {
		return t
	}
	if parts := strings.FieldsFunc(full, func(c rune) bool { return strings.ContainsRune(";, \t", c) }); len(parts) > 0 {
		return strings.ToLower(parts[0])
	}
	return ""
}

func isChunked(h Fields) bool {
	return slices.ContainsFunc(h, func(f Field) bool {
		return strings.EqualFold(f.Name, "Transfer-Encoding") && strings.Contains(strings.ToLower(f.Value), "chunked")
	})
}

// shortLine is how long the line before a chunk is at most, if it has no extension.
const shortLine = 20

// unchunk removes the chunks from the body, if there are any: behind the first one a line ends, as far as can be seen. A longer
// line is taken for one with an extension if that has a value, and ends as lines of HTTP do, which those of tables mostly do not.
func (m *Message) unchunk(br *bufio.Reader) {
	start, _ := br.Peek(br.Size())
	line, rest, ended := bytes.Cut(start, []byte("\n"))
	if len(line) >= shortLine && !(bytes.HasSuffix(line, []byte("\r")) && bytes.IndexByte(line, '=') > 0) {
		return
	}
	n, err := chunkSize(line)
	if !ended || err != nil {
		return
	}
	if 0 < n && n < int64(len(rest)) && rest[n] != '\r' && rest[n] != '\n' {
		return
	}
	m.Payload, m.Chunked = &chunks{r: br}, true
}

// chunkSize reads the line before a chunk (RFC 9112 section 7.1).
func chunkSize(line []byte) (int64, error) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 63) // not ParseInt, which reads signs
	return int64(n), err
}

// chunks reads a chunked body. It ends where the body does, or breaks.
type chunks struct {
	r    *bufio.Reader
	left int64
	done bool
}

func (c *chunks) Read(p []byte) (int, error) {
	for c.left == 0 {
		if c.done {
			return 0, io.EOF
		}
		line, err := readLine(c.r, 4<<10)
		if err != nil {
			return 0, c.end(err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue // behind the chunk before
		}
		n, err := chunkSize(line)
		if err != nil || n == 0 {
			c.done = true
			return 0, io.EOF
		}
		c.left = n
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err != nil {
		err = c.end(err)
	}
	return n, err
}

// end is what the end of the block means for the body.
func (c *chunks) end(err error) error {
	c.done, c.left = true, 0
	if errors.Is(err, errLong) || errors.Is(err, io.EOF) {
		return io.EOF // cut: what came is the payload
	}
	return err
}
