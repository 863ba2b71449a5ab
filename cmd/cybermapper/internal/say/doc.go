// Package say puts what a crawl knows into words for people: reasons, verdicts, numbers, times.
//
// Everything that is printed for people goes through it, so that the same thing is called the same everywhere. Machines get
// the codes and numbers themselves.
//
// What comes from the network is never printed as it is: [Printable] takes the control characters out, so that a server
// cannot steer the terminal.
package say
