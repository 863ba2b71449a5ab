// Package accesslog reads the access logs of web servers, of any format and in any state.
//
// # Nouns
//
// An [Entry] is one request as a server has logged it. A [Parser] takes a line apart; a [Reader] reads the lines of a log and
// keeps a [Tally] of what it could not read. Each line shows its [Format], unless one is given. A [Sent] is what a line of JSON
// has of the request as it was sent, with its header fields. A [Merge] reads several logs as if they were one.
//
// # Promises
//
//   - A Parser takes any bytes. A line that is no entry gets an error that says why; a Reader counts such lines and shows the
//     first few.
//   - Escapes are undone: \xHH, \" and \\ as Apache and nginx write them, and those of JSON. Bytes that are not UTF-8 stay.
//   - What a client sends hides no request of its own: a name or a target with quotes, where the server escapes none, is read. Of
//     a line that may be two, the first of which was torn, the Client is "-": nobody can tell. What is malformed for all that is
//     counted by the address that stands in it, in a [Tally].
//   - Where all targets at the beginning of a log are in absolute form, as Varnish and Squid write them in front of a site, they
//     name the host.
//   - A line counts at its time in UTC, whatever zone it is written in. In brackets it may be that of the Common Log Format, one of
//     ISO 8601, a date as HTTP has it, or seconds since 1970.
//   - A log of HAProxy, of the W3C's format, of a load balancer, S3, Squid, Envoy, Nginx Proxy Manager or log4js, or of labelled
//     values (LTSV), is recognised like one of a web server; the fields of a W3C line are those that the last line #Fields named.
//
// # Limits
//
// A line is read up to [MaxLine]; a longer one is malformed. A byte order mark and zeros in front of a line are skipped. A time
// must lie in the years 1970 to 2199, or the line is malformed; one without a zone is taken for UTC, and so is one whose zone
// has a name that mail does not know (RFC 5322 section 4.3). JSON is scanned, not validated: fields are known by the names in
// use for nginx, Apache, Caddy, Traefik, Tomcat, Envoy, pino, CloudFront, Cloudflare, Fastly, Akamai, Google and Azure, wherever
// they stand in the object; where uri, url or path alone have the target, it may be one that nginx rewrote. A response time counts
// where its unit is sure: request_time with a fraction is in seconds, and so is duration beside an object request, as Caddy has it;
// other durations, but for those of Traefik and Envoy, may be in any unit.
// Names that the client chooses, those of its header fields and parameters, count as such only.
// HAProxy does not name the headers that it captures: they are told apart by what they look like. When several look like
// X-Forwarded-For and name others, the client cannot be told. The client of a line of log4js is what X-Forwarded-For says, if that
// was sent.
//
// # Example
//
//	r := accesslog.NewReader(f, accesslog.Auto)
//	for r.Next() {
//		e := r.Entry()
//		fmt.Println(r.Line(), e.Time, string(e.Target), e.Status)
//	}
//	return r.Err()
//
// # Design
//
// Logs are long, so the parser is written by hand and hands out parts of the line instead of copies; only what had to be
// unescaped is copied, into a buffer that is used again. Regular expressions take ten times as long. Formats are told apart
// line by line and not by the first line, for a log may change its format in the middle and rotated files may differ.
package accesslog
