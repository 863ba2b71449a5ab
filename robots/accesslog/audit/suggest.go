package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/cybermapper/cybermapper/robots/accesslog/block"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// wastedMuch is how many wasted bytes are worth a suggestion.
const wastedMuch = 1 << 20

// suggest says what the owner could do, if the owner minds.
func suggest(robots []Robot, b *strain.Bearing) []Suggestion {
	list := []Suggestion{}
	if slices.ContainsFunc(robots, Robot.isBurden) && b != nil && b.Verdict == strain.BearingLimit {
		list = append(list, forAll(b))
	}
	for _, r := range robots {
		if r.broke(FaultDisallowed) { // what others took, to whom robots.txt may not speak, is no reason to write to anybody
			list = append(list, forDisallowed(r))
		}
		if r.broke(FaultDelay) || r.Pace.RapidSeconds > 0 || r.isBurden() {
			list = append(list, forPace(r, b))
		}
	}
	return append(list, forRepeats(robots)...)
}

// broke reports whether a robot has a fault of a kind.
func (r Robot) broke(code FaultCode) bool {
	return slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Code == code })
}

// forRepeats says in one line what helps with all robots that get again what they had; nothing when that is little.
func forRepeats(robots []Robot) []Suggestion {
	var requests, wasted int64
	most := Robot{}
	for _, r := range robots {
		requests, wasted = requests+r.Repeats.Requests, wasted+r.Repeats.Wasted
		if r.Repeats.Wasted > most.Repeats.Wasted {
			most = r
		}
	}
	if wasted < wastedMuch {
		return nil
	}
	return []Suggestion{{
		Token: "robots",
		Why: fmt.Sprintf("answers with what a robot had already: %d (%.1f MB), most of them to %s", requests, float64(wasted)/1e6,
			most.Token),
		Server: "send ETag or Last-Modified, and answer a conditional request with 304 Not Modified",
	}}
}

// isBurden reports whether the site suffered while the robot was there.
func (r Robot) isBurden() bool { return r.Burden != nil && r.Burden.Suffered }

func forDisallowed(r Robot) Suggestion {
	s := Suggestion{Token: r.Token, Why: fmt.Sprintf("requests for what robots.txt disallows: %d", r.Disallowed.Count)}
	switch {
	case r.Identity == Disproved:
		s.Server = "the name is borrowed: keep out its addresses, not the name"
		return s
	case r.IsClaim():
		s.Server = "its maker publishes what proves the name: check it first (--ranges, --dns)"
		return s
	case r.isDivided:
		s.Server = "many run it under this name, and some keep to robots.txt: keep out the addresses that do not, not the name"
		return s
	case r.Asking.When == AskedNever:
		s.Server = "it did not ask for robots.txt, so lines there will not reach it: write to its owner, or answer it with 403"
		return s
	}
	if !block.IsName(r.Token) {
		s.Server = "its name would mean others too, or nobody, in robots.txt: write to its owner, or keep out its addresses"
		return s
	}
	if slices.Contains(r.group, "Disallow: /") {
		s.Server = "robots.txt closes the site to it already, and it did ask for it: write to its owner, or answer it with 403"
		return s
	}
	s.Robots = fmt.Sprintf("User-agent: %s\nDisallow: /\n", r.Token)
	s.Server = "it did ask for robots.txt: show the evidence to its owner first; such a group closes the site to it, if it listens"
	return s
}

// forPace asks for a pace that the site can bear. When that is not known, it is one that makes the robot's busiest minute a fifth
// of what it was, and at least a second between requests. When the site did not suffer, nothing is asked for.
func forPace(r Robot, b *strain.Bearing) Suggestion {
	s := Suggestion{Token: r.Token, Why: fmt.Sprintf("requests in a second: up to %d, in a minute: %d", r.Pace.PeakSecond,
		r.Pace.PeakMinute)}
	switch {
	case r.isBurden():
		s.Why += "; " + r.Burden.Verdict
	case r.Burden != nil && r.Burden.Told:
		s.Server = "nothing shows that the site suffered, so nothing needs to be done about its pace"
		return s
	}
	s.Server = "answer what is too fast with 429 Too Many Requests or 503 Service Unavailable, and Retry-After: 120"
	if r.Pace.Asked == 0 && r.Asking.When != AskedNever && block.IsName(r.Token) {
		delay := math.Ceil(60 / max(1, float64(r.Pace.PeakMinute)/5))
		if b != nil && b.Delay > 0 {
			delay = b.Delay
		}
		s.Robots = "User-agent: " + r.Token + "\n"
		for _, rule := range r.group { // a group of its own takes the place of the one for all
			s.Robots += rule + "\n"
		}
		s.Robots += fmt.Sprintf("Crawl-delay: %g\n", min(delay, 30))
	}
	return s
}

// forAll asks all robots together for no more than a share of what the site can bear. It adds no location: a server may have that
// already, or another document that answers for /robots.txt.
func forAll(b *strain.Bearing) Suggestion {
	rate, burst := fmt.Sprintf("%dr/m", max(1, int(60*b.Robots))), max(5, math.Ceil(10*b.Robots))
	if b.Robots >= 10 {
		rate = fmt.Sprintf("%dr/s", int(b.Robots))
	}
	return Suggestion{
		Token:  "all robots",
		Why:    b.Advice(),
		Robots: fmt.Sprintf("# in each group\nCrawl-delay: %g\n", b.Delay),
		Server: "answer what is too fast with 429 Too Many Requests, and Retry-After: 120, but leave robots.txt out: robots " +
			"must be able to read it",
		Nginx: fmt.Sprintf(`# in http
map $http_user_agent $robots { default ""; "~*(bot|crawl|spider|slurp)" all; }
map $status $retry_after { default ""; 429 120; }
map $request_uri $limited_robots { default $robots; "~^/robots\.txt(?:\?|$)" ""; }
limit_req_zone $limited_robots zone=robots:1m rate=%s;
# in server
limit_req zone=robots burst=%g nodelay;
limit_req_status 429;
add_header Retry-After $retry_after always;
`, rate, burst),
	}
}
