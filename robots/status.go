package robots

import "net/http"

// An Outcome says what came of asking for a robots.txt file.
type Outcome string

// The outcomes of one exchange, and of a State all but the last two.
const (
	Found       Outcome = "found"        // there is a file, possibly empty
	Unavailable Outcome = "unavailable"  // the server says that there is none: no restriction (RFC 9309 section 2.3.1.3)
	Unreachable Outcome = "unreachable"  // server or network failed: assume that everything is forbidden (section 2.3.1.4)
	NotModified Outcome = "not-modified" // what we have is still good
	Redirected  Outcome = "redirected"   // ask elsewhere (section 2.3.1.2)
)

// OutcomeOf says what a status code means for robots.txt, or a failure if err is not nil: then the status does not count,
// for the body may be cut off. 429 is Unreachable although it is a 4xx: the server asks us to come later (RFC 6585
// section 4), it does not say that there is no file. So are 408, which says that no request came, as servers do when they
// close a connection on which one is under way, and 425 (RFC 8470 section 5.2). 202 is Unreachable although it is a 2xx:
// what comes with it is not the file (RFC 9110 section 15.3.3), but most often a test whether there is a browser. A status
// that HTTP does not know is Unreachable.
//
// 304 is NotModified only as an answer to a conditional request, and 3xx leads somewhere only with a Location; Cache sees
// to both.
func OutcomeOf(status int, err error) Outcome {
	switch {
	case err != nil:
		return Unreachable
	case status == http.StatusAccepted, status == http.StatusRequestTimeout, status == http.StatusTooEarly,
		status == http.StatusTooManyRequests:
		return Unreachable
	case status == http.StatusNotModified:
		return NotModified
	case 200 <= status && status < 300:
		return Found
	case 300 <= status && status < 400:
		return Redirected
	case 400 <= status && status < 500:
		return Unavailable
	}
	return Unreachable
}
