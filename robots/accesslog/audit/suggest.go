package audit

import (
	"fmt"
	"math"
)

// wastedMuch is how many wasted bytes are worth a suggestion.
const wastedMuch = 1 << 20

// suggest says what the owner could do, if the owner minds.
func suggest(robots []Robot) []Suggestion {
	list := []Suggestion{}
	for _, r := range robots {
		if r.Disallowed.Count > 0 {
			list = append(list, forDisallowed(r))
		}
		if r.Pace.Broken > 0 || r.Pace.RapidSeconds > 0 {
			list = append(list, forPace(r))
		}
		if r.Repeats.Wasted >= wastedMuch {
			list = append(list, Suggestion{
				Token: r.Token, Why: fmt.Sprintf("answers with what it had already: %d (%d bytes)", r.Repeats.Requests, r.Repeats.Wasted),
				Server: "send ETag or Last-Modified, and answer a conditional request with 304 Not Modified",
			})
		}
	}
	return list
}

func forDisallowed(r Robot) Suggestion {
	s := Suggestion{Token: r.Token, Why: fmt.Sprintf("requests for what robots.txt disallows: %d", r.Disallowed.Count)}
	if r.Asking.When == AskedNever {
		s.Server = "it did not ask for robots.txt, so lines there will not reach it: write to its owner, or answer it with 403"
		return s
	}
	s.Robots = fmt.Sprintf("User-agent: %s\nDisallow: /\n", r.Token)
	s.Server = "it did ask for robots.txt: show the evidence to its owner first; such a group closes the site to it, if it listens"
	return s
}

// forPace asks for a pace that makes its busiest minute a fifth of what it was, and at least a second between requests.
func forPace(r Robot) Suggestion {
	s := Suggestion{Token: r.Token, Why: fmt.Sprintf("requests in a second: up to %d, in a minute: %d", r.Pace.PeakSecond, r.Pace.PeakMinute)}
	s.Server = "answer what is too fast with 429 Too Many Requests or 503 Service Unavailable, and Retry-After: 120"
	if r.Pace.Asked == 0 && r.Asking.When != AskedNever {
		delay := math.Ceil(60 / max(1, float64(r.Pace.PeakMinute)/5))
		s.Robots = "User-agent: " + r.Token + "\n"
		for _, rule := range r.group { // a group of its own takes the place of the one for all
			s.Robots += rule + "\n"
		}
		s.Robots += fmt.Sprintf("Crawl-delay: %g\n", min(delay, 30))
	}
	return s
}
