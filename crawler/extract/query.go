package extract

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// ofQueries returns the charset in which a page's links write their queries: Encoding standard, "get an output encoding".
func ofQueries(d declaration) declaration {
	if strings.HasPrefix(d.charset, "utf-16") || d.charset == "replacement" {
		return declaration{charset: "utf-8", source: d.source}
	}
	return d
}

// EncodeQuery returns a reference as Link.Href has it: for a page in a charset, as Page.Charset names it.
func EncodeQuery(ref, charset string) string {
	d, _ := lookup(charset, "")
	return encodeQuery(ref, ofQueries(d))
}

// encodeQuery percent-encodes what is not ASCII in the query of a reference, from the encoding of the page: URL standard,
// "percent-encode after encoding". Path and fragment stay, for they are UTF-8 whatever the page is.
func encodeQuery(ref string, d declaration) string {
	question := strings.IndexByte(ref, '?')
	if question < 0 || d.enc == nil {
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
		writeEncoded(&b, query[:n], d)
		query = query[n:]
	}
	b.WriteString(ref[end:])
	return b.String()
}

func isNotASCII(r rune) bool { return r >= utf8.RuneSelf }

// writeEncoded writes text of no ASCII in a charset; characters that it lacks become numbers, as in forms.
func writeEncoded(b *strings.Builder, text string, d declaration) {
	encoder := d.enc.NewEncoder()
	if d.charset == "shift_jis" || d.charset == "euc-jp" {
		text = ofJapan.Replace(text)
	}
	switch d.charset {
	case "shift_jis", "euc-jp", "big5":
		for _, r := range text {
			writeEscaped(b, written(d.charset, r, encodedBy(encoder, string(r))))
		}
	default:
		writeEscaped(b, encodedBy(encoder, text))
	}
}

// ofJapan has for characters of Unicode those that the encoders of Shift_JIS and EUC-JP write for them: Encoding standard.
var ofJapan = strings.NewReplacer("¥", "\\", "‾", "~", "\u2212", "\uff0d")

func encodedBy(encoder *encoding.Encoder, text string) string {
	encoded, err := encoder.String(text)
	if err != nil {
		return text
	}
	return encoded
}

// written returns how browsers write a character of a charset that is read more widely than written: what code has, but for the
// parts of the charset's index that the Encoding standard leaves out in "index Shift_JIS pointer", "index Big5 pointer" and the
// encoder of EUC-JP.
func written(charset string, r rune, code string) string {
	switch lead := code[0]; {
	case charset == "shift_jis" && (lead == 0xed || lead == 0xee):
		return ofIBM(code)
	case charset == "big5" && lead > 0x80 && lead < 0xa1, charset == "euc-jp" && lead == 0x8f:
		return fmt.Sprintf("&#%d;", r)
	}
	return code
}

// ofIBM turns a code of Shift_JIS among those that NEC selected from IBM's extension (0xED40 to 0xEEFC) into that of IBM (0xFA40
// to 0xFC4B). Both have 188 to a lead byte, and the same order, but for the 28 of IBM that are no kanji: NEC has them behind.
func ofIBM(code string) string {
	const perLead, kanji, signs = 188, 360, 28
	at := func(trail byte) int {
		if trail > 0x7f {
			trail--
		}
		return int(trail) - 0x40
	}
	n := int(code[0]-0xed)*perLead + at(code[1])
	switch {
	case n < kanji:
		n += signs
	case n < 372: // the small Roman numerals, behind two codes of nothing
		n -= 362
	default: // four signs, which stand behind the large numerals
		n -= 352
	}
	trail := byte(n%perLead) + 0x40
	if trail >= 0x7f {
		trail++
	}
	return string([]byte{0xfa + byte(n/perLead), trail})
}

func writeEscaped(b *strings.Builder, encoded string) {
	for _, c := range []byte(encoded) {
		if c <= ' ' || c > '~' || strings.IndexByte(`"#<>'&;`, c) >= 0 {
			fmt.Fprintf(b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
}
