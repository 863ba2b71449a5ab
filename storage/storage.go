package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// Digest names content: "sha256:" and 64 lower-case hexadecimal digits.
type Digest string

// DigestOf returns the digest of content.
func DigestOf(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest("sha256:" + hex.EncodeToString(sum[:]))
}

// A Page is one fetched document, as it goes to the sinks. Sinks must not change it.
type Page struct {
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

	// Header holds the fields of the response, by canonical name, that lead to other pages or say whether they may be followed:
	// with them and Body the page can be read again.
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
