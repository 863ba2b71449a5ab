package index

import (
	"time"
)

// Bounds of a document. What is beyond is left out.
const (
	MaxBody     = 1 << 20 // bytes of Text.Body
	MaxField    = 64 << 10
	MaxHeadings = 1000
	MaxLinks    = 2000 // of a document
	MaxAnchors  = 8    // distinct texts of links to a page, those that came first and are in use
	MaxAnchor   = 120  // bytes of such a text
)

// A Document is a page as the index takes it.
type Document struct {
	URL      string    // that answered
	Asked    string    // the URL that redirected to it; empty when none did
	File     string    // where the page is kept, for whoever shows it
	Digest   string    // of its bytes: pages with the same one are the same
	Fetched  time.Time // when
	Modified time.Time // as the site says; zero when it does not
	Expires  time.Time // after which it must not be found; zero for never
	Lang     string    // language tag; empty when unknown
	Type     string    // media type
	Depth    int       // links from a seed
	Source   int64     // a number that whoever derives the index gives: where the page is described

	Text  Text
	Links []Link // to other pages, with what they are called there

	Canonical  string // URL that the page names as the one to show; empty when none or itself
	MaxSnippet int    // characters that may be shown of it: 0 none, negative for no bound
	NoArchive  bool   // no cached copy may be shown

	Exact uint64 // hash of the words in order: the same for the same text; 0 when it is not known
	Near  uint64 // hash that differs in few bits where the text differs little
	Words int    // of the text; hashes of a few words say nothing
}

// A Text is what a page says, part by part. Parts may overlap: headings and first paragraphs are in the body too.
type Text struct {
	Title       string
	Headings    []Heading
	Emphasis    string // what is set in bold, italics, or marked
	Lead        string // the first paragraphs
	Body        string // all of it; lines are blocks. What stands between NoSnippetOn and NoSnippetOff is found, but never shown
	Description string // META DESCRIPTION
	Keywords    string // META KEYWORDS
}

// What Text.Body has around a part that must not be shown.
const (
	NoSnippetOn  = '\x0e'
	NoSnippetOff = '\x0f'
)

// A Heading is one of a page.
type Heading struct {
	Level int    // 1 to 6
	ID    string // that a link can lead to; may be empty
	Text  string
	At    int // where in Text.Body it begins, in bytes
}

// A Link is what a page calls another one.
type Link struct {
	URL  string
	Text string
}

// A Reason says why a page is not in the index.
type Reason string

// The reasons.
const (
	NoIndex    Reason = "noindex"    // META ROBOTS or X-Robots-Tag: noindex, none
	Disallowed Reason = "robots"     // the robots.txt of today forbids it
	OptedOut   Reason = "opted-out"  // its owner asked to be left alone
	Preference Reason = "search"     // a preference: not to be used for searching
	Expired    Reason = "expired"    // unavailable_after has passed, or a volatile page is too old
	Gone       Reason = "gone"       // the server says that there is no such page any more
	Moved      Reason = "moved"      // the server says that the page is at another address now
	Unreadable Reason = "unreadable" // its file cannot be read
	Excluded   Reason = "not-a-page" // it says something to machines: a sitemap, a list of rules
)

// A Refusal says why a page is not in the index. It is the answer to a question that its owner may ask.
type Refusal struct {
	URL    string
	Reason Reason
	Rule   string    // as written: the line of robots.txt, the terms, the entry of the list
	File   string    // where the rule stands
	Line   int       // in File; 0 when it has none
	Time   time.Time // when it was refused
	Source int64     // as that of a Document
}

// A Change is applied as a whole or not at all: in the order of its fields.
type Change struct {
	Documents []Document // put in; one with the same URL, and its refusal, go
	Refusals  []Refusal  // not, or no longer, in the index

	// Was are marks that must still be as they are here, empty for one that is not set; else the change is refused with
	// ErrConflict.
	Was map[string]string
	// Marks are set with the change.
	Marks map[string]string
}
