// Package signature says whether a logged request was signed by the robot that it names, and signs requests: Web Bot Auth
// (draft-meunier-web-bot-auth-architecture), which is HTTP Message Signatures (RFC 9421) with Ed25519.
//
// # Nouns
//
// A [Request] is what a log has of a request. A [Checker] has the [Keys] of robots and comes to a [Result]: a [Verdict], and the
// [Reason] when there is none. A [Signer] is the other side: it signs the requests of a robot.
//
// # Promises
//
//   - [Confirmed] means that whoever has a key of the robot signed this request, for this site, at its time.
//   - [Disproved] means that everything that the signature covers is in the log as it was sent, and that the signature is not of
//     the key that it names. Whatever is missing, unknown or out of time leaves a request [Unchecked].
//   - Any header fields are accepted, in time that grows with their length, up to [MaxField].
//   - Nothing is fetched: the keys are those that were given.
//
// # Limits
//
// A Checker knows these components of RFC 9421: @method, @authority, @scheme, @target-uri, @request-target, @path, @query, and
// header fields, with the parameter key for a member of a dictionary. A signature must cover @authority or @target-uri, or it
// could have been made for another site. Nonces are not remembered: whoever has seen a request may send it again until it
// expires.
//
// # Example
//
//	keys, err := signature.ParseKeys(data)
//	if err != nil {
//		return err
//	}
//	c := signature.Checker{Keys: keys}
//	fmt.Println(c.Check("ExampleBot", request).Verdict)
//
// # Design
//
// A server that checks a signature must refuse what it cannot check; a reader of logs must not, for logs leave out and rewrite.
// So there are three verdicts, and what a Request marks as perhaps not as it was sent can confirm but not disprove.
package signature
