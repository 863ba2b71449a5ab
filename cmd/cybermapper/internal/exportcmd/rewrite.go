package exportcmd

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A rewriter makes the references of one page fit for a file: those to what was fetched lead to its copy, the others are absolute.
type rewriter struct {
	ctx  context.Context
	site *site
	name string // of the copy
	url  frontier.URL
	base frontier.URL // what references are resolved against
	from string       // the charset in which the page was, if it is one of HTML
	deep int          // how many parts of pages the one at hand is in
	held bool         // files with scripts are not to be run
	err  error        // of finding copies
}

func newRewriter(ctx context.Context, x *site, l pages.Line, name string) (*rewriter, error) {
	u, err := frontier.ParseURL(l.FinalURL)
	r := &rewriter{ctx: ctx, site: x, name: name, url: u, base: u}
	if isHTML(l) {
		r.from = l.Charset
	}
	return r, err
}

const blanks = " \t\r\n\f" // around a reference, which do not count

// reference returns what to write for a reference that is resolved against base.
func (r *rewriter) reference(ref string, base frontier.URL) string {
	trimmed := strings.Trim(ref, blanks)
	if trimmed == "" || trimmed[0] == '#' && base == r.url {
		return ref
	}
	u, err := base.Resolve(extract.EncodeQuery(trimmed, r.from))
	if err != nil {
		return ref // a mail address, a script, data
	}
	_, fragment := cutFragment(trimmed)
	name, of, _, err := r.site.placeOf(r.ctx, u.String())
	if err != nil {
		r.err = err
		return ref
	}
	if name == "" {
		r.site.absolute++
		return u.String() + fragment
	}
	r.site.local++
	return relative(r.name, name) + cmp.Or(fragment, of)
}

// references are the attributes with a reference, by element; those under "" are it on any element: href is on many of SVG.
var references = map[string][]string{
	"":       {"background", "href", "xlink:href"},
	"audio":  {"src"},
	"embed":  {"src"},
	"form":   {"action"},
	"frame":  {"src"},
	"iframe": {"src"},
	"img":    {"src", "longdesc"},
	"input":  {"src", "formaction"},
	"button": {"formaction"},
	"object": {"data"},
	"script": {"src"},
	"source": {"src"},
	"track":  {"src"},
	"video":  {"src", "poster"},
}

// styled are the attributes whose value is one of CSS (SVG 2 section 6.6).
var styled = map[string]bool{
	"style": true, "clip-path": true, "cursor": true, "fill": true, "filter": true, "marker-end": true, "marker-mid": true,
	"marker-start": true, "mask": true, "stroke": true,
}

func isReference(element, attribute string) bool {
	return slices.Contains(references[""], attribute) || slices.Contains(references[element], attribute)
}

// html returns a page with its references rewritten. What needs no change stays as it is, byte for byte.
func (r *rewriter) html(page []byte) []byte {
	r.base = r.url
	r.findBase(page)
	if r.held = r.site.scripts.held(page); r.held {
		r.site.held++
	}
	return r.markup(page)
}

// maxDeep bounds the markup within markup that is rewritten.
const maxDeep = 4

// markup is html for a part of a page.
func (r *rewriter) markup(page []byte) []byte {
	if r.deep > maxDeep {
		return page
	}
	r.deep++
	defer func() { r.deep-- }()
	var out bytes.Buffer
	out.Grow(len(page) + len(page)/8)
	z := html.NewTokenizer(bytes.NewReader(page))
	within := ""       // the element whose text is met next
	var in foreign     // the elements of SVG and MathML that are open
	said := r.deep > 1 // that files with scripts are not to be run
	for {
		z.AllowCDATA(in.inside())
		kind := z.Next()
		raw := z.Raw()
		switch kind {
		case html.ErrorToken:
			out.Write(raw)
			return out.Bytes()
		case html.StartTagToken, html.SelfClosingTagToken:
			raw = bytes.Clone(raw) // reading the token changes it
			t := z.Token()
			within = t.Data
			if in.start(t) {
				z.NextIsNotRawText()
			}
			if inHead := t.Data == "html" || t.Data == "head"; r.held && !said && !inHead {
				said = true
				out.WriteString(noScriptFiles)
			}
			if r.held && t.Data == "noscript" {
				continue // what it has is shown instead of what scripts would make
			}
			if r.tag(&t) {
				out.WriteString(tagText(t))
			} else {
				out.Write(raw)
			}
		case html.TextToken:
			out.Write(r.text(within, in.inside(), raw))
		default:
			within = ""
			if kind == html.EndTagToken {
				raw = bytes.Clone(raw)
				name, _ := z.TagName()
				in.end(string(name))
			}
			if !r.held || !noscriptEnd.Match(raw) {
				out.Write(raw)
			}
		}
	}
}

// text rewrites the text within an element.
func (r *rewriter) text(element string, isForeign bool, raw []byte) []byte {
	switch {
	case element == "style" && isForeign:
		return r.xmlStyle(raw)
	case element == "style":
		return []byte(r.css(string(raw), r.base))
	case element == "noscript", element == "noframes": // text to the tokenizer
		return r.markup(bytes.Clone(raw))
	}
	return raw
}

var noscriptEnd = regexp.MustCompile(`(?i)^</noscript[\s/>]`)

// findBase looks for the first base element with an href.
func (r *rewriter) findBase(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		name, more := z.TagName()
		for more && string(name) == "base" && kind != html.EndTagToken {
			var key, value []byte
			if key, value, more = z.TagAttr(); string(key) != "href" {
				continue
			}
			if u, err := r.url.Resolve(string(value)); err == nil {
				r.base = u
			}
			return
		}
	}
}

// tag rewrites the attributes of a tag, and reports whether anything changed.
func (r *rewriter) tag(t *html.Token) bool {
	if t.Data == "meta" && r.meta(t) {
		return true
	}
	changed := false
	kept := t.Attr[:0]
	for _, a := range t.Attr {
		value, keep := r.attribute(t.Data, a.Key, a.Val)
		if changed = changed || value != a.Val || !keep; keep {
			a.Val = value
			kept = append(kept, a)
		}
	}
	t.Attr = kept
	return changed
}

// attribute returns what to write for the value of an attribute, and whether to keep it.
func (r *rewriter) attribute(element, key, value string) (_ string, keep bool) {
	switch {
	case element == "base" && key == "href", key == "integrity", key == "crossorigin":
		return "", false
	case key == "srcset", key == "imagesrcset":
		return r.srcset(value), true
	case key == "srcdoc":
		return string(r.markup([]byte(value))), true
	case styled[key]:
		return r.css(value, r.base), true
	case (element == "a" || element == "area") && key == "href" && r.base != r.url && strings.Trim(value, blanks) == "":
		return r.reference(r.base.String(), r.base), true
	case element == "use" && strings.HasPrefix(value, "#"):
		return value, true // of the document itself, whatever its base is (SVG 2, section 16.1.3)
	case isReference(element, key):
		return r.reference(value, r.base), true
	}
	switch list, ok := extract.Lazy(element, key, value); {
	case ok && list:
		return r.srcset(value), true
	case ok:
		return r.reference(value, r.base), true
	}
	return value, true
}

// meta rewrites a META element that acts like a header field, and reports whether it did.
func (r *rewriter) meta(t *html.Token) bool {
	equiv := ""
	for _, a := range t.Attr {
		if a.Key == "http-equiv" {
			equiv = strings.ToLower(strings.TrimSpace(a.Val))
		}
	}
	for i := range t.Attr {
		a := &t.Attr[i]
		switch {
		case a.Key != "content":
		case equiv == "content-security-policy":
			t.Attr = []html.Attribute{{Key: "name", Val: "content-security-policy-left-out"}}
			return true
		case equiv == "refresh":
			if m := refreshForm.FindStringSubmatchIndex(a.Val); m != nil {
				a.Val = a.Val[:m[2]] + r.reference(a.Val[m[2]:m[3]], r.base)
				return true
			}
		}
	}
	return false
}

// refreshForm is the content of a META refresh that leads elsewhere.
var refreshForm = regexp.MustCompile(`(?i)^\s*[\d.]+\s*[;,]?\s*(?:url\s*=\s*)?['"]?\s*([^'"]+)['"]?\s*$`)

// tagText writes a tag.
func tagText(t html.Token) string {
	var b strings.Builder
	b.WriteString("<" + t.Data)
	for _, a := range t.Attr {
		key := a.Key
		if a.Namespace != "" {
			key = a.Namespace + ":" + key
		}
		b.WriteString(" " + key + `="` + html.EscapeString(a.Val) + `"`)
	}
	if t.Type == html.SelfClosingTagToken {
		b.WriteString("/")
	}
	b.WriteString(">")
	return b.String()
}

// srcset rewrites a list of images.
func (r *rewriter) srcset(list string) string {
	var out []string
	for _, c := range extract.ImageCandidates(list) {
		out = append(out, strings.TrimSpace(r.reference(c.URL, r.base)+" "+c.Descriptor))
	}
	return strings.Join(out, ", ")
}

// sheet rewrites the references of a style sheet, whose Content-Type names a charset or none. One that is not in UTF-8 and says so
// with @charset stays as it is if none is rewritten; else it is written in UTF-8, with the mark that counts for more.
func (r *rewriter) sheet(body []byte, charset string) []byte {
	text, mark := string(body), ""
	if !utf8.Valid(body) {
		text, mark = string(inUTF8(extract.StyleCharset(charset, body), body)), bom
	}
	out := r.css(text, r.base)
	if out == text {
		return body
	}
	return []byte(mark + out)
}

// css rewrites the references of a style sheet.
func (r *rewriter) css(sheet string, base frontier.URL) string {
	var out strings.Builder
	at := 0
	extract.StyleReferences(sheet, func(ref extract.StyleReference) bool {
		if strings.HasPrefix(ref.URL, "#") {
			return true // of the document itself, whatever its base is (CSS Values 4, section 4.5.1)
		}
		url := r.reference(ref.URL, base)
		if url == ref.URL {
			return true // what leads into the document, or holds what it refers to
		}
		out.WriteString(sheet[at:ref.Start])
		if ref.Text {
			out.WriteString(`"` + cssText(url) + `"`)
		} else {
			out.WriteString(`url("` + cssText(url) + `")`)
		}
		at = ref.End
		return true
	})
	if at == 0 {
		return sheet
	}
	out.WriteString(sheet[at:])
	return out.String()
}

// cssTextReplacer escapes what would end a text in CSS.
var cssTextReplacer = strings.NewReplacer(`"`, `%22`, "\\", "%5C", "\n", "")

func cssText(s string) string { return cssTextReplacer.Replace(s) }
