package extract

import "net/http"

// An Input is one response. The extractor changes and keeps none of it.
type Input struct {
	URL    string      // the address that answered; only compared with the anchor parameter of Link headers
	Header http.Header // may be nil
	Body   []byte      // decoded from its content coding; may be cut short
}

// A Page is what was read from one response. Its strings do not point into the body.
type Page struct {
	HTML          bool   // the body was read as HTML or XHTML; if not, only header fields have been read
	Type          string // media type, lower case, without parameters; sniffed when none was sent
	Charset       string // canonical name from the Encoding standard, lower case; "" unless HTML, or text that is no mere ASCII
	CharsetSource string // where Charset comes from: one of the Source constants

	Base  string // href of the first base element that has one, as written; resolve it against the page's address
	Title string // ASCII white space collapsed, as document.title has it
	Lang  string // of the html element, else Content-Language, as written

	// Canonical is the first canonical address the header or the head names, as written. It is resolved against Base
	// unless CanonicalHeader: then, as RFC 8288 section 3.1 has it, against the page's address.
	Canonical       string
	CanonicalHeader bool

	Description   string   // of META DESCRIPTION, the first; without markup, white space collapsed
	Keywords      []string // phrases of META KEYWORDS, lower case, each once
	DocumentState string   // of META DOCUMENT-STATE: StateStatic, StateDynamic, or "" when it does not say, which counts as static
	MetaURL       string   // of META URL, the first, as written: where the master of a mirror is said to be

	Metas    []Meta   // META elements with a name and a content, in document order
	Links    []Link   // those of the header, then those of the body, each in document order; beyond the first 1,000 none twice
	LinksCut bool     // there were more links than MaxLinks or MaxLinkBytes allow
	Notes    []string // which limits struck: Note constants, each once
}

// A Meta is a META element with a name.
type Meta struct {
	Name, Content string
}

// A Link is a reference found on a page.
type Link struct {
	// Href is the reference as written, entities decoded and HTML white space trimmed; for a page in a legacy charset
	// its query is percent-encoded from that charset, as the URL standard has it. It is relative to Page.Base, for header
	// kinds to the page's address. It may be empty, which means the base itself, and have any scheme.
	Href string
	Kind Kind
	Rel  string // rel as written; "" when absent
}

// A Kind says where a link stands.
type Kind uint8

// The kinds of links. A page's hyperlinks are KindA to KindIframe.
const (
	KindA      Kind = iota // a
	KindArea               // area
	KindFrame              // frame
	KindIframe             // iframe

	KindRefresh   // meta http-equiv=refresh
	KindNext      // link rel=next
	KindPrev      // link rel=prev
	KindAlternate // link rel=alternate of a page, style sheets excepted
	KindFeed      // link rel=alternate of a feed
	KindRelated   // link rel=contents, search and others that lead to a page

	KindHeaderRefresh   // Refresh header field
	KindHeaderNext      // Link header field, rel=next
	KindHeaderPrev      // Link header field, rel=prev
	KindHeaderAlternate // Link header field, rel=alternate of a page
	KindHeaderFeed      // Link header field, rel=alternate of a feed
	KindHeaderRelated   // Link header field, rel=contents and others

	KindEntry // an entry of a feed, which package crawler reads
)

var kindNames = [...]string{
	"a", "area", "frame", "iframe", "refresh", "next", "prev", "alternate", "feed", "related",
	"header-refresh", "header-next", "header-prev", "header-alternate", "header-feed", "header-related", "entry",
}

// String returns a short lower-case name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Header reports whether links of this kind stand in the response header, so that they are relative to the page's address
// and not to its base.
func (k Kind) Header() bool { return k >= KindHeaderRefresh && k <= KindHeaderRelated }

// Feed reports whether the page names a feed by links of this kind.
func (k Kind) Feed() bool { return k == KindFeed || k == KindHeaderFeed }

// Sources of a charset, strongest first.
const (
	SourceBOM     = "bom"     // byte order mark
	SourceHeader  = "header"  // charset parameter of Content-Type
	SourceMeta    = "meta"    // meta element within the first 1,024 bytes, or else in the head; @charset of a style sheet
	SourceXML     = "xml"     // XML declaration, or the UTF-8 that XHTML has by default
	SourceUTF8    = "utf-8"   // nothing declared, but the bytes are valid UTF-8
	SourceGuess   = "guess"   // nothing declared, and not UTF-8 or all ASCII: by its bytes, its language or the country of its host
	SourceDefault = "default" // nothing declared, not UTF-8, and nothing to guess by
)

// Notes a page may carry: which limit struck, and what else was out of the ordinary.
const (
	NoteBytes    = "max-bytes"       // the body was longer than MaxBytes, the rest was not read
	NoteTree     = "max-tree"        // the tree that was needed would be larger than MaxTree, or nobody can tell: read roughly
	NoteDepth    = "max-depth"       // a tree was needed, and more than 512 elements are open: read roughly
	NoteLinks    = "max-links"       // LinksCut
	NoteHref     = "max-href"        // a link, base or canonical address longer than MaxHref was left out
	NoteKeywords = "max-keywords"    // more than MaxKeywords phrases
	NoteMetas    = "max-metas"       // MaxMetas or MaxMetaBytes: the page counts as "robots: none"
	NoteCharset  = "unknown-charset" // a charset was declared that nobody knows
)
