package extract

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tagsOf lists the tags of a page with their attributes, as the scanner reads them.
func tagsOf(page []byte) []string {
	var tags []string
	s := scanner{buf: page}
	for t := s.next(); t != eof; t = s.next() {
		if t == other {
			continue
		}
		tag := strings.Repeat("/", int(t-startTag)) + string(asciiLower(s.name))
		for i := skipSpace(s.attrs, 0); t == startTag && s.attrs[i] != '>'; {
			key, _, next := nextAttr(s.attrs, i)
			i = skipSpace(s.attrs, next)
			if name := string(asciiLower(key)); len(key) > 0 && !strings.Contains(tag+" ", " "+name+"=") {
				val, _ := s.attr(name)
				tag += fmt.Sprintf(" %s=%q", name, val)
			}
		}
		tags = append(tags, tag)
	}
	return tags
}

// tagsOfTokenizer lists them as x/net/html reads them. Its tokenizer has to be told that noscript is markup to us.
func tagsOfTokenizer(page []byte) []string {
	var tags []string
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		t := z.Next()
		if t == html.ErrorToken {
			return tags
		}
		if t != html.StartTagToken && t != html.EndTagToken && t != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		tag := string(name)
		if t == html.EndTagToken {
			tag = "/" + tag
		}
		for more {
			var key, val []byte
			key, val, more = z.TagAttr()
			tag += fmt.Sprintf(" %s=%q", key, val)
		}
		if string(name) == "noscript" {
			z.NextIsNotRawText()
		}
		tags = append(tags, tag)
	}
}

func asciiLower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] |= 0x20
		}
	}
	return b
}

// checkScan fails if scanner and tokenizer disagree. Pages with SVG or MathML are left out: there the tokenizer depends on
// the tree.
func checkScan(t *testing.T, page []byte) {
	t.Helper()
	lower := bytes.ToLower(page)
	if bytes.Contains(lower, []byte("<svg")) || bytes.Contains(lower, []byte("<math")) || bytes.IndexByte(page, 0) >= 0 {
		return
	}
	got, want := tagsOf(page), tagsOfTokenizer(page)
	if !slices.Equal(got, want) {
		t.Fatalf("page %q:\nscanner   %q\ntokenizer %q", page, got, want)
	}
}

func TestScanner_AgreesWithTokenizer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bits := append(strings.Fields(`< </ > / = " ' ! - -- --> <!-- <! <? ?> <script <script> </script </script> </script/ <style> </style>
		<title> </title> <TEXTAREA> </textarea> <a <a. href=x HREF=.y href="z&amp;&copy=1" '&lt' "&lt;" &#65; & &; &# &#x &#x4 &#0; &#128 &not it; in &fjlig; &semi; &acE; = <noscript> </noscript>
		<![CDATA[ ]]> ]> <plaintext> <iframe> </iframe> --!> <!--> <!---> <!DOCTYPE <a/href=x> </a.b=c> <br/> <p.x/> s script > . . .`), "\n", "\r\n", "\t", "\xff")
	for range 10000 {
		var page []byte
		for range r.IntN(24) {
			page = append(page, strings.ReplaceAll(bits[r.IntN(len(bits))], ".", " ")...)
		}
		checkScan(t, page)
	}
}

func TestLookupTag(t *testing.T) {
	for name, want := range map[string]atom.Atom{"a": atom.A, "A": atom.A, "IFrame": atom.Iframe, "blink2": 0, "": 0,
		"annotation-xml": atom.AnnotationXml, "averyveryverylongname": 0, "k\u212a": 0} {
		if got := lookupTag([]byte(name)); got != want {
			t.Errorf("lookupTag(%q) = %v, want %v", name, got, want)
		}
	}
}
