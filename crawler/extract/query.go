package extract

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// queryEncoding returns the encoding in which a page's links write their queries, nil for UTF-8: Encoding standard, "get an
// output encoding".
func queryEncoding(d declaration) encoding.Encoding {
	if strings.HasPrefix(d.charset, "utf-16") || d.charset == "replacement" {
		return nil
	}
	return d.enc
}

// EncodeQuery returns a reference as Link.Href has it: for a page in a charset, as Page.Charset names it.
func EncodeQuery(ref, charset string) string {
	d, ok := lookup(charset, "")
	if enc := queryEncoding(d); ok && enc != nil {
		return encodeQuery(ref, enc)
	}
	return ref
}

// encodeQuery percent-encodes what is not ASCII in the query of a reference, from the encoding of the page: URL standard,
// "percent-encode after encoding". Path and fragment stay, for they are UTF-8 whatever the page is.
func encodeQuery(ref string, enc encoding.Encoding) string {
	question := strings.IndexByte(ref, '?')
	if question < 0 {
		return ref
	}
	end := len(ref)
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		end = i
	}
	if question > end || isASCII([]byte(ref[question:end])) {
		return ref
	}
	var b strings.Builder
	b.WriteString(ref[:question])
	for query := ref[question:end]; query != ""; {
		n := strings.IndexFunc(query, isNotASCII)
		if n < 0 {
			n = len(query)
		}
		b.WriteString(query[:n])
		query = query[n:]
		n = len(query) - len(strings.TrimLeftFunc(query, isNotASCII))
		writeEncoded(&b, query[:n], enc)
		query = query[n:]
	}
	b.WriteString(ref[end:])
	return b.String()
}

func isNotASCII(r rune) bool { return r >= utf8.RuneSelf }

// writeEncoded writes text of no ASCII in an encoding; characters that it lacks become numbers, as in forms.
func writeEncoded(b *strings.Builder, text string, enc encoding.Encoding) {
	encoder := enc.NewEncoder()
	encoded, err := encoder.String(text)
	if err != nil {
		encoded = text
	}
	for _, c := range []byte(encoded) {
		if c <= ' ' || c > '~' || strings.IndexByte(`"#<>'&;`, c) >= 0 {
			fmt.Fprintf(b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
}
