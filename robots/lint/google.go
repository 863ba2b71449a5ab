package lint

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// googleText rewrites a file so that a reader of RFC 9309 takes it as Google's parser does: names of fields by their
// beginning and in spite of slips, names of robots up to the first character that they may not have, two words as a field
// without its colon, patterns with blanks as nothing, index pages as their directory, a line up to the first NUL; and nothing of
// UTF-16. numbers are those of the lines in the file.
func googleText(body []byte) (text string, numbers []int) {
	if bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe")) {
		return "", nil
	}
	var b strings.Builder
	for i, l := range splitLines(textOf(body)) {
		field, value := googleLine(l.raw)
		if field == "" {
			continue
		}
		numbers = append(numbers, i+1)
		b.WriteString(field + ": " + value + "\n")
		if i := strings.LastIndexByte(value, '/'); field == fieldAllow && i >= 0 && strings.HasPrefix(value[i:], "/index.htm") {
			numbers = append(numbers, numbers[len(numbers)-1])
			b.WriteString(fieldAllow + ": " + value[:i+1] + "$\n")
		}
	}
	return b.String(), numbers
}

// googleLine returns the field and value that Google's parser finds in a line, as RFC 9309 is to read them; no field where it finds
// none that matters here.
func googleLine(raw string) (field, value string) {
	field, value = googleParts(raw)
	switch {
	case field == "":
		return "", ""
	case field == fieldAgent:
		name := value[:tokenLen(value)]
		if strings.HasPrefix(value, "*") && (len(value) == 1 || value[1] == ' ' || value[1] == '\t') {
			name = "*"
		}
		return field, name
	}
	if strings.ContainsAny(value, " \t") || indexOfControl(value) >= 0 {
		value = ""
	}
	if value = encodeHigh(value); strings.Contains(value, "%") {
		value = escape.ReplaceAllStringFunc(value, hideEscape)
	}
	return field, value
}

// googleParts takes a line apart as Google's parser does: at the first colon, or between two words without one.
func googleParts(raw string) (field, value string) {
	raw, _, _ = strings.Cut(raw, "\x00") // strings of C end there
	raw, _, _ = strings.Cut(raw, "#")
	code := strings.Trim(raw, " \t\v\f")
	code = code[:min(len(code), robots.MaxLine)]
	key, value, ok := strings.Cut(code, ":")
	if words := strings.Fields(code); !ok && len(words) == 2 {
		key, value, ok = words[0], words[1], true
	}
	if field = googleField(strings.TrimSpace(key)); !ok || field == "" {
		return "", ""
	}
	return field, strings.TrimSpace(value)
}

var (
	escape = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	hidden = regexp.MustCompile(`%[G-Vg-v]`) // what hideEscape makes of escapes
)

// hideEscape writes an escape so that RFC 9309 does not take it for one, with the same length: to Google, %61 is not a.
func hideEscape(s string) string {
	digit, err := strconv.ParseUint(s[1:2], 16, 8)
	if err != nil {
		return s
	}
	return string([]byte{'%', 'G' + byte(digit)}) + strings.ToUpper(s[2:])
}

// googleField returns the field that Google takes key for; empty for those that are of no matter here.
func googleField(key string) string {
	key = strings.ToLower(key)
	begins := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(key, name) })
	}
	switch {
	case begins("user-agent", "useragent", "user agent"):
		return fieldAgent
	case begins("allow"):
		return fieldAllow
	case begins("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"):
		return fieldDisallow
	}
	return ""
}
