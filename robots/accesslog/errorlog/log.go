package errorlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Log is what the lines of error logs say together. It is not safe for concurrent use.
type Log struct {
	Lines     int64          `json:"lines"`
	Malformed int64          `json:"malformed"`
	Kinds     map[Kind]int64 `json:"kinds"`
	RobotsTxt int64          `json:"robots_txt_missing"` // entries about a robots.txt that is not there
	Samples   []string       `json:"samples"`            // the first entries about an overload, up to MaxSamples
	Beyond    int64          `json:"beyond"`             // of these: in no minute, as there are too many

	minutes map[int64]int64 // entries about an overload, by minute since 1970
	clients map[string]int64
}

// How much is told apart.
const (
	MaxSamples = 5
	maxMinutes = 1 << 17
	maxClients = 1 << 16
	maxLine    = 64 << 10
	maxSample  = 200
)

// New returns an empty Log.
func New() *Log {
	return &Log{Kinds: map[Kind]int64{}, Samples: []string{}, minutes: map[int64]int64{}, clients: map[string]int64{}}
}

// Read takes in a log.
func (l *Log) Read(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxLine)
	for whole := true; ; {
		line, err := in.ReadSlice('\n')
		if whole && len(line) > 0 {
			l.add(line)
		}
		whole = !errors.Is(err, bufio.ErrBufferFull) // what is longer is cut off
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && whole:
			return err
		}
	}
}

// add takes in a line.
func (l *Log) add(line []byte) {
	e, ok := Parse(line)
	if !ok {
		if strings.TrimSpace(string(line)) != "" {
			l.Lines++
			l.Malformed++
		}
		return
	}
	l.Lines++
	l.Kinds[e.Kind]++
	if e.Kind == Missing && strings.Contains(e.Text, "/robots.txt") {
		l.RobotsTxt++
	}
	if e.Kind != Overload {
		return
	}
	if len(l.Samples) < MaxSamples {
		l.Samples = append(l.Samples, e.Text[:min(len(e.Text), maxSample)])
	}
	if _, known := l.minutes[e.Time.Unix()/60]; known || len(l.minutes) < maxMinutes {
		l.minutes[e.Time.Unix()/60]++
	} else {
		l.Beyond++
	}
	if _, known := l.clients[e.Client]; e.Client != "" && (known || len(l.clients) < maxClients) {
		l.clients[e.Client]++
	}
}

// Overloads returns how many entries about an overload there were in each minute since 1970, where the clock on the wall is zone
// seconds ahead of UTC.
func (l *Log) Overloads(zone int) map[int64]int64 {
	if l == nil {
		return nil
	}
	shifted := make(map[int64]int64, len(l.minutes))
	for minute, n := range l.minutes {
		shifted[minute-int64(zone/60)] += n
	}
	return shifted
}

// Of returns how many entries about an overload name a client, an address in its usual form.
func (l *Log) Of(client string) int64 {
	if l == nil {
		return 0
	}
	return l.clients[client]
}

// Says returns what the log says, in words.
func (l *Log) Says() []string {
	if l.Lines == 0 {
		return []string{"the error log is empty"}
	}
	says := []string{fmt.Sprintf("the error log has %d entries: %d about an overload, %d about a limit, %d about files that "+
		"are not there", l.Lines-l.Malformed, l.Kinds[Overload], l.Kinds[Limited], l.Kinds[Missing])}
	for _, text := range l.Samples {
		says = append(says, "overload: "+text)
	}
	if l.RobotsTxt > 0 {
		says = append(says, fmt.Sprintf("entries about a robots.txt that is not there: %d. Robots look for it before anything "+
			"else; an empty file lets them in as before, and ends these entries", l.RobotsTxt))
	}
	return says
}
