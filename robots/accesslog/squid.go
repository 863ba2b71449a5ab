package accesslog

import "bytes"

// setSquid takes in what Squid's native format has of a request, as in
//
//	1772366400.250    180 192.0.2.7 TCP_MISS/200 2326 GET http://e.example/a?b - HIER_DIRECT/192.0.2.9 text/html
//
// The host in the URL is that of the site where Squid stands in front of it.
func (e *Entry) setSquid(name string, value []byte) error {
	before, after, isPair := bytes.Cut(value, []byte("/"))
	switch name {
	case "result":
		switch {
		case !isPair || !isSquidCode(before):
			return ErrFields
		case bytes.HasPrefix(before, []byte("UDP_")): // another cache asked what is there
			return ErrRemark
		}
		return e.setFigure("status", after, string(after) == "000")
	case "method":
		if isToken(value) {
			e.Method = value
		}
	case "target":
		if len(e.Method) == 0 || bytes.HasPrefix(value, []byte("error:")) { // what was sent is not HTTP
			e.Method = nil
			return nil
		}
		e.setTarget(value)
		e.Host, e.Authority = e.Authority, nil
	default: // where the answer is from
		if !isPair || !isSquidCode(before) {
			return ErrFields
		}
	}
	return nil
}

// isSquidCode reports whether s looks like what Squid and Apache Traffic Server say of how they answered: capitals and _.
func isSquidCode(s []byte) bool {
	return len(s) > 0 && len(bytes.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")) == 0
}
