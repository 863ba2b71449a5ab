package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Duration is a time span as people write it: always with a unit, such as 500ms, 3s, 5m or 2h.
type Duration time.Duration

// longest is the longest duration of a setting. A few of them can be added to each other and to the time of day.
const longest = 100 * 365 * 24 * time.Hour

// UnmarshalText reads a duration. Zero alone needs no unit.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	v, err := time.ParseDuration(s)
	switch {
	case err == nil && v < 0, isNumber(s) && s[0] == '-':
		return fmt.Errorf("%q is negative", s)
	case v > longest:
		return fmt.Errorf("%q is longer than 100 years", s)
	case err == nil:
		*d = Duration(v)
		return nil
	case isNumber(s):
		return fmt.Errorf("%q has no unit: write %ss, %sm or %sh", s, s, s, s)
	}
	return fmt.Errorf("%q is not a duration: write a number with a unit, such as 500ms, 3s, 5m or 2h", s)
}

// MarshalText writes a duration in the shortest form that UnmarshalText reads.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String writes a duration as people do: 5m, not 5m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// A Size is a number of bytes as people write it: always with a unit, such as 500KiB, 16MiB or 2GB.
type Size int64

// sizeUnits lists the units, larger first, so that the first that divides a size is the one to print.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"KB", 1e3},
	{"B", 1},
}

// UnmarshalText reads a size. Zero alone needs no unit.
func (b *Size) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if isNumber(s) {
		if s[0] == '-' {
			return fmt.Errorf("%q is negative", s)
		}
		if s != "0" {
			return fmt.Errorf("%q has no unit: write %sKiB, %sMiB or %sGiB", s, s, s, s)
		}
		*b = 0
		return nil
	}
	for _, u := range sizeUnits {
		number, ok := cutSuffixFold(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err == nil && n < 0 {
			return fmt.Errorf("%q is negative", s)
		}
		if err != nil || math.IsNaN(n) || n*u.bytes >= math.MaxInt64 || 0 < n && n*u.bytes < 1 { // 0 is no limit
			break
		}
		*b = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is not a size: write a number with a unit, such as 500KiB, 16MiB or 2GB", s)
}

// MarshalText writes a size exactly, in the largest unit that divides it.
func (b Size) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String writes a size in the largest unit that divides it.
func (b Size) String() string {
	if b == 0 {
		return "0"
	}
	for _, u := range sizeUnits {
		if int64(b)%int64(u.bytes) == 0 {
			return strconv.FormatInt(int64(b)/int64(u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

// A Percent is a share written as 10%; its value is 0.1.
type Percent float64

// UnmarshalText reads a percentage from 0% to 100%.
func (p *Percent) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	number, ok := strings.CutSuffix(s, "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case ok || err != nil || s == "0":
	case 0 < n && n < 1:
		return fmt.Errorf("%q has no unit: write %v, if that share of 1 is meant", s, Percent(n))
	default:
		return fmt.Errorf("%q has no unit: write %s%%", s, s)
	}
	if err != nil || math.IsNaN(n) {
		return fmt.Errorf("%q is not a percentage: write 10%%", s)
	}
	if n < 0 || n > 100 {
		return errors.New("a percentage lies between 0% and 100%")
	}
	*p = Percent(n / 100)
	return nil
}

// MarshalText writes a percentage as UnmarshalText reads it.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// String writes a share as a percentage.
func (p Percent) String() string {
	return strconv.FormatFloat(float64(p)*100, 'g', 6, 64) + "%"
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

func cutSuffixFold(s, suffix string) (before string, found bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}
