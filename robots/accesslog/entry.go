package accesslog

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// An Entry is one request as a server has logged it. Its slices are valid until the Parser or Reader that made it is used again.
type Entry struct {
	Time      time.Time     // in UTC
	Zone      int           // what the log said of the time zone, in seconds east of UTC
	Fraction  bool          // Time is known to less than a second
	Client    []byte        // address, or the name that the server has looked up
	Host      []byte        // virtual host in lower case without its default port; empty when the log does not say
	Method    []byte        // empty when what was sent is not HTTP
	Target    []byte        // path and query as sent; empty when what was sent is not HTTP
	Absolute  bool          // the target was in absolute form, and Host, if the log has no other, is from there
	Status    int           // 0 when there was none
	Bytes     int64         // of the response; 0 when there were none
	Referrer  []byte        // Referer; empty when none was sent
	Agent     []byte        // User-Agent; empty when none was sent
	HasAgent  bool          // the log has a field for the User-Agent
	Forwarded bool          // Client is what a list as in X-Forwarded-For says
	Signed    bool          // the line has a Signature-Input, for which see ParseSent
	Taken     time.Duration // for the response; negative when the log does not say
}

// A Format is a way to write an access log.
type Format string

// The formats. Auto tells them apart line by line.
const (
	Auto     Format = ""
	Common   Format = "common"   // the Common Log Format: no User-Agent; what follows the size is not read
	Combined Format = "combined" // Common, referrer and User-Agent; perhaps the response time behind them
	VHost    Format = "vhost"    // Combined with the virtual host in front
	JSON     Format = "json"     // an object per line, as nginx, Apache and Caddy can write it
)

// ParseFormat returns the format of that name; "auto" is Auto.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case "auto", Auto:
		return Auto, nil
	case Common, Combined, VHost, JSON:
		return f, nil
	}
	return Auto, fmt.Errorf("unknown log format %q: auto, common, combined, vhost or json", name)
}

// Why a line is malformed.
var (
	ErrEmpty   = errors.New("the line is empty")
	ErrClient  = errors.New("no client where one should be")
	ErrTime    = errors.New("no time, or one that cannot be read")
	ErrRequest = errors.New("no request in quotes")
	ErrStatus  = errors.New("no status of three digits")
	ErrSize    = errors.New("no size after the status")
	ErrAgent   = errors.New("no User-Agent in quotes")
	ErrTorn    = errors.New("it is torn, or two lines in one")
	ErrPrefix  = errors.New("something stands before the client that is neither an address nor a host, as log collectors put there")
	ErrTarget  = errors.New("no target of the request in the object: log it as request, uri or path")
	ErrJSON    = errors.New("not a JSON object")
	ErrLong    = errors.New("the line is too long")
)

// A Parser takes lines apart. It allocates nothing once its buffers have grown. It is not safe for concurrent use; its zero value
// recognises all formats.
type Parser struct {
	Format  Format
	Trusted []netip.Prefix // proxies whose X-Forwarded-For is believed
	scratch []byte         // what was unescaped from the present line
	object  object
}

// Parse takes one line apart, without its end, into e. The error says what is wrong with a line that is no entry; e is
// unspecified then. Any bytes are accepted.
func (p *Parser) Parse(line []byte, e *Entry) error {
	*e = Entry{Taken: -1}
	p.scratch = p.scratch[:0]
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return ErrEmpty
	}
	err := p.parseLine(line, e)
	if err == nil {
		return nil
	}
	inner, ok := p.unwrapped(line)
	if !ok || len(inner) == 0 {
		return err
	}
	*e = Entry{Taken: -1}
	if p.parseLine(inner, e) != nil {
		return err
	}
	return nil
}

// parseLine takes a line apart that has nothing in front.
func (p *Parser) parseLine(line []byte, e *Entry) error {
	if p.Format == JSON || p.Format == Auto && line[0] == '{' {
		return p.parseJSON(line, e)
	}
	return p.parseCommon(line, e)
}

// setTarget takes the target of a request apart (RFC 9112 section 3.2): the absolute form names the host too.
func (e *Entry) setTarget(target []byte) {
	if len(target) > 0 && target[0] != '/' {
		if _, rest, ok := bytes.Cut(target, []byte("://")); ok {
			host, path := rest, []byte("/")
			if i := bytes.IndexAny(rest, "/?"); i >= 0 {
				host, path = rest[:i], rest[i:]
			}
			target, e.Absolute = path, true
			e.setHost(host)
		}
	}
	if i := bytes.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	e.Target = target
}

// setHost notes the virtual host, unless there is one already. It makes host lower case where it stands.
func (e *Entry) setHost(host []byte) {
	if len(e.Host) > 0 || len(host) == 1 && host[0] == '-' {
		return
	}
	for i, c := range host {
		if 'A' <= c && c <= 'Z' {
			host[i] = c + 'a' - 'A'
		}
	}
	host = bytes.TrimSuffix(host, []byte(":80"))
	e.Host = bytes.TrimSuffix(host, []byte(":443"))
}

// setRequest takes the request line apart. What is not HTTP leaves method and target empty: servers log whatever comes.
func (e *Entry) setRequest(request []byte) {
	method, rest, ok := bytes.Cut(request, []byte(" "))
	if !ok || !isToken(method) {
		return
	}
	target := rest
	if i := bytes.LastIndexByte(rest, ' '); i >= 0 && bytes.HasPrefix(rest[i+1:], []byte("HTTP/")) {
		target = rest[:i]
	}
	e.Method = method
	e.setTarget(target)
}

// isToken reports whether s can be a method: letters.
func isToken(s []byte) bool {
	for _, c := range s {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return len(s) > 0
}
