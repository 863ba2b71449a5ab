package strain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// rateBounds divide the minutes by their rate, in requests per second.
var rateBounds = [...]float64{
	0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 2000, 5000,
}

// What it takes to tell what a site can bear.
const (
	usualSlower   = 2                     // times as long as usual is slow, unless told otherwise
	fewMinutes    = 3                     // minutes of a rate, at least
	fewAnswers    = 30                    // and answers with a time in them
	noticeable    = 50 * time.Millisecond // so much longer, at least, is markedly slower
	moreErrors    = 0.02                  // so much larger a share of answers 5xx, at least, is a rise
	fewErrors     = 5                     // and there are so many of them
	quietPart     = 0.95                  // people need no more in this part of the minutes
	robotsShare   = 0.5                   // of what people leave is for robots
	leastLeft     = 0.1                   // of what the site can bear is left by people, at least
	shortestDelay = 1                     // seconds between requests that are suggested, at least and at most
	longestDelay  = 30
)

// Bearing is what rate of requests the site bore. A rate is that of a minute, of all clients together; answers belong to the minute
// of their line in the log.
type Bearing struct {
	Verdict BearingVerdict `json:"verdict"`
	// the median of the means of the lower half of the classes that have enough answers
	Usual float64 `json:"usual_response_seconds"`
	// the highest rate at which answers were as usual; 0 when that cannot be told
	Borne   float64    `json:"borne_per_second"`
	BorneIn float64    `json:"borne_response_seconds"`    // mean response time in its class
	Slower  *RateClass `json:"slower,omitempty"`          // the class from which on they were not
	Open    float64    `json:"peak_open_requests"`        // on average in one minute: response times by time (Little's law)
	OpenAt  time.Time  `json:"peak_open_requests_minute"` // the first one in which there were so many
	// that people, and fetchers that act for them, needed at most in 19 of 20 minutes
	People float64 `json:"people_per_second"`
	// half of what these leave: a limit for all robots together; 0 when it cannot be told
	Robots    float64     `json:"robots_per_second"`
	AtOnce    int         `json:"robots_at_once"`      // robots that came at once; at least 1
	Delay     float64     `json:"crawl_delay_seconds"` // for each of them, so that they share Robots
	Classes   []RateClass `json:"classes"`             // those in which there were requests
	Untracked int64       `json:"untracked_requests"`  // in hours beyond Minutes.Max
}

// A BearingVerdict says whether it can be told what the site can bear.
type BearingVerdict string

// The verdicts.
const (
	BearingLimit   BearingVerdict = "limit"   // answers got slower, or errors more, from a rate on
	BearingNever   BearingVerdict = "never"   // they did not at any rate in the log
	BearingUnclear BearingVerdict = "unclear" // they did at a rate, but not at a higher one
	BearingTooFew  BearingVerdict = "too few" // minutes with response times at different rates
)

// A RateClass sums up the minutes with a rate up to a bound, and above that of the class before.
type RateClass struct {
	UpTo     float64 `json:"up_to_per_second"` // 0 in the last class: any
	From     float64 `json:"lowest_per_second"`
	To       float64 `json:"highest_per_second"` // in the log
	Minutes  int64   `json:"minutes"`
	Requests int64   `json:"requests"`
	Timed    int64   `json:"timed"`
	Mean     float64 `json:"mean_response_seconds"`
	Within   float64 `json:"within_seconds"` // 19 of 20 answers, to the next power of two in milliseconds, up to 131 s
	Errors   int64   `json:"errors"`         // answers 5xx
	Share    float64 `json:"error_share"`
	Open     float64 `json:"open_requests"` // on average
	Enough   bool    `json:"enough"`        // answers to judge by
	Slow     bool    `json:"slow"`          // markedly slower than usual, or with more errors
}

// String writes the rates that there were.
func (c RateClass) String() string {
	if c.From == c.To {
		return fmt.Sprintf("%.3g", c.From)
	}
	return fmt.Sprintf("%.3g – %.3g", c.From, c.To)
}

// Bearing says what rate the site bore; nil when the log has no response times. Answers that take slower times as long as usual are
// slow; 0 means 2. robots is how many came at once.
func (m *Minutes) Bearing(slower float64, robots int) *Bearing {
	if m.total.timed == 0 {
		return nil
	}
	b := &Bearing{Classes: m.classes(), Untracked: m.beyond.requests}
	var people []uint32
	for number, one := range m.all() {
		people = append(people, one.people)
		if open := one.taken.Minutes(); open > b.Open || b.OpenAt.IsZero() {
			b.Open, b.OpenAt = open, begin(number)
		}
	}
	slices.Sort(people)
	if n := len(people); n > 0 {
		b.People = float64(people[int(math.Ceil(quietPart*float64(n)))-1]) / 60
	}
	b.judge(cmp.Or(slower, usualSlower))
	b.advise(robots)
	return b
}

// begin returns when a minute begins.
func begin(number int64) time.Time { return time.Unix(60*number, 0).UTC() }

// classes sums up the minutes by their rate.
func (m *Minutes) classes() []RateClass {
	var sums [len(rateBounds) + 1]minute
	var found [len(rateBounds) + 1]RateClass
	for _, one := range m.all() {
		rate := float64(one.requests) / 60
		i, _ := slices.BinarySearch(rateBounds[:], rate)
		sums[i].add(one)
		c := &found[i]
		if c.Minutes++; c.Minutes == 1 {
			c.From = rate
		}
		c.From, c.To = min(c.From, rate), max(c.To, rate)
	}
	list := []RateClass{}
	for i, c := range found {
		if c.Minutes > 0 {
			list = append(list, c.sumUp(i, &sums[i]))
		}
	}
	return list
}

// sumUp completes the class with that number.
func (c RateClass) sumUp(i int, m *minute) RateClass {
	if i < len(rateBounds) {
		c.UpTo = rateBounds[i]
	}
	c.Requests, c.Timed, c.Errors = int64(m.requests), int64(m.timed), int64(m.errors)
	c.Mean, c.Within = m.mean(), m.spread.within(quietPart, m.timed).Seconds()
	c.Share = float64(m.errors) / float64(m.requests)
	c.Open = m.taken.Minutes() / float64(c.Minutes)
	c.Enough = c.Minutes >= fewMinutes && c.Timed >= fewAnswers
	return c
}

// judge finds the rate from which on answers were slower, or errors more.
func (b *Bearing) judge(slower float64) {
	var judged []*RateClass
	for i := range b.Classes {
		if b.Classes[i].Enough {
			judged = append(judged, &b.Classes[i])
		}
	}
	b.Verdict = BearingTooFew
	if len(judged) < 2 {
		return
	}
	usualErrors := 0.0
	b.Usual, usualErrors = usual(judged[:(len(judged)+1)/2])
	b.Verdict = BearingNever
	for _, c := range judged {
		c.Slow = isSlower(c.Mean, b.Usual, slower) || isWorse(c.Errors, c.Share, usualErrors)
		switch {
		case c.Slow && b.Slower == nil:
			b.Slower, b.Verdict = c, BearingLimit
		case !c.Slow && b.Slower != nil:
			b.Verdict = BearingUnclear
		case !c.Slow:
			b.Borne, b.BorneIn = c.To, c.Mean
		}
	}
	if b.Borne == 0 {
		b.Verdict = BearingUnclear
	}
	if b.Verdict == BearingUnclear {
		b.Borne, b.BorneIn = 0, 0
	}
}

// usual returns the median response time of some classes, the lower one of two, and their share of errors.
func usual(quiet []*RateClass) (mean, errors float64) {
	var means []float64
	requests, wrong := int64(0), int64(0)
	for _, c := range quiet {
		means = append(means, c.Mean)
		requests, wrong = requests+c.Requests, wrong+c.Errors
	}
	slices.Sort(means)
	return means[(len(means)-1)/2], float64(wrong) / float64(requests)
}

// isSlower reports whether a mean response time is markedly longer than another, in seconds.
func isSlower(mean, usual, times float64) bool {
	return mean > times*usual && mean-usual >= noticeable.Seconds()
}

// isWorse reports whether errors are markedly more than a usual share.
func isWorse(errors int64, share, usual float64) bool {
	return errors >= fewErrors && share-usual >= moreErrors
}

// advise says what of the rate that the site bore can be for robots.
func (b *Bearing) advise(atOnce int) {
	b.AtOnce = max(atOnce, 1)
	if b.Borne == 0 {
		return
	}
	b.Robots = robotsShare * max(b.Borne-b.People, leastLeft*b.Borne)
	b.Delay = min(max(math.Ceil(float64(b.AtOnce)/b.Robots), shortestDelay), longestDelay)
}

// String says it in a sentence.
func (b *Bearing) String() string {
	switch b.Verdict {
	case BearingLimit:
		return fmt.Sprintf("up to %.3g requests/s were answered in %s on average, as usual; from %.3g on it took %s%s",
			b.Borne, inWords(b.BorneIn), b.Slower.From, inWords(b.Slower.Mean), errorsInWords(b.Slower.Share))
	case BearingNever:
		return fmt.Sprintf("never slower in this log, up to %.3g requests/s, which were answered in %s on average", b.Borne,
			inWords(b.BorneIn))
	case BearingUnclear:
		return fmt.Sprintf("%s at %.3g requests/s%s, but not at higher rates: it is not the rate alone that makes the site slow",
			inWords(b.Slower.Mean), b.Slower.From, errorsInWords(b.Slower.Share))
	}
	return "too few minutes with response times at different rates to tell what the site can bear"
}

// Advice says in a sentence what of it could be for robots; it is empty when that cannot be told.
func (b *Bearing) Advice() string {
	if b.Robots == 0 {
		return ""
	}
	return fmt.Sprintf("people need up to %.3g requests/s, half of what they leave is %.3g for all robots together: a "+
		"Crawl-delay of %gs, with up to %d at once",
		b.People, b.Robots, b.Delay, b.AtOnce)
}

// inWords writes a number of seconds with the digits that count.
func inWords(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.3g ms", 1000*seconds)
	}
	return fmt.Sprintf("%.3g s", seconds)
}

func errorsInWords(share float64) string {
	if share < 0.001 {
		return ""
	}
	return fmt.Sprintf(", with %.1f %% server errors", 100*share)
}
