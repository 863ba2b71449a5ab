package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/netip"
	"time"
)

// Digest names content: "sha256:" and 64 lower-case hexadecimal digits.
type Digest string

// DigestOf returns the digest of content.
func DigestOf(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// DigestFrom returns the digest of what r has to its end. The error is that of r.
func DigestFrom(r io.Reader) (Digest, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return Digest("sha256:" + hex.EncodeToString(h.Sum(nil))), nil
}

// Kind says what a document was asked for.
type Kind string

// KindRequisite is the kind of what pages need to be shown, such as images and styles.
const KindRequisite Kind = "requisite"

// A Page is one fetched document, as it goes to the sinks. Sinks must not change it.
type Page struct {
	Kind         Kind      // what it was asked for; "" is a page
	URL          string    // as it was queued, before redirects
	FinalURL     string    // the URL that answered
	Fetched      time.Time // when the response ended
	Status       int
	Type         string // media type without parameters, lower case
	Charset      string
	Body         []byte // decoded from its content coding
	Digest       Digest // of Body
	Title        string
	Canonical    string
	Lang         string
	Depth        int
	Via          string    // the page that linked here; empty for a seed
	Near         string    // the URL of an earlier page whose text is nearly the same, but not its bytes; empty when none is known
	LastMod      time.Time // when it changed, says the sitemap that led here; zero when none does
	Truncated    string    // which limit cut the body; empty when whole
	RobotsDigest Digest    // robots.txt under which it was fetched
	RobotsLine   int       // line of the deciding rule; 0 when no rule matched
	RobotsRule   string    // the rule, or why none was needed
	Directives   []string  // META and X-Robots-Tag terms in force for us, lower case

	// Header holds chosen fields of the response, by canonical name: those that lead to other pages or say whether they may be
	// followed, with which and Body the page can be read again, and those by which it is known again.
	Header map[string][]string

	Description   string   // META DESCRIPTION, without markup
	Keywords      []string // META KEYWORDS, lower case
	DocumentState string   // META DOCUMENT-STATE: "static", "dynamic" or empty, which counts as static
	MetaURL       string   // META URL, as written
	MirrorOf      string   // the page that this one says it is a copy of; nobody has asked for it for that reason
	MirrorBy      string   // how it says so: "canonical" or "meta-url"

	Uses        map[string]string // what Preferences come to: a use that is missing is one that nobody spoke of
	Preferences []Preference      // what the page may be used for, by source
}

// A Preference is what one source says about one use of a page.
type Preference struct {
	Use    string `json:"use"`              // "train-ai", "search", "ai-input", "tdm", "image-ai"
	Value  string `json:"value"`            // "allow", "disallow", "unknown"
	Source string `json:"source"`           // the standard: "content-usage", "content-signal", "tdmrep", "noai"
	Place  string `json:"place"`            // "robots.txt", "header", "meta", "well-known"
	Line   int    `json:"line,omitempty"`   // of robots.txt
	Text   string `json:"text,omitempty"`   // as written, shortened
	Policy string `json:"policy,omitempty"` // where the terms are
}

// A Sink keeps pages. Put returns when the page would survive the death of the process; a sink that also survives power
// loss implements Syncer. Put is safe for concurrent use.
type Sink interface {
	Put(ctx context.Context, p *Page) error
}

// A Syncer brings everything put before to stable storage.
type Syncer interface {
	Sync() error
}

// Multi returns a sink that hands each page to all sinks in order and joins their errors.
func Multi(sinks ...Sink) Sink { return multi(sinks) }

type multi []Sink

func (m multi) Put(ctx context.Context, p *Page) error {
	var errs []error
	for _, s := range m {
		errs = append(errs, s.Put(ctx, p))
	}
	return errors.Join(errs...)
}

func (m multi) Sync() error {
	var errs []error
	for _, s := range m {
		if s, ok := s.(Syncer); ok {
			errs = append(errs, s.Sync())
		}
	}
	return errors.Join(errs...)
}

// An Exchange is one request and its answer as they were on the wire, with what is known of it. Archives must not change it, nor
// use it after Record has returned.
type Exchange struct {
	URL       string
	Purpose   string // what it was for: "page", "requisite", "robots", "sitemap", "probe", "witness" or "tdmrep"
	Via       string // where the URL was found; empty for a seed
	Depth     int    // links from a seed
	Redirects int    // in a row before this request
	Noindex   bool   // a page that asks not to be kept

	Start, End time.Time
	Address    netip.Addr // of the server; zero when unknown
	Protocol   string     // "http/1.1", "http/1.0" or "h2"
	TLS        string     // "tls/1.3"; empty when not encrypted
	Cipher     string     // the suite

	Request   []byte            // with an empty line at its end
	Response  *io.SectionReader // its head and body, codings kept; never nil
	HeadLen   int64             // bytes of the head, with the empty line behind it
	Truncated string            // "length", "time" or "disconnect" when not all of the response came; empty otherwise

	RobotsAllowed bool   // the verdict under which it was made
	RobotsDigest  Digest // robots.txt with the rule; empty when there was none
	RobotsLine    int    // of the deciding rule; 0 when no rule matched
	RobotsRule    string // the rule, or why none was needed
}

// An Archive keeps exchanges. Record returns when the exchange would survive the death of the process; an archive that also
// survives power loss implements Syncer. Record is safe for concurrent use.
type Archive interface {
	Record(ctx context.Context, x *Exchange) error
}
