package term

import (
	"unicode"
	"unicode/utf8"
)

// MaxTerm bounds a word, in bytes. Longer ones are hashes, keys and the like, which nobody types.
const MaxTerm = 64

// A Token is a word, or a pair of characters, of a text.
type Token struct {
	Start, End int    // in the text, in bytes
	Script     Script // in which it is written
}

// A Script is a way of writing, as far as it decides how a token becomes a term.
type Script uint8

// The scripts.
const (
	Other    Script = iota
	Latin           // and digits alone
	Cyrillic        //
	Arabic          //
	Tamil           //
	Pairs           // characters of which words are not written apart
)

// A Scanner goes through the tokens of a text.
type Scanner struct {
	text string
	at   int // where the next token may begin

	pair, end int // in a run of characters: where the next pair begins, and where its first character ends; pair < 0 outside
}

// NewScanner returns a scanner at the beginning of a text.
func NewScanner(text string) *Scanner { return &Scanner{text: text, pair: -1} }

// Next returns the next token; ok is false at the end.
func (s *Scanner) Next() (t Token, ok bool) {
	for {
		if s.pair >= 0 {
			return s.nextPair(), true
		}
		r, size := s.rune()
		if size == 0 {
			return t, false
		}
		switch k := kindOf(r); k {
		case kindPair:
			s.pair, s.end = s.at, s.at+size
		case kindWord:
			if t, ok := s.word(); ok {
				return t, true
			}
		default:
			s.at += size
		}
	}
}

func (s *Scanner) rune() (rune, int) {
	if s.at < len(s.text) {
		if c := s.text[s.at]; c < utf8.RuneSelf {
			return rune(c), 1
		}
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	if r == utf8.RuneError {
		r = ' '
	}
	return r, size
}

// nextPair returns a character of a run with the one behind it; the last one stands alone. What only tells where a line may be
// broken parts no run: Thai and Khmer pages have it between words.
func (s *Scanner) nextPair() Token {
	t := Token{Start: s.pair, End: s.end, Script: Pairs}
	s.at = s.end
	r, size := s.rune()
	for isJoint(r) {
		s.at += size
		r, size = s.rune()
	}
	if size == 0 || kindOf(r) != kindPair {
		s.at, s.pair = s.end, -1
		return t
	}
	t.End = s.at + size
	s.pair, s.end = s.at, t.End
	return t
}

// isJoint reports whether a character is none that is seen: where a line may be broken, or must not be.
func isJoint(r rune) bool { return r == '\u200b' || r == '\u2060' || r == '\ufeff' || r == softHyphen }

// word reads a word; ok is false when it is too long.
func (s *Scanner) word() (t Token, ok bool) {
	t.Start, t.Script = s.at, Latin
	for {
		for s.at < len(s.text) && s.text[s.at] < utf8.RuneSelf && asciiKinds[s.text[s.at]] == kindWord {
			s.at++
		}
		r, size := s.rune()
		if size == 0 || kindOf(r) != kindWord {
			break
		}
		if r >= utf8.RuneSelf && t.Script <= Latin {
			t.Script = scriptOf(r, t.Script)
		}
		s.at += size
	}
	t.End = s.at
	if t.End-t.Start == 1 {
		t.End = s.withSign(t.End)
		s.at = t.End
	}
	return t, t.End-t.Start <= MaxTerm
}

// withSign returns the end of names like C++ and F#, which are more than their letter.
func (s *Scanner) withSign(end int) int {
	rest := s.text[end:]
	for _, sign := range [...]string{"++", "#"} {
		if len(rest) < len(sign) || rest[:len(sign)] != sign {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(rest[len(sign):]); !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' {
			return end + len(sign)
		}
	}
	return end
}

type kind uint8

const (
	kindNone kind = iota
	kindWord
	kindPair
)

// kindOf says whether a character belongs to words, to pairs, or parts them.
func kindOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKinds[r]
	case r < 0x0E00: // Latin, Greek, Cyrillic, Hebrew, Arabic, scripts of India
		return wordOrNone(r)
	case r < 0x0F00, r >= 0x1000 && r < 0x10A0, r >= 0x1780 && r < 0x1800: // Thai, Lao; Burmese; Khmer
		return pairOrNone(r)
	case r >= 0x1100 && r < 0x1200, r >= 0x2E80 && r < 0xA4D0, r >= 0xAC00 && r < 0xD800, r >= 0xF900 && r < 0xFB00,
		r >= 0xFF66 && r < 0xFFDD, r >= 0x1B000 && r < 0x1B300, r >= 0x20000 && r < 0x40000:
		return pairOrNone(r)
	}
	return wordOrNone(r)
}

// softHyphen and the zero-width joiners stand within words.
const softHyphen = '\u00AD'

func wordOrNone(r rune) kind {
	if isApostrophe(r) {
		return kindNone
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == softHyphen || r == '\u200c' || r == '\u200d' ||
		isSubscript(r) {
		return kindWord
	}
	return kindNone
}

// isSubscript reports whether a character is a digit of a formula, as in CO₂, which many write CO2. A raised one may be the mark of
// a note.
func isSubscript(r rune) bool { return r >= '₀' && r <= '₉' }

// isApostrophe reports of the apostrophes that are letters, as in компʼютер and Oʻahu: ' and ’, which most write for them,
// part words, and so do these.
func isApostrophe(r rune) bool { return r == '\u02BB' || r == '\u02BC' }

func pairOrNone(r rune) kind {
	if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '々' || r == '〇' {
		return kindPair
	}
	return kindNone
}

var asciiKinds = func() (k [utf8.RuneSelf]kind) {
	for c := range k {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			k[c] = kindWord
		}
	}
	return k
}()

// scriptOf returns the script of a word with a letter r that is not ASCII.
func scriptOf(r rune, before Script) Script {
	switch {
	case r < 0x0370, r >= 0x1E00 && r < 0x1F00, r >= 0xFF00 && r < 0xFF60, isSubscript(r):
		return before
	case r >= 0x0400 && r < 0x0530:
		return Cyrillic
	case r >= 0x0600 && r < 0x0700, r >= 0x0750 && r < 0x0780, r >= 0xFB50 && r < 0xFE00, r >= 0xFE70 && r < 0xFF00:
		return Arabic
	case r >= 0x0B80 && r < 0x0C00:
		return Tamil
	case unicode.IsMark(r), r == '\u200c', r == '\u200d':
		return before
	}
	return Other
}
