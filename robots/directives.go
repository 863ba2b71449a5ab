package robots

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Directives are what META tags and X-Robots-Tag headers ask of those who keep or show a page. The zero value asks for
// nothing. All that speak to the robot add up and the most restrictive wins, wherever it stands: unlike groups in
// robots.txt, one for a single robot does not replace one for all.
type Directives struct {
	NoIndex         bool // not in results
	NoFollow        bool // none of the page's links
	NoArchive       bool // no public copy (noarchive, nocache)
	NoSnippet       bool // no excerpt (nosnippet, max-snippet:0)
	NoImageIndex    bool
	NoTranslate     bool
	NoAI            bool // noai: a refusal of AI training, by custom
	NoImageAI       bool
	IndexIfEmbedded bool // qualifies NoIndex for embedders; it lifts nothing here

	MaxSnippet       Limit  // characters of an excerpt
	MaxVideoPreview  Limit  // seconds of a video; 0 allows a still image
	MaxImagePreview  string // "none", "standard", "large" or "" for no statement
	UnavailableAfter time.Time

	Terms []Term // every term met, in order, those without effect too, up to MaxTerms
}

// A Limit is an optional upper bound; the zero value is no bound.
type Limit struct {
	Max int
	Set bool
}

// A Term is one term of a META tag or header.
type Term struct {
	Name   string // lower case, as written otherwise
	Value  string // of a term that takes one
	Source Source
	Agent  string // whom it speaks to, lower case; empty or "*" for everybody
	Effect Effect
}

// A Source says where a term stood.
type Source string

// The sources of terms.
const (
	SourceMeta   Source = "meta"
	SourceHeader Source = "header"
)

// An Effect says what a term does to us.
type Effect string

// The effects of terms.
const (
	EffectApplied   Effect = "applied"     // restricts
	EffectNone      Effect = "none"        // known, and restricts nothing: all, index, follow, limits of -1
	EffectOverruled Effect = "overruled"   // permits what another term forbids
	EffectOther     Effect = "other-agent" // speaks to another robot
	EffectUnknown   Effect = "unknown"     // no known term
	EffectInvalid   Effect = "invalid"     // its value cannot be read; it is ignored
)

// Meta is a META tag.
type Meta struct{ Name, Content string }

// MetaDirectives reads META tags: those named "robots" and those named like the product add up; a name may be a list with
// commas, and one named "X-Robots-Tag" is read as that header. Others are skipped.
// Terms stand between commas or semicolons, with or without quotation marks; a run of nothing but known terms between blanks,
// slashes, bars or full stops is read as well.
func MetaDirectives(metas []Meta, product string) Directives {
	var d Directives
	product = strings.ToLower(productToken(product))
	for _, m := range metas {
		if name := strings.TrimSpace(m.Name); equalFold(name, "x-robots-tag") {
			d.addHeader(m.Content, product, SourceMeta)
		} else if agent, ok := metaAgent(name, product); ok {
			d.addMeta(m.Content, agent)
		}
	}
	d.markOverruled()
	return d
}

// metaAgent reads the name of a META tag. It returns the product if that is named, "" for all robots, and whether it is either.
func metaAgent(name, product string) (agent string, ok bool) {
	for part := range strings.SplitSeq(strings.ToLower(name), ",") {
		switch part = strings.TrimSpace(part); {
		case part == "robots" || part == "robot":
			return "", true
		case part != "" && part == product:
			agent, ok = part, true
		}
	}
	return agent, ok
}

// HeaderDirectives reads the values of X-Robots-Tag headers, each on its own. At the start of a value and after each comma
// a name and a colon say whom the following terms speak to, up to the end of the value, unless the name is that of a term;
// "robots" and "X-Robots-Tag" are everybody, as "*" is.
func HeaderDirectives(values []string, product string) Directives {
	var d Directives
	for _, v := range values {
		d.addHeader(v, productToken(product), SourceHeader)
	}
	d.markOverruled()
	return d
}

// Merge returns what d and o ask for together: the most restrictive of each. Neither is changed.
func (d Directives) Merge(o Directives) Directives {
	terms := slices.Concat(d.Terms, o.Terms)
	terms = terms[:min(len(terms), MaxTerms)]
	for i, flag := range o.flags() {
		if *flag.set {
			*d.flags()[i].set = true
		}
	}
	d.MaxSnippet = d.MaxSnippet.lower(o.MaxSnippet)
	d.MaxVideoPreview = d.MaxVideoPreview.lower(o.MaxVideoPreview)
	d.MaxImagePreview = smallerPreview(d.MaxImagePreview, o.MaxImagePreview)
	d.UnavailableAfter = earlier(d.UnavailableAfter, o.UnavailableAfter)
	d.Terms = terms
	d.markOverruled()
	return d
}

// MayIndex reports whether the page may be kept for others to find, at the time now.
func (d Directives) MayIndex(now time.Time) bool {
	return !d.NoIndex && (d.UnavailableAfter.IsZero() || now.Before(d.UnavailableAfter))
}

// MayFollow reports whether links of the page may be followed from it.
func (d Directives) MayFollow() bool { return !d.NoFollow }

// Strings returns the restrictions in force as terms in lower case, sorted: "none" as "nofollow" and "noindex", values
// after a colon, dates in RFC 3339. It is nil when there are none.
func (d Directives) Strings() []string {
	var s []string
	for _, flag := range d.flags() {
		if *flag.set {
			s = append(s, flag.term)
		}
	}
	if d.MaxSnippet.Set {
		s = append(s, fmt.Sprint("max-snippet:", d.MaxSnippet.Max))
	}
	if d.MaxVideoPreview.Set {
		s = append(s, fmt.Sprint("max-video-preview:", d.MaxVideoPreview.Max))
	}
	if d.MaxImagePreview != "" {
		s = append(s, "max-image-preview:"+d.MaxImagePreview)
	}
	if !d.UnavailableAfter.IsZero() {
		s = append(s, "unavailable_after:"+d.UnavailableAfter.UTC().Format(time.RFC3339))
	}
	slices.Sort(s)
	return s
}

// A flag is a term that says yes or nothing.
type flag struct {
	term string
	set  *bool
}

// flags are those of d. nocache is another name of noarchive, none of two others.
func (d *Directives) flags() [9]flag {
	return [...]flag{
		{"noindex", &d.NoIndex}, {"nofollow", &d.NoFollow}, {"noarchive", &d.NoArchive}, {"nosnippet", &d.NoSnippet},
		{"noimageindex", &d.NoImageIndex}, {"notranslate", &d.NoTranslate}, {"noai", &d.NoAI}, {"noimageai", &d.NoImageAI},
		{"indexifembedded", &d.IndexIfEmbedded},
	}
}

// markOverruled marks the terms that permit what others forbid.
func (d *Directives) markOverruled() {
	for i := range d.Terms {
		t := &d.Terms[i]
		if t.Effect != EffectNone {
			continue
		}
		switch {
		case t.Name == "index" && d.NoIndex, t.Name == "follow" && d.NoFollow, t.Name == "all" && (d.NoIndex || d.NoFollow):
			t.Effect = EffectOverruled
		}
	}
}

func (l Limit) lower(o Limit) Limit {
	if !l.Set || o.Set && o.Max < l.Max {
		return o
	}
	return l
}

// previewSizes are the values of max-image-preview, smallest first.
var previewSizes = []string{"none", "standard", "large"}

func smallerPreview(a, b string) string {
	if a == "" || b != "" && slices.Index(previewSizes, b) < slices.Index(previewSizes, a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
