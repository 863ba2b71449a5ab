package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Options are the bounds of a [Client]. Zero means the default, and a negative number of MinRate switches that off; all other
// bounds are always there: negative means the default, too.
type Options struct {
	UserAgent string // User-Agent of every request: "cybermapper"
	From      string // From of every request, a mailbox; "" sends none

	AllowPrivate bool           // connect to private, loopback and other special-purpose addresses too
	RootCAs      *x509.CertPool // who may vouch for servers; nil means the system's authorities
	Resolver     *Resolver      // shared, and closed by the caller; nil means one of the client's own

	// OptedOut, unless nil, is asked right before each connection is made, and before a request leaves on one that was kept,
	// and tells whether to leave the address alone and which entry of a list says so.
	OptedOut func(netip.Addr) (entry string, out bool)

	// Proxy, unless nil, is what every host is reached through that Proxies does not name, as it stands in URLs ("host", or
	// "host:port"); nil there means without one.
	Proxy   *Proxy
	Proxies map[string]*Proxy

	Access map[string]*Access // what requests to an origin, such as "https://example.org:8443", carry besides; read only

	// Sign, unless nil, returns fields that say who asks, for a request to a host, with its port if it is not the usual one.
	Sign func(host string) http.Header

	LocalAddr netip.Addr // of this machine, from which connections are made, to addresses of its kind; the zero one means any

	// Dial replaces the connecting itself, for tests. It is given IP addresses that have passed the check of AllowPrivate.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Wire, unless nil, keeps each exchange as it is on the wire until it is released: see Response.Wire.
	Wire *WireOptions

	SpoolDir string // for files with the bodies of requests that spool them; "" means that of the system for temporary files
	MaxSpool int64  // bytes of such a body, and of it decoded: 50 MiB

	MaxHeader  int64 // bytes of a response head: 128 KiB
	MaxRate    int64 // bytes of bodies received per second, by all exchanges together: 0, any
	MaxBody    int64 // bytes of a body, decoded: 16 MiB
	MaxWire    int64 // bytes of an encoded body as sent: MaxBody
	MaxRatio   int64 // decoded bytes per byte sent, judged beyond 1 MiB: 256
	BodyMemory int64 // bytes that large bodies hold together: 128 MiB; see [Response.Release]
	Decoders   int   // decoders at work at once, each with up to 16 MiB of its own: 4

	ConnectTimeout time.Duration // lookup and connection, and again the TLS handshake: 10s
	HeaderTimeout  time.Duration // from the start to the response head, connecting included: 30s
	BodyTimeout    time.Duration // from the response head to the end of the body, which may take longer at BodyRate: 5m
	BodyRate       int64         // bytes per second, received on the whole: 8 KiB
	RateWindow     time.Duration // over which MinRate is judged: 30s
	MinRate        int64         // bytes per second, received in each whole window: 500; negative means any

	MaxIdle     int           // idle connections kept, two of them per host at most: 512
	IdleTimeout time.Duration // how long they are kept: 60s
}

func (o Options) withDefaults() Options {
	o.UserAgent = cmp.Or(o.UserAgent, "cybermapper")
	o.MinRate = max(cmp.Or(o.MinRate, 500), 0)
	o.MaxRate = max(o.MaxRate, 0)
	o.MaxHeader = cmp.Or(max(o.MaxHeader, 0), 128<<10)
	o.MaxBody = cmp.Or(max(o.MaxBody, 0), 16<<20)
	o.MaxWire = cmp.Or(max(o.MaxWire, 0), o.MaxBody)
	o.MaxSpool = cmp.Or(max(o.MaxSpool, 0), 50<<20)
	o.MaxRatio = cmp.Or(max(o.MaxRatio, 0), 256)
	o.BodyMemory = cmp.Or(max(o.BodyMemory, 0), 128<<20)
	o.Decoders = cmp.Or(max(o.Decoders, 0), 4)
	o.ConnectTimeout = cmp.Or(max(o.ConnectTimeout, 0), 10*time.Second)
	o.HeaderTimeout = cmp.Or(max(o.HeaderTimeout, 0), 30*time.Second)
	o.BodyTimeout = cmp.Or(max(o.BodyTimeout, 0), 5*time.Minute)
	o.BodyRate = cmp.Or(max(o.BodyRate, 0), 8<<10)
	o.RateWindow = cmp.Or(max(o.RateWindow, 0), 30*time.Second)
	o.MaxIdle = cmp.Or(max(o.MaxIdle, 0), 512)
	o.IdleTimeout = cmp.Or(max(o.IdleTimeout, 0), time.Minute)
	return o
}

// maxStreamBuffer is how much of an HTTP/2 body may wait for its reader; the default of net/http is 4 MiB a stream.
const maxStreamBuffer = 256 << 10

// A Client makes HTTP exchanges. It is safe for concurrent use; one is enough for a crawl.
type Client struct {
	opts       Options
	transports *transports
	http1      *transports // of HTTP/1.1 alone, for those that want it
	// hosts that want HTTP/1.1 in place of HTTP/2 (RFC 9113 section 7, HTTP_1_1_REQUIRED), as Apache and IIS say where they ask
	// for the certificate of a visitor
	http1Hosts hostSet
	// hosts that closed a connection under a request which came as it had been idle: they get a new one for each, for the pause
	// between two requests is the same each time
	hangUpHosts hostSet
	cancel      context.CancelFunc // ends the dials under way
	resolver    *Resolver          // nil unless the client owns it
	pace        pace
	rate        *limiter // nil when there is no limit
	memory      *memory
	chunks      *chunkPool
	bodies      *bodyPool
	wires       *wires // nil unless exchanges are kept as they are on the wire
	decoders    *decoders
	constant    http.Header // the fields that are the same in every request
}

// New returns a client, which the caller closes.
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{opts: o, chunks: newChunkPool(), bodies: new(bodyPool), wires: newWires(o.Wire), decoders: newDecoders(o.Decoders)}
	resolver := o.Resolver
	if resolver == nil {
		c.resolver = NewResolver(ResolverOptions{})
		resolver = c.resolver
	}
	var life context.Context
	life, c.cancel = context.WithCancel(context.Background())
	d := newDialer(life, o, resolver)
	speaking := func(protocols ...string) *transports {
		return newTransports(func() *http.Transport {
			t := newTransport(o)
			setDials(t, d, o, protocols)
			return t
		})
	}
	c.transports, c.http1 = speaking("h2", "http/1.1"), speaking("http/1.1")
	c.pace = pace{
		header: o.HeaderTimeout, body: o.BodyTimeout, bodyRate: o.BodyRate, window: o.RateWindow,
		perWindow: int64(float64(o.MinRate) * o.RateWindow.Seconds()),
	}
	largest := 2*o.MaxWire + 2*o.MaxBody // sent and decoded, each in chunks and in one piece
	c.rate = newLimiter(o.MaxRate)
	c.memory = newMemory(o.BodyMemory, largest)
	c.constant = http.Header{"User-Agent": {o.UserAgent}, "Accept-Encoding": {acceptEncoding}}
	if o.From != "" {
		c.constant.Set("From", o.From)
	}
	return c
}

// UserAgent returns the User-Agent of every request.
func (c *Client) UserAgent() string { return c.opts.UserAgent }

// MaxBody returns how many bytes of a body are read at most.
func (c *Client) MaxBody() int64 { return c.opts.MaxBody }

// MaxSpool returns how many bytes are read at most of a body that is spooled.
func (c *Client) MaxSpool() int64 { return c.opts.MaxSpool }

// newTransport configures net/http for many hosts with few requests each. It decodes nothing, because a body must be
// decoded within limits, and leaves proxies to the dialer.
func newTransport(o Options) *http.Transport {
	return &http.Transport{
		TLSClientConfig: &tls.Config{
			RootCAs: o.RootCAs, ClientSessionCache: tls.NewLRUClientSessionCache(o.MaxIdle),
			GetClientCertificate: clientCertificate,
			CipherSuites:         cipherSuites(),
			Renegotiation:        tls.RenegotiateOnceAsClient, // as IIS does to ask for a certificate, which it goes without
		},
		TLSHandshakeTimeout: o.ConnectTimeout,
		ForceAttemptHTTP2:   true,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: maxStreamBuffer,
			WriteByteTimeout:          o.HeaderTimeout, // or a server that reads nothing keeps us for ever
		},
		DisableCompression:     true,
		MaxIdleConns:           o.MaxIdle,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        o.IdleTimeout,
		MaxResponseHeaderBytes: o.MaxHeader,
	}
}

// Close closes idle connections and the resolver, if it is the client's own, and ends the making of connections. Exchanges that
// have a connection go on; end them with their contexts. Closing twice does nothing.
func (c *Client) Close() {
	c.cancel()
	c.transports.current().CloseIdleConnections()
	c.http1.current().CloseIdleConnections()
	if c.resolver != nil {
		c.resolver.Close()
	}
}
