package report

import "time"

// A Series says what happened over time, in intervals of equal width.
type Series struct {
	Start   time.Time `json:"start"`
	Seconds float64   `json:"seconds"` // that an interval lasts
	Buckets []Bucket  `json:"buckets"`
}

// A Bucket counts what happened in one interval.
type Bucket struct {
	Requests int64 `json:"requests"`
	Pages    int64 `json:"pages"`
	Bytes    int64 `json:"bytes"`
}

// A timeline counts in at most max intervals. They are a second wide at first; when time goes beyond the last one, neighbours are
// joined, and their width doubles.
type timeline struct {
	max     int
	start   time.Time
	width   time.Duration
	buckets []Bucket
}

// at returns the bucket for t. The first t begins the timeline; what is earlier counts as then.
func (l *timeline) at(t time.Time) *Bucket {
	if l.buckets == nil {
		l.start, l.width = t.Truncate(time.Second), time.Second
	}
	age := max(t.Sub(l.start), 0)
	for age/l.width >= time.Duration(l.max) {
		l.double()
	}
	i := int(age / l.width)
	for len(l.buckets) <= i {
		l.buckets = append(l.buckets, Bucket{})
	}
	return &l.buckets[i]
}

// double joins each two neighbours.
func (l *timeline) double() {
	half := (len(l.buckets) + 1) / 2
	for i, b := range l.buckets {
		if i%2 == 0 {
			l.buckets[i/2] = b
			continue
		}
		into := &l.buckets[i/2]
		into.Requests, into.Pages, into.Bytes = into.Requests+b.Requests, into.Pages+b.Pages, into.Bytes+b.Bytes
	}
	l.buckets = l.buckets[:half]
	l.width *= 2
}

func (l *timeline) series() Series {
	return Series{Start: l.start, Seconds: l.width.Seconds(), Buckets: append([]Bucket{}, l.buckets...)}
}
