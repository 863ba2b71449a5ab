package say

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// Span writes a duration without what nobody wants to read.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return config.Duration(d.Round(10 * time.Microsecond)).String()
	case d < time.Second:
		return config.Duration(d.Round(time.Millisecond)).String()
	case d < time.Minute:
		return config.Duration(d.Round(100 * time.Millisecond)).String()
	}
	return config.Duration(d.Round(time.Second)).String()
}

// Clock writes a moment for people of this place.
func Clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000") }

// Count writes a number with its thousands apart.
func Count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number of things.
func Plural[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"): // address
		return Count(n) + " " + thing + "es"
	}
	return Count(n) + " " + thing + "s"
}

// Bytes writes a size roughly.
func Bytes(n int64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Printable replaces control characters, and those that turn the direction of text or begin a line: what strangers say must
// neither steer the terminal nor look like something that we say.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Clip cuts text to at most width characters.
func Clip(text string, width int) string {
	text = Printable(text)
	if width < 1 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width])
}

// Pad fills text with spaces to width columns. Thai has marks that stand above and below others, and take no place.
func Pad(text string, width int) string {
	for _, c := range text {
		if !unicode.Is(unicode.Mn, c) {
			width--
		}
	}
	return text + strings.Repeat(" ", max(width, 0))
}

// Shorten cuts the middle out of a text that is wider than width.
func Shorten(s string, width int) string {
	if len(s) <= width {
		return s
	}
	const gap = "..."
	head := (width - len(gap)) / 2
	return s[:head] + gap + s[len(s)-(width-len(gap)-head):]
}
