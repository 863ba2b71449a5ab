package crawler

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// The text of a Past is read and written for every visit but the first: as encoding/json does, in a tenth of its time.

// appendTo appends the text of p: what encoding/json makes of it.
func (p *Past) appendTo(b []byte) []byte {
	b = append(b, '{')
	b = appendText(b, `"etag":`, p.ETag)
	b = appendText(b, `"modified":`, p.Modified)
	b = appendText(b, `"digest":`, p.Digest)
	b = appendNumber(b, `"code":`, int64(p.Code))
	if p.Page {
		b = append(b, `"page":true,`...)
	}
	if p.Refused {
		b = append(b, `"refused":true,`...)
	}
	b = appendText(b, `"noindex":`, p.Noindex)
	b = appendNumber(b, `"made":`, int64(p.Made))
	b = appendNumber(b, `"cut":`, p.Cut)
	b = strconv.AppendInt(append(b, `"last":`...), p.Last, 10)
	b = append(b, ',')
	b = appendNumber(b, `"changed":`, p.Changed)
	b = strconv.AppendInt(append(b, `"every":`...), p.Every, 10)
	b = strconv.AppendInt(append(b, `,"visits":`...), int64(p.Visits), 10)
	b = append(b, ',')
	b = appendNumber(b, `"changes":`, int64(p.Changes))
	b = appendNumber(b, `"gone":`, int64(p.Gone))
	b = appendNumber(b, `"since":`, p.Since)
	b = appendNumber(b, `"untrue":`, int64(p.Untrue))
	b[len(b)-1] = '}'
	return b
}

// appendNumber appends a member that is left out when it is 0.
func appendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, name...), n, 10), ',')
}

// appendText appends a member that is left out when it is empty.
func appendText(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	b = append(append(b, name...), '"')
	begin := len(b)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~' || c == '<' || c == '>' || c == '&': // rare in a validator
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("crawler: a text is always JSON: " + err.Error())
			}
			return append(append(b[:begin-1], quoted...), ',')
		default:
			b = append(b, c)
		}
	}
	return append(b, '"', ',')
}

// scan reads a text that appendTo has written. It reports whether it is one: other JSON is left to encoding/json.
func (p *Past) scan(text []byte) bool {
	r := jsonline.Reader{Rest: text}
	return r.Object(func(key []byte) bool { return p.scanMember(&r, key) }) && len(r.Rest) == 0
}

func (p *Past) scanMember(r *jsonline.Reader, key []byte) (ok bool) {
	switch string(key) {
	case "etag":
		return r.Text(&p.ETag)
	case "modified":
		return r.Text(&p.Modified)
	case "digest":
		return r.Text(&p.Digest)
	case "code":
		return scanInt(r, &p.Code)
	case "page":
		r.Rest, p.Page = bytes.CutPrefix(r.Rest, []byte("true"))
		return p.Page
	case "refused":
		r.Rest, p.Refused = bytes.CutPrefix(r.Rest, []byte("true"))
		return p.Refused
	case "noindex":
		return r.Text(&p.Noindex)
	case "made":
		return scanInt(r, &p.Made)
	case "cut":
		p.Cut, ok = r.Int()
	case "last":
		p.Last, ok = r.Int()
	case "changed":
		p.Changed, ok = r.Int()
	case "every":
		p.Every, ok = r.Int()
	case "visits":
		return scanInt(r, &p.Visits)
	case "changes":
		return scanInt(r, &p.Changes)
	case "gone":
		return scanInt(r, &p.Gone)
	case "since":
		p.Since, ok = r.Int()
	case "untrue":
		return scanInt(r, &p.Untrue)
	}
	return ok
}

// scanInt reads a number that fits into 32 bits.
func scanInt[T ~int](r *jsonline.Reader, n *T) bool {
	v, ok := r.Int()
	*n = T(v)
	return ok && int64(int32(v)) == v
}
