package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// A prover knows what a file forbids and can tell whether another one opens any of it. It compares the rules of every
// robot that either file could name, in three readings; the proof may fail for files that open nothing, never the other
// way round.
type prover struct {
	text  string
	rules map[int]map[string]*robots.Rules // by reading and product
	said  string                           // all that is not blank or comment
	named map[string]string                // names in the file, lower case, with where they stand
}

func newProver(text string) *prover {
	said, named := outline(text)
	p := &prover{text: text, said: said, named: named, rules: map[int]map[string]*robots.Rules{}}
	for i := range readers {
		p.rules[i] = map[string]*robots.Rules{}
	}
	return p
}

// isSafe reports whether text forbids all that the prover's file does, keeps at least its pace, and closes the front page to
// nobody.
func (p *prover) isSafe(text string) bool {
	if text == p.text {
		return true
	}
	if len(text) > robots.MaxBytes {
		return false
	}
	said, named := outline(text)
	if said == p.said {
		return true
	}
	if strings.Contains(text, "%") && (hidden.MatchString(p.text) || hidden.MatchString(text)) {
		return false // asGoogle could not tell them from escapes
	}
	products := p.products(named)
	if len(products)*(len(text)+len(p.text)) > maxWork {
		return false
	}
	for i, read := range readers {
		new := read(text)
		for _, product := range products {
			before, after := p.before(i, product), new.Rules(product)
			closes := before.Test("/").Allowed && !after.Test("/").Allowed
			if closes || !covers(after, before) {
				return false
			}
		}
	}
	return true
}

// readers are the readings in which a proof is made.
var readers = [...]func(string) *robots.File{cautiously, by9309, asGoogle}

// before returns what the prover's file says to a product in a reading.
func (p *prover) before(reading int, product string) *robots.Rules {
	known := p.rules[reading]
	if known[product] == nil {
		known[product] = readers[reading](p.text).Rules(product)
	}
	return known[product]
}

// products returns one of each set of names that the two files treat alike, and the empty one for all others.
func (p *prover) products(named map[string]string) []string {
	products := []string{""}
	seen := map[string]bool{}
	add := func(name string) {
		if key := p.named[name] + "|" + named[name]; !seen[key] {
			seen[key] = true
			products = append(products, name)
		}
	}
	for name := range p.named {
		add(name)
	}
	for name := range named {
		add(name)
	}
	return products
}

func cautiously(text string) *robots.File { return robots.Parse([]byte(text), robots.Cautious) }

func by9309(text string) *robots.File { return robots.Parse([]byte(text), robots.RFC9309) }

func asGoogle(text string) *robots.File {
	return robots.Parse([]byte(googleText(text)), robots.RFC9309)
}

// covers reports whether new surely forbids all that old does. Removing an Allow or adding a Disallow opens nothing; a
// Disallow may give way to a shorter one if no Allow could come between.
func covers(new, old *robots.Rules) bool {
	oldDelay, _ := old.Delay()
	newDelay, _ := new.Delay()
	if newDelay < oldDelay {
		return false
	}
	allowed, forbidden := map[string]bool{}, map[string]bool{}
	for _, r := range old.List() {
		if r.Allow {
			allowed[r.Pattern] = true
		}
	}
	longest := 0 // Allow
	list := new.List()
	for _, r := range list {
		switch {
		case !r.Allow:
			forbidden[r.Pattern] = true
		case !allowed[r.Pattern]:
			return false
		default:
			longest = max(longest, len(r.Pattern))
		}
	}
	for _, r := range old.List() {
		if !r.Allow && !forbidden[r.Pattern] && !hasShorter(forbidden, r.Pattern, longest) {
			return false
		}
	}
	return true
}

// hasShorter reports whether a literal pattern that is longer than longest matches all that pattern does.
func hasShorter(forbidden map[string]bool, pattern string, longest int) bool {
	start := strings.TrimSuffix(pattern, "$")
	if i := strings.IndexByte(start, '*'); i >= 0 {
		start = start[:i]
	}
	for n := len(start); n > longest; n-- {
		if forbidden[start[:n]] {
			return true
		}
	}
	return false
}

// outline returns the lines of a file that say something, and the names that they hold in any reading, each with where it
// stands. Names in User-agent lines that are written as they should be, and follow each other, stand in the same place.
func outline(text string) (said string, named map[string]string) {
	var b strings.Builder
	named = map[string]string{}
	run, inRun := 0, false
	for i, l := range splitLines(text) {
		if l.code == "" {
			continue
		}
		b.WriteString(l.code + "\n")
		key, value, _ := strings.Cut(l.code, ":")
		key, value = strings.Trim(key, " \t"), strings.Trim(value, " \t")
		if strings.EqualFold(key, fieldAgent) && value != "" && token(value) == value && len(key) == len(fieldAgent) {
			if !inRun {
				run, inRun = run+1, true
			}
			named[strings.ToLower(value)] += fmt.Sprintf("run %d;", run)
			continue
		}
		inRun = false
		for j, name := range namesIn(l.code) {
			named[name] += fmt.Sprintf("line %d.%d;", i, j)
		}
	}
	delete(named, "*")
	return b.String(), named
}

// namesIn returns all that could be the name of a robot in a line, in lower case.
func namesIn(code string) []string {
	lower := strings.ToLower(code)
	at := -1
	for _, key := range [...]string{"user-agent", "useragent", "user agent"} {
		if i := strings.Index(lower, key); i >= 0 && (at < 0 || i < at) {
			at = i + len(key)
		}
	}
	if at < 0 {
		return nil
	}
	return strings.FieldsFunc(lower[at:], func(c rune) bool { return c >= 0x80 || !isTokenByte(byte(c)) })
}

// googleText rewrites a file so that a reader of RFC 9309 takes it as Google's parser does: names of fields by their
// beginning and in spite of slips, names of robots up to the first character that they may not have, two words as a field
// without its colon, patterns with blanks as nothing, index pages as their directory.
func googleText(text string) string {
	var b strings.Builder
	for _, l := range splitLines(text) {
		code := strings.Trim(l.code, " \t\v\f\x00")
		code = code[:min(len(code), robots.MaxLine)]
		key, value, ok := strings.Cut(code, ":")
		if words := strings.Fields(code); !ok && len(words) == 2 {
			key, value, ok = words[0], words[1], true
		}
		value = strings.TrimSpace(value)
		field := googleField(strings.TrimSpace(key))
		if !ok || field == "" {
			b.WriteByte('\n')
			continue
		}
		switch field {
		case fieldAgent:
			name := value[:tokenLen(value)]
			if strings.HasPrefix(value, "*") && (len(value) == 1 || value[1] == ' ' || value[1] == '\t') {
				name = "*"
			}
			value = name
		case fieldAllow, fieldDisallow:
			if strings.ContainsAny(value, " \t") || indexOfControl(value) >= 0 {
				value = ""
			}
			if value = encodeHigh(value); strings.Contains(value, "%") {
				value = escape.ReplaceAllStringFunc(value, hideEscape)
			}
		}
		b.WriteString(field + ": " + value + "\n")
		if i := strings.LastIndexByte(value, '/'); field == fieldAllow && i >= 0 && strings.HasPrefix(value[i:], "/index.htm") {
			b.WriteString(fieldAllow + ": " + value[:i+1] + "$\n")
		}
	}
	return b.String()
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
