package accesslog

import "bytes"

// A layout is what a #Fields directive says of the lines after it (W3C Extended Log File Format).
type layout struct {
	fields  []w3cField
	divided byte   // by which fields are: a blank, or a tab
	isFTP   bool   // as IIS names a field that its FTP server only has
	escaped bool   // values have %XX for what is not plain, as those of CloudFront
	date    string // of the #Date directive, for lines without
}

// A w3cField is what a field of a line is for.
type w3cField uint8

const (
	w3cOther w3cField = iota
	w3cDate
	w3cTime
	w3cClient
	w3cForwarded
	w3cHost
	w3cHostSent // by the client, where the other is that of the network between
	w3cMethod
	w3cStem
	w3cQuery
	w3cURI
	w3cStatus
	w3cBytes
	w3cReferrer
	w3cAgent
	w3cTaken
)

// w3cNames are the names of fields, in lower case, as IIS, CloudFront and Tomcat write them.
var w3cNames = map[string]w3cField{
	"date": w3cDate, "time": w3cTime, "c-ip": w3cClient, "x-forwarded-for": w3cForwarded, "cs-host": w3cHost, "cs(host)": w3cHost,
	"x-host-header": w3cHostSent, "cs-method": w3cMethod, "cs-uri-stem": w3cStem, "cs-uri-query": w3cQuery, "cs-uri": w3cURI,
	"sc-status": w3cStatus, "sc-bytes": w3cBytes, "bytes": w3cBytes, "cs(referer)": w3cReferrer,
	"cs(user-agent)": w3cAgent, "time-taken": w3cTaken, "cs(x-forwarded-for)": w3cForwarded,
}

// Fields of logs that begin without saying which they are: those that IIS writes unless told otherwise.
const iisFields = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) " +
	"sc-status sc-substatus sc-win32-status time-taken"

// isDirective reports whether a line is one that says something about the log, and takes it in.
func (p *Parser) isDirective(line []byte) bool {
	name, value, ok := bytes.Cut(line[1:], []byte(":"))
	if !ok {
		return false
	}
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "Fields":
		p.layout = newLayout(value)
	case "Date":
		if p.layout != nil && len(value) >= 10 {
			p.layout.date = string(value[:10])
		}
		p.date = string(value[:min(len(value), 10)])
	case "Software":
		p.isStandard = !bytes.HasPrefix(value, []byte("Microsoft"))
	case "Version", "Start-Date", "End-Date", "Remark", "GMT-Offset":
	default:
		return false
	}
	if p.layout != nil && p.layout.date == "" {
		p.layout.date = p.date
	}
	return true
}

// maxFields bounds the fields of a line.
const maxFields = 200

// newLayout reads the list of fields.
func newLayout(list []byte) *layout {
	l := &layout{divided: ' '}
	for _, name := range bytes.Fields(list) {
		if len(l.fields) == maxFields {
			break
		}
		name = bytes.ToLower(name)
		switch string(name) {
		case "x-edge-location":
			l.divided, l.escaped = '\t', true
		case "x-session":
			l.isFTP = true
		}
		l.fields = append(l.fields, w3cNames[string(name)])
	}
	return l
}

// A w3cLine is what was found in a line.
type w3cLine struct{ date, time, forwarded, stem, query []byte }

// parseW3C reads a line by its layout.
func (p *Parser) parseW3C(line []byte, e *Entry) error {
	if p.layout.isFTP {
		return ErrFTP
	}
	var found w3cLine
	rest, n := line, 0
	for ; n < len(p.layout.fields) && len(rest) > 0; n++ {
		var value []byte
		var isString bool
		value, rest, isString = p.w3cValue(rest)
		if p.layout.fields[n] == w3cAgent {
			e.HasAgent = true
		}
		if len(value) == 0 || string(value) == "-" {
			continue
		}
		if err := p.setW3C(p.layout.fields[n], value, isString, &found, e); err != nil {
			return err
		}
	}
	switch {
	case n < len(p.layout.fields) || len(rest) > 0:
		return ErrFields
	case len(e.Client) == 0:
		return ErrClient
	}
	return p.finishW3C(&found, e)
}

// w3cValue returns the next value, and what follows. Software that keeps to the draft puts strings in quotes, and doubles those in
// them; IIS has no strings.
func (p *Parser) w3cValue(s []byte) (value, rest []byte, isString bool) {
	if p.isStandard && s[0] == '"' {
		start := len(p.scratch)
		for i := 1; i < len(s); i++ {
			if s[i] == '"' {
				if i++; i == len(s) || s[i] == p.layout.divided {
					return p.scratch[start:len(p.scratch):len(p.scratch)], s[min(i+1, len(s)):], true
				}
			}
			p.scratch = append(p.scratch, s[i])
		}
		p.scratch = p.scratch[:start]
	}
	if i := bytes.IndexByte(s, p.layout.divided); i >= 0 {
		return s[:i], s[i+1:], false
	}
	return s, nil, false
}

// setW3C takes in the value of a field.
func (p *Parser) setW3C(field w3cField, value []byte, isString bool, found *w3cLine, e *Entry) error {
	text := value
	if !isString && (field == w3cForwarded || field == w3cReferrer || field == w3cAgent) {
		text = p.spaced(value)
	}
	switch field {
	case w3cDate:
		found.date = value
	case w3cTime:
		found.time = value
	case w3cClient:
		if e.Client = plainAddress(value); !isAddress(e.Client) {
			return ErrClient
		}
	case w3cForwarded:
		found.forwarded = text
	case w3cHostSent:
		e.Host = nil
		e.setHost(value)
	case w3cHost:
		e.setHost(value)
	case w3cMethod:
		e.Method = value
	case w3cStem, w3cURI:
		found.stem, e.Decoded = value, field == w3cStem && !p.layout.escaped
	case w3cQuery:
		found.query = value
	case w3cStatus:
		n, ok := number(value)
		if !ok || len(value) != 3 {
			return ErrStatus
		}
		e.Status = int(n)
	case w3cBytes:
		n, ok := number(value)
		if !ok {
			return ErrSize
		}
		e.Bytes = n
	case w3cReferrer:
		e.Referrer = text
	case w3cAgent:
		e.Agent = text
	case w3cTaken: // seconds, by the draft; of IIS milliseconds
		if n, ok := number(value); ok && !p.layout.escaped && !p.isStandard {
			e.Taken = milliseconds(n)
		} else if s, ok := decimal(value); ok {
			e.Taken = seconds(s)
		}
	}
	return nil
}

// finishW3C puts together what stands in several fields.
func (p *Parser) finishW3C(found *w3cLine, e *Entry) error {
	start := len(p.scratch)
	if len(found.date) == 0 {
		p.scratch = append(p.scratch, p.layout.date...)
	}
	p.scratch = append(append(append(p.scratch, found.date...), 'T'), found.time...)
	if setISOTime(p.scratch[start:], e) == 0 {
		return ErrTime
	}
	if i := bytes.IndexByte(found.stem, '/'); i > 0 && len(e.Host) == 0 && isServerName(found.stem[:i]) { // as Imperva writes it
		e.setHost(found.stem[:i])
		found.stem = found.stem[i:]
	}
	start = len(p.scratch)
	p.scratch = append(p.scratch, found.stem...)
	if p.layout.escaped {
		p.scratch = append(p.scratch[:start], once(p.scratch[start:])...)
	}
	if len(found.query) > 0 {
		from := len(p.scratch) + 1
		p.scratch = append(append(p.scratch, '?'), found.query...)
		if p.layout.escaped {
			p.scratch = append(p.scratch[:from], once(p.scratch[from:])...)
		}
	}
	e.setTarget(p.scratch[start:len(p.scratch):len(p.scratch)])
	p.setForwarded(found.forwarded, e)
	return nil
}

// once takes back, in place, that the percent signs of a URL were escaped themselves, as in %2520.
func once(s []byte) []byte {
	out := s[:0]
	for i := 0; i < len(s); i++ {
		out = append(out, s[i])
		if s[i] == '%' && i+4 < len(s) && s[i+1] == '2' && s[i+2] == '5' {
			if _, ok := hex(s[i+3:], 2); ok {
				i += 2
			}
		}
	}
	return out
}

// spaced returns a value with its blanks, for which IIS writes +, and CloudFront %20 or %2520.
func (p *Parser) spaced(value []byte) []byte {
	if !p.layout.escaped {
		start := len(p.scratch)
		for i := 0; i < len(value); i++ {
			c := value[i]
			if c == '+' {
				c = ' '
			}
			p.scratch = append(p.scratch, c)
			if c == ' ' && i+1 < len(value) && value[i+1] == '+' { // a blank and a plus
				p.scratch = append(p.scratch, '+')
				i++
			}
		}
		return p.scratch[start:len(p.scratch):len(p.scratch)]
	}
	text := p.changed(value, unpercented)
	if bytes.Contains(text, []byte("%20")) {
		text = unpercented(text)
	}
	return text
}

// unpercented undoes %XX, in place.
func unpercented(s []byte) []byte { return unmarked(s, '%') }
