package term

import (
	"hash/maphash"
	"strings"
)

// Bounds of what an Analyzer remembers: most words of a text are among a few thousand.
const (
	remembered = 1 << 16 // words
	longer     = 1 << 12 // of these that do not fit into a place
	fitting    = 30      // bytes of a word, and of its term, that fit into a place
)

// A memory remembers the terms of words. A word has one place, where the last one that belongs there stays. A place is a line of
// the processor's cache, and has no pointers: to follow them would take longer than all else that is done for a word.
type memory struct {
	places []place
	long   []longWord
	seed   maphash.Seed
}

type place struct {
	by, word, term uint8 // the rules that made the term, and how long word and term are
	_              uint8
	words, terms   [fitting]byte
}

type longWord struct {
	by         uint8
	word, term string
}

// appendTerm appends the term of a token.
func (a *Analyzer) appendTerm(dst []byte, word string, s Script, by rules) []byte {
	if s == Pairs {
		return append(dst, foldPair(word)...)
	}
	m := &a.memory
	if m.places == nil {
		m.places, m.long, m.seed = make([]place, remembered), make([]longWord, longer), maphash.MakeSeed()
	}
	hash := maphash.String(m.seed, word)
	if len(word) > fitting {
		return append(dst, a.longTerm(&m.long[hash%longer], word, by)...)
	}
	p := &m.places[hash%remembered]
	if p.by == by.id && string(p.words[:p.word]) == word {
		return append(dst, p.terms[:p.term]...)
	}
	term := a.make(word, by.lang)
	if len(term) <= fitting {
		p.by, p.word, p.term = by.id, uint8(len(word)), uint8(len(term))
		copy(p.words[:], word)
		copy(p.terms[:], term)
	}
	return append(dst, term...)
}

// longTerm returns the term of a word that does not fit into a place.
func (a *Analyzer) longTerm(l *longWord, word string, by rules) string {
	if l.word != word || l.by != by.id {
		word = strings.Clone(word) // else the whole text would be remembered
		*l = longWord{by.id, word, strings.Clone(a.make(word, by.lang))}
	}
	return l.term
}
