package lint_test

import (
	"bytes"
	"regexp"
	"strings"
)

// A googleFile is what Google's parser (github.com/google/robotstxt) gets out of a file for one robot. It is written apart
// from the reading that Fix proves with: line by line, with regular expressions for patterns.
type googleFile struct {
	own, all []googleRule
	named    bool
}

type googleRule struct {
	allow  bool
	length int
	match  *regexp.Regexp
}

var (
	agentKey    = regexp.MustCompile(`^user[- ]?agent`)
	disallowKey = regexp.MustCompile(`^(disallow|dissallow|dissalow|disalow|diasllow|disallaw)`)
	nameStart   = regexp.MustCompile(`^[A-Za-z_-]*`)
	globalName  = regexp.MustCompile(`^\*([ \t]|$)`)
	escape      = regexp.MustCompile(`%[0-9a-fA-F]{2}`)
)

func parseGoogle(body []byte, product string) *googleFile {
	f := &googleFile{}
	body = body[:min(len(body), 500*1024)]
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark)); ok {
			body = rest
			break
		}
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return f // it reads no UTF-16
	}
	var own, all, rules bool
	for _, text := range strings.FieldsFunc(string(body), func(c rune) bool { return c == '\n' || c == '\r' }) {
		text, _, _ = strings.Cut(text, "\x00") // where strings of C end
		text, _, _ = strings.Cut(text, "#")
		text = strings.Trim(text, " \t\v\f\x00")
		text = text[:min(len(text), 16664)]
		key, value, ok := strings.Cut(text, ":")
		if words := strings.Fields(text); !ok && len(words) == 2 {
			key, value = words[0], words[1]
		} else if !ok {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch {
		case agentKey.MatchString(key):
			if rules {
				own, all, rules = false, false, false
			}
			name := nameStart.FindString(value)
			switch {
			case globalName.MatchString(value):
				all = true
			case name != "" && strings.EqualFold(name, product):
				own, f.named = true, true
			}
		case strings.HasPrefix(key, "allow"):
			rules = true
			f.add(own, all, true, value)
			if i := strings.LastIndexByte(value, '/'); i >= 0 && strings.HasPrefix(value[i:], "/index.htm") {
				f.add(own, all, true, value[:i+1]+"$")
			}
		case disallowKey.MatchString(key):
			rules = true
			f.add(own, all, false, value)
		}
	}
	return f
}

func (f *googleFile) add(own, all, allow bool, value string) {
	if value == "" || value[0] != '/' && value[0] != '*' || strings.ContainsAny(value, " \t") {
		return
	}
	pattern, end := strings.CutSuffix(escapeHigh(value), "$")
	expression := "(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	if end {
		expression += "$"
	}
	rule := googleRule{allow, len(escapeHigh(value)), regexp.MustCompile(expression)}
	if own {
		f.own = append(f.own, rule)
	}
	if all {
		f.all = append(f.all, rule)
	}
}

func (f *googleFile) allows(path string) bool {
	rules := f.all
	if f.named {
		rules = f.own
	}
	path = escapeHigh(path)
	best, allowed := -1, true
	for _, r := range rules {
		if r.match.MatchString(path) && (r.length > best || r.length == best && r.allow) {
			best, allowed = r.length, r.allow
		}
	}
	return allowed || path == "/robots.txt"
}

// escapeHigh percent-encodes bytes beyond ASCII and writes hexadecimal digits in capitals.
func escapeHigh(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < 0x80 {
			b.WriteByte(s[i])
			continue
		}
		b.WriteString("%" + strings.ToUpper(hex(s[i])))
	}
	return escape.ReplaceAllStringFunc(b.String(), strings.ToUpper)
}

func hex(c byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[c>>4], digits[c&15]})
}
