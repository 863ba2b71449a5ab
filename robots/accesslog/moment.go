package accesslog

import (
	"bytes"
	"math"
	"strings"
	"time"
)

// A minute is one that a line had, and its zone, as text and as a time: the next line mostly has the same.
type minute struct {
	text  [clfTime]byte // of the line, seconds and all
	begun time.Time     // in UTC; zero when there was none yet
	zone  int
}

// clfTime is how long a time as in 10/Oct/2000:13:55:36 -0700 is, and clfSecond where its seconds are.
const (
	clfTime   = len("10/Oct/2000:13:55:36 -0700")
	clfSecond = len("10/Oct/2000:13:55:")
)

// set notes the minute of a time that was read.
func (m *minute) set(s []byte, e *Entry, second int) {
	copy(m.text[:], s)
	m.begun, m.zone = e.Time.Add(-time.Duration(second)*time.Second), e.Zone
}

// has reports whether a time is one of the minute, and of which second.
func (m *minute) has(s []byte) (second int, ok bool) {
	if m.begun.IsZero() || len(s) < clfTime || string(s[:clfSecond]) != string(m.text[:clfSecond]) ||
		string(s[clfSecond+2:clfTime]) != string(m.text[clfSecond+2:]) {
		return 0, false
	}
	tens, ones := s[clfSecond]-'0', s[clfSecond+1]-'0' // what is no digit becomes large
	return int(tens)*10 + int(ones), tens < 6 && ones < 10
}

// setCLFTime reads a time as in 10/Oct/2000:13:55:36 -0700, and returns how long it is; 0 when there is none.
func (p *Parser) setCLFTime(s []byte, e *Entry) int {
	if second, ok := p.minute.has(s); ok {
		e.Time, e.Zone = p.minute.begun.Add(time.Duration(second)*time.Second), p.minute.zone
		return clfTime
	}
	n := setCLFTime(s, e)
	if n == clfTime && s[clfSecond+2] == ' ' {
		second, _ := number(s[clfSecond : clfSecond+2])
		p.minute.set(s, e, int(second))
	}
	return n
}

// setCLFTime reads a time as in 10/Oct/2000:13:55:36 -0700, perhaps with a fraction of a second, and returns how long it is; 0 when
// there is none. Python's http.server has a blank before the hour, and no zone; HAProxy's %t has none either.
func setCLFTime(s []byte, e *Entry) int {
	if len(s) < len("10/Oct/2000:13:55:36") || s[2] != '/' || s[6] != '/' || s[11] != ':' && s[11] != ' ' || s[14] != ':' ||
		s[17] != ':' {
		return 0
	}
	day, ok1 := number(s[:2])
	year, ok2 := number(s[7:11])
	month := monthOf(s[3:6])
	if !ok1 || !ok2 || month == 0 {
		return 0
	}
	n := setClock(s, 12, int(year), month, int(day), e)
	if n == 0 {
		return 0
	}
	return n + setZoneName(s[n:], e)
}

// maxZoneName is how many letters the name of a zone has at most.
const maxZoneName = 5

// setZoneName reads the name of a zone before a bracket, as WEBrick writes " EST", and returns how long it is. As in mail, those of
// North America are known, and all others count as UTC (RFC 5322 section 4.3).
func setZoneName(s []byte, e *Entry) int {
	end := bytes.IndexByte(s[:min(len(s), len(" ")+maxZoneName+1)], ']')
	if end < 2 || s[0] != ' ' || len(bytes.Trim(s[1:end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) > 0 {
		return 0
	}
	if i := strings.Index("EDT EST CDT CST MDT MST PDT PST", string(s[1:end])); i >= 0 && end == len(" EDT") && e.Zone == 0 {
		e.Zone = -(4 + (i/4+1)/2) * int(time.Hour/time.Second)
		e.Time = e.Time.Add(-time.Duration(e.Zone) * time.Second)
	}
	return end
}

// setISOTime reads a time as in 2000-10-10T13:55:36.123-07:00 (RFC 3339); without a zone it is UTC. It returns how long it is.
func setISOTime(s []byte, e *Entry) int {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0
	}
	year, ok1 := number(s[:4])
	month, ok2 := number(s[5:7])
	day, ok3 := number(s[8:10])
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 {
		return 0
	}
	return setClock(s, 11, int(year), time.Month(month), int(day), e)
}

// setHTTPDate reads a time as in Tue, 10 Oct 2000 13:55:36 GMT (RFC 9110 section 5.6.7), and returns how long it is.
func setHTTPDate(s []byte, e *Entry) int {
	const zone, length = len("Tue, 10 Oct 2000 13:55:36"), len("Tue, 10 Oct 2000 13:55:36 GMT")
	if len(s) < length || string(s[3:5]) != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' || s[19] != ':' || s[22] != ':' ||
		string(s[zone:length]) != " GMT" {
		return 0
	}
	day, ok1 := number(s[5:7])
	month := monthOf(s[8:11])
	year, ok2 := number(s[12:16])
	if !ok1 || !ok2 || month == 0 || setClock(s[:zone], len("Tue, 10 Oct 2000 "), int(year), month, int(day), e) == 0 {
		return 0
	}
	return length
}

// setClock reads hh:mm:ss at i, a fraction, and a zone.
func setClock(s []byte, i, year int, month time.Month, day int, e *Entry) int {
	hour, ok1 := number(s[i : i+2])
	minute, ok2 := number(s[i+3 : i+5])
	second, ok3 := number(s[i+6 : i+8])
	if !ok1 || !ok2 || !ok3 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60 || year < firstYear ||
		year > lastYear {
		return 0
	}
	if day > 28 && day > time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return 0
	}
	i += 8
	nano := 0
	if i < len(s) && (s[i] == '.' || s[i] == ',') {
		n := 0
		nano, n = fraction(s[i+1:])
		i += 1 + n
		e.Fraction = n > 0
	}
	zone, n := zoneOf(s[i:])
	e.Zone = zone
	e.Time = time.Date(year, month, day, int(hour), int(minute), int(second), nano,
		time.UTC).Add(-time.Duration(zone) * time.Second)
	return i + n
}

// A request can be of these years. Clocks that are wrong begin in 1970; a Unix time in nanoseconds ends in 2262.
const (
	firstYear = 1970
	lastYear  = 2199
)

// fraction reads digits after a decimal point as nanoseconds.
func fraction(s []byte) (nano, n int) {
	for unit := 100_000_000; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
		nano += int(s[n]-'0') * unit
		unit /= 10
	}
	return nano, n
}

// zoneOf reads a zone as in " -0700", "-07:00" or "Z", and returns it in seconds and how long it is; nothing is UTC.
func zoneOf(s []byte) (zone, n int) {
	if len(s) > 0 && s[0] == 'Z' {
		return 0, 1
	}
	if len(s) > 0 && s[0] == ' ' {
		n++
	}
	if len(s) < n+5 || s[n] != '+' && s[n] != '-' {
		return 0, 0
	}
	sign := 1
	if s[n] == '-' {
		sign = -1
	}
	minutes := n + 3
	if s[minutes] == ':' {
		minutes++
	}
	if len(s) < minutes+2 {
		return 0, 0
	}
	h, ok1 := number(s[n+1 : n+3])
	m, ok2 := number(s[minutes : minutes+2])
	if !ok1 || !ok2 {
		return 0, 0
	}
	return sign * int(h*3600+m*60), minutes + 2
}

// monthOf returns a month by its first three letters; 0 for none.
func monthOf(s []byte) time.Month {
	const names = "JanFebMarAprMayJunJulAugSepOctNovDec"
	if i := strings.Index(names, string(s)); len(s) == 3 && i%3 == 0 {
		return time.Month(i/3 + 1)
	}
	return 0
}

// lastUnix is the end of lastYear.
const lastUnix = 7_258_118_400

// setUnixTime reads seconds since 1970, or milli-, micro- or nanoseconds, as the size of the number tells.
func setUnixTime(v float64, e *Entry) bool {
	if v <= 0 || v > 1e20 {
		return false
	}
	for v >= 1e11 {
		v /= 1000
	}
	if v > lastUnix {
		return false
	}
	whole, part := math.Modf(v)
	// A float64 holds such a time to less than a microsecond.
	e.Time = time.Unix(int64(whole), int64(part*1e6)*1000).UTC()
	e.Fraction = true
	return true
}
