//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A realPage is what a page is in truth: its bytes and its title, found without the code that is judged by it.
type realPage struct {
	url     string
	digest  string // SHA-256 in hexadecimal
	title   string // as document.title has it
	bytes   int
	out     int      // different ones of links
	needs   int      // images, scripts and styles, each counted once
	hops    int      // redirects that led here, at most
	links   []string // resolved, to http and https, in document order, without the fragment
	noindex bool     // it asks not to be kept
}

// A realWalk visits all that can be reached from the seeds of a site, breadth first: full html.Parse, net/url, and the rules of
// browsers where the two differ.
type realWalk struct {
	tree  *webtest.Tree
	base  string               // http://host:port
	pages map[string]*realPage // by urlKey
}

func newRealWalk(tree *webtest.Tree, base string) *realWalk {
	return &realWalk{tree: tree, base: base, pages: map[string]*realPage{}}
}

func (w *realWalk) walk(seeds []string) {
	queue := slices.Clone(seeds)
	known, hops := map[string]bool{}, 0
	for len(queue) > 0 {
		u, err := url.Parse(queue[0])
		queue = queue[1:]
		led := hops
		hops = 0
		if err != nil || known[urlKey(u)] {
			continue
		}
		known[urlKey(u)] = true
		file, mediaType, location := w.tree.Open(u.Path)
		if location != "" {
			queue = slices.Insert(queue, 0, u.ResolveReference(&url.URL{Path: location, RawQuery: u.RawQuery}).String())
			hops = led + 1
			continue
		}
		if file == nil {
			continue
		}
		body, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			continue
		}
		sum := sha256.Sum256(body)
		p := &realPage{url: u.String(), digest: hex.EncodeToString(sum[:]), bytes: len(body), hops: led}
		w.pages[urlKey(u)] = p
		switch mediaType {
		case "text/html":
			p.readHTML(u, body)
		case "application/xhtml+xml":
			p.readXHTML(u, body)
		}
		for _, l := range p.links {
			if strings.HasPrefix(l, w.base+"/") {
				queue = append(queue, l)
			}
		}
		p.out, p.links = countDifferent(p.links), nil
	}
}

func countDifferent(list []string) int {
	slices.Sort(list)
	return len(slices.Compact(list))
}

// urlKey is the same for all spellings of an address that one server cannot tell apart.
func urlKey(u *url.URL) string {
	path := u.Path
	if path == "" {
		path = "/"
	}
	key := strings.ToLower(u.Host) + path
	if u.RawQuery != "" {
		key += "?" + u.RawQuery
	}
	return key
}

func keyOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return urlKey(u)
}

// An element is what both parsers give of a start tag.
type element struct {
	name string
	attr map[string]string
}

// links collects the addresses that elements lead to.
type linkReader struct {
	page   *url.URL
	base   *url.URL
	based  bool
	refs   []string
	needed map[string]struct{}
	follow bool
	index  bool
}

func (l *linkReader) read(e element) {
	switch e.name {
	case "img", "script", "source", "embed", "input":
		l.need(e.attr["src"])
	case "base":
		if href, ok := e.attr["href"]; ok && !l.based {
			l.based = true
			if u := browserResolve(l.page, href); u != nil {
				l.base = u
			}
		}
	case "a", "area":
		if href, ok := e.attr["href"]; ok && !slices.Contains(strings.Fields(strings.ToLower(e.attr["rel"])), "nofollow") {
			l.refs = append(l.refs, href)
		}
	case "frame", "iframe":
		if src := e.attr["src"]; strings.Trim(src, htmlSpace) != "" {
			l.refs = append(l.refs, src)
		}
	case "link":
		rel := strings.Fields(strings.ToLower(e.attr["rel"]))
		named := func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(rel, n) })
		}
		if strings.Trim(e.attr["href"], htmlSpace) != "" && (named("next", "prev", "previous") || named("alternate") && !named("stylesheet")) {
			l.refs = append(l.refs, e.attr["href"])
		}
		if named("stylesheet", "icon") {
			l.need(e.attr["href"])
		}
	case "meta":
		l.meta(e)
	}
}

func (l *linkReader) need(address string) {
	if address == "" {
		return
	}
	if l.needed == nil {
		l.needed = map[string]struct{}{}
	}
	l.needed[address] = struct{}{}
}

func (l *linkReader) meta(e element) {
	content := e.attr["content"]
	if strings.EqualFold(e.attr["name"], "robots") {
		if words := strings.ToLower(content); strings.Contains(words, "nofollow") || strings.Contains(words, "none") {
			l.follow = false
		}
		if words := strings.ToLower(content); strings.Contains(words, "noindex") || strings.Contains(words, "none") {
			l.index = false
		}
	}
	if !strings.EqualFold(e.attr["http-equiv"], "refresh") {
		return
	}
	if _, to, ok := strings.Cut(content, ";"); ok {
		to = strings.Trim(to, htmlSpace)
		if len(to) > 4 && strings.EqualFold(to[:4], "url=") {
			l.refs = append(l.refs, strings.Trim(to[4:], `"'`))
		}
	}
}

func (l *linkReader) links() []string {
	if !l.follow {
		return nil
	}
	var links []string
	for _, ref := range l.refs {
		if u := browserResolve(l.base, ref); u != nil {
			links = append(links, u.String())
		}
	}
	return links
}

const htmlSpace = " \t\n\f\r"

func (p *realPage) readHTML(u *url.URL, body []byte) {
	enc, _, _ := charset.DetermineEncoding(body, "text/html")
	decoded, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		decoded = body
	}
	doc, err := html.ParseWithOptions(bytes.NewReader(bytes.TrimPrefix(decoded, []byte("\ufeff"))), html.ParseOptionEnableScripting(false))
	if err != nil {
		return
	}
	l := &linkReader{page: u, base: u, follow: true, index: true}
	titled := false
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" {
			continue
		}
		if n.Data == "title" && !titled {
			titled = true
			var raw strings.Builder
			for c := range n.ChildNodes() {
				if c.Type == html.TextNode {
					raw.WriteString(c.Data)
				}
			}
			p.title = collapseASCII(raw.String())
		}
		e := element{n.Data, map[string]string{}}
		for _, a := range n.Attr {
			if a.Namespace == "" {
				e.attr[a.Key] = a.Val
			}
		}
		l.read(e)
	}
	p.links, p.needs, p.noindex = l.links(), len(l.needed), !l.index
}

func (p *realPage) readXHTML(u *url.URL, body []byte) {
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Strict, d.Entity, d.CharsetReader = false, xml.HTMLEntity, charset.NewReaderLabel
	l := &linkReader{page: u, base: u, follow: true, index: true}
	var title strings.Builder
	inTitle, titled := false, false
	for {
		t, err := d.Token()
		if err != nil {
			break
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Space != "" && t.Name.Space != "http://www.w3.org/1999/xhtml" {
				continue
			}
			inTitle = t.Name.Local == "title" && !titled
			e := element{t.Name.Local, map[string]string{}}
			for _, a := range t.Attr {
				if a.Name.Space == "" {
					e.attr[a.Name.Local] = a.Value
				}
			}
			l.read(e)
		case xml.EndElement:
			if t.Name.Local == "title" && inTitle {
				inTitle, titled = false, true
			}
		case xml.CharData:
			if inTitle {
				title.Write(t)
			}
		}
	}
	p.title, p.links, p.needs, p.noindex = collapseASCII(title.String()), l.links(), len(l.needed), !l.index
}

// collapseASCII strips and collapses ASCII white space, as document.title does; a no-break space stays.
func collapseASCII(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(htmlSpace, r) }), " ")
}

// browserResolve resolves a reference as a browser does; nil when it leads nowhere that has http.
func browserResolve(base *url.URL, ref string) *url.URL {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	ref, _, _ = strings.Cut(ref, "#")
	path, query, hasQuery := strings.Cut(ref, "?")
	path = strings.ReplaceAll(path, `\`, "/")
	scheme, rest, absolute := strings.Cut(path, ":")
	if absolute = absolute && isScheme(scheme); absolute {
		if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
			return nil
		}
		if !strings.HasPrefix(rest, "/") && scheme == base.Scheme {
			path, absolute = rest, false
		} else {
			path = scheme + "://" + strings.TrimLeft(rest, "/")
		}
	}
	if first, _, _ := strings.Cut(path, "/"); !absolute && strings.Contains(first, ":") {
		path = "./" + path
	}
	text := escapeRest(path)
	if hasQuery {
		text += "?" + escapeRest(query)
	}
	r, err := url.Parse(text)
	if err != nil {
		return nil
	}
	u := base.ResolveReference(r)
	u.Fragment = ""
	if u.Host == "" {
		return nil
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u
}

func isScheme(s string) bool {
	for i, c := range strings.ToLower(s) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", c)) {
			return false
		}
	}
	return s != ""
}

// escapeRest percent-encodes what net/url does not take and a browser encodes.
func escapeRest(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>`{}^|", c) >= 0 {
			b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
