// Package errorlog reads the error logs of nginx and Apache, which know what an access log cannot: that a server was overloaded,
// and why.
//
// # Nouns
//
// An [Entry] is a line, and a [Kind] what it is about. A [Log] is what all lines together say, minute by minute and client by
// client.
//
// # Promises
//
//   - Any bytes are read in bounded time and memory; lines that are none of the two formats are counted.
//   - Only what shows that a server could not cope counts as [Overload]: a missing file is nobody's fault.
//
// # Limits
//
// Error logs have no time zone. Times are those of the clock on the wall, as if it were UTC; whoever knows the zone of the access
// log beside has to shift them. The texts are those of nginx 1.x and Apache 2.2 and 2.4, in English.
//
// # Example
//
//	log := errorlog.New()
//	if err := log.Read(f); err != nil {
//		return err
//	}
//	fmt.Println(log.Kinds[errorlog.Overload], log.RobotsTxt)
package errorlog
