package fetch

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// An Access is what requests to one origin carry besides, because its owner gave it to the operator. It goes to no other origin:
// no redirect is followed, so each request is made for its own URL.
type Access struct {
	Header      http.Header      // fields; those that the client sets itself are not replaced
	Cookies     *Cookies         // nil for none
	Certificate *tls.Certificate // with which TLS is answered when it asks for one
}

// A way is how the servers of one origin are reached.
type way struct {
	proxy  *Proxy
	access *Access
}

// wayKey is the key of the *way among the values of a context: net/http passes them on to whoever connects.
type wayKey struct{}

func wayOf(ctx context.Context) *way {
	if w, ok := ctx.Value(wayKey{}).(*way); ok {
		return w
	}
	return &way{}
}

func (c *Client) wayTo(u *url.URL) *way {
	return &way{proxy: c.Proxy(u.Host), access: c.opts.Access[originOf(u.Scheme+"://"+u.Host)]}
}

// Proxy returns the proxy through which host, as it stands in a URL, is reached; nil when there is none.
func (c *Client) Proxy(host string) *Proxy {
	if p, own := c.opts.Proxies[host]; own {
		return p
	}
	return c.opts.Proxy
}

// apply adds to a request what the way wants of it, and returns the names of the fields that nobody else should see.
func (w *way) apply(r *http.Request) (secret []string) {
	if w.access == nil {
		return nil
	}
	for name, values := range w.access.Header {
		if _, ours := r.Header[name]; !ours {
			r.Header[name] = values
			secret = append(secret, name)
		}
	}
	if w.access.Cookies == nil {
		return secret
	}
	if c := w.access.Cookies.field(r.URL); c != "" {
		r.Header["Cookie"] = []string{c}
		secret = append(secret, "Cookie")
	}
	return secret
}

// TakesCookies reports whether the cookies that an origin sets are sent back to it.
func (c *Client) TakesCookies(origin string) bool { return c.opts.Access[origin].takesCookies() }

func (a *Access) takesCookies() bool { return a != nil && a.Cookies != nil && a.Cookies.take }

// takeCookies takes the cookies that a response sets, where they are taken.
func (w *way) takeCookies(u *url.URL, r *http.Response) {
	if w.access.takesCookies() {
		w.access.Cookies.takeFrom(u, r)
	}
}

// clientCertificate answers a server that asks who we are: nobody, unless there is a certificate for its origin.
func clientCertificate(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if a := wayOf(info.Context()).access; a != nil && a.Certificate != nil {
		return a.Certificate, nil
	}
	return &tls.Certificate{}, nil
}

// joinPort is net.JoinHostPort for a number.
func joinPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// hideFields replaces the values of fields in a request that is kept.
func hideFields(request []byte, secret []string) []byte {
	if len(secret) == 0 {
		return request
	}
	lines := strings.SplitAfter(string(request), "\r\n")
	for i, line := range lines {
		for _, name := range secret {
			if value, ok := strings.CutPrefix(line, name+": "); ok {
				lines[i] = name + ": " + hidden + value[len(strings.TrimRight(value, "\r\n")):]
			}
		}
	}
	return []byte(strings.Join(lines, ""))
}

// hidden stands for a value that is not kept.
const hidden = "(not kept)"
