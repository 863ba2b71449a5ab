package robots

import (
	"strings"
	"time"
)

// maxPace is the longest delay that is told apart; whoever asks for more gets this.
const maxPace = 365 * 24 * time.Hour

// A pace is what a Crawl-delay or Request-rate line asks for.
type pace struct {
	line  int
	delay time.Duration
}

// slowTo makes p the slower of the two; one without a line asks for nothing.
func (p *pace) slowTo(q pace) {
	if q.line > 0 && (p.line == 0 || q.delay > p.delay) {
		*p = q
	}
}

// readPace keeps Crawl-delay and Request-rate with the group they stand in. They are "other records" of RFC 9309 section
// 2.2.4: they never end a group. Values that hold no number are skipped.
func (r *reader) readPace(l line) {
	p := pace{line: l.number}
	var ok bool
	switch l.field {
	case fieldDelay:
		p.delay, _, ok = leadingSeconds(l.value)
	case fieldRate:
		p.delay, ok = parseRate(l.value)
	}
	if !ok {
		return
	}
	switch {
	case r.number == 0:
		r.global.pace.slowTo(p)
	case !r.ended:
		r.group.pace.slowTo(p)
	}
}

// parseRate reads "documents/time[s|m|h|d] [window]" as the time between documents. The window, in which alone the rate
// would hold, is taken to be always: that only slows us.
func parseRate(s string) (time.Duration, bool) {
	documents, per, ok := strings.Cut(s, "/")
	if !ok {
		return 0, false
	}
	n, _, ok := leadingSeconds(documents)
	if !ok || n <= 0 {
		return 0, false
	}
	delay, unit, ok := leadingSeconds(trimBlanks(per))
	if !ok {
		return 0, false
	}
	scale := 1.0
	if unit = trimBlanks(unit); unit != "" {
		switch lower(unit[0]) {
		case 'm':
			scale = 60
		case 'h':
			scale = 3600
		case 'd':
			scale = 24 * 3600
		}
	}
	return seconds(delay.Seconds() * scale / n.Seconds()), true
}

// leadingSeconds reads the decimal number that s starts with, with a point or with a comma, as seconds and returns what follows it.
func leadingSeconds(s string) (d time.Duration, rest string, ok bool) {
	var value float64
	fraction := 0.0 // weight of the next digit, once the point is passed
	for i := 0; ; i++ {
		switch {
		case i < len(s) && '0' <= s[i] && s[i] <= '9':
			ok = true
			if fraction == 0 {
				value = value*10 + float64(s[i]-'0')
			} else {
				value += fraction * float64(s[i]-'0')
				fraction /= 10
			}
		case i < len(s) && fraction == 0 && (s[i] == '.' || s[i] == ',' && isDigitAt(s, i+1)):
			fraction = 0.1
		default:
			return seconds(value), s[i:], ok
		}
	}
}

func isDigitAt(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }

func seconds(s float64) time.Duration {
	if s >= maxPace.Seconds() {
		return maxPace
	}
	return time.Duration(s * float64(time.Second))
}
