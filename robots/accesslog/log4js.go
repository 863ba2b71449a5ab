package accesslog

import "bytes"

// parseLog4js reads what connectLogger of log4js, which is for Express, writes unless told otherwise. It escapes nothing:
//
//	[time] [level] category - client - - "request" status bytes "referrer" "agent"
//
// It takes whatever X-Forwarded-For says for the client, also where no proxy of ours has written it.
func (p *Parser) parseLog4js(line []byte, e *Entry) error {
	if len(line) == 0 || line[0] != '[' {
		return ErrFields
	}
	n := setISOTime(line[1:], e)
	rest, isLog4js := bytes.CutPrefix(line[1+n:], []byte("] ["))
	level, rest, isLevel := bytes.Cut(rest, []byte("] "))
	switch {
	case n == 0:
		return ErrTime
	case !isLog4js || !isLevel || !isLabel(level):
		return ErrFields
	}
	_, rest, ok := bytes.Cut(rest, []byte(" - "))
	end := bytes.Index(rest, []byte(` - - "`))
	if !ok || end < 0 {
		return ErrRequest
	}
	head, rest := rest[:end+len(" - - ")], rest[end+len(" - - "):]
	e.Forwarded, e.Proxied = len(p.Trusted) == 0, len(p.Trusted) > 0
	if err := p.setClient(head, e); err != nil {
		return err
	}
	return p.setAnswered(rest, e)
}
