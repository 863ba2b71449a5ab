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
	Client    []byte        // address, or the name that the server has looked up; - when nobody can tell
	Host      []byte        // virtual host in lower case without its default port; empty when the log does not say
	Authority []byte        // host that a target in absolute form names, likewise; empty for other targets
	Method    []byte        // empty when what was sent is not HTTP
	Target    []byte        // path and query as sent, unless Decoded; empty when what was sent is not HTTP
	Decoded   bool          // the escapes in the path of Target are undone, and a blank is +, as IIS writes them
	Cut       bool          // Target ends with ?, and its query may be left out, as Squid does unless told otherwise; see Parser
	Rewritten bool          // Target may be what the server made of it: without query and escapes, or an index page (IsIndex)
	Status    int           // 0 when there was none
	Bytes     int64         // of the response; 0 when there were none
	Referrer  []byte        // Referer; empty when none was sent
	Agent     []byte        // User-Agent; empty when none was sent
	HasAgent  bool          // the log has a field for the User-Agent
	Forwarded bool          // Client is what a list as in X-Forwarded-For says, and no proxies are trusted
	Proxied   bool          // Client is what trusted proxies say, of whom the server was asked
	Signed    bool          // the line has a Signature-Input, for which see ParseSent
	Taken     time.Duration // for the response; negative when the log does not say
	Epoch     int           // of its log, as a Reader counts them: times of two are of clocks that may differ; see Late
}

// IsIndex reports whether the target may be what the server made of any: the index of a directory, or the program that answers for
// all pages.
func (e *Entry) IsIndex() bool {
	path, _, _ := bytes.Cut(e.Target, []byte("?"))
	return e.Rewritten && bytes.HasPrefix(path[bytes.LastIndexByte(path, '/')+1:], []byte("index."))
}

// Late is the Epoch of a line that is far behind those before it: its answer took long, or the clock of the log was just set.
const Late = -1

// A Format is a way to write an access log.
type Format string

// The formats. Auto tells them apart line by line.
const (
	Auto     Format = ""
	Common   Format = "common"   // the Common Log Format: no User-Agent; what follows the size is not read
	Combined Format = "combined" // Common, referrer and User-Agent; perhaps the response time behind them
	VHost    Format = "vhost"    // Combined with the virtual host in front
	JSON     Format = "json"     // an object per line, as servers and networks of caches write it
	HAProxy  Format = "haproxy"  // option httplog or httpslog of HAProxy
	W3C      Format = "w3c"      // the Extended Log File Format, with a line #Fields in front, as IIS and Tomcat write it
	ALB      Format = "alb"      // of Amazon's Application and Classic Load Balancers
	Squid    Format = "squid"    // the native format of Squid, which Apache Traffic Server writes, too: no User-Agent
	S3       Format = "s3"       // server access logs of Amazon's S3
	NPM      Format = "npm"      // of Nginx Proxy Manager, for hosts that it passes on and those that it redirects
	Log4js   Format = "log4js"   // of Express behind connectLogger of log4js, whose time is in front and has no zone
	LTSV     Format = "ltsv"     // labelled values with tabs between them, with the labels of ltsv.org
	Envoy    Format = "envoy"    // the text that Envoy and Istio write unless told otherwise, with X-Forwarded-For for the client
)

// formats are the names of formats, and of software for what it writes.
var formats = map[string]Format{
	"": Auto, "auto": Auto, "common": Common, "combined": Combined, "vhost": VHost, "json": JSON, "haproxy": HAProxy,
	"w3c": W3C, "alb": ALB, "s3": S3, "squid": Squid, "npm": NPM, "log4js": Log4js, "envoy": Envoy, "ltsv": LTSV,
	"iis": W3C, "cloudfront": W3C,
	"cloudflare": JSON, "caddy": JSON, "traefik": Auto, "istio": Auto,
}

// FormatNames lists what ParseFormat knows.
const FormatNames = "auto, common, combined, vhost, json, haproxy, w3c, iis, cloudfront, alb, s3, squid, npm, log4js, ltsv, " +
	"envoy, istio, traefik, caddy or cloudflare"

// ParseFormat returns the format of that name; "auto" is Auto, and so are those of Traefik and Istio, which write one of
// two.
func ParseFormat(name string) (Format, error) {
	f, ok := formats[name]
	if !ok {
		return Auto, fmt.Errorf("unknown log format %q: %s", name, FormatNames)
	}
	return f, nil
}

// Why a line is malformed.
var (
	ErrEmpty   = errors.New("the line is empty")
	ErrRemark  = errors.New("the line is about the log, as in #Fields: date time") // no request, and no fault
	ErrClient  = errors.New("no client where one should be")
	ErrTime    = errors.New("no time, or one that cannot be read")
	ErrRequest = errors.New("no request in quotes")
	ErrStatus  = errors.New("no status of three digits")
	ErrSize    = errors.New("no size after the status")
	ErrAgent   = errors.New("no User-Agent in quotes")
	ErrTorn    = errors.New("it is torn, or two lines in one")
	ErrPrefix  = errors.New("something stands before the client that is neither an address nor a host, as log collectors put there")
	ErrTarget  = errors.New("no target of the request in the object: log it as request, uri or path")
	ErrNoCode  = errors.New("no status in the object: log it as status")
	ErrLeftOut = errors.New("its message is null, as journalctl writes a long one unless it is told --all")
	ErrJSON    = errors.New("not a JSON object")
	ErrFields  = errors.New("not the fields that its format has")
	ErrQuotes  = errors.New("quotes within quotes, which Envoy does not escape: whose line it is cannot be told; let it log JSON")
	ErrFTP     = errors.New("it is of an FTP server, not of a web server")
	ErrDrain   = errors.New("it is of a drain of Vercel, which has several lines for one request")
	ErrLong    = errors.New("the line is too long")
	ErrEndless = errors.New("a line has no end: this is no log, or begins with zeros only, which tr -d '\\0' takes away")
)

// A Parser takes the lines of a log apart. From the first target on that has a query none is Cut. It allocates nothing once its
// buffers have grown. It is not safe for concurrent use; its zero value recognises all formats.
type Parser struct {
	Format  Format
	Trusted []netip.Prefix // proxies whose X-Forwarded-For is believed
	scratch []byte         // what was unescaped from the present line
	inner   []byte         // the line that a field of the present one has
	layout  *layout        // of the lines that follow; nil unless a line said it
	date    string         // likewise
	minute  minute         // of the latest line
	// the lines that follow are of software that keeps to the draft of the W3C, as Tomcat, and not as IIS
	isStandard bool
	bare       bool   // the present line has no User-Agent where the combined format has it
	hasQueries bool   // some target has a query, so that none is left out
	server     []byte // that a log collector says the present line is of; nil if it does not
	object     object
}

// Parse takes one line apart, without its end, into e. The error says what is wrong with a line that is no entry; e is
// unspecified then. Any bytes are accepted.
func (p *Parser) Parse(line []byte, e *Entry) error {
	err := p.parse(line, e)
	if err == nil {
		p.setCut(e)
	}
	if isSocket(e.Client) {
		e.Client = nobody
	}
	return err
}

// setCut notes if targets have queries, for then one that ends with ? was sent so. What Squid cannot read after CONNECT it logs as
// it came.
func (p *Parser) setCut(e *Entry) {
	if i := bytes.IndexByte(e.Target, '?'); i >= 0 && i < len(e.Target)-1 && e.Target[0] == '/' && string(e.Method) != "CONNECT" {
		p.hasQueries = true
	}
	e.Cut = e.Cut && !p.hasQueries
}

// parse takes a line apart.
func (p *Parser) parse(line []byte, e *Entry) error {
	p.reset(e)
	p.server = nil
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return ErrEmpty
	}
	err := p.parseLine(line, e)
	if err == nil || errors.Is(err, ErrRemark) {
		return err
	}
	inner, when, ok := p.ofConsole(line)
	if !ok {
		inner, ok = p.unwrapped(line)
	}
	if !ok || len(inner) == 0 {
		return err
	}
	p.reset(e)
	setISOTime(when, e)
	if found := p.parseLine(inner, e); found == nil || errors.Is(found, ErrRemark) {
		return found
	}
	return err
}

// parseLine takes a line apart that has nothing in front.
func (p *Parser) parseLine(line []byte, e *Entry) error {
	switch {
	case line[0] == '#' && (p.Format == Auto || p.Format == W3C) && !p.hasTime(line) && p.isDirective(line):
		return ErrRemark
	case p.Format == JSON || p.Format == Auto && line[0] == '{':
		return p.parseJSON(line, e)
	case p.Format == LTSV || p.Format == Auto && isLTSV(line):
		return p.parseLTSV(line, e)
	case p.Format == HAProxy:
		return p.parseHAProxy(line, e)
	case p.Format == Log4js:
		return p.parseLog4js(line, e)
	case p.Format == ALB, p.Format == S3, p.Format == Squid, p.Format == NPM, p.Format == Envoy:
		return p.parsePlaces(line, p.Format, e)
	case p.Format == W3C && p.layout == nil:
		p.layout = newLayout([]byte(iisFields))
		fallthrough
	case p.Format == W3C:
		return p.parseW3C(line, e)
	case p.Format != Auto:
		return p.parseCommon(line, e)
	}
	return p.parseAny(line, e)
}

// parseAny finds out what a line is that is no JSON.
func (p *Parser) parseAny(line []byte, e *Entry) error {
	var err error
	if p.layout != nil {
		if err = p.parseW3C(line, e); err == nil {
			return nil
		}
		p.reset(e)
	}
	common := p.parseCommon(line, e)
	if common == nil || errors.Is(common, ErrRemark) {
		return common
	}
	if err == nil {
		err = common
	}
	p.reset(e)
	if found := p.parseHAProxy(line, e); found == nil || errors.Is(found, ErrRemark) {
		return found
	}
	p.reset(e)
	if p.parseLog4js(line, e) == nil {
		return nil
	}
	if found := p.parsePlaces(line, Auto, e); found == nil || errors.Is(found, ErrRemark) || errors.Is(found, ErrQuotes) {
		return found
	}
	return err
}

// reset forgets what was found in a line that is of another format.
func (p *Parser) reset(e *Entry) { *e, p.scratch, p.bare = Entry{Taken: -1}, p.scratch[:0], false }

// setTarget takes the target of a request apart (RFC 9112 section 3.2): the absolute form names the host too.
func (e *Entry) setTarget(target []byte) {
	if len(target) > 0 && target[0] != '/' {
		if _, rest, ok := bytes.Cut(target, []byte("://")); ok {
			host, path := rest, []byte("/")
			if i := bytes.IndexAny(rest, "/?"); i >= 0 {
				host, path = rest[:i], rest[i:]
			}
			if path[0] == '?' { // the path is empty, and sent as / (RFC 9112 section 3.2.1)
				path = append([]byte("/"), path...)
			}
			target, e.Authority, e.Cut = path, normalHost(host), path[len(path)-1] == '?'
		}
	}
	if i := bytes.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	e.Target = target
}

// setHost notes the virtual host, unless there is one already. It makes host lower case where it stands.
func (e *Entry) setHost(host []byte) {
	if len(e.Host) > 0 || len(host) == 1 && (host[0] == '-' || host[0] == '_') { // nginx' server_name for all that is left
		return
	}
	e.Host = normalHost(host)
}

// normalHost makes a host lower case where it stands, and takes the default port off.
func normalHost(host []byte) []byte {
	for i, c := range host {
		if 'A' <= c && c <= 'Z' {
			host[i] = c + 'a' - 'A'
		}
	}
	host = bytes.TrimSuffix(host, []byte(":80"))
	return bytes.TrimSuffix(host, []byte(":443"))
}

// setRequest takes the request line apart. What is not HTTP leaves method and target empty: servers log whatever comes. A client
// may choose any method, which many programs behind a server do not look at.
func (e *Entry) setRequest(request []byte) {
	blank := bytes.IndexByte(request, ' ')
	if blank < 0 {
		return
	}
	method, target := request[:blank], request[blank+1:]
	i := bytes.LastIndexByte(target, ' ')
	hasVersion := i >= 0 && bytes.HasPrefix(target[i+1:], []byte("HTTP/"))
	isBare := i >= 0 && isBareVersion(target[i+1:])
	if hasVersion || isBare {
		target = target[:i]
	}
	if !isMethod(method) && (!hasVersion || !isToken(method)) {
		return
	}
	e.Method = method
	e.setTarget(target)
	e.Rewritten = isBare && bytes.IndexByte(e.Target, '?') < 0
}

// isBareVersion reports whether s is a version of HTTP without its name, as Hypercorn writes it behind the path, which then has
// neither query nor escapes.
func isBareVersion(s []byte) bool {
	switch string(s) {
	case "1.0", "1.1", "2", "3":
		return true
	}
	return false
}

// isMethod reports whether s looks like a method by itself: letters. A dash is none: Envoy has it for a request that it could not
// read.
func isMethod(s []byte) bool {
	if string(s) == "-" {
		return false
	}
	for _, c := range s {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return len(s) > 0
}

// isToken reports whether s can be a method (RFC 9110 section 5.6.2).
func isToken(s []byte) bool {
	for _, c := range s {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') &&
			bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), c) < 0 {
			return false
		}
	}
	return len(s) > 0 && string(s) != "-"
}
