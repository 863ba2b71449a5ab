package explain

import (
	"fmt"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Harm compares how fast a site answers under our rate with how fast it answers without: when the request before it had ended
// long ago. What counts is the time until the first byte. A request after a rest may pay for a new connection besides, so
// the comparison leans towards "no harm"; it is a hint, and no proof.
type Harm struct {
	Rested  Answers `json:"after_a_rest"`
	Paced   Answers `json:"at_full_pace"`
	Verdict string  `json:"verdict"` // one of the below
	Text    string  `json:"text"`
}

// What a Harm can say.
const (
	HarmUnknown = "not enough to tell"
	HarmNone    = "no harm shows"
	HarmSlower  = "slower under our rate"
)

// Answers sums up how fast a number of requests were answered.
type Answers struct {
	Samples int64           `json:"samples"`
	Median  config.Duration `json:"median"`
	Ninth   config.Duration `json:"p90"`

	times histogram
}

// Bounds of the comparison.
const (
	restFactor  = 4                      // a rest is a pause of so many times what was owed,
	restAtLeast = 10 * time.Second       // and at least so long
	fullFactor  = 1.5                    // full pace is a pause of at most so many times what was owed,
	fullSlack   = 250 * time.Millisecond // or so much longer
	minSamples  = 20                     // of each kind
	slowFactor  = 1.5                    // under our rate the median is so many times that without,
	slowBy      = 10 * time.Millisecond  // and so much longer
)

// add takes in the answer to a page request that left kept after the end of the one before, when owed was owed; kept is 0 for the
// first one.
func (h *Harm) add(kept, owed, answered time.Duration) {
	switch {
	case kept == 0, kept >= max(restFactor*owed, restAtLeast):
		h.Rested.times.add(answered)
	case kept <= max(time.Duration(fullFactor*float64(owed)), owed+fullSlack):
		h.Paced.times.add(answered)
	}
}

// finish works out the verdict.
func (h *Harm) finish() {
	h.Rested.finish()
	h.Paced.finish()
	rested, paced := time.Duration(h.Rested.Median), time.Duration(h.Paced.Median)
	switch {
	case h.Rested.Samples < minSamples || h.Paced.Samples < minSamples:
		h.Verdict = HarmUnknown
		h.Text = fmt.Sprintf("%s: %s after a rest and %d at full pace, %d of each are needed",
			HarmUnknown, say.Plural(h.Rested.Samples, "answer"), h.Paced.Samples, minSamples)
		return
	case float64(paced) >= slowFactor*float64(rested) && paced-rested >= slowBy:
		h.Verdict = HarmSlower
	default:
		h.Verdict = HarmNone
	}
	h.Text = fmt.Sprintf("%s: median %s and 90th percentile %s at full pace (%s), %s and %s after a rest (%s)", h.Verdict,
		say.Span(paced), say.Span(time.Duration(h.Paced.Ninth)), say.Plural(h.Paced.Samples, "answer"),
		say.Span(rested), say.Span(time.Duration(h.Rested.Ninth)), say.Plural(h.Rested.Samples, "answer"))
}

func (a *Answers) finish() {
	a.Samples = a.times.n
	a.Median, a.Ninth = config.Duration(a.times.quantile(0.5)), config.Duration(a.times.quantile(0.9))
}

// A histogram counts durations in classes of which each is 5 % wider than the one before, from 10 µs to beyond ten minutes.
type histogram struct {
	n     int64
	class [400]int64
}

const (
	classBase  = 10 * time.Microsecond
	classWidth = 1.05
)

func (h *histogram) add(d time.Duration) {
	i := int(math.Log(float64(max(d, classBase))/float64(classBase)) / math.Log(classWidth))
	h.class[min(i, len(h.class)-1)]++
	h.n++
}

// quantile returns the middle of the class in which the q-quantile lies; 0 when nothing was counted.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(math.Ceil(q * float64(h.n)))
	for i, n := range h.class {
		if rank -= n; rank <= 0 && h.n > 0 {
			return time.Duration(float64(classBase) * math.Pow(classWidth, float64(i)+0.5))
		}
	}
	return 0
}
