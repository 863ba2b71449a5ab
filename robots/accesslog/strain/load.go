package strain

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Sample is what was measured of the server at a moment. What was not is NaN.
type Sample struct {
	Time        time.Time
	Load        float64 // average number of processes that run or wait to
	Connections float64 // open ones
}

// ParseLoad reads measurements from CSV (RFC 4180). The first line names the columns: time, and load, connections or both. A time
// is in RFC 3339, as in 2006-01-02 15:04:05 in UTC, or in seconds since 1970; the lines are in order of time. Nothing is passed
// over: the error names the line.
//
//	time,load,connections
//	2026-03-01 12:00:00,0.61,17
//	2026-03-01T13:01:00+01:00,7.52,140
//	1772366520,6.9,133
func ParseLoad(data []byte) ([]Sample, error) {
	r := csv.NewReader(bytes.NewReader(data))
	columns, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("line 1: no header: time,load,connections")
	} else if err != nil {
		return nil, fmt.Errorf("no header time,load,connections: %w", err)
	}
	if err := checkColumns(columns); err != nil {
		line, _ := r.FieldPos(0)
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	var samples []Sample
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return samples, nil
		} else if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		s, err := parseSample(columns, fields)
		if err == nil && len(samples) > 0 && !samples[len(samples)-1].Time.Before(s.Time) {
			err = fmt.Errorf("the time %s is not after the one before", fields[0])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		samples = append(samples, s)
	}
}

func checkColumns(columns []string) error {
	columns[0] = strings.TrimPrefix(columns[0], "\ufeff")
	switch strings.Join(columns, ",") {
	case "time,load,connections", "time,connections,load", "time,load", "time,connections":
		return nil
	}
	return fmt.Errorf("the columns %q are not time,load,connections", strings.Join(columns, ","))
}

func parseSample(columns, fields []string) (s Sample, err error) {
	s.Load, s.Connections = math.NaN(), math.NaN()
	if s.Time, err = parseMoment(fields[0]); err != nil {
		return s, err
	}
	for i, name := range columns[1:] {
		v, err := strconv.ParseFloat(fields[i+1], 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 0) {
			return s, fmt.Errorf("the %s %q is no number from 0 on", name, fields[i+1])
		}
		if name == "load" {
			s.Load = v
		} else {
			s.Connections = v
		}
	}
	return s, nil
}

// latest bounds the time, in seconds since 1970, so that milliseconds are not taken for them.
const latest = 100_000_000_000

func parseMoment(text string) (time.Time, error) {
	if unix, err := strconv.ParseInt(text, 10, 64); err == nil && unix >= 0 && unix < latest {
		return time.Unix(unix, 0).UTC(), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil && t.Unix() >= 0 && t.Unix() < latest {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("the time %q is neither as in 2006-01-02T15:04:05Z, nor 2006-01-02 15:04:05, nor seconds "+
		"since 1970", text)
}

// A Load is what was measured of the server in the time of a log, and up to five minutes before and after; and of what it
// complained in its error log.
type Load struct {
	samples           []Sample
	load, connections mean
	complaints        map[int64]int64 // by minute since 1970; nil without an error log
}

// NewLoad returns the Load of a log that goes from one moment to another. The samples must be in order of time. complaints says how
// often the server logged in each minute since 1970 that it could not cope; nil when that is not known.
func NewLoad(samples []Sample, complaints map[int64]int64, from, to time.Time) *Load {
	l := &Load{samples: samplesIn(samples, from.Add(-loadNear), to.Add(loadNear)), complaints: complaints}
	for _, s := range l.samples {
		l.load.add(s.Load)
		l.connections.add(s.Connections)
	}
	return l
}

// IsEmpty reports whether nothing was measured, and there is no error log.
func (l *Load) IsEmpty() bool { return !l.IsMeasured() && l.complaints == nil }

// IsMeasured reports whether something was measured.
func (l *Load) IsMeasured() bool { return len(l.samples) > 0 }

// complaintsIn returns how many there were in some minutes, and in all others in which there were requests.
func (l *Load) complaintsIn(m *Minutes, numbers []int64) (in, others int64) {
	for number, n := range l.complaints {
		switch {
		case slices.Contains(numbers, number):
			in += n
		case m.at(number) != nil:
			others += n
		}
	}
	return in, others
}

// near returns the means for some minutes, whose numbers are in order.
func (l *Load) near(numbers []int64) (load, connections mean) {
	next := 0
	for _, n := range numbers {
		from, to := nearSamples(l.samples, time.Unix(60*n, 0))
		for next = max(next, from); next < to; next++ { // a sample may be near to several minutes
			load.add(l.samples[next].Load)
			connections.add(l.samples[next].Connections)
		}
	}
	return load, connections
}

// samplesIn returns the samples from a moment on and before another.
func samplesIn(list []Sample, from, to time.Time) []Sample {
	i, j := sampleAt(list, from), sampleAt(list, to)
	return list[i:max(i, j)]
}

// sampleAt returns the index of the first sample at that moment or later.
func sampleAt(list []Sample, t time.Time) int {
	i, _ := slices.BinarySearchFunc(list, t, func(s Sample, t time.Time) int { return s.Time.Compare(t) })
	return i
}

// nearSamples returns which samples tell of the minute that begins at start: those in it, otherwise the nearest one that is near.
func nearSamples(list []Sample, start time.Time) (from, to int) {
	end := start.Add(time.Minute)
	from, to = sampleAt(list, start), sampleAt(list, end)
	if from < to {
		return from, to
	}
	before, after := loadNear+1, loadNear+1
	if from > 0 {
		before = start.Sub(list[from-1].Time)
	}
	if to < len(list) {
		after = list[to].Time.Sub(end)
	}
	switch {
	case min(before, after) > loadNear:
		return 0, 0
	case after <= before:
		return to, to + 1
	}
	return from - 1, from
}

// A mean adds up numbers that may be missing.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) {
	if !math.IsNaN(v) {
		m.sum += v
		m.n++
	}
}

// less returns the mean of the numbers that are not in part.
func (m mean) less(part mean) mean { return mean{m.sum - part.sum, m.n - part.n} }

// value returns the mean; nil when there was no number.
func (m mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	v := m.sum / float64(m.n)
	return &v
}
