// Package fetch makes one HTTP exchange within limits, for a crawler that must expect anything from the other side.
//
// The nouns:
//
//   - A [Client] makes exchanges: [Client.Get] sends one [Request] and returns a [Response] or an [*Error].
//   - A [Response] is whatever came back after a usable head, its body perhaps cut: [Response.Truncated] tells by what.
//   - An [Error] is an exchange without a usable response head; its [Kind] tells why.
//   - A [Resolver] finds and remembers the addresses of hosts.
//
// Promises:
//
//   - One Get sends at most one request: no redirect is followed and nothing is repeated. It sends no fragment, and cookies and
//     credentials only to the origin that [Options.Access] names; none is kept with the bytes of the wire. A proxy is what
//     [Options.Proxy] says, never what the environment says.
//   - A body cut by a limit, a time-out or the server is kept and marked. No response head, however, makes an error.
//   - Private, loopback, link-local and other special-purpose addresses are refused at the moment of connecting, for
//     whatever name or redirect led there, unless [Options.AllowPrivate].
//   - Head bytes, body bytes as sent and decoded, the ratio between the two, and the time for connecting, head and body are
//     bounded; a body that comes too slowly is cut. Large bodies in memory, which those are not that a request spools
//     ([Request.Spool]), together stay within [Options.BodyMemory]: a body that finds no room waits, and its clock stops meanwhile.
//   - A response head that browsers read and net/http refuses, as one with a line that is no field, is mended (head.go), and read.
//   - HTTP/1.1 and HTTP/2 (over TLS, unless the server wants the former). Content codings gzip, br and zstd are offered and
//     decoded, deflate is decoded where it comes unasked, two on top of each other at most; a body that is not what its label says
//     is kept as it is.
//   - With [Options.Wire] the bytes of each exchange as they were on the wire are kept too, few of them in memory: [Response.Wire].
//
// Limits: GET only. Without Options.Wire the order and case of header fields are lost. HTTP/2 without TLS and HTTP/3 are not
// spoken. What a server sends beyond the end of a response is reported by net/http to the standard logger.
//
//	client := fetch.New(fetch.Options{UserAgent: "cybermapper/1.0 (+https://operator.example/bot)"})
//	defer client.Close()
//	resp, err := client.Get(ctx, fetch.Request{URL: "https://example.com/"})
//	if err != nil {
//		return err // an *Error
//	}
//	defer resp.Release()
//	use(resp.Status, resp.Body, resp.Truncated)
//
// # Design
//
// Everything rests on one [net/http.Transport]; its redirects, cookies and decompression, which live in http.Client or
// have no limits, are not used. Each exchange has one timer (watch.go), which is cheaper than a deadline per read and
// works for HTTP/2 too. Encoded bodies are collected first and decoded then (body.go), so that windows of many megabytes
// exist only while a processor works on them. Memory is claimed as bytes arrive and not as they are announced
// (memory.go), so that a server cannot reserve more than a megabyte with a header field.
package fetch
