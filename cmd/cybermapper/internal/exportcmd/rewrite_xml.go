package exportcmd

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// xml returns a document in XML, as SVG and XHTML are, with its references rewritten. What needs no change stays as it is, byte for
// byte, and so does what is behind a mistake at which browsers stop reading.
func (r *rewriter) xml(doc []byte) []byte {
	r.base = r.url
	r.findBase(doc)
	var out bytes.Buffer
	out.Grow(len(doc) + len(doc)/8)
	d := xml.NewDecoder(bytes.NewReader(inASCII(doc)))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	within := "" // the element whose text is met next
	for {
		from := d.InputOffset()
		token, err := d.RawToken()
		if err != nil {
			out.Write(doc[from:])
			return out.Bytes()
		}
		raw := doc[from:d.InputOffset()]
		switch t := token.(type) {
		case xml.StartElement:
			within = t.Name.Local
			raw = r.xmlTag(within, raw)
		case xml.EndElement:
			within = ""
		case xml.ProcInst:
			if t.Target == "xml-stylesheet" {
				raw = r.xmlTag("link", raw)
			}
		case xml.CharData:
			if within == "style" {
				raw = r.xmlStyle(raw)
			}
		}
		out.Write(raw)
	}
}

// inASCII returns as many bytes, with those that are not ASCII replaced: the markup is the same in any charset that is based on it.
func inASCII(doc []byte) []byte {
	out := bytes.Clone(doc)
	for i, c := range out {
		if c >= utf8.RuneSelf {
			out[i] = 'x'
		}
	}
	return out
}

// xmlAttribute is an attribute in a tag.
var xmlAttribute = regexp.MustCompile(`\s+([^\s=<>"'/]+)(\s*=\s*)("[^"]*"|'[^']*')`)

// xmlTag rewrites the attributes of a tag, or of an instruction that has such.
func (r *rewriter) xmlTag(element string, raw []byte) []byte {
	if element == "meta" {
		z := html.NewTokenizer(bytes.NewReader(raw))
		z.Next()
		if t := z.Token(); r.meta(&t) {
			return []byte(tagText(t))
		}
	}
	return xmlAttribute.ReplaceAllFunc(raw, func(attribute []byte) []byte {
		m := xmlAttribute.FindSubmatchIndex(attribute)
		key := string(attribute[m[2]:m[3]])
		if strings.HasSuffix(key, ":href") { // whatever stands for XLink
			key = "xlink:href"
		}
		value := html.UnescapeString(string(attribute[m[6]+1 : m[7]-1]))
		to, keep := r.attribute(element, key, value)
		switch {
		case !keep:
			return nil
		case to == value:
			return attribute
		}
		return append(bytes.Clone(attribute[:m[6]]), `"`+html.EscapeString(to)+`"`...)
	})
}

// xmlStyle rewrites the references of a style sheet, which may be a CDATA section.
func (r *rewriter) xmlStyle(raw []byte) []byte {
	if bytes.HasPrefix(raw, []byte("<![CDATA[")) {
		return []byte(r.css(string(raw), r.base))
	}
	sheet := html.UnescapeString(string(raw))
	to := r.css(sheet, r.base)
	if to == sheet {
		return raw
	}
	return []byte(html.EscapeString(to))
}
