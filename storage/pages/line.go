package pages

import (
	"crypto/sha256"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage"
)

// linesName is the file with the lines.
const linesName = "pages.jsonl"

// Bounds of a line.
const (
	maxText       = 4 << 10 // bytes of one text; longer ones are shortened
	maxDirectives = 100     // further ones are left out
	maxLine       = 4 << 20 // bytes that Read takes for a line
)

// A Line describes one stored page.
type Line struct {
	URL        string         `json:"url"`            // as it was queued
	FinalURL   string         `json:"final_url"`      // that answered
	Kind       storage.Kind   `json:"kind,omitempty"` // "requisite" for what pages need; absent for pages
	File       string         `json:"file"`           // with the body, below the directory of the store, with slashes
	Fetched    time.Time      `json:"fetched"`        // in UTC
	Status     int            `json:"status"`
	Type       string         `json:"type"`
	Charset    string         `json:"charset,omitempty"`
	Bytes      int64          `json:"bytes"`
	Digest     storage.Digest `json:"digest"`
	Title      string         `json:"title,omitempty"`
	Depth      int            `json:"depth"`
	Via        string         `json:"via,omitempty"`
	LastMod    time.Time      `json:"lastmod,omitzero"` // as the sitemap has it that led here, in UTC
	Truncated  string         `json:"truncated,omitempty"`
	SameAs     string         `json:"same_as,omitempty"` // file of an earlier page with this body, perhaps removed since
	Near       string         `json:"near,omitempty"`    // URL of an earlier page whose text is nearly the same
	Robots     Robots         `json:"robots,omitzero"`
	Canonical  string         `json:"canonical,omitempty"`
	Lang       string         `json:"lang,omitempty"`
	Directives []string       `json:"directives,omitempty"`

	// Header holds chosen fields of the response, as sent: those that lead to other pages, say whether they may be followed, by
	// what the page is known again, and how long it is good for. It is nil
	// in lines of versions that did not keep them, and empty when there was none.
	Header map[string][]string `json:"header,omitzero"`

	Description   string   `json:"description,omitempty"`
	Keywords      []string `json:"keywords,omitempty"`
	DocumentState string   `json:"document_state,omitempty"` // "static", "dynamic"
	MetaURL       string   `json:"meta_url,omitempty"`
	MirrorOf      string   `json:"mirror_of,omitempty"`
	MirrorBy      string   `json:"mirror_by,omitempty"` // "canonical", "meta-url"

	Uses        map[string]string    `json:"uses,omitempty"` // the most restrictive of Preferences
	Preferences []storage.Preference `json:"preferences,omitempty"`

	// Listing is the digest of the line as it stands in the list, without its newline. It is empty for a page that Put found
	// stored as it is, of which no line was added.
	Listing storage.Digest `json:"-"`
	// Start and End are where the line stands in the list, with its newline, in bytes. Only reading sets them.
	Start int64 `json:"-"`
	End   int64 `json:"-"`
}

// Answer returns the header of the response as far as the line knows it, with the Content-Type made up from Type and Charset
// where that field was not kept.
func (l Line) Answer() http.Header {
	h := http.Header{}
	for name, values := range l.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	if h.Get("Content-Type") == "" && l.Type != "" {
		full := l.Type
		if l.Charset != "" {
			full = mime.FormatMediaType(l.Type, map[string]string{"charset": l.Charset})
		}
		h.Set("Content-Type", full)
	}
	return h
}

// Robots is the rule of robots.txt under which a page was fetched.
type Robots struct {
	Digest storage.Digest `json:"digest,omitempty"` // of the file
	Line   int            `json:"line,omitempty"`   // 0 when no rule matched
	Rule   string         `json:"rule,omitempty"`   // the rule, or why none was needed
}

// IsPage reports whether the line is that of a page, and not of what pages need.
func (l *Line) IsPage() bool { return l.Kind != storage.KindRequisite }

// newLine returns the line for p, but for File and SameAs.
func newLine(p *storage.Page) Line {
	l := Line{
		URL: valid(p.URL), FinalURL: valid(p.FinalURL), Kind: p.Kind, Fetched: p.Fetched.UTC(), Status: p.Status,
		Type: clip(p.Type), Charset: clip(p.Charset), Bytes: int64(len(p.Body)), Digest: p.Digest,
		Title: clip(p.Title), Depth: p.Depth, Via: valid(p.Via), LastMod: p.LastMod.UTC(), Near: valid(p.Near),
		Truncated: clip(p.Truncated), Robots: Robots{Digest: p.RobotsDigest, Line: p.RobotsLine, Rule: clip(p.RobotsRule)},
		Canonical: clip(p.Canonical), Lang: clip(p.Lang), Directives: clipAll(p.Directives),
		Description: clip(p.Description), Keywords: clipAll(p.Keywords), DocumentState: clip(p.DocumentState),
		MetaURL: clip(p.MetaURL), MirrorOf: clip(p.MirrorOf), MirrorBy: clip(p.MirrorBy),
		Uses: p.Uses, Header: map[string][]string{},
	}
	for name, values := range p.Header {
		l.Header[name] = make([]string, len(values))
		for i, v := range values {
			l.Header[name][i] = valid(v)
		}
	}
	for _, f := range p.Preferences[:min(len(p.Preferences), maxDirectives)] {
		f.Text, f.Policy = clip(f.Text), clip(f.Policy)
		l.Preferences = append(l.Preferences, f)
	}
	if l.Digest == "" {
		l.Digest = storage.DigestOf(p.Body)
	}
	return l
}

// valid replaces bytes that are not UTF-8, so that a line is read as it was written.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// clip makes s valid and shortens it to maxText bytes.
func clip(s string) string {
	if s = valid(s); len(s) <= maxText {
		return s
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// clipAll clips each text and leaves out those beyond maxDirectives.
func clipAll(texts []string) (clipped []string) {
	for _, s := range texts[:min(len(texts), maxDirectives)] {
		clipped = append(clipped, clip(s))
	}
	return clipped
}

// A fingerprint stands for all of a line but the time, the file, the header, which earlier versions did not keep, and the page
// that is like it: which page of two is the earlier one depends on the run.
type fingerprint [16]byte

func (l Line) fingerprint() (fingerprint, error) {
	l.File, l.SameAs, l.Near, l.Fetched, l.Header = "", "", "", time.Time{}, nil
	data, err := l.appendTo(make([]byte, 0, usualLine))
	sum := sha256.Sum256(data)
	return fingerprint(sum[:]), err
}
