package extract

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

// A Requisite is a reference to something that a page, or a style sheet, needs to be shown.
type Requisite struct {
	Href string // as Link.Href
	Kind RequisiteKind

	// Small says that an img element declares its picture to be less than 128 pixels wide or high, as icons, avatars and pixels
	// that count visits are. Of an address that stands there twice, the first one tells.
	Small bool
}

// smallest is how many pixels a picture has at least, either way, that is not small.
const smallest = 128

// A RequisiteKind says what a requisite is used as.
type RequisiteKind uint8

// The kinds of requisites.
const (
	RequisiteImage  RequisiteKind = iota // img, srcset, poster, background, of SVG, of styles
	RequisiteStyle                       // style sheets, those that others import too
	RequisiteScript                      // scripts and modules
	RequisiteFont                        // of @font-face
	RequisiteIcon                        // link rel=icon and its kin
	RequisiteMedia                       // audio, video, subtitles
	RequisiteObject                      // object, embed
)

// String returns a short lower-case name.
func (k RequisiteKind) String() string {
	return [...]string{"image", "style", "script", "font", "icon", "media", "object"}[k]
}

// Requisites are what one response needs to be shown.
type Requisites struct {
	Base string // href of the first base element that has one, as written
	List []Requisite
	Cut  bool // there were more than Options.MaxLinks or MaxLinkBytes allow
}

// Requisites reads what an HTML page or a style sheet needs to be shown, tag by tag, in document order, each once. Documents in
// frames are pages of their own (KindIframe), unless the attribute srcdoc holds them. The error is that of ctx, which ends only the
// wait for the budget.
func (x *Extractor) Requisites(ctx context.Context, in Input) (Requisites, error) {
	r := requisites{seen: map[Requisite]struct{}{}}
	r.gatherer = gatherer{opt: &x.opt, page: &Page{}}
	src := x.open(in, r.note)
	var err error
	switch {
	case src.html:
		r.query = ofQueries(src.decl)
		err = x.within(ctx, int64(src.textSize()), func() { r.read(scanner{buf: src.text(), xml: src.xml}) })
	case src.mediaType == "text/css":
		err = x.within(ctx, int64(src.textSize()), func() { r.style(string(src.text())) })
	}
	return r.found, err
}

// requisites gathers them.
type requisites struct {
	gatherer
	found Requisites
	seen  map[Requisite]struct{}
	small bool // what is read now
	bytes int
}

func (r *requisites) read(s scanner) {
	inStyle := false
	for t := s.next(); ; t = s.next() {
		if inStyle {
			r.style(string(s.text))
		}
		inStyle = false
		switch {
		case t == eof:
			return
		case t != startTag || s.inert > 0:
		default:
			inStyle = s.tag == atom.Style && !s.empty
			r.tag(&s)
		}
	}
}

// tag takes what a start tag refers to.
func (r *requisites) tag(s *scanner) {
	r.small = s.tag == atom.Img && (isSmall(s, "width") || isSmall(s, "height"))
	if css, ok := s.attr("style"); ok {
		r.style(css)
	}
	r.attr(s, "background", RequisiteImage)
	r.lazy(s)
	if s.alien {
		switch {
		case equalFold(s.name, "image"), equalFold(s.name, "feimage"), equalFold(s.name, "use"):
			r.attr(s, "href", RequisiteImage)
		case equalFold(s.name, "script"):
			r.attr(s, "href", RequisiteScript)
		}
		return
	}
	switch s.tag {
	case atom.Base:
		if href, ok := s.attr("href"); ok && !r.based {
			r.found.Base, r.based = trim(href), true
		}
	case atom.Img, atom.Image:
		r.attr(s, "src", RequisiteImage)
		r.srcset(s, "srcset")
	case atom.Source:
		r.attr(s, "src", RequisiteMedia)
		r.srcset(s, "srcset")
	case atom.Input:
		if kind, _ := s.attr("type"); strings.EqualFold(trim(kind), "image") {
			r.attr(s, "src", RequisiteImage)
		}
	case atom.Script:
		r.attr(s, "src", RequisiteScript)
	case atom.Audio, atom.Track:
		r.attr(s, "src", RequisiteMedia)
	case atom.Video:
		r.attr(s, "poster", RequisiteImage)
		r.attr(s, "src", RequisiteMedia)
	case atom.Embed:
		r.attr(s, "src", RequisiteObject)
	case atom.Object:
		r.attr(s, "data", RequisiteObject)
	case atom.Link:
		r.link(s)
	case atom.Iframe:
		if doc, ok := s.attr("srcdoc"); ok {
			r.srcdoc(doc)
		}
	}
}

// isSmall reports whether an attribute declares less than the smallest length in pixels. One in percent tells nothing.
func isSmall(s *scanner, name string) bool {
	length, _ := s.attr(name)
	n, err := strconv.Atoi(strings.TrimSuffix(trim(length), "px"))
	return err == nil && n < smallest
}

// lazy takes what scripts show when an element is scrolled to. All attributes are looked at once.
func (r *requisites) lazy(s *scanner) {
	b := s.attrs
	if bytes.IndexByte(b, '-') < 0 {
		return
	}
	for at := skipSpace(b, 0); at < len(b) && b[at] != '>'; at = skipSpace(b, at) {
		var key, raw []byte
		key, raw, at = nextAttr(b, at)
		i := slices.IndexFunc(lazies, func(l lazyAttribute) bool { return equalFold(key, l.attribute) })
		if i < 0 {
			continue
		}
		name, value := lazies[i].attribute, unescapeAttr(raw)
		switch list, ok := Lazy(s.tag.String(), name, value); {
		case !ok:
		case list:
			r.candidates(value)
		case name == "data-src" && s.tag != atom.Img:
			r.add(value, RequisiteMedia)
		default:
			r.add(value, RequisiteImage)
		}
	}
}

// srcdoc takes what a document refers to that an attribute holds. All is resolved as around it.
func (r *requisites) srcdoc(doc string) {
	if r.nested == maxNested {
		return
	}
	based := r.based
	r.based = true
	r.nested++
	r.read(scanner{buf: []byte(doc)})
	r.nested--
	r.based = based
}

// link takes a link element that leads to something the page needs.
func (r *requisites) link(s *scanner) {
	rel, _ := s.attr("rel")
	types := strings.Fields(strings.ToLower(rel))
	has := func(name string) bool { return slices.Contains(types, name) }
	switch {
	case has("stylesheet"):
		r.attr(s, "href", RequisiteStyle)
	case has("icon"), has("apple-touch-icon"), has("apple-touch-icon-precomposed"), has("mask-icon"):
		r.attr(s, "href", RequisiteIcon)
	case has("modulepreload"):
		r.attr(s, "href", RequisiteScript)
	case has("preload"):
		as, _ := s.attr("as")
		if kind, ok := preloads[strings.ToLower(trim(as))]; ok {
			r.attr(s, "href", kind)
			r.srcset(s, "imagesrcset")
		}
	}
}

// preloads are the kinds of what a page asks to be fetched early.
var preloads = map[string]RequisiteKind{
	"image": RequisiteImage, "style": RequisiteStyle, "script": RequisiteScript, "font": RequisiteFont, "track": RequisiteMedia,
	"audio": RequisiteMedia, "video": RequisiteMedia,
}

func (r *requisites) attr(s *scanner, name string, kind RequisiteKind) {
	if href, ok := s.attr(name); ok {
		r.add(href, kind)
	}
}

func (r *requisites) srcset(s *scanner, name string) {
	if list, ok := s.attr(name); ok {
		r.candidates(list)
	}
}

func (r *requisites) candidates(list string) {
	for _, c := range ImageCandidates(list) {
		r.add(c.URL, RequisiteImage)
	}
}

func (r *requisites) style(css string) {
	StyleReferences(css, func(ref StyleReference) bool {
		r.add(ref.URL, ref.Kind)
		return !r.found.Cut
	})
}

// add keeps a reference, unless it leads into the document itself, or holds what it refers to.
func (r *requisites) add(href string, kind RequisiteKind) {
	href = trim(href)
	if href == "" || href[0] == '#' || len(href) > 5 && strings.EqualFold(href[:5], "data:") {
		return
	}
	href, ok := r.reference(href)
	if !ok {
		return
	}
	q := Requisite{Href: href, Kind: kind}
	if _, again := r.seen[q]; again {
		return
	}
	if len(r.found.List) >= r.opt.MaxLinks || r.bytes+len(href) > r.opt.MaxLinkBytes {
		r.found.Cut = true
		return
	}
	r.seen[q] = struct{}{}
	q.Small = r.small
	r.bytes += len(href)
	r.found.List = append(r.found.List, q)
}

// An ImageCandidate is one of a srcset attribute.
type ImageCandidate struct {
	URL        string
	Descriptor string // such as 2x or 640w; may be empty
}

// ImageCandidates splits a srcset attribute (HTML standard, section 4.8.4.2.1).
func ImageCandidates(list string) (all []ImageCandidate) {
	for rest := list; ; {
		rest = strings.TrimLeft(rest, space+",")
		if rest == "" {
			return all
		}
		end := strings.IndexAny(rest, space)
		if end < 0 {
			end = len(rest)
		}
		url, after := rest[:end], rest[end:]
		if bare := strings.TrimRight(url, ","); bare != url {
			all, rest = append(all, ImageCandidate{URL: bare}), after
			continue
		}
		descriptor, further, _ := strings.Cut(after, ",")
		all, rest = append(all, ImageCandidate{url, strings.Trim(descriptor, space)}), further
	}
}
