package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// files reads robots.txt files by digest, and remembers the rules that were used last.
type files struct {
	jobs  []Job
	most  int // bytes, about, of what is remembered
	used  int
	rules map[ruleKey]*ruleSet

	last      ruleKey // was asked for last, and is asked for again by most
	lastRules *ruleSet
}

type ruleKey struct {
	job                              int // whose copy is looked at first
	digest, origin, product, dialect string
}

// A ruleSet is a file as one product reads it for one origin.
type ruleSet struct {
	*robots.Rules
	lines []string
	lack  string // why there are no rules
	bad   bool   // the file is there, but is not what it was
}

// of returns the rules of a file. When memory is full everything is forgotten.
func (f *files) of(k ruleKey) *ruleSet {
	if f.lastRules == nil || f.last != k {
		f.last, f.lastRules = k, f.remembered(k)
	}
	return f.lastRules
}

func (f *files) remembered(k ruleKey) *ruleSet {
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
	body, err := f.jobs[k.job].robotsFile(k.digest)
	for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(f.jobs); i++ {
		body, err = f.jobs[i].robotsFile(k.digest)
	}
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

// maxRobotsFile bounds a stored robots.txt, in bytes. The engine keeps no more than half a MiB of one.
const maxRobotsFile = 16 << 20

// readRegular reads a file of at most so many bytes. Anything but a regular file is an error: opening a pipe would wait for ever,
// and a device has no end.
func readRegular(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that it may have", name, info.Size(), most)
	}
	return os.ReadFile(name)
}

// checkBundled judges whether each robots.txt of a bundle is what it is named, also one that no line names.
func (pr *prover) checkBundled(w *witness) {
	b := w.job.Bundle
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		hash, isRobots := strings.CutPrefix(name, bundleRobots)
		if !isRobots {
			continue
		}
		body, err := b.read(name)
		if sum := sha256.Sum256(body); err != nil || hex.EncodeToString(sum[:]) != hash {
			pr.tally(Files, w).refute(nil, "%s was altered, or has another name", name)
		}
	}
}

// sameRule reports whether the text of a rule on record, which may have been shortened, is that of a rule.
func sameRule(recorded, rule string) bool {
	rule = string([]rune(rule))
	if short, ok := strings.CutSuffix(recorded, "…"); ok {
		return strings.HasPrefix(rule, short)
	}
	return recorded == rule
}

// kept judges whether a file that a record names is stored as it was, and returns its rules.
func (p *pass) kept(e *ledger.Entry, digest, origin string) *ruleSet {
	rules := p.files.of(p.ruleKey(digest, origin))
	switch {
	case rules.bad:
		p.tally(Files).refute(e, "%s", rules.lack)
	case rules.lack != "":
		p.tally(Files).lack(e, "%s", rules.lack)
	default:
		p.tally(Files).ok()
	}
	return rules
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
	if n < 1 || n > len(r.lines) {
		return false
	}
	before, _, found := strings.Cut(r.lines[n-1], rule)
	return found && strings.TrimRightFunc(before, unicode.IsLetter) == before // "Disallow: /" does not hold "allow: /"
}
