package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/cybermapper/cybermapper/robots"
)

// files reads robots.txt files by digest, and remembers the rules that were used last.
type files struct {
	dir   string
	most  int // bytes, about, of what is remembered
	used  int
	rules map[ruleKey]*ruleSet
}

type ruleKey struct{ digest, origin, product, dialect string }

// A ruleSet is a file as one product reads it for one origin.
type ruleSet struct {
	*robots.Rules
	lines []string
	lack  string // why there are no rules
	bad   bool   // the file is there, but is not what it was
}

// of returns the rules of a file. When memory is full everything is forgotten.
func (f *files) of(k ruleKey) *ruleSet {
	if r, ok := f.rules[k]; ok {
		return r
	}
	const perFile = 2000
	r, size := f.read(k)
	if f.used += size + perFile; f.used > f.most || f.rules == nil {
		f.rules, f.used = map[ruleKey]*ruleSet{}, size+perFile
	}
	f.rules[k] = r
	return r
}

func (f *files) read(k ruleKey) (*ruleSet, int) {
	dialect, err := robots.ParseDialect(k.dialect)
	if err != nil {
		return &ruleSet{lack: "the dialect it was read in is not recorded"}, 0
	}
	body, err := os.ReadFile(filepath.Join(f.dir, fileName(k.digest)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &ruleSet{lack: "robots.txt " + k.digest + " is not stored"}, 0
	case err != nil:
		return &ruleSet{lack: err.Error()}, 0
	}
	if sum := sha256.Sum256(body); "sha256:"+hex.EncodeToString(sum[:]) != k.digest {
		return &ruleSet{lack: "the stored robots.txt " + k.digest + " was altered", bad: true}, 0
	}
	rules := robots.Parse(body, dialect).RulesFor(k.origin, k.product)
	return &ruleSet{Rules: rules, lines: splitLines(body)}, 4 * len(body)
}

// fileName keeps digests that are none from being taken for paths.
func fileName(digest string) string {
	name, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || len(name) != 64 || strings.Trim(name, "0123456789abcdef") != "" {
		return "no-digest"
	}
	return name
}

// splitLines returns the lines of a body: ended by CR, LF or both. What is no UTF-8 becomes U+FFFD, as in a ledger.
func splitLines(body []byte) []string {
	text := string(body)
	if len(body) >= 2 && (text[:2] == "\xff\xfe" || text[:2] == "\xfe\xff") {
		text = fromUTF16(body)
	}
	text = string([]rune(text))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

func fromUTF16(body []byte) string {
	units := make([]uint16, 0, len(body)/2)
	for i := 2; i+1 < len(body); i += 2 {
		hi, lo := body[i], body[i+1]
		if body[0] == 0xff {
			hi, lo = lo, hi
		}
		units = append(units, uint16(hi)<<8|uint16(lo))
	}
	return string(utf16.Decode(units))
}

// stands reports whether the text of a rule is part of the nth line.
func (r *ruleSet) stands(rule string, n int) bool {
	rule = strings.TrimSuffix(rule, "…") // shortened by the ledger
	return n >= 1 && n <= len(r.lines) && strings.Contains(r.lines[n-1], rule)
}
