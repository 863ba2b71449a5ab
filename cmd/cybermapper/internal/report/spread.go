package report

import (
	"math"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Spread says how durations are spread. The percentiles are at most a tenth too high, the maximum is exact.
type Spread struct {
	Count int64         `json:"count"`
	P50   ledger.Millis `json:"p50_ms"`
	P90   ledger.Millis `json:"p90_ms"`
	P99   ledger.Millis `json:"p99_ms"`
	Max   ledger.Millis `json:"max_ms"`
}

// The steps of a histogram: each is 2^(1/8), about nine per cent, higher than the one before it.
const (
	firstStep     = 100 * time.Microsecond
	stepsPerTwice = 8
	steps         = 184 // up to more than a quarter of an hour
)

// A histogram counts durations in steps that grow with them, so that its memory is fixed and its error is relative.
type histogram struct {
	counts [steps]uint32
	n      int64
	max    time.Duration
}

func (h *histogram) add(d time.Duration) {
	h.n++
	h.max = max(h.max, d)
	step := 0
	if d > firstStep {
		step = int(math.Ceil(stepsPerTwice * math.Log2(float64(d)/float64(firstStep))))
	}
	h.counts[min(step, steps-1)]++
}

// percentile returns a duration that p per cent do not exceed.
func (h *histogram) percentile(p int64) time.Duration {
	rank, seen := (h.n*p+99)/100, int64(0)
	for step, n := range h.counts[:steps-1] {
		if seen += int64(n); seen >= rank {
			top := float64(firstStep) * math.Exp2(float64(step)/stepsPerTwice)
			return min(h.max, time.Duration(top))
		}
	}
	return h.max
}

func (h *histogram) spread() Spread {
	return Spread{
		Count: h.n, P50: ledger.Millis(h.percentile(50)), P90: ledger.Millis(h.percentile(90)),
		P99: ledger.Millis(h.percentile(99)), Max: ledger.Millis(h.max),
	}
}

// A Bar counts the durations between two edges.
type Bar struct {
	Label string `json:"label"`
	Count int64  `json:"count"`

	from time.Duration
}

// bars counts durations between edges that people know.
type bars []Bar

// newBars returns bars for durations of any length. With a label for those below zero, they get a bar of their own.
func newBars(negative string) bars {
	var b bars
	if negative != "" {
		b = bars{{Label: negative, from: math.MinInt64}}
	}
	for _, edge := range []struct {
		from  time.Duration
		label string
	}{
		{0, "below 1 ms"}, {time.Millisecond, "1–10 ms"}, {10 * time.Millisecond, "10–100 ms"},
		{100 * time.Millisecond, "0.1–1 s"}, {time.Second, "1–10 s"}, {10 * time.Second, "10–60 s"},
		{time.Minute, "1–10 min"}, {10 * time.Minute, "longer"},
	} {
		b = append(b, Bar{Label: edge.label, from: edge.from})
	}
	return b
}

func (b bars) add(d time.Duration) {
	i := len(b) - 1
	for i > 0 && d < b[i].from {
		i--
	}
	b[i].Count++
}
