package config

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Secret says where a secret is: "env:NAME" or "file:NAME". It is never the secret itself, so it may stand in any file.
type Secret string

// Read returns the secret, without the end of its line. A file's name may begin with a variable: $CREDENTIALS_DIRECTORY/login.
func (s Secret) Read() (string, error) {
	kind, name, _ := strings.Cut(string(s), ":")
	switch kind {
	case "env":
		text, ok := os.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set", name)
		}
		return strings.TrimRight(text, "\r\n"), nil
	case "file":
		text, err := os.ReadFile(os.ExpandEnv(name))
		return strings.TrimRight(string(text), "\r\n"), err
	}
	return "", fmt.Errorf("%q is neither env:NAME nor file:NAME", kind)
}

// isGood reports whether s says where a secret is, or is empty.
func (s Secret) isGood() bool {
	kind, name, _ := strings.Cut(string(s), ":")
	return s == "" || name != "" && (kind == "env" || kind == "file")
}

// Header returns the parts of one of Host.Headers. The value may be a Secret.
func Header(line string) (name, value string, secret Secret, err error) {
	name, value, ok := strings.Cut(line, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	switch {
	case !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
		return "", "", "", fmt.Errorf("%q is not a header: write \"Name: value\"", name)
	case name == "Authorization" || name == "Cookie":
		return "", "", "", fmt.Errorf("%s is not for headers: use basic or bearer, or cookies, which keep it secret", name)
	case slices.Contains(ownHeaders, name) || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "Sec-"):
		return "", "", "", fmt.Errorf("%s is what cybermapper says for itself", name)
	}
	if s := Secret(value); strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") {
		return name, "", s, nil
	}
	return name, value, "", nil
}

// ownHeaders are the fields that say who asks, for what and how.
var ownHeaders = []string{
	"Host", "User-Agent", "From", "Accept-Encoding", "Connection", "Content-Length", "Expect", "If-Modified-Since", "If-None-Match",
	"Keep-Alive", "Range", "Referer", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Signature", "Signature-Input",
	"Signature-Agent",
}

// HasAccess reports whether requests to the host carry anything that others do not.
func (h Host) HasAccess() bool {
	return len(h.Headers) > 0 || h.Cookies != "" || h.Basic != "" || h.Bearer != "" || h.Certificate != ""
}

// direct is the proxy of a host that is reached without one.
const direct = "direct"

// Proxies returns the proxies of hosts that have one of their own, nil for none.
func (c Config) Proxies(login *fetch.Login) map[string]*fetch.Proxy {
	own := map[string]*fetch.Proxy{}
	for name, h := range c.Hosts {
		switch h.Proxy {
		case "":
		case direct:
			own[name] = nil
		default:
			own[name], _ = fetch.ParseProxy(h.Proxy, login) // validate has found it to be good
		}
	}
	return own
}

// Fixed returns the addresses that fetch.resolve gives.
func (c Config) Fixed() map[string][]netip.Addr {
	fixed := map[string][]netip.Addr{}
	for _, text := range c.Fetch.Resolve {
		if host, a, err := parseResolve(text); err == nil {
			fixed[host] = append(fixed[host], a)
		}
	}
	return fixed
}

// parseResolve reads HOST:PORT:ADDRESS.
func parseResolve(text string) (hostPort string, a netip.Addr, err error) {
	host, rest, _ := strings.Cut(text, ":")
	port, address, _ := strings.Cut(rest, ":")
	if a, err = netip.ParseAddr(strings.Trim(address, "[]")); err != nil {
		return "", a, fmt.Errorf("%q is not HOST:PORT:ADDRESS", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return "", a, fmt.Errorf("%q is not HOST:PORT:ADDRESS", text)
	}
	u, err := frontier.ParseURL("http://" + host + "/") // hosts are looked up by the names that URLs have
	if err != nil || u.Port() != "" || u.PathQuery() != "/" {
		return "", a, fmt.Errorf("%q is not HOST:PORT:ADDRESS: %q is no host", text, host)
	}
	return u.Hostname() + ":" + port, a.Unmap(), nil
}

// bind returns the address to connect from; the zero one when there is none.
func (c Config) bind() netip.Addr {
	a, _ := netip.ParseAddr(c.Fetch.Bind) // validate has found it to be good
	return a.Unmap()
}

// UsesProxy reports whether some host is reached by a proxy.
func (c *Config) UsesProxy() bool {
	used := c.Fetch.Proxy != ""
	for _, h := range c.Hosts {
		used = used || h.Proxy != "" && h.Proxy != direct
	}
	return used
}

func (c *Config) validateNetwork(wrong complaint) {
	f := &c.Fetch
	validateProxy(wrong, "fetch.proxy", f.Proxy)
	if c.UsesProxy() && c.Agent.Contact == "" {
		wrong("fetch.proxy", "wants agent.contact, too: without one a crawl stays on loopback, and a proxy leads away from there")
	}
	if !f.ProxyLogin.isGood() {
		wrong("fetch.proxy_login", "must be env:NAME or file:NAME, which hold user:password, not those themselves")
	}
	for _, text := range f.Resolve {
		if _, _, err := parseResolve(text); err != nil {
			wrong("fetch.resolve", "%v", err)
		}
	}
	if _, err := netip.ParseAddr(f.Bind); f.Bind != "" && err != nil {
		wrong("fetch.bind", "%q is not an IP address of this machine", f.Bind)
	}
	least(wrong, "fetch.limit_rate", f.LimitRate, 0)
}

func validateProxy(wrong complaint, path, text string) {
	if text == "" {
		return
	}
	if strings.Contains(text, "@") {
		wrong(path, "no user name and password here, where they would be copied: fetch.proxy_login says where they are")
	} else if _, err := fetch.ParseProxy(text, nil); err != nil {
		wrong(path, "%q: %v", text, err)
	}
}

func validateAccess(path string, h Host, wrong complaint) {
	if h.Proxy != direct {
		validateProxy(wrong, path+".proxy", h.Proxy)
	}
	for _, line := range h.Headers {
		if _, _, _, err := Header(line); err != nil {
			wrong(path+".headers", "%v", err)
		}
	}
	if !h.Basic.isGood() {
		wrong(path+".basic", "must be env:NAME or file:NAME, which hold user:password, not those themselves")
	}
	if !h.Bearer.isGood() {
		wrong(path+".bearer", "must be env:NAME or file:NAME, which hold a token, not the token itself")
	}
	if h.Basic != "" && h.Bearer != "" {
		wrong(path+".bearer", "there is basic already: a request carries one of them")
	}
}

// Anchor makes the names of files absolute, because the job may go on elsewhere.
func (c *Config) Anchor() error {
	names := []*string{&c.OptOut, &c.Fetch.CAFile, &c.Log.File, &c.Agent.SignatureKey}
	cluster := &c.Frontier.Cluster
	names = append(names, &cluster.Credentials, &cluster.CA, &cluster.Certificate, &cluster.Key,
		&cluster.Snapshots)
	secrets := []*Secret{&c.Fetch.ProxyLogin}
	for key, h := range c.Hosts {
		h.Headers = slices.Clone(h.Headers)
		for i, line := range h.Headers {
			if name, _, secret, err := Header(line); err == nil && secret != "" {
				if err := secret.anchor(); err != nil {
					return err
				}
				h.Headers[i] = name + ": " + string(secret)
			}
		}
		for _, s := range []*Secret{&h.Basic, &h.Bearer} {
			if err := s.anchor(); err != nil {
				return err
			}
		}
		for _, name := range []*string{&h.Cookies, &h.Certificate} {
			if err := anchor(name); err != nil {
				return err
			}
		}
		c.Hosts[key] = h
	}
	for _, s := range secrets {
		if err := s.anchor(); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := anchor(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Secret) anchor() error {
	name, isFile := strings.CutPrefix(string(*s), "file:")
	if !isFile {
		return nil
	}
	err := anchor(&name)
	*s = Secret("file:" + name)
	return err
}

// anchor makes a name absolute, unless it is none, or begins with a variable.
func anchor(name *string) (err error) {
	if *name != "" && !strings.HasPrefix(*name, "$") {
		*name, err = filepath.Abs(*name)
	}
	return err
}
