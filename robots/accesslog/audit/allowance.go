package audit

import "time"

// What is granted in doubt. Nothing else is: a Fault is what is left when all of this was allowed for.
const (
	grace = 24 * time.Hour // a robot may use a copy of robots.txt so long (RFC 9309 section 2.4)

	// clockStep is by how much a clock may be set between two requests for robots.txt: logs without a zone step by an hour when
	// summer time begins or ends, and so do clocks that were in the wrong zone. Pauses are measured by one clock only.
	clockStep = time.Hour

	// hole is so long a silence of everybody that the log is taken to be incomplete: a clock was wrong, or a file is missing, and a
	// robot may have asked for robots.txt in it.
	hole = 48 * time.Hour

	// So is a shorter one, if it is so many times as long as any before, of so many requests in a day or more: of a thousand
	// requests at random the longest silence is seven times the mean, and one that is four times that does not happen.
	shortHole   = time.Hour
	unusual     = 4
	fewSilences = 1000

	// loading is how long after a page a browser gets what belongs to it, and names the page. Robots that look at pages with one
	// do not pause there.
	loading = 30 * time.Second

	// maxWindow is the longest window of time that a robot counts to which Crawl-delay is one: Bing has windows of 1 to 30 seconds.
	maxWindow = 30 * time.Second

	wholeSecond = time.Second // a time in whole seconds may be so much later than it says
	jitter      = 20          // one part in so many of a pause may be lost on the way
	packedMore  = 5           // requests may be in one second besides those that fit into it
	clearly     = 2           // a pause is clearly short when it is less than one part in so many of what was asked for

	// Short pauses are no fault if they are fewer than one in so many, and clearly short ones fewer than one in so many. A robot
	// that counts from one request to the next has short pauses in a log that stamps the ends of answers, and does not say how long
	// they took. In logs made at random (TestAdversary), with answers that take a second on average and often ten, up to 19 % of
	// its pauses are short and up to 3 % clearly so. Of robots that forget the pause in one of ten cases, 9 % are clearly short.
	// One short pause alone may be between http and https, or two names of a host, which have a pause each and which a log may not
	// tell apart, or a retry.
	seldom        = 4
	once          = 1
	clearlySeldom = 20

	wholePage      = 2  // assets for each document, on average, of browsers that have none yet
	rarely         = 20 // who gets fewer assets than one in so many documents gets hardly any
	fewDistinct    = 20 // URLs after which a client of unknown purpose gets documents as a crawler does
	oneOfTen       = 10
	manyRounds     = 8 // requests for each URL, on average, with which it looks at few URLs again and again
	fewWatchedURLs = 10
)

// A pauseSeen is the time between two requests as the log shows it.
type pauseSeen struct {
	gap           time.Duration
	coarse        bool          // one of the times is in whole seconds
	before, after time.Duration // that the two answers took; less than 0 if it is not known
}

// atMost returns how long the robot may have waited: a log has the time of the end of an answer, or that of its beginning, and a
// robot may count from either.
func (p pauseSeen) atMost() time.Duration {
	d := p.gap
	if p.before > 0 && p.after >= 0 {
		d = max(d, p.gap+p.before-p.after)
	}
	if p.coarse {
		d += wholeSecond
	}
	return d
}

// plus returns the pause as if it had been longer.
func (p pauseSeen) plus(d time.Duration) pauseSeen {
	p.gap += d
	return p
}

// keeps reports whether the pause may have been as long as was asked for.
func (p pauseSeen) keeps(owed time.Duration) bool { return p.atMost() >= owed-owed/jitter }

// isClear reports whether the pause is so short that nothing explains it.
func (p pauseSeen) isClear(owed time.Duration) bool { return p.atMost() < owed/clearly }

// packed reports whether a robot that pauses cannot have so many requests in one second, of which the log has no parts: some more
// may have waited for the server together.
func packed(inSecond int64, owed time.Duration) bool {
	return inSecond > packedMore+int64(wholeSecond/owed)
}

// tooShort reports whether so many pauses were too short that nothing explains them.
func (p pauses) tooShort() bool {
	all := p.kept + p.broken
	return p.broken > once && (p.broken*seldom >= all || p.clear*clearlySeldom >= all)
}
