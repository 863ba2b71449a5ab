package warc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what a request has sent.
const (
	maxPosted = 1 << 20 // bytes that are read of it
	maxQuery  = 4 << 10 // bytes of the query that is made of it, as in warcio
)

// An Indexer finds the captures of files, like CaptureOf, and what had been asked: the answer to a POST is another one than that to
// a GET. Its keys have the method and the body of the request as a query, as pywb and warcio.js have it. Request and answer are
// told from others by standing next to each other, in either order.
type Indexer struct {
	Found func(*Capture) error // is called for each capture

	file    string   // of the last record
	waiting *Capture // an answer whose request may follow
	asked   *posted  // a request whose answer may follow
}

// A posted is a request that is no GET.
type posted struct {
	uri, method string
	query       string // that stands for what was sent, in warcio.js
	pywb        string // and in pywb
}

// Add reads the next record to its end. The error is that of Found, or as of CaptureOf.
func (x *Indexer) Add(rec *Record, filename string) error {
	asked := x.asked
	x.asked = nil
	if x.file != filename {
		if err := x.Flush(); err != nil {
			return err
		}
		x.file, asked = filename, nil
	}
	if rec.Type() == TypeRequest {
		return x.request(rec)
	}
	if err := x.Flush(); err != nil {
		return err
	}
	uri, answers := rec.URI(), rec.Type() == TypeResponse || rec.Type() == TypeRevisit
	c, ok, err := CaptureOf(rec, filename)
	switch {
	case err != nil || !ok:
		return err
	case asked != nil && answers && asked.uri == uri:
		c.answer(asked)
		return x.Found(&c)
	case answers:
		x.waiting = &c
		return nil
	}
	return x.Found(&c)
}

// Flush tells of the last capture, which is needed at the end.
func (x *Indexer) Flush() error {
	c := x.waiting
	if c == nil {
		return nil
	}
	x.waiting = nil
	return x.Found(c)
}

// request takes notice of a request.
func (x *Indexer) request(rec *Record) error {
	p, err := readPosted(rec)
	if _, finished := rec.Finish(); err == nil {
		err = finished
	}
	if c := x.waiting; c != nil && p != nil && c.URL == p.uri {
		c.answer(p)
		p = nil
	}
	x.asked = p
	if told := x.Flush(); told != nil {
		return told
	}
	return err
}

// readPosted reads a request; nil when it is a GET, or none that can be read.
func readPosted(rec *Record) (*posted, error) {
	m, err := ReadMessage(rec.Block)
	if _, ok := errors.AsType[*FormatError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	method, _, _ := strings.Cut(m.StartLine, " ")
	if method == "GET" || method == "" || strings.Contains(method, "/") {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(m.Payload, maxPosted))
	if err != nil {
		return nil, err
	}
	contentType := m.Header.Get("Content-Type")
	p := &posted{uri: rec.URI(), method: method, query: postedQuery(contentType, body, false)}
	p.query = p.query[:min(len(p.query), maxQuery)]
	if method == "POST" || method == "PUT" {
		p.pywb = postedQuery(contentType, body, true)
		if end, ok := runeOffset(p.pywb, maxQuery); ok {
			p.pywb = p.pywb[:end]
		}
	}
	return p, nil
}

// runeOffset returns where the nth character of s begins; ok is false when there are not as many.
func runeOffset(s string, nth int) (at int, ok bool) {
	for i := range s {
		if nth == 0 {
			return i, true
		}
		nth--
	}
	return 0, false
}

// answer makes c the answer to a request.
func (c *Capture) answer(p *posted) {
	c.Method, c.Posted = p.method, p.query
	asked := c.URL + "?"
	if strings.Contains(c.URL, "?") {
		asked = c.URL + "&"
	}
	asked += "__wb_method=" + p.method
	if p.pywb != "" {
		asked += "&" + p.pywb
	}
	c.Key = SURT(asked)
}

// PlayerKey returns the key under which warcio.js, and with it ReplayWeb.page, looks for c.
func (c *Capture) PlayerKey() string {
	if c.Method == "" {
		return playerSURT(c.URL)
	}
	base, query, asked := strings.Cut(c.URL, "?")
	if asked {
		query += "&"
	}
	query = strings.ToLower(query + "__wb_method=" + c.Method + "&" + decodedURI(c.Posted))
	query, _, _ = strings.Cut(query, "#")
	args := strings.Split(encodedQuery(query), "&")
	slices.Sort(args)
	return playerSURT(base) + "?" + strings.Join(args, "&")
}

// postedQuery returns the query that stands for a body, in warcio.js or in pywb.
func postedQuery(contentType string, body []byte, pywb bool) string {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	if pywb && strings.HasPrefix(media, "application/json") { // "application/json+protobuf"
		media = "application/json"
	}
	switch media {
	case "application/x-www-form-urlencoded":
		form := strings.ToValidUTF8(string(body), "\uFFFD")
		if pywb {
			return strings.ToValidUTF8(unescaped(strings.ReplaceAll(form, "+", " ")), "\uFFFD")
		}
		return form
	case "application/json", "text/plain":
		p := params{pywb: pywb}
		if json.Valid(body) {
			p.json(json.NewDecoder(bytes.NewReader(body)), "")
		} else if pywb && media == "text/plain" {
			break
		}
		return p.String()
	case "multipart/form-data":
		return multipartQuery(contentType, string(body))
	}
	return "__wb_post_data=" + base64.StdEncoding.EncodeToString(body)
}

// fieldOfForm finds a field of a form in a part of it.
var fieldOfForm = regexp.MustCompile(`(?i)name="([^"]+)"\r\n\r\n([^\r\n]*)`)

func multipartQuery(contentType, body string) string {
	_, boundary, ok := strings.Cut(contentType, "boundary=")
	if !ok {
		return ""
	}
	var p params
	for part := range strings.SplitSeq(body, strings.Trim(boundary, `"`)) {
		if m := fieldOfForm.FindStringSubmatch(part); m != nil {
			p.set(m[1], m[2])
		}
	}
	return p.String()
}

// params are parameters in the order in which they were set first.
type params struct {
	pywb   bool // takes empty values, and none without a name
	names  []string
	values map[string]string
	again  map[string]int // how often a name was met
}

func (p *params) set(name, value string) {
	if p.values == nil {
		p.values, p.again = map[string]string{}, map[string]int{}
	}
	if _, known := p.values[name]; !known {
		p.names = append(p.names, name)
	}
	p.values[name] = value
}

// add sets a parameter under a name of its own.
func (p *params) add(name, value string) {
	if p.pywb && name == "" || !p.pywb && value == "" {
		return
	}
	if _, known := p.values[name]; known {
		p.again[name] = max(p.again[name], 1) + 1
		name += "." + strconv.Itoa(p.again[name]) + "_"
	}
	p.set(name, value)
}

// json adds the values of valid JSON under the names of the members that they are in.
func (p *params) json(d *json.Decoder, name string) {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return
	}
	switch v := token.(type) {
	case json.Delim:
		for d.More() {
			member := name
			if v == '{' {
				token, _ := d.Token()
				member, _ = token.(string)
			}
			p.json(d, member)
		}
		d.Token() // that ends it
	case string:
		p.add(name, v)
	case json.Number:
		p.add(name, asInScripts(v))
	case bool:
		p.add(name, strconv.FormatBool(v))
	case nil:
		p.add(name, "null")
	}
}

// asInScripts writes a number as JavaScript does.
func asInScripts(n json.Number) string {
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	if f == 0 {
		return "0"
	}
	if a := max(f, -f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(f, 'e', -1, 64), "e-0", "e-", 1)
}

// inQuery are the octets that net/url and URLSearchParams write differently.
var inQuery = strings.NewReplacer("%2A", "*", "~", "%7E")

// String returns p as URLSearchParams writes it.
func (p *params) String() string {
	var b strings.Builder
	for i, name := range p.names {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(inQuery.Replace(url.QueryEscape(name) + "=" + url.QueryEscape(p.values[name])))
	}
	return b.String()
}

// decodedURI is decodeURI of ECMAScript: reserved characters stay encoded. What cannot be decoded is left out.
func decodedURI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		n, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8)
		if err != nil || i+3 > len(s) {
			return ""
		}
		if strings.IndexByte(";/?:@&=+$,#", byte(n)) >= 0 {
			b.WriteString(s[i : i+3])
		} else {
			b.WriteByte(byte(n))
		}
		i += 2
	}
	if !utf8.ValidString(b.String()) {
		return ""
	}
	return b.String()
}

// encodedQuery encodes a query as the URL standard does for http.
func encodedQuery(s string) string { return encoded(s, `"<>'`) }

// encodedPath encodes a path as the URL standard does.
func encodedPath(s string) string { return encoded(s, "\"<>`{}") }

func encoded(s, set string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\t' || c == '\n' || c == '\r': // is taken out
		case c <= ' ' || c >= 0x7f || strings.IndexByte(set, c) >= 0:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
